"""One board as several have played it from the same chair, with the same cards."""

from __future__ import annotations

import datetime

from ladder.values.computing import Computing
from ladder.values.people import ChairKind
from ladder.values.replay import DealPlace
from ladder.values.value import Value


class TodaysBoard(Value):
    """The board of a day in one variant, the same for all."""

    variant: str
    title: str
    players: int
    day: datetime.date
    """UTC."""
    commitment: str
    """SHA-256 of its seed, in hex."""
    seed: str | None
    """In hex; None until the day is over."""
    played: int
    """Number of people who have played it to its end."""
    names: tuple[str, ...]
    """Of those of them who have an account the latest ones, the last one first."""


class MatchBoardChair(Value):
    """A chair of a board that bots have played."""

    seat: int
    bot: str
    """The bot that sat there in this rotation."""


class MatchBoard(DealPlace):
    """A board in one rotation of a match of the ladder, to be played once more."""

    match: int
    variant: str
    title: str
    chairs: tuple[MatchBoardChair, ...]
    """By seat."""
    commitment: str
    """That of the match, and so of the table that plays the board once more."""


class BoardDifference(Value):
    """A decision of yours where the other player decided differently."""

    at: str
    """`pass`, `expose`, `moon`, or the trick, counted from 1: `trick 3`."""
    step: int
    """The place of yours among the steps of your deal, from 1."""
    other_step: int
    """The place of the other's among the steps of its deal."""
    yours: str
    """As a record says it: `QS`, several cards with a space between, `JD*` for one face down, `subtract` or `add`."""
    other: str
    same_position: bool
    """True if both knew exactly the same; afterwards they play different deals with the same cards."""


class BoardPlay(Value):
    """The result of one player in that chair."""

    key: str
    """Names it in addresses."""
    name: str
    kind: ChairKind
    you: bool
    points: int
    """Its score in the deal, as the variant counts."""
    place: int
    """By points, 1 the best; equal ones share one."""
    counts: bool
    """True if it counts for the percentile; one in which a decision was taken back or asked about does not."""


class SameBoard(DealPlace):
    """Your result beside those of all others who played the board from that chair."""

    variant: str
    title: str
    low_is_better: bool
    day: datetime.date | None
    """The day whose board it is; None: it is of a match."""
    match: int | None
    """Of which match the board is; None: it is a day's."""
    chair: int
    """The seat."""
    hand: str
    """The cards dealt to it."""
    points: int
    """Yours."""
    percentile: int | None
    """Of all others that count: how many per cent you have beaten, equal ones by half; None if there are none."""
    plays: tuple[BoardPlay, ...]
    """Yours among them, the best one first."""
    computing: Computing | None
    """Progress of the plays of house bots that are not yet among them; None: all are."""
    absent: tuple[str, ...]
    """House bots whose play of this board could not be computed."""


class DayResults(Value):
    """All results on the board of a day that is over."""

    board: TodaysBoard
    low_is_better: bool
    hand: str
    """The cards dealt to the chair that all play from."""
    plays: tuple[BoardPlay, ...]
    """The best one first."""
    computing: Computing | None
    """Progress of the plays of house bots that are not yet among them; None: all are."""
    absent: tuple[str, ...]
    """House bots whose play of this board could not be computed."""


class PlayBeside(Value):
    """The play of another person or bot beside yours, decision by decision."""

    play: BoardPlay
    yours: DealPlace
    """Position of your deal in its record."""
    other: DealPlace
    """Position of the other's deal in its own record."""
    differences: tuple[BoardDifference, ...]
    """The first one first; none where both did the same all the time."""
