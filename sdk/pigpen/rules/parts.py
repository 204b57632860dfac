"""
The named parts of a variant, as plain data.

Cards are written with two letters (``"QS"``), a whole suit by its name (``"hearts"``), so that a value reads the same
in Python, TOML and JSON.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NoReturn, TypeVar

if TYPE_CHECKING:
    from typing import Self

K = TypeVar("K")
V = TypeVar("V")


class Direction(enum.StrEnum):
    """
    A direction in which cards are passed.

    >>> from pigpen.rules import Direction
    >>> Direction.ACROSS.offset(players=4)
    2
    """

    LEFT = "left"
    """To the next seat clockwise."""
    RIGHT = "right"
    """To the seat before, which is the next one counterclockwise."""
    ACROSS = "across"
    """To the opposite seat."""
    NONE = "none"
    """No cards are passed in this deal."""

    def offset(self, players: int) -> int:
        """Return the number of seats clockwise that the cards are passed; 0 for none."""
        return {"left": 1, "right": players - 1, "across": players // 2, "none": 0}[self]


class Better(enum.StrEnum):
    """
    The order of scores: whether low or high ones are better.

    >>> from pigpen.rules import PRESETS, Better
    >>> PRESETS["gongzhu"].scoring.better is Better.HIGH
    True
    """

    LOW = "low"
    """The lowest total wins."""
    HIGH = "high"
    """The highest total wins."""


class ShooterCards(enum.StrEnum):
    """
    The scoring of the moon cards for the player who took them all.

    >>> from pigpen.rules import PRESETS, ShooterCards
    >>> PRESETS["gongzhu"].moon.shooter is ShooterCards.NEGATE
    True
    """

    VOID = "void"
    """They count nothing."""
    NEGATE = "negate"
    """They count their points with the opposite sign."""


class PigWhenMoon(enum.StrEnum):
    """
    The scoring of a pig that is no moon card, for the player who shot the moon and took it.

    >>> from pigpen.rules import PRESETS, PigWhenMoon
    >>> PRESETS["gongzhu"].moon.pig_when_moon is PigWhenMoon.FLIP
    True
    """

    FLIP = "flip"
    """It counts its points with the opposite sign."""
    VOID = "void"
    """It counts nothing."""
    KEEP = "keep"
    """It counts its points."""


class FixedDict(dict[K, V]):
    """
    A dictionary that refuses changes, so that it has a hash, and its own copy is itself.

    A `types.MappingProxyType` has no hash and can be neither copied nor pickled.
    """

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none
        return hash(frozenset(self.items()))

    def __copy__(self) -> FixedDict[K, V]:
        return self

    def __deepcopy__(self, memo: object) -> FixedDict[K, V]:
        return self

    def __reduce__(self) -> tuple[type[FixedDict[K, V]], tuple[dict[K, V]]]:
        return FixedDict, (dict(self),)


def _refuse(self: object, *values: object, **named: object) -> NoReturn:
    """Raise a TypeError: rules never change."""
    raise TypeError("rules are never changed; make others with dataclasses.replace")


for _change in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(FixedDict, _change, _refuse)


class Part:
    """A named part of the rules, which never changes: its own copy is itself."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}
    """For pydantic, with which the platform reads files: an unknown field is an error. The SDK needs no pydantic."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


@dataclass(frozen=True, kw_only=True)
class Passing(Part):
    """
    The passing of cards before play. All seats choose at once, without seeing the others (C-6).

    >>> from pigpen.rules import PRESETS
    >>> passing = PRESETS["hearts"].passing
    >>> passing.cards, [str(direction) for direction in passing.directions]
    (3, ['left', 'right', 'across', 'none'])
    """

    cards: int
    """Number of cards that each player passes."""
    directions: tuple[Direction, ...]
    """The directions, deal by deal, again and again: deal *k* has number *k* modulo their count."""


@dataclass(frozen=True, kw_only=True)
class Opening(Part):
    """
    The lead to the first trick.

    >>> from pigpen.rules import PRESETS
    >>> PRESETS["hearts"].opening
    Opening(card='2C', forced=True, later='')
    """

    card: str
    """The holder of this card leads in the first deal of a game."""
    forced: bool
    """True if the leader must lead that card."""
    later: str = ""
    """In later deals the player leads who took this card in the deal before; empty: always the holder of `card`."""


@dataclass(frozen=True, kw_only=True)
class FirstTrick(Part):
    """
    The cards that may not be played to the first trick.

    >>> from pigpen.rules import PRESETS
    >>> PRESETS["hearts"].first_trick
    FirstTrick(barred=('hearts', 'QS'))
    """

    barred: tuple[str, ...]
    """Cards that may not be played to the first trick while the hand holds any other card."""


@dataclass(frozen=True, kw_only=True)
class Leading(Part):
    """
    A suit that may not be led until it is broken.

    >>> from pigpen.rules import PRESETS
    >>> PRESETS["hearts-short"].leading
    Leading(suit='hearts', broken_by=('hearts',), alone=('hearts',))
    """

    suit: str
    """Name of the suit."""
    broken_by: tuple[str, ...]
    """The suit is broken when one of these cards has been played to an earlier trick."""
    alone: tuple[str, ...]
    """A hand that holds only these cards may lead the suit before it is broken."""


@dataclass(frozen=True, kw_only=True)
class Exposing(Part):
    """
    The exposing of cards before play, which makes cards count more. All seats choose at once (C-6).

    >>> from pigpen.rules import PRESETS
    >>> exposing = PRESETS["gongzhu"].exposing
    >>> list(exposing.cards), exposing.cards["AH"], exposing.face_up
    (['AH', 'QS', 'JD', 'TC'], ('hearts',), 2)
    """

    cards: Mapping[str, tuple[str, ...]]
    """Each card that may be exposed, and the cards whose points that multiplies."""
    face_up: int
    """The multiplier of a card exposed face up. Such a card is barred as GZ-4 and GZ-5 say."""
    face_down: int = 0
    """The multiplier of a card exposed face down; 0: not allowed."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", FixedDict(self.cards))


@dataclass(frozen=True, kw_only=True)
class Doubler(Part):
    """
    A card that multiplies the points of its taker's other scoring cards.

    >>> from pigpen.rules import PRESETS
    >>> PRESETS["gongzhu"].scoring.doubler
    Doubler(card='TC', factor=2, alone=50)
    """

    card: str
    """The card."""
    factor: int
    """The multiplier."""
    alone: int = 0
    """Points of the card for a player who took no other scoring card."""


@dataclass(frozen=True, kw_only=True)
class Scoring(Part):
    """
    The points of captured cards.

    >>> from pigpen.rules import PRESETS
    >>> scoring = PRESETS["hearts"].scoring
    >>> scoring.better.name, dict(scoring.points), scoring.doubler
    ('LOW', {'hearts': 1, 'QS': 13}, None)
    """

    better: Better
    """The better scores: low or high ones."""
    points: Mapping[str, int]
    """Points of each scoring card, zero included. A card that is not named is no scoring card."""
    doubler: Doubler | None = None
    """The card that multiplies; None: there is none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", FixedDict(self.points))


@dataclass(frozen=True, kw_only=True)
class Moon(Part):
    """
    The scoring when one player, the shooter, takes all of certain cards.

    >>> from pigpen.rules import PRESETS
    >>> moon = PRESETS["hearts"].moon
    >>> moon.cards, moon.shooter.name, moon.others, moon.instead
    (('hearts', 'QS'), 'VOID', 26, -26)
    """

    cards: tuple[str, ...]
    """The cards that the shooter must take: the moon cards."""
    shooter: ShooterCards
    """Scoring of the moon cards for the shooter."""
    others: int = 0
    """Points that every other player receives."""
    others_doubled: bool = False
    """True if the doubler, if the shooter took it, multiplies `others`."""
    instead: int | None = None
    """Points that the shooter may take instead of giving `others`, the default choice; None: there is no choice."""
    pig: str = "QS"
    """The pig."""
    pig_when_moon: PigWhenMoon = PigWhenMoon.KEEP
    """Scoring of the pig, if the shooter took it and it is not one of `cards`."""


@dataclass(frozen=True, kw_only=True)
class End(Part):
    """
    The end of a game, tested after each deal (C-7).

    >>> from pigpen.rules import PRESETS
    >>> PRESETS["gongzhu"].end
    End(limit=-1000, inclusive=True, deals=None, cap=200)
    """

    limit: int
    """The game ends when a total is at or above the limit if low scores are better, at or below it otherwise."""
    inclusive: bool = True
    """True if a total that equals the limit ends the game."""
    deals: int | None = None
    """Number of deals after which the game ends at the latest; None: it ends by score only."""
    cap: int = 200
    """Number of deals after which any game ends (C-8)."""


@dataclass(frozen=True, kw_only=True)
class RulesFields(Part):
    """The parts of a variant; `Rules` adds checks and properties."""

    name: str
    """Name of the variant in commands and records."""
    title: str
    """Name of the variant for people."""
    players: int
    """Number of seats, 2 to 8."""
    opening: Opening
    """The lead to the first trick."""
    scoring: Scoring
    """Scoring of captured cards."""
    end: End
    """The end of a game."""
    partners: bool = False
    """True if seats 0 and 2 play against 1 and 3; the scores of a deal are added within a team (GP-1)."""
    removed: tuple[str, ...] = ()
    """Cards taken out of the deck before dealing."""
    passing: Passing | None = None
    """Passing of cards; None: no cards are passed."""
    first_trick: FirstTrick | None = None
    """Cards barred from the first trick; None: none are."""
    leading: Leading | None = None
    """The suit that must be broken before it is led; None: there is none."""
    exposing: Exposing | None = None
    """Exposing of cards; None: no card may be exposed."""
    moon: Moon | None = None
    """Effect of shooting the moon; None: it has none."""

    @property
    def low_is_better(self) -> bool:
        """True if the lowest total wins."""
        return self.scoring.better is Better.LOW
