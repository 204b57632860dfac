"""
Events held on a ladder.

An event is shown with its state, entrants, rounds, tables and standings, as far as the viewer may know them. One that
is over is exported with everything from which it can be played again: what `pigpen event export` writes.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

from pydantic import Field

from ladder.values.events import MAX_BEACON_VALUE, MAX_ENTRANTS, MAX_ROUNDS, EventMargin, EventPlace
from ladder.values.names import NAME_LENGTH
from ladder.values.value import Time, Value

EVENT_FILE_BYTES = 64 * 1024
"""The most bytes of an event's file, and of a list of entrants."""
MAX_WORD = 80
MAX_NUMBER = 10_000_000
EventActName = Literal[
    "enter", "check-in", "withdraw", "reveal", "beacon", "hold", "freeze", "start", "pause", "draw", "redo", "rule",
    "release",
]  # fmt: skip
Unlisted = Literal["check-in", "full", "withdrawn"]
"""Reason that a bot is not on the list of entrants: it did not check in, had no place, or another withdrew it."""


NOT_FINAL = "The list of entrants of {!r} is not final yet. Until then keep the nonce secret."
"""Refusal of a nonce; {}: the event's name."""


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
    """Reason that it is paused, or on hold; else empty."""
    on_hold: bool
    """True if `freezes` and `starts` do nothing, until the organiser freezes or starts it."""
    show: Literal["live", "round", "manual"]
    entrants: int
    """Bots that have entered."""
    waiting: int
    """Of them, those on the waiting list."""
    fewest: int
    most: int
    rounds: int
    """That have been drawn, play-offs included, as far as the viewer may know."""
    opens: Time | None
    """This and the next four: as its file says."""
    check_in: Time | None
    """Time from which those who have entered check in, until `freezes`; None: there is no check-in."""
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
    left_by: Literal["withdrawal", "nonce", "takeovers"] | None
    """Reason for that: it was withdrawn, has revealed no nonce, or was taken over at too many tables."""
    taken_over: tuple[tuple[int, int], ...] = ()
    """Of one that has left by takeovers, those tables: round within the event, and table."""
    commitment: str
    """SHA-256 of its nonce, in hex."""
    has_own_nonce: bool
    """True if the entrant has made the nonce; else the ladder has, so that its organiser could know it."""
    nonce: str | None
    """In hex; None: it is not public."""
    waiting: int | None
    """Its place on the waiting list, from 1; None: it does not wait."""
    checked_in: Time | None
    """None: it has not, or there is no check-in."""
    checked_in_by: str | None
    """The account that has checked it in: its owner or an organiser; empty: a person on the ladder's machine."""


class EventUnlisted(Value):
    """A bot that had entered an event and is not on its list of entrants."""

    name: str
    version: int
    owner: str
    reason: Unlisted
    by: str
    """Of one that was withdrawn by another than its owner: the account; empty: a person on the ladder's machine."""


class EventRuling(Value):
    """The organiser's decision about a table."""

    last: tuple[str, ...]
    """The bots that are last on every board."""
    reason: str
    by: str
    """The account; empty: a person on the ladder's machine."""
    at: Time


class EventRedo(Value):
    """The organiser's decision that a table is played again, and the result that it replaces."""

    reason: str
    by: str
    """The account; empty: a person on the ladder's machine."""
    at: Time
    match: int | None
    """The match before; None: the viewer may not know of it."""
    points: tuple[float, ...] | None
    """Its board points; None: it had no result, or the viewer may not know it."""


class EventStamp(Value):
    """A link of an event's chain, as it is compared with copies."""

    number: int
    kind: str
    at: Time
    stamp: str
    """`pigpen-event NAME link NUMBER HASH`."""


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
    points_before: tuple[float, ...] | None
    """The board points without the rulings; None: there is no ruling."""
    taken_over: tuple[str, ...]
    """Bots for which the default policy has decided in the end."""
    redos: tuple[EventRedo, ...]


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
    reveals_until: Time | None
    """Time until which nonces may be revealed; None: the list is not final."""
    beacon: str | None
    """Address of the public beacon whose value enters the draw; None: there is none."""
    beacon_value: str | None
    stamp: str
    """Of the last link of the chain: number and hash of what is public so far."""
    stamps: tuple[EventStamp, ...]
    """Of all links but those about a result; in order."""
    appeals_until: Time | None
    """Time until which the organiser may still rule; None: results are missing, or the file names no such time."""
    official: Time | None
    """Since when nothing changes any more."""
    contributions: str | None
    """SHA-256 of the nonces that were revealed and of the beacon; None: the event has not started."""
    seed: str | None
    """Hex; None: the event is not over, or its results are not all shown."""
    stand_in: str | None
    """The version that fills tables."""
    waiting_list: int
    """Bots that may wait for a place, as its file says."""
    entrant_list: tuple[EventEntrant, ...]
    unlisted: tuple[EventUnlisted, ...]
    """
    Of an event with a check-in or a waiting list: who is not on the list of entrants, and why. While bots may enter,
    only those that others than their owners have withdrawn.
    """
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
    """Of `enter`, `check-in` and `withdraw`."""
    commitment: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")] = ""
    """Of `enter`: SHA-256 of a nonce of the entrant's own; empty: the ladder makes one."""
    nonce: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")] = ""
    """Of `reveal`."""
    value: Annotated[str, Field(max_length=MAX_BEACON_VALUE)] = ""
    """Of `beacon`."""
    round: Annotated[int, Field(ge=1, le=MAX_NUMBER)] = 1
    """Of `redo` and `rule`, and so is `table`."""
    table: Annotated[int, Field(ge=1, le=MAX_NUMBER)] = 1
    last: Annotated[tuple[Annotated[str, Field(max_length=MAX_WORD)], ...], Field(max_length=10)] = ()
    """Of `rule`: the bots that are last on every board."""
    reason: Annotated[str, Field(max_length=2000)] = ""
    """Of `hold`, `pause`, `redo` and `rule`."""


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


Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Number = Annotated[int, Field(ge=-(2**53), le=2**53)]
Cost = tuple[Number, Number, Number]


class ExportedEntrant(Value):
    """A bot in an event."""

    number: int
    name: str
    version: int
    identity: str
    """Its image, or the hash of its folder."""
    owner: str
    rating: float | None
    left_after: int | None
    commitment: Hash
    """SHA-256 of its nonce."""
    has_own_nonce: bool
    """True if the entrant has made the nonce, and not the ladder."""
    nonce: Hash | None
    """None: it was not revealed."""
    checked_in: Time | None
    """None: the event has no check-in."""
    checked_in_by: str | None
    """As in `EventEntrant`."""


class ExportedRuling(Value):
    """The organiser's decision about a table."""

    last: tuple[Number, ...]
    """By number of the entrant."""
    after: Annotated[int, Field(ge=0)]
    """The rounds that had been drawn."""
    reason: str
    by: str
    at: Time


class ExportedRedo(Value):
    """The organiser's decision that a table is played again."""

    reason: str
    by: str
    at: Time


class ExportedTurn(Value):
    """A match at a table; of several the last one counts."""

    match: int
    """Its number on its ladder."""
    commitment: Hash
    """SHA-256 of its seed."""
    boards: tuple[tuple[Number, ...], ...] | None
    """The points of each on each board, more being better; None: it was not played to its end."""
    deals: Number
    taken_over: tuple[Number, ...]
    """Entrants for which the default policy has decided in the end, by number."""
    record: Hash | None
    """SHA-256 of its record, as it is beside this file; None: it was not played to its end."""
    redo: ExportedRedo | None
    """The reason that it was played; None: it is the first one."""
    rulings: tuple[ExportedRuling, ...]


class ExportedTable(Value):
    """A table."""

    entrants: tuple[Number, ...]
    """Negative numbers are stand-ins."""
    turns: Annotated[tuple[ExportedTurn, ...], Field(min_length=1, max_length=1000)]


class ExportedRound(Value):
    """A round."""

    stage: Annotated[int, Field(ge=0, le=20)]
    round: Annotated[int, Field(ge=1)]
    kind: Literal["round", "play-off"]
    boards: int | None
    method: str
    cost: Cost
    bound: Cost
    drawn: Time
    tables: Annotated[tuple[ExportedTable, ...], Field(max_length=MAX_ENTRANTS)]


class ExportedPlace(Value):
    """A place at the end."""

    place: int
    number: int
    values: tuple[float | None, ...]
    """By criterion."""
    margin: EventMargin | None
    """To the next one; None: there is none, or its place does not follow from a score that both have."""


class ExportedLink(Value):
    """A link of the chain (`ladder.events.chain`)."""

    kind: str
    at: str
    data: dict[str, Any]
    hash: Hash


class ExportedEvent(Value):
    """The file `event.json` of an export; the records are beside it, named by round, table and turn."""

    version: Literal[5]
    name: str
    file: Annotated[str, Field(max_length=64 * 1024)]
    """The event's TOML file."""
    rules: dict[str, Any]
    """Of its variant, field for field as in a rules file."""
    seed: Hash
    commitment: Hash
    opened: Time
    frozen: Time | None
    started: Time | None
    entrants_hash: Hash | None
    """None of these is missing at the end of an event."""
    stand_in: str
    """The version that filled tables."""
    stand_in_identity: str
    beacon_value: Annotated[str, Field(max_length=MAX_BEACON_VALUE)] | None
    contributions: Hash | None
    """SHA-256 of the nonces and of the beacon."""
    entrants: Annotated[tuple[ExportedEntrant, ...], Field(max_length=MAX_ENTRANTS)]
    unlisted: Annotated[tuple[EventUnlisted, ...], Field(max_length=100 * MAX_ENTRANTS)]
    """Bots that had entered and are not on the list, with the reasons; empty without a check-in or a waiting list."""
    rounds: Annotated[tuple[ExportedRound, ...], Field(max_length=20 * MAX_ROUNDS)]
    places: tuple[ExportedPlace, ...]
    links: Annotated[tuple[ExportedLink, ...], Field(max_length=100_000)]
    """The chain: what became public, in order."""


class EventVerification(Value):
    """Result of a check that an event was held as its seed, its entrants and its records say."""

    event: str
    holds: bool
    findings: tuple[str, ...]
    """Deviations that were found, a sentence each."""
    rounds: int
    tables: int
    records: int
    """That were played again."""
    deals: int
    winner: str | None
    commitment: str
    """SHA-256 of the seed; these hashes are compared with copies that were made before the end."""
    entrants_hash: str
    contributions: str
    stamp: str
    """Of the end of the chain."""
    published: int
    """Stamps of published copies that were compared."""


def record_name(number: int, table: int, turn: int) -> str:
    """
    Name a record in an export, by the round within the event, the table, and the turn from 0.

    >>> record_name(3, 2, 0)
    'records/3-2-0.jsonl.gz'
    """
    return f"records/{number}-{table}-{turn}.jsonl.gz"
