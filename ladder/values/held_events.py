"""Events on a ladder: their state, entrants, rounds, tables and standings, as far as the viewer may know them."""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

from pydantic import Field

from ladder.values.events import EventPlace
from ladder.values.names import NAME_LENGTH
from ladder.values.value import Time, Value

EVENT_FILE_BYTES = 64 * 1024
"""The most bytes of an event's file, and of a list of entrants."""
MAX_WORD = 80
MAX_NUMBER = 10_000_000
EventActName = Literal["enter", "withdraw", "freeze", "start", "pause", "draw", "redo", "rule", "release"]


class EventState(enum.StrEnum):
    """Progress of an event."""

    OPEN = "open"
    """Bots may enter, and withdraw."""
    FROZEN = "frozen"
    """The list of entrants is final."""
    RUNNING = "running"
    PAUSED = "paused"
    """No round is drawn; matches that are in the queue are played."""
    OVER = "over"


class EventRow(Value):
    """An event in a list."""

    name: str
    """In its address and in commands."""
    title: str
    """As its file says."""
    variant: str
    state: EventState
    reason: str
    """Reason that it is paused; else empty."""
    show: Literal["live", "round", "manual"]
    entrants: int
    """Bots that have entered."""
    fewest: int
    most: int
    rounds: int
    """That have been drawn, play-offs included, as far as the viewer may know."""
    opens: Time | None
    """This and the next three: as its file says."""
    freezes: Time | None
    starts: Time | None
    ends: Time | None
    opened: Time
    frozen: Time | None
    started: Time | None
    finished: Time | None
    commitment: str
    """SHA-256 of its seed."""


class EventEntrant(Value):
    """A bot in an event."""

    number: int
    name: str
    version: int
    owner: str
    rating: float | None
    """Elo at the freeze."""
    left_after: int | None
    """It has left: the rounds that had been drawn then, as far as the viewer may know of them."""


class EventRuling(Value):
    """The organiser's decision about a table."""

    last: tuple[str, ...]
    """The bots that are last on every board."""
    reason: str
    by: str
    """The account; empty: a person on the ladder's machine."""
    at: Time


class EventTableRow(Value):
    """A table of a round."""

    number: int
    bots: tuple[str, ...]
    """By their numbers at the table; stand-ins are named `stand-in 1`, …."""
    entrants: tuple[int, ...]
    """Their numbers in the event; negative: stand-ins."""
    turn: int
    """Number of times that the organiser has let it be played again."""
    match: int | None
    """None: the viewer may not know of it."""
    status: Literal["sealed", "queued", "leased", "done", "quarantined"]
    """Of the match; `sealed`: the viewer may not know it."""
    boards: tuple[tuple[int, ...], ...] | None
    """For each board, or the one game, the points of each bot, rulings included; more is better. None: not known."""
    points: tuple[float, ...] | None
    """The board points of each bot."""
    deals: int | None
    rulings: tuple[EventRuling, ...]


class EventRoundPage(Value):
    """A round."""

    number: int
    """From 1, within the event."""
    stage: str
    round: int
    """From 1, within the stage."""
    kind: Literal["round", "play-off"]
    format: str
    method: Literal["design", "order", "optimum", "search"]
    cost: tuple[int, int, int]
    bound: tuple[int, int, int]
    drawn: Time
    is_over: bool
    """True if all results are there, and the viewer may know them."""
    tables: tuple[EventTableRow, ...]


class EventPage(EventRow):
    """One event, with all that the viewer may know."""

    file: str
    entrants_hash: str | None
    """SHA-256 of the list of entrants; None: it is not final."""
    seed: str | None
    """Hex; None: the event is not over, or its results are not all shown."""
    stand_in: str | None
    """The version that fills tables."""
    entrant_list: tuple[EventEntrant, ...]
    round_list: tuple[EventRoundPage, ...]
    stage: str
    """The stage of these standings; empty: nothing has been played."""
    criteria: tuple[str, ...]
    """
    The criteria of the standings, in order; where several stages have played, those of the last one first, then those
    that only stages before it have.
    """
    standings: tuple[EventPlace, ...]
    """
    Of the current stage, after the last round that is over; of all entrants at the end of the event, and between two
    stages.
    """


class EventOrder(Value):
    """An event that is to be opened."""

    name: Annotated[str, Field(max_length=NAME_LENGTH)]
    file: Annotated[str, Field(max_length=EVENT_FILE_BYTES)]
    """Its TOML file."""
    rules: dict[str, Any]
    """Of its variant, as a record has them."""


class EventAct(Value):
    """Something that is done with an event, by its organiser or by the owner of a bot."""

    act: EventActName
    bot: Annotated[str, Field(max_length=MAX_WORD)] = ""
    """Of `enter` and `withdraw`."""
    round: Annotated[int, Field(ge=1, le=MAX_NUMBER)] = 1
    """Of `redo` and `rule`, and so is `table`."""
    table: Annotated[int, Field(ge=1, le=MAX_NUMBER)] = 1
    last: Annotated[tuple[Annotated[str, Field(max_length=MAX_WORD)], ...], Field(max_length=10)] = ()
    """Of `rule`: the bots that are last on every board."""
    reason: Annotated[str, Field(max_length=2000)] = ""
    """Of `pause`, `redo` and `rule`."""


class EventDone(Value):
    """Result of such an act."""

    act: EventActName
    bot: str = ""
    round: int | None = None
    """Of `draw` and `release`: which one, if any; of `withdraw`: how many the bot plays, if its entry is not gone."""
    table: int | None = None
    """Of `release`."""
    match: int | None = None
    """Of `redo`: the new one."""
