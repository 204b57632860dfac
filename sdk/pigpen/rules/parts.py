"""
The named parts of a variant, as plain data.

Cards are named as people write them (``"QS"``), a whole suit by its name (``"hearts"``), so that a value
reads the same in Python, TOML and JSON.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar


class Direction(enum.StrEnum):
    """
    Where passed cards go.

    >>> from pigpen.rules import Direction
    >>> Direction.ACROSS.offset(players=4)
    2
    """

    LEFT = "left"
    RIGHT = "right"
    ACROSS = "across"
    NONE = "none"
    """No cards are passed in this deal."""

    def offset(self, players: int) -> int:
        """How many seats clockwise the cards travel; 0 for none."""
        return {"left": 1, "right": players - 1, "across": players // 2, "none": 0}[self]


class Better(enum.StrEnum):
    """
    Which score is better.

    >>> from pigpen.rules import PRESETS, Better
    >>> PRESETS["gongzhu"].scoring.better is Better.HIGH
    True
    """

    LOW = "low"
    HIGH = "high"


class ShooterCards(enum.StrEnum):
    """
    What the moon cards count for the player who took them all.

    >>> from pigpen.rules import PRESETS, ShooterCards
    >>> PRESETS["gongzhu"].moon.shooter is ShooterCards.NEGATE
    True
    """

    VOID = "void"
    """Nothing."""
    NEGATE = "negate"
    """Their points with the sign turned."""


class PigWhenMoon(enum.StrEnum):
    """
    What the pig counts for a player who shot the moon without needing it.

    >>> from pigpen.rules import PRESETS, PigWhenMoon
    >>> PRESETS["gongzhu"].moon.pig_when_moon is PigWhenMoon.FLIP
    True
    """

    FLIP = "flip"
    """Its points with the sign turned."""
    VOID = "void"
    KEEP = "keep"


class Part:
    """A named part of the rules."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    """Read by pydantic where the platform loads a file: an unknown field is an error. Nothing here needs pydantic."""


@dataclass(frozen=True, kw_only=True)
class Passing(Part):
    """Cards that change hands before play, sealed (C-6)."""

    cards: int
    """How many each player passes."""
    directions: tuple[Direction, ...]
    """The cycle: deal k passes in direction ``k mod len``."""


@dataclass(frozen=True, kw_only=True)
class Opening(Part):
    """Who leads to the first trick."""

    card: str
    """Its holder leads in the first deal of a game."""
    forced: bool
    """Whether that very card must be led."""
    later: str = ""
    """In later deals whoever took this card in the deal before leads; empty: always the holder of `card`."""


@dataclass(frozen=True, kw_only=True)
class FirstTrick(Part):
    """What may not be played to the first trick while the hand holds anything else."""

    barred: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Leading(Part):
    """A suit that may not be led until it is broken."""

    suit: str
    broken_by: tuple[str, ...]
    """Any of these, played to an earlier trick, opens the suit."""
    alone: tuple[str, ...]
    """A hand of nothing but these may lead the suit all the same."""


@dataclass(frozen=True, kw_only=True)
class Exposing(Part):
    """Cards that may be shown before play to make them count more (sealed, C-6)."""

    cards: Mapping[str, tuple[str, ...]]
    """Each card that may be exposed, and the cards whose value that multiplies."""
    face_up: int
    """The multiplier of a card exposed face up; such a card is barred as GZ-4 and GZ-5 say."""
    face_down: int = 0
    """The multiplier of a card put face down; 0 where that is not allowed."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", MappingProxyType(dict(self.cards)))


@dataclass(frozen=True, kw_only=True)
class Doubler(Part):
    """A card that multiplies the points of its taker's other scoring cards."""

    card: str
    factor: int
    alone: int = 0
    """Its own points for a taker who took no other scoring card."""


@dataclass(frozen=True, kw_only=True)
class Scoring(Part):
    """What captured cards count."""

    better: Better
    points: Mapping[str, int]
    """Points of each scoring card, zero included; a card that is not named is no scoring card."""
    doubler: Doubler | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", MappingProxyType(dict(self.points)))


@dataclass(frozen=True, kw_only=True)
class Moon(Part):
    """What happens when one player takes all of certain cards."""

    cards: tuple[str, ...]
    shooter: ShooterCards
    others: int = 0
    """Points that every other player receives."""
    others_doubled: bool = False
    """Whether the shooter's doubler, if taken, multiplies `others` too."""
    instead: int | None = None
    """Points the shooter may take instead of giving `others`; None: there is no choice. The default choice."""
    pig: str = "QS"
    pig_when_moon: PigWhenMoon = PigWhenMoon.KEEP
    """What the shooter's pig counts where it is not one of `cards`."""


@dataclass(frozen=True, kw_only=True)
class End(Part):
    """When a game ends; tested after a whole deal (C-7)."""

    limit: int
    """Where low is better a total at or above it ends the game, where high is better one at or below it."""
    inclusive: bool = True
    """Whether reaching the limit exactly is enough."""
    deals: int | None = None
    """The game also ends after this many deals; None: only by score."""
    cap: int = 200
    """A game that would never end by score ends after this many deals (C-8)."""


@dataclass(frozen=True, kw_only=True)
class RulesFields(Part):
    """The parts that make a variant; `Rules` adds the checks and what can be derived."""

    name: str
    title: str
    players: int
    opening: Opening
    scoring: Scoring
    end: End
    partners: bool = False
    """Seats 0, 2 play against 1, 3; a deal's scores are added within a team (GP-1)."""
    removed: tuple[str, ...] = ()
    """Cards taken out of the deck before dealing."""
    passing: Passing | None = None
    first_trick: FirstTrick | None = None
    leading: Leading | None = None
    exposing: Exposing | None = None
    moon: Moon | None = None

    @property
    def low_is_better(self) -> bool:
        """Whether the lowest total wins."""
        return self.scoring.better is Better.LOW
