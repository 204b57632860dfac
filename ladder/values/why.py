"""
Worth of each choice of a decision.

The worth is an estimate: a model's opinion. Puzzles are decisions of recorded matches with one clear answer.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from ladder.values.bots import FaultRow
from ladder.values.value import Computing, Value

Search = Literal["tree", "playouts"]
"""Method of trying choices: by tree search, or played to the end by a simple policy."""

OPINIONS: Mapping[Search, str] = {
    "tree": (
        "A model's opinion: deals that fit what the seat knew are sampled, most often those in which the others' plays "
        "are plausible, and searched as a tree of plays. It does not know these opponents."
    ),
    "playouts": (
        "A model's opinion: deals that fit what the seat knew are sampled and played to their end by a simple policy. "
        "It does not know how these opponents play."
    ),
}
SEVERAL = (
    "A model's opinion: deals that fit what the seat knew are sampled. Cards are judged by tree search, passes and "
    "exposures by playouts with a simple policy. It does not know how these opponents play."
)


class Reason(Value):
    """
    One reason that a choice is behind the best one, by the deals in which both were tried.

    Reasons with `points` are parts of `behind`: all parts of it, also those that are not given, add up to it.
    """

    kind: Literal["card", "points", "doubler", "moon", "other_moon", "trick", "void"]
    """
    `card`: the side of the seat takes it. `points`: of some cards, for that side. `doubler`: the side takes the card
    that multiplies. `moon`: the side shoots it. `other_moon`: another seat does. `trick`: the seat takes the current
    trick. `void`: the choice leaves no card of a suit in the hand.
    """
    cards: tuple[str, ...] = ()
    """The card or cards that it is about, as a record says them."""
    suit: str | None = None
    """The suit of those cards, or of the void: `hearts`."""
    without: str | None = None
    """The scoring card of that suit that is a part of its own, if there is one."""
    after: float
    """After this choice: the mean points where the kind is `points`, else the share of the deals, from 0 to 1."""
    after_best: float
    """The same after the best choice."""
    points: float | None = None
    """Part of `behind` that it accounts for, in points; below 0: it speaks for this choice. None: no part."""


class EstimatedChoice(Value):
    """One legal choice."""

    choice: str
    """As a record says it: `QS`, several cards with a space between, `JD*` for one face down, `subtract` or `add`."""
    points: float
    """Mean score of the seat in the deal, as the variant counts; with partners that of the team."""
    points_error: float
    """Standard error of that mean."""
    ahead: float
    """By how many points the seat does better than the mean of all seats; more is better in every variant."""
    behind: float
    """By how much `ahead` is less than that of the best choice, in points; 0 for the best."""
    behind_error: float
    """± at 95 %: half the interval of `behind`, from the paired differences."""
    reasons: tuple[Reason, ...] = ()
    """Reasons that it is behind, those with the most points first; none where `behind` is not above its ±."""
    house: tuple[str, ...]
    """The house bots that choose this."""

    @property
    def is_unsure(self) -> bool:
        """True if it is behind the best choice by no more than the ±: the two may be equally good."""
        return 0 < self.behind <= self.behind_error


OneChoice = TypeVar("OneChoice", bound=EstimatedChoice)


class OpenChoice(EstimatedChoice):
    """One legal choice where all hands are open."""

    as_dealt: float
    """
    Hindsight, not part of the estimate: mean score of the seat with the cards as they really lay.

    The same policy plays on for all seats; what the others decided at the same moment stays.
    """

    @property
    def bots(self) -> int:
        """Number of bots that choose this."""
        return len(self.house)


class Choice(OpenChoice):
    """One legal choice of a decision that was made."""

    chosen: bool
    """True if this is the choice that was made."""

    @property
    def bots(self) -> int:
        """Number of bots that choose this: the one that sat there, and house bots."""
        return len(self.house) + self.chosen


class DecisionEstimate(Value):
    """Fields of each estimate of one decision, whose choices are tried in sampled deals."""

    opinion: str = OPINIONS["playouts"]
    """Nature and limits of this statement, in words."""
    low_is_better: bool
    """True if the lowest score is the best one."""
    partners: bool = False
    """True if the scores of two partners are added, so that a side is a pair of seats."""
    legal: int
    """Number of legal choices."""
    deals: int
    """Number of sampled deals in which each of them was tried."""
    search: Search = "playouts"
    """Method of trying them: `tree`, a tree search, or `playouts`, by a simple policy."""


def compared(choices: Sequence[OneChoice], chosen: str = "") -> OneChoice | None:
    """
    Find the choice whose reasons are shown: the one that was made, or the best of those that have any.

    Args:
        choices: The choices of a decision, the best one first.
        chosen: The one that was made, if that is known.
    """
    given = [each for each in choices if each.reasons]
    return next((each for each in given if each.choice == chosen), given[0] if given else None)


class Hint(DecisionEstimate):
    """Worth of each choice of a decision that is still to be made, from the knowledge of the seat."""

    decision: int
    """Its number, as the table counts."""
    choices: tuple[EstimatedChoice, ...]
    """The best one first. Of many (a pass) only those that did best in a first look, and all that a house bot chose."""


class Analysis(DecisionEstimate):
    """Worth of each choice of a seat in a position, from what it knows."""

    seat: int
    choices: tuple[OpenChoice, ...]
    """The best one first. Of many (a pass) only those that did best in a first look, and all that a house bot chose."""


class Why(DecisionEstimate):
    """One decision of a record, with what each choice was worth from what the seat knew."""

    source: str
    """The number of the match on the ladder, or the file, as it was named."""
    rules: str
    """The name of the variant."""
    place: str
    """The deal, as people call it."""
    deal: int
    """Number of the deal, or of the board if there are boards; from 1, as the next two."""
    board: int | None
    """None in a match without boards, as `rotation`."""
    rotation: int | None
    step: int
    """The place of the decision among the steps of the deal, from 1."""
    seat: int
    bot: str
    at: str
    """`pass`, `expose`, `moon`, or the trick, counted from 1."""
    hand: tuple[str, ...]
    on_the_table: tuple[str, ...]
    choices: tuple[Choice, ...]
    """The best one first. Of many (a pass) only those best in a quick first estimate, and all that were chosen."""
    chosen: str
    """The choice that was made."""
    by: str
    """`bot`, `default:` and a verdict code, `takeover`, or `away`."""
    cost: float
    """`behind` of what was done: what it cost by this estimate, in points."""
    cost_error: float
    """± at 95 % of that."""
    scored: int
    """Score of the seat in the deal as it was really played."""
    rerun: str
    """The command that puts the questions of this deal to another version of the bot."""


class Mistake(Value):
    """A decision that cost more than the error of its estimate."""

    step: int
    """Its place among the steps of the deal, from 1."""
    seat: int
    cost: float
    """Points behind the best choice, by estimate."""
    cost_error: float
    """± at 95 % of that."""
    partners: bool = False
    """True if the scores of two partners are added, so that a side is a pair of seats."""
    legal: int
    """Number of legal choices."""
    choices: tuple[Choice, ...]
    """The best ones, the best one first, and what was done."""
    deals: int
    """Number of sampled deals in which each of them was tried."""
    search: Search
    """Method of trying them: `tree`, a tree search, or `playouts`, by a simple policy."""


class Mistakes(Value):
    """The mistakes of all seats in one deal."""

    mistakes: tuple[Mistake, ...]
    """In the order of the deal."""


class Costliest(Value):
    """The decisions of a bot that cost it most, by estimate."""

    opinion: str = SEVERAL
    """Nature and limits of these statements, in words."""
    source: str
    """The number of the match on the ladder, or the file, as it was named."""
    bot: str
    decisions: int
    """Number of decisions with a choice that the bot was asked for; all were estimated with few deals first."""
    not_estimated: int
    """Number of those that were left out, because they have too many legal choices."""
    costliest: tuple[Why, ...]
    """The most costly one first; only such as cost more than their ±."""


class InboxFault(FaultRow):
    """One fault of the bot."""

    verdict: str
    rerun: str
    """The command that puts the questions of that deal to another version of the bot."""


class Inbox(Value):
    """Decisions and faults of a bot for its owner to look at."""

    opinion: str = SEVERAL
    """Nature and limits of the statements in `costliest`, in words."""
    bot: str
    version: int
    matches: tuple[int, ...]
    """The newest matches of this version whose records are kept, as far as they were looked at."""
    decisions: int
    """Number of decisions with a choice that the bot was asked for in them."""
    not_estimated: int
    """Number of those that were left out, because they have too many legal choices."""
    costliest: tuple[Why, ...]
    """The most costly one first; only such as cost more than their ±."""
    faults: tuple[InboxFault, ...]
    """The newest faults of this version, the newest one first."""
    computing: Computing | None
    """Progress of a look at the newest matches, if they are not yet `matches`."""


class Level(enum.StrEnum):
    """Difficulty of a puzzle, by the share of bots and people that were wrong."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class PuzzleSeat(Value):
    """Public knowledge at the table of one seat. Seats count from the reader's own, in the order of play."""

    points: int
    """Of the cards that it has taken so far."""
    cards: int
    """Number of cards that it holds."""
    exposed: tuple[str, ...]
    """As a record says it; `down`: one face down."""
    played: str
    """Its card in the trick that is open; empty: none yet."""


class PuzzlePosition(Value):
    """All that is shown of a puzzle before it is answered: what the seat knew."""

    variant: str
    trick: int
    """Its number, from 1."""
    hand: tuple[str, ...]
    legal: tuple[str, ...]
    seats: tuple[PuzzleSeat, ...]
    """The reader's first."""
    leader: int
    """Leader of the trick, by its place in `seats`."""
    tricks: tuple[tuple[str, ...], ...]
    """The whole tricks; in each the card of each seat, as in `seats`."""
    leaders: tuple[int, ...]
    """Of the whole tricks."""
    winners: tuple[int, ...]
    """Seats that took them."""
    passed: tuple[str, ...]
    received: tuple[str, ...]


class FoundPuzzle(Value):
    """A puzzle, as it is found in a record or made from a position of a study."""

    position: PuzzlePosition
    right: tuple[str, ...]
    """The best card, and those that are as good."""
    why: Why | Analysis
    """The estimate of the decision of a record, or of the position."""


class FoundPuzzles(Value):
    """The answer to a `PuzzlesQuestion`."""

    puzzles: tuple[FoundPuzzle, ...]


class Tried(Value):
    """Numbers of bots and people that tried a puzzle, and of those that were right."""

    bots: int
    """The bot that sat there, and the house bots."""
    bots_right: int
    people: int
    people_right: int

    @property
    def level(self) -> Level:
        """
        Difficulty of the puzzle.

        >>> Tried(bots=6, bots_right=1, people=0, people_right=0).level
        <Level.HARD: 'hard'>
        """
        right = self.bots_right + self.people_right
        share = (right + 0.5) / (self.bots + self.people + 1)
        return Level.HARD if share < 1 / 3 else Level.MEDIUM if share < 2 / 3 else Level.EASY


class PuzzleRow(Value):
    """A puzzle in a list."""

    number: int
    variant: str
    trick: int
    tried: Tried
    is_right: bool | None
    """True if the visitor's answer was right; None: there is none."""


class PuzzleList(Value):
    """Some puzzles of a variant."""

    puzzles: tuple[PuzzleRow, ...]
    """The newest first."""
    next: int | None
    """From where on there are more; None: there are none."""
    unanswered: int | None
    """The newest one that the visitor has not answered; None: there is none."""


class PuzzleAnswer(Value):
    """The part of a puzzle that is shown once the visitor has answered it."""

    choice: str
    is_right: bool
    right: tuple[str, ...]
    why: Why | Analysis
    """The estimate of the decision of a record, or of a position of a study."""
    match: int | None
    """The match that it is from; None: a study."""
    record_kept: bool


class PuzzlePage(Value):
    """A puzzle, and its answer if the visitor has given one."""

    number: int
    position: PuzzlePosition
    tried: Tried
    answer: PuzzleAnswer | None
    streak: int
    """Number of puzzles in a row that the visitor has answered rightly, up to now."""
    next: int | None
    """Another puzzle of the variant that the visitor has not answered; None: there is none."""


class PuzzleCount(Value):
    """The puzzles of a variant."""

    variant: str
    puzzles: int
    answered: int
    """By the visitor."""
    right: int
    next: int | None
    """See `PuzzlePage`."""


class PuzzleOverview(Value):
    """All variants that have puzzles, and how the visitor does."""

    variants: tuple[PuzzleCount, ...]
    streak: int
