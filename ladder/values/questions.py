"""Questions that visitors of the site ask to have computed."""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

import pydantic

from ladder.values.value import Value
from ladder.values.why import Why


class Lane(enum.StrEnum):
    """A part of the queue with a process of its own, so that short questions do not wait for long ones."""

    SHORT = "short"
    LONG = "long"


class RecordDeals(Value):
    """A record in the ladder's folder, and which of its deals are meant, by numbers from 1; None: any."""

    record: str
    """Path in the ladder's folder."""
    source: str
    """The match, as people name it."""
    commitment: str
    """The match's: another record in the same place is another question."""
    deal: int | None = None
    board: int | None = None
    rotation: int | None = None


class WhyQuestion(Value):
    """A question about the worth of each choice in one decision of a record; the answer is a `Why`."""

    kind: Literal["why"] = "why"
    source: str
    """The match, as people name it."""
    lines: tuple[str, str]
    """The first line of the record, and that of the deal."""
    step: int
    """The place of the decision among the steps of the deal, from 1."""


class BotDeals(Value):
    """The decisions of some bots, by their numbers, in some deals of a record."""

    deals: RecordDeals
    bots: tuple[int, ...]


class CostliestQuestion(Value):
    """A question about the decisions that cost most, in one record or several; the answer is a `FoundCostliest`."""

    kind: Literal["costliest"] = "costliest"
    looks: tuple[BotDeals, ...]
    worst: int
    """Number of decisions to give at most."""


class ComparedMatch(Value):
    """A match in which two bots sat on different sides."""

    deals: RecordDeals
    bot: int
    """The number of the first bot in it; of partners, of either."""
    other: int
    """That of the second one."""


class CompareQuestion(Value):
    """A question about the play of two bots against each other in some matches; the answer is a `FoundInRecords`."""

    kind: Literal["compare"] = "compare"
    looks: tuple[ComparedMatch, ...]


class StyledMatch(Value):
    """A match, and what names its bots, by their numbers in it."""

    deals: RecordDeals
    bots: tuple[str, ...]


class StyleQuestion(Value):
    """A question about the style of a bot, beside the others of the same matches; the answer is a `FoundStyle`."""

    kind: Literal["style"] = "style"
    looks: tuple[StyledMatch, ...]
    bot: str
    """Text that identifies it, such as the id of its version."""


class HintQuestion(Value):
    """A question about the worth of each choice in an open decision; the answer is a `Hint`."""

    kind: Literal["hint"] = "hint"
    rules: dict[str, Any]
    request: str
    """The knowledge of the seat: a `RefereeMessage`, in base64."""


class AnalysisQuestion(Value):
    """A question about the worth of each choice of a seat in a position; the answer is an `Analysis`."""

    kind: Literal["analysis"] = "analysis"
    rules: dict[str, Any]
    number: int
    """Number of the deal, from 0."""
    leader: int | None
    """Seat that leads to the first trick with any card; None: as the rules say of the first deal."""
    hands: str
    """As `referee.replay.position` writes them."""
    moves: str
    """Likewise."""
    seat: int


class HouseQuestion(Value):
    """A question about the play of house bots on a board; the answer is the lines of a record."""

    kind: Literal["house"] = "house"
    rules: dict[str, Any]
    format: str
    seed: str
    """In hex."""
    bots: tuple[str, ...]


class PuzzlesQuestion(Value):
    """A search for puzzles among the decisions of a record; the answer is a `FoundPuzzles`. Only the ladder asks it."""

    kind: Literal["puzzles"] = "puzzles"
    match: int
    deals: RecordDeals
    most: int
    """Number of puzzles to give at most."""


class AgreementQuestion(Value):
    """A question about pairs of bots that give equal answers in some matches; the answer is a `FoundAgreement`."""

    kind: Literal["agreement"] = "agreement"
    looks: tuple[StyledMatch, ...]
    programs: dict[str, tuple[str, str]]
    """Owner and identity of each bot, by what names it: pairs of one owner or one identity are not compared."""


class PrintsQuestion(Value):
    """
    An order to fingerprint the sources of a program that were put by; the answer is a `FoundPrints`.

    Only the ladder asks it.
    """

    kind: Literal["prints"] = "prints"
    identity: str


class ProgramOwners(Value):
    """A program whose fingerprints are kept, and the owners of its bots."""

    identity: str
    owners: tuple[str, ...]


class SourcesQuestion(Value):
    """A question about programs whose sources resemble each other; the answer is a `FoundSources`."""

    kind: Literal["sources"] = "sources"
    programs: tuple[ProgramOwners, ...]


Question = (
    WhyQuestion
    | CostliestQuestion
    | CompareQuestion
    | StyleQuestion
    | HintQuestion
    | AnalysisQuestion
    | HouseQuestion
    | PuzzlesQuestion
    | AgreementQuestion
    | PrintsQuestion
    | SourcesQuestion
)
QUESTIONS: pydantic.TypeAdapter[Question] = pydantic.TypeAdapter(
    Annotated[Question, pydantic.Field(discriminator="kind")]
)


def lane_of(question: Question) -> Lane:
    """Say in which part of the queue a question waits: whole matches take long."""
    if isinstance(question, CompareQuestion | StyleQuestion):
        return Lane.LONG
    if isinstance(question, CostliestQuestion):
        is_long = any(look.deals.deal is None and look.deals.board is None for look in question.looks)
        return Lane.LONG if is_long else Lane.SHORT
    if isinstance(question, PuzzlesQuestion | AgreementQuestion | PrintsQuestion | SourcesQuestion):
        return Lane.LONG
    return Lane.SHORT


class FoundCostliest(Value):
    """The answer to a `CostliestQuestion`."""

    sources: tuple[str, ...]
    """The matches that were looked at, as people name them."""
    decisions: int
    """Number of decisions with a choice."""
    not_estimated: int
    """Number of those that have too many legal choices."""
    costliest: tuple[Why, ...]
    """The most costly one first."""
