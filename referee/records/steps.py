"""
Actions as the record writes them.

The decider of an action is a value of a step's field `by`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pigpen.rules import CARDS, Card, Face, MoonChoice, cards_in, mask_of

if TYPE_CHECKING:
    from pigpen.rules import Action
    from referee.records.lines import Step

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


NAMES = tuple(map(str, CARDS))
"""The name of each card, by its number."""


def action_of(step: Step) -> Action:
    """
    Read the action of a recorded step.

    Raises:
        ValueError: If there is none, or it cannot be read.
    """
    return parse_action(*kind_and_words(step))


def kind_and_words(step: Step) -> tuple[str, str]:
    """Give the field of a step that holds its action, and what stands in it; two empty texts if none does."""
    fields = (("play", step.play), ("pass", step.passed), ("expose", step.expose), ("moon", step.moon))
    return next(((kind, words) for kind, words in fields if words is not None), ("", ""))


def parse_action(kind: str, words: str) -> Action:
    """
    Read an action.

    Args:
        kind: `play`, `pass`, `expose` or `moon`.
        words: What stands in the field of that name.

    Raises:
        ValueError: If it cannot be read.
    """
    if kind == "play":
        return Card.parse(words)
    if kind == "pass":
        return tuple(map(Card.parse, words.split()))
    if kind == "expose":
        return {Card.parse(word.removesuffix("*")): _face(word) for word in words.split()}
    if kind == "moon" and words.upper() in MoonChoice.__members__:
        return MoonChoice[words.upper()]
    raise ValueError("the step holds no action that can be read")


def _face(word: str) -> Face:
    return Face.DOWN if word.endswith("*") else Face.UP


def words_of(action: Action) -> tuple[str, str]:
    """Give the field of a `Step` that holds *action*, and what stands in it."""
    if isinstance(action, Card):
        return "play", NAMES[action]
    if isinstance(action, MoonChoice):
        return "moon", action.name.lower()
    if isinstance(action, Mapping):
        shown = sorted(action.items())
        return "expose", " ".join(f"{card}*" if face is Face.DOWN else str(card) for card, face in shown)
    return "pass", names_of(mask_of(action))


def names_of(mask: int) -> str:
    """Name the cards of a set, in canonical order."""
    return " ".join([NAMES[card] for card in cards_in(mask)])
