"""
Matches of a ladder, as terminal and page show them.

There are matches in lists and in detail, the explanations of the changes of ratings, one deal of a recorded match
moment by moment, and the program of ladder TV.
"""

from __future__ import annotations

from typing import Literal

from ladder.values.value import Time, Value

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


class ReplayStep(Value):
    """One action, and who decided it; what one seat could not know is empty or None."""

    number: int | None
    """
    Its place among the steps of the deal, from 1.

    None as seen from one seat: the number of answers to a sealed question would show how many seats had a choice.
    """
    seat: int
    kind: Literal["pass", "expose", "play", "moon"]
    action: str
    """As in the record: `QS`, several cards with a space between, `JD*` for one face down, `subtract` or `add`."""
    by: str
    """As in the record: `bot`, `forced`, `default:` and a verdict, `takeover`, or `away`."""
    why: str
    """The fault of the bot, in words; empty if there was none."""
    took_ms: float | None
    """By the referee's clock."""
    cpu_ms: float | None
    """CPU time of the bot's program; None also where it was not read."""
    unasked_ms: float | None
    """CPU time that it had used before it was asked; None also where it was not read."""
    decision: int | None
    """Number of the bot's decision in its rotation, from 1, as its output names it; None where it was not asked."""
    printed: str
    """Output of the bot at this decision; empty unless the organiser shows that to all visitors."""


class ReplaySeat(Value):
    """One seat at one moment; cards are named as in the record, with a space between."""

    asked: bool
    """True if it must decide now."""
    hand: str
    """Cards that it is known to hold."""
    unknown: int
    """Number of further cards that it holds."""
    legal: str
    """The cards among which it chooses now; empty where that is not known."""
    exposed: str
    """Cards that it has exposed, played since or not, as far as they are known; `*` behind one that lies face down."""
    hidden: int
    """Number of cards that it has put face down and that are not known."""
    voids: str
    """Suits that it has shown to be out of, as letters."""
    passed: str
    received: str
    taken: str
    """The cards it took that count, or that change what others count."""
    points: int
    """Points of these cards to it so far, a partner's left out."""


class ReplayMoment(Value):
    """The table after something has happened."""

    after: int | None
    """Number of steps done; None as seen from one seat, for the reason that `ReplayStep.number` gives."""
    steps: tuple[ReplayStep, ...]
    """The steps just done: a card, a moon choice, or all answers to a sealed question."""
    phase: Literal["pass", "expose", "play", "moon", "over"]
    """Kind of the next decision."""
    trick: int
    """Number of the trick on the table, from 1; between two of them the one just completed; 0 before the first card."""
    leader: int | None
    """Seat that led to it; its cards went round from there."""
    cards: str
    """The cards of this trick, in the order in which they were played."""
    winning: int | None
    """The seat whose card wins it, so far or for good."""
    complete: bool
    """True if all its cards are there."""
    seats: tuple[ReplaySeat, ...]
    """By seat."""
    result: bool
    """True if this is the last moment, after which the scores are known."""


class ReplayTrick(Value):
    """One whole trick."""

    number: int
    """From 1."""
    leader: int
    cards: str
    """In the order in which they were played."""
    winner: int
    points: int
    """By how much the winner's points moved."""
    ends: int
    """The place of the moment after it in `moments`."""


class DealReplayed(Value):
    """One deal of a recorded match, as seen from all seats or from one."""

    match: int | None
    """Its number on the ladder; None if it comes from a file."""
    variant: str
    title: str
    """The variant's, as people call it."""
    format: str
    place: DealPlace
    boards: bool
    """True if the match has boards."""
    previous: DealPlace | None
    next: DealPlace | None
    faults: tuple[FaultPlace, ...]
    """Every fault in the match, in the order of boards and rotations; none as seen from one seat."""
    seat: int | None
    """The seat whose knowledge this is; None: all hands are open."""
    players: int
    hand_size: int
    """Cards dealt to each seat, and tricks in a deal."""
    low_is_better: bool
    partners: bool
    """True if seats 0 and 2 play against 1 and 3."""
    pass_offset: int
    """Number of seats clockwise that the passed cards travel; 0 where none are passed."""
    pass_count: int
    face_up: int
    """By what a card exposed face up multiplies; 0 where none can be exposed."""
    face_down: int
    """The same of one that lies face down."""
    numbers: tuple[int, ...]
    """The number of the bot in each seat."""
    bots: tuple[str, ...]
    """The name of the bot in each seat."""
    people: tuple[int, ...]
    """The seats in which people sit."""
    hands: tuple[str, ...]
    """The cards dealt to each seat; empty where they are not known."""
    moments: tuple[ReplayMoment, ...]
    """The cards dealt, what happened then, and the result."""
    tricks: tuple[ReplayTrick, ...]
    scores: tuple[int, ...]
    """Score of each seat in the deal."""
    totals_before: tuple[int, ...]
    """Totals in this rotation, of the player in each seat."""
    totals: tuple[int, ...]
    """The same after the deal."""


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
