"""
A variant as data: one frozen `Rules` value with named parts.

All fields are checked when the value is made: a `ValueError` names the field. `Rules.plan` holds the variant as masks
and numbers, for the engine.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pigpen.rules.objections import objections
from pigpen.rules.parts import Direction, RulesFields
from pigpen.rules.plan import Plan, make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.rules.cards import Card

MAX_UNPICKLED = 64
"""Largest number of variants that are kept for `Rules` that are unpickled; a process seldom meets more than one."""
_unpickled: dict[Rules, Rules] = {}


@dataclass(frozen=True, kw_only=True)
class Rules(RulesFields):
    """
    One variant of the game.

    >>> from dataclasses import replace
    >>> from pigpen.rules import PRESETS
    >>> hearts = PRESETS["hearts"]
    >>> hearts.hand_size, hearts.low_is_better, hearts.direction(0)
    (13, True, <Direction.LEFT: 'left'>)
    >>> mine = replace(hearts, name="mine", passing=None)
    >>> mine.pass_offset(0)
    0
    >>> replace(hearts, players=5)
    Traceback (most recent call last):
        ...
    ValueError: removed: 52 cards cannot be dealt evenly to 5 players

    Raises:
        ValueError: If the parts do not make a game; the message names the field.
    """

    def __post_init__(self) -> None:
        for objection in objections(self):
            raise ValueError(objection)

    @cached_property
    def plan(self) -> Plan:
        """The variant as masks and numbers."""
        return make_plan(self)

    @property
    def deck(self) -> tuple[Card, ...]:
        """The cards in play, in canonical order."""
        return self.plan.deck

    @property
    def hand_size(self) -> int:
        """Cards dealt to each seat, and tricks in a deal."""
        return self.plan.hand_size

    def direction(self, deal: int) -> Direction:
        """Return the direction in which cards are passed in deal number *deal* (0, 1, …)."""
        if self.passing is None:
            return Direction.NONE
        return self.passing.directions[deal % len(self.passing.directions)]

    def pass_offset(self, deal: int) -> int:
        """Return the number of seats clockwise that cards are passed in deal number *deal*; 0: none are passed."""
        offsets = self.plan.pass_offsets
        return offsets[deal % len(offsets)]

    def teammates(self, seat: int) -> tuple[int, ...]:
        """List the seats whose scores are added to that of *seat*, itself included."""
        return (seat % 2, seat % 2 + 2) if self.partners else (seat,)

    def places(self, scores: tuple[float, ...]) -> tuple[int, ...]:
        """Return the place of each seat by its score, 1 the best. Equal scores share a place (C-7)."""
        sign = 1 if self.low_is_better else -1
        return tuple(1 + sum(sign * other < sign * score for other in scores) for score in scores)

    def __reduce__(self) -> tuple[Callable[..., Rules], tuple[type[Rules], dict[str, object]]]:
        return _unpickle, (type(self), {name: value for name, value in vars(self).items() if name != "plan"})

    def to_plain(self) -> dict[str, object]:
        """Return the variant as nested dicts, lists, strings and numbers. Parts that are None are left out."""
        return _plain(self)  # type: ignore[return-value]


def _unpickle(kind: type[Rules], fields: dict[str, object]) -> Rules:
    """Give the same object for equal rules, so that each process makes their plan once."""
    rules = kind.__new__(kind)
    vars(rules).update(fields)
    if rules not in _unpickled and len(_unpickled) >= MAX_UNPICKLED:
        _unpickled.clear()
    return _unpickled.setdefault(rules, rules)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value):
        pairs = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {name: _plain(item) for name, item in pairs if item is not None}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, enum.StrEnum) else value
