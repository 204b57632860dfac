"""
Live matches: the events of a match while it is played, and the matches that are being played.

An event is a line of JSON: `LiveEvent` holds it as it is, `parse` gives it as one of the classes of `AnyLive`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, TypeAdapter

from ladder.values.value import Time, Value
from referee.records.lines import DealLine
from referee.replay.table_view import TableDeal, TableMoment

Outcome = Literal["done", "void", "returned"]
"""`done`: it has a result; `void`: the platform failed, and it is played again; `returned`: the run was given up."""
Cards = str
"""By name with a space between, as in a record: ``QS KH 2C``; ``QS*`` was put face down."""


class LiveEvent(Value):
    """One event of an attempt at a match."""

    match: int
    attempt: int
    id: PositiveInt
    """Consecutive, from 1, within the attempt."""
    type: str
    """As in the line."""
    line: str
    """The event as JSON, without a line break; its first key is `id`."""

    @property
    def mark(self) -> str:
        """Position of a viewer who has seen this event: the value that `Last-Event-ID` brings back."""
        return f"{self.attempt}-{self.id}"


class LiveBase(Value):
    """Fields that all events have."""

    id: NonNegativeInt = 0
    """Number of the event, from 1; 0: not numbered yet."""
    type: str


class LiveMatch(LiveBase):
    """The first table stands."""

    type: Literal["match"] = "match"
    variant: str
    format: str
    bots: tuple[str, ...]
    """By number."""
    tables: int
    deals: int | None
    """In all rotations together; None: not known beforehand."""
    commitment: str
    """SHA-256 of the match seed, in hex."""
    started: str
    """UTC, ISO 8601."""
    public: Literal["played", "open"]


class LiveAtTable(LiveBase):
    """An event of one deal."""

    table: int
    """Number of the rotation, from 0 as in records; in a match without boards, 0."""
    deal: int
    """Number of the deal, from 0; if there are boards, of the board."""


class LiveDeal(LiveAtTable):
    """A deal begins."""

    type: Literal["deal"] = "deal"
    seats: tuple[int, ...]
    """Number of the bot in each seat."""
    totals: tuple[int, ...]
    """Totals in this rotation before the deal, of the player in each seat."""
    hands: tuple[Cards, ...] | None = None
    """The cards dealt to each seat; only where all cards are shown."""


class LivePassed(LiveAtTable):
    """All seats have passed cards."""

    type: Literal["passed"] = "passed"
    cards: tuple[Cards, ...] | None = None
    """Cards that each seat passed on; only where all cards are shown."""


class LiveExposed(LiveAtTable):
    """All seats that were asked have exposed cards, or none."""

    type: Literal["exposed"] = "exposed"
    cards: tuple[Cards, ...]
    """Of each seat: those face up; where all cards are shown, those face down too."""
    hidden: tuple[int, ...]
    """Of each seat: how many it has put face down."""


class LivePlayed(LiveAtTable):
    """A card is played."""

    type: Literal["play"] = "play"
    seat: int
    card: str
    down: Literal[True] | None = None
    """True if the seat had exposed it face down, which all learn now (GS-2); where all cards are shown they knew."""
    by: str | None = None
    """The one that decided, as in a record; only where all cards are shown: `forced` would reveal a part of a hand."""
    ms: float | None = None
    """Milliseconds of wall time; only where all cards are shown."""


class LiveMoon(LiveAtTable):
    """A shooter has chosen what the moon is worth."""

    type: Literal["moon"] = "moon"
    seat: int
    choice: str
    """`subtract` or `add`."""


class LiveFault(LiveAtTable):
    """The default action was played because of a fault; only where all cards are shown, else see `LiveOpened`."""

    type: Literal["fault"] = "fault"
    seat: int
    verdict: str
    why: str


class LiveScored(LiveAtTable):
    """A deal is over."""

    type: Literal["scored"] = "scored"
    scores: tuple[int, ...]
    """Of each seat."""
    totals: tuple[int, ...]
    """In this rotation, this deal included, of the player in each seat."""


class LiveOpened(LiveAtTable):
    """A finished deal is open: these cards are played in no rotation any more."""

    type: Literal["opened"] = "opened"
    line: DealLine
    """The deal as it stands in the record."""


class LiveResult(LiveBase):
    """All rotations are done; the ladder has not recorded it yet."""

    type: Literal["result"] = "result"
    places: tuple[int, ...]
    """By the bots' numbers."""
    totals: tuple[int, ...]


class LiveGap(LiveBase):
    """Events were lost; the deals under way are incomplete from here on, later ones are not."""

    type: Literal["gap"] = "gap"
    missed: PositiveInt
    """Number of lost events, or a lower bound of it."""


class LiveEnd(LiveBase):
    """The last event of an attempt."""

    type: Literal["end"] = "end"
    outcome: Outcome


AnyLive = Annotated[
    LiveMatch | LiveDeal | LivePassed | LiveExposed | LivePlayed | LiveMoon | LiveFault | LiveScored | LiveOpened
    | LiveResult | LiveGap | LiveEnd,
    Field(discriminator="type"),
]  # fmt: skip
_adapter: TypeAdapter[Any] = TypeAdapter(AnyLive)


def parse(line: str | bytes) -> AnyLive:
    """
    Read the line of an event.

    Raises:
        pydantic.ValidationError: If it is none.
    """
    return _adapter.validate_json(line)  # type: ignore[no-any-return]


def to_line(event: LiveBase) -> str:
    """Write an event without its number."""
    return event.model_dump_json(exclude={"id"}, exclude_none=True, by_alias=True)


class LiveTable(Value):
    """The deal under way in one rotation, or the last one."""

    table: int
    """Number of the rotation, from 0 as in the events; in a match without boards, 0."""
    seats: tuple[int, ...]
    """Number of the bot in each seat."""
    deal: TableDeal
    moment: TableMoment
    """The table now; after a lost event, as it was before that."""
    complete: bool
    """True if no event of this deal was lost."""


class LiveProgress(Value):
    """Progress of a match."""

    public: Literal["played", "open"]
    deals: int | None
    """In all rotations together; None: not known beforehand."""
    deals_done: int
    points: tuple[int, ...]
    """By the bots' numbers, of all deals that are over."""
    tables: tuple[LiveTable, ...]
    """Those at which a deal has begun."""
    mark: str
    """Of the last event that is in here: follow the match from there."""


class LiveRow(Value):
    """A match that is being played."""

    match: int
    attempt: int
    variant: str
    format: str
    started: Time | None
    bots: tuple[str, ...]
    """By number, versions left out."""
    versions: tuple[int, ...]
    """Number of each bot's version."""
    progress: LiveProgress | None
    """None: no deal has begun yet, or the ladder shows nothing of running matches."""


class LivePage(Value):
    """Some of the events of a match."""

    match: int
    attempt: int
    """The attempt that is being played, or the last one."""
    events: tuple[LiveEvent, ...]
    ended: bool
    """True if these go up to the last event of the attempt."""
