"""Values of a step's field `by`: the decider of an action."""

BY_BOT = "bot"
BY_FORCED = "forced"
"""No one: exactly one action was legal. Whether the seat is taken over makes no difference."""
BY_TAKEOVER = "takeover"
"""The default policy has the seat."""
BY_AWAY = "away"
"""The default policy plays for a person who is not at the table; that is no fault."""
DEFAULT = "default:"
"""The beginning of `by` where the default action was played because of a fault; the verdict follows."""

_UNASKED = frozenset({BY_FORCED, BY_TAKEOVER, BY_AWAY})


def was_asked(by: str) -> bool:
    """
    Tell whether the bot was asked for an action.

    >>> was_asked("bot"), was_asked("default:timeout"), was_asked("forced"), was_asked("takeover")
    (True, True, False, False)
    """
    return by not in _UNASKED
