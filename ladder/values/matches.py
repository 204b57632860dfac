"""
Matches of a ladder, as terminal and page show them.

There are matches in lists and in detail, the explanations of the changes of ratings, one deal of a recorded match
moment by moment, and the program of ladder TV.
"""

from __future__ import annotations

from ladder.values.value import Time, Value
from referee.replay.table_view import TableDeal, TableMoment, TableTrick

LONGEST_WORDS = 500
"""The most characters of what was wrong with an answer."""
LONGEST_PRINT = 4000
"""The most characters of what a bot printed at one decision."""
MAX_FAULTS = 1000
"""The most faults of a match that are listed."""


class DealPlace(Value):
    """Position of a deal in its match. Both numbers count from 1."""

    board: int
    """Number of the board; in a match without boards, of the deal."""
    rotation: int
    """Number of the board's rotation; in a match without boards, 1."""


class FaultPlace(DealPlace):
    """Position of a fault in its match."""

    step: int
    """The step that was played instead, counted from 1 in its deal."""
    bot: int
    """The number of the bot."""


class ReplayTrick(TableTrick):
    """One whole trick of a recorded deal."""

    ends: int
    """The place of the moment after it in `moments`."""


class DealReplayed(Value, TableDeal):
    """One deal of a recorded match, as seen from all seats or from one."""

    match: int | None
    """Its number on the ladder; None if it comes from a file."""
    format: str
    place: DealPlace
    boards: bool
    """True if the match has boards."""
    previous: DealPlace | None
    next: DealPlace | None
    faults: tuple[FaultPlace, ...]
    """Every fault in the match, in the order of boards and rotations; none as seen from one seat."""
    numbers: tuple[int, ...]
    """The number of the bot in each seat."""
    hands: tuple[str, ...]
    """The cards dealt to each seat; empty where they are not known."""
    moments: tuple[TableMoment, ...]
    """The cards dealt, what happened then, and the result."""
    tricks: tuple[ReplayTrick, ...]

    @property
    def scores(self) -> tuple[int, ...]:
        """Score of each seat in the deal."""
        return self.moments[-1].scores or ()

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals in this rotation after the deal, of the player in each seat."""
        return self.moments[-1].totals


class SeatRow(Value):
    """The bot with one of the numbers of a match, and its result; None where something is not known before the end."""

    seat: int
    version_id: int
    bot: str
    version: int
    """Its number among the versions of the bot."""
    place: int | None
    points_per_deal: float | None
    board_points: tuple[float, ...] | None
    """
    Points a deal on each board, as it is rated.

    More is better in every variant. A deal in which it was taken over counts as the worst margin at the table.
    """
    standard_error: float | None
    faults: int | None
    taken_over: bool | None
    timed: str | None
    """`cpu` or `wall`."""
    median_ms: float | None
    worst_ms: float | None
    matches_before: int | None
    boards_before: int | None
    """Boards of those matches."""
    rating_before: float | None
    """Elo as it is stored, not shifted."""
    rating_after: float | None

    @property
    def move(self) -> float | None:
        """Change of its rating, in Elo; None where one of the two is not known."""
        if self.rating_before is None or self.rating_after is None:
            return None
        return self.rating_after - self.rating_before


class MatchRow(Value):
    """A match."""

    id: int
    variant: str
    format: str
    boards: int
    """Boards by which it is rated: those of its format; 4 where it was scheduled before ratings knew of them."""
    status: str
    """`queued`, `leased` (it is being played), `done` or `quarantined` (it failed too often, never by a bot)."""
    attempt: int
    failures: int
    added: Time
    started: Time | None
    finished: Time | None
    ordinal: int | None
    """Number of this result among those of the ladder, from 1."""
    deals: int | None
    rated_by: str | None
    """Basis of its Elo: the places on its `boards`, or in the `match`."""
    starting_seconds: float | None
    """Wall time in which its bots started and were cleared away, all rotations added up; None: not measured."""
    playing_seconds: float | None
    """Wall time of all its deals."""
    reason: str
    """Error of the last attempt that failed; never a bot's fault."""
    record_kept: bool
    commitment: str
    """SHA-256 of the seed."""
    seed: str | None
    """None before the match is done."""
    seats: tuple[SeatRow, ...]
    """By number."""


class MatchList(Value):
    """Some results."""

    matches: tuple[MatchRow, ...]
    """Results, the newest first; others, the oldest first."""
    next: int | None
    """Value of `before` to read on, or of `after` where they are no results; None: these are the last ones."""


class DealScores(DealPlace):
    """Scores and faults of one deal."""

    name: str
    """Name of the deal for people."""
    scores: tuple[int, ...]
    """Of each bot, by its number in the match."""
    faults: tuple[int, ...]
    """Faults of each bot, by its number."""


class MatchScores(Value):
    """A match deal by deal."""

    match: int
    bots: tuple[str, ...]
    """By number, as people name them."""
    low_is_better: bool
    deals: tuple[DealScores, ...]
    """By board, then by rotation."""


class MatchPage(MatchRow):
    """One match in detail."""

    record: str | None
    """The file with its record, or its address on a remote ladder; None: there is none yet, or none any more."""


class MoveAgainst(Value):
    """Contribution of one opposing side to a change of rating."""

    versions: tuple[int, ...]
    """Ids."""
    rating: float
    """Mean of the side before the match."""
    expected: float
    score: float
    """1, ½ or 0; the mean over the boards where the match is rated by them."""
    change: float
    bots: tuple[str, ...]
    """The names of the versions."""


class MoveExplained(Value):
    """Explanation of the change of one version's rating; ratings as they are stored, not shifted."""

    bot: str
    place: int
    taken_over: bool
    matches_before: int
    boards_before: int
    k: float
    before: float
    after: float
    """Computed again from the places, and from the ratings before."""
    stored: float | None
    """Rating that the ladder has stored."""
    agrees: bool
    against: tuple[MoveAgainst, ...]


class Explanation(Value):
    """The changes of ratings by a match, with their explanation."""

    match: int
    variant: str
    format: str
    boards: int
    """Boards by which it is rated."""
    rated_by: str | None
    """Basis of its Elo: the places on its `boards`, or in the `match`."""
    finished: Time | None
    shift: float
    """Elo to add to each of these ratings to show it; the same at all times."""
    moves: tuple[MoveExplained, ...]
    """The best place first."""


class TvBoard(DealPlace):
    """A board of a match that is done, to be watched."""

    match: int
    variant: str
    bots: tuple[str, ...]
    """By place in the match."""
    finished: Time


class TvNext(Value):
    """The next board to show."""

    board: TvBoard | None
    """None: no match with a record is done yet."""
    is_estimating: bool
    """True if the program that estimates decisions was running, so that those of the board may be asked for."""
