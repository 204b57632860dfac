"""Nets, and opponents that decide at many tables at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pigpen.sim.playout import Policy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pigpen.learn.tables import Tables
    from pigpen.rules import Rules

Net: TypeAlias = Callable[["NDArray[np.uint8]"], "tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]"]
"""
A net: it gets unpacked observations, shape (n, size). For each it returns the logits of all actions, shape (n, actions)
and the rewards that it expects for all seats, the one that decides first, shape (n, players).
"""

BatchBot: TypeAlias = Policy | Callable[["NDArray[np.uint8]", "NDArray[np.int8]"], "NDArray[np.integer]"]
"""An opponent at many tables: a policy, or a function of observations and masks that returns an action for each."""


def each_opponent(bots: BatchBot | Sequence[BatchBot] | None, rules: Rules) -> Sequence[BatchBot]:
    """
    List the opponents of one seat: those given, one given for all, or `Policy.CAREFUL`.

    Raises:
        ValueError: If there are not as many as other seats.
    """
    bots, others = Policy.CAREFUL if bots is None else bots, rules.players - 1
    given = [bots] * others if isinstance(bots, Policy) or callable(bots) else bots
    if len(given) != others:
        raise ValueError(f"{rules.name} takes {others} bots beside yours; {len(given)} are given.")
    return given


def greedy(net: Net) -> BatchBot:
    """
    Make an opponent of a net: it takes the action that the net likes best.

    >>> import numpy as np
    >>> from pigpen.learn import greedy
    >>> bot = greedy(lambda seen: (np.array([[0.5, 2.0, 1.0]]), np.zeros((1, 4))))
    >>> bot(np.zeros((1, 8), dtype=np.uint8), np.array([[1, 0, 1]], dtype=np.int8)).tolist()
    [2]

    Args:
        net: A function of unpacked observations that returns logits of all actions, and values.
    """
    import numpy as np

    def choose(observations: NDArray[np.uint8], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        actions: NDArray[np.int64] = np.where(mask, net(observations)[0], -np.inf).argmax(1)
        return actions

    return choose


def chosen_by(tables: Tables, bot: BatchBot, where: NDArray[np.bool_]) -> NDArray[np.int64]:
    """
    Ask an opponent at the tables that *where* marks.

    Returns:
        Its actions, shape (games,); that of the other tables is −1.
    """
    import numpy as np

    if isinstance(bot, Policy):
        return tables.actions_by(bot, where)
    actions = np.full(len(where), -1, dtype=np.int64)
    if where.any():
        packed = tables.observations[where]
        actions[where] = bot(tables.encoding.unpack(packed), tables.encoding.mask(packed))
    return actions


def chosen_by_seats(
    tables: Tables, bots: Sequence[BatchBot], first: NDArray[np.int64], where: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """
    Ask the bot whose turn it is at each of the tables that *where* marks.

    Args:
        tables: The tables.
        bots: One for each seat, clockwise from the seat that *first* names.
        first: Shape (games,).
        where: Shape (games,).

    Returns:
        Actions, shape (games,); that of the other tables is −1.
    """
    import numpy as np

    different = list({id(bot): bot for bot in bots}.values())
    if len(different) == 1:
        return chosen_by(tables, different[0], where)
    numbers = np.array([next(n for n, each in enumerate(different) if each is bot) for bot in bots])
    asked = numbers[(tables.seats - first) % len(bots)]
    actions = np.full(len(where), -1, dtype=np.int64)
    for number, bot in enumerate(different):
        its = where & (asked == number)
        if its.any():
            actions[its] = chosen_by(tables, bot, its)[its]
    return actions
