"""Tables at which people play: the request for one, the table that was opened, and its state."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field

from ladder.values.names import NAME_LENGTH
from ladder.values.person_seconds import MAX_SECONDS, MIN_SECONDS
from ladder.values.value import Time, Value

PERSON_NAME_LENGTH = 24
"""The most characters of the name by which a person is shown."""


class ChairKind(enum.StrEnum):
    """Kind of player in a chair."""

    PERSON = "person"
    HOUSE = "house"
    """A sample bot, which the ladder itself runs."""
    BOT = "bot"
    """A bot of the ladder whose owner allows it."""


class TablePurpose(enum.StrEnum):
    """Purpose of a table."""

    FREE = "free"
    TODAY = "today"
    """Today's board of the variant, the same for all."""
    BOARD = "board"
    """A board that bots of the ladder have played."""


class TableStatus(enum.StrEnum):
    """Progress of a table."""

    WAITING = "waiting"
    """For people who have not come yet."""
    READY = "ready"
    """It is about to begin, or to resume."""
    PLAYING = "playing"
    OVER = "over"
    """It was played to its end."""
    ENDED = "ended"
    """It ended before that; its reason says why."""


class ChairOrder(Value):
    """The player ordered for one chair."""

    kind: ChairKind = ChairKind.PERSON
    name: Annotated[str, Field(max_length=2 * NAME_LENGTH)] = ""
    """Of a house bot, or of a bot of the ladder (Trotter, Trotter@2); a person says its own when it sits down."""


class TableOrder(Value):
    """A request for a new table; the person who opens it sits in the first chair for a person."""

    variant: Annotated[str, Field(max_length=NAME_LENGTH)] = "gongzhu"
    """A variant of the ladder, or a preset."""
    rules: dict[str, Any] | None = None
    """Rules of the opener's own, field for field as in a rules file; then `variant` says nothing."""
    chairs: Annotated[tuple[ChairOrder, ...], Field(max_length=8)] = ()
    """One for each seat; none: a person, and house bots."""
    shown: Annotated[str, Field(max_length=2 * NAME_LENGTH)] = ""
    """The name that the opener is shown by, unless it gives one when it sits down."""
    format: Annotated[str, Field(max_length=32)] = "game"
    """As in a record: ``game``, ``deals:1``."""
    seconds: Annotated[float, Field(ge=MIN_SECONDS, le=MAX_SECONDS)] = 30.0
    """Seconds that a person has for each decision."""
    pace: Annotated[float, Field(ge=0.0, le=10.0)] = 0.5
    """Seconds for which pages show a card before the next one."""
    practice: bool = False
    """True if people may ask why before they play, and take cards back."""
    purpose: TablePurpose = TablePurpose.FREE
    board: Annotated[str, Field(max_length=64)] = ""
    """The board, where a certain one is played: a day, or ``17/3/1``, a match, its deal and table."""


@dataclass(frozen=True)
class TableVisitor:
    """The visitor who opens a table, or sits down at one."""

    account: str | None = None
    """The account's name; None: a guest."""
    guest: str = ""
    """Identity of a guest, such as an address; kept as a hash. Empty: the guest is on the ladder's machine."""
    shown: str = ""
    """The name by which the person is shown; empty: the account's, or "guest"."""
    network: str = ""
    """From where a guest comes: its address (IPv6: /64). Empty: an account, or on the ladder's machine."""


class OpenedTable(Value):
    """A table that was opened: how to come to it."""

    name: str
    """12 characters that fit into an address, and cannot be guessed."""
    secrets: dict[int, str]
    """By the number of each person's chair: the secret that lets a person sit there. The first one is the opener's."""

    def path(self, chair: int) -> str:
        """Give the address, on the site, of the link to a person's chair."""
        return f"/play/{self.name}?seat={self.secrets[chair]}"


class TableLinks(Value):
    """A table that was opened, with the links to its chairs."""

    name: str
    links: dict[int, str]
    """By the number of each person's chair; the first one is the opener's. A person who has a link may sit there."""

    @classmethod
    def of(cls, opened: OpenedTable, site: str) -> Self:
        """Give the links to an opened table on the site at that address."""
        return cls(
            name=opened.name, links={chair: f"{site.rstrip('/')}{opened.path(chair)}" for chair in opened.secrets}
        )


class TableChair(Value):
    """One chair of a table, as every visitor may see it."""

    kind: ChairKind
    name: str
    """Shown; empty: a person who has not come yet."""
    joined: bool
    """True if the chair is taken; a bot's always is."""
    is_account: bool
    """True if that is a person with an account of this name."""
    points: int | None
    """Total so far; None before the first deal is over."""
    place: int | None
    """At the end."""


class TableState(Value):
    """A table as shown to a visitor who knows its name."""

    id: int
    name: str
    purpose: TablePurpose
    board: str
    variant: str
    """The name in the rules."""
    rules: dict[str, Any]
    format: str
    seconds: float
    pace: float
    practice: bool
    assisted: bool
    """True if cards were taken back."""
    status: TableStatus
    reason: str
    """Reason that it ended, or the thing that it waits for, in a sentence; often empty."""
    chairs: tuple[TableChair, ...]
    """By the numbers in the record."""
    mine: int | None
    """The number of the chair that the secret is for; None: it is for none."""
    is_opener: bool
    """True if that chair is the opener's, who may end the table for all."""
    opener: str
    """The account that opened it; empty: a guest, or a person on the ladder's machine."""
    commitment: str
    """SHA-256 of the seed, in hex."""
    seed: str | None
    """In hex, once the table is over; it stays hidden where others are still to play the same board."""
    created: Time
    finished: Time | None


class SeatPlace(Value):
    """Address of the seat of a person's chair, for the program that plays there in the person's name."""

    table: int
    chair: int
    status: TableStatus
    attempt: int
    """Number of the attempt at the table; each opens seats of its own."""
    address: str
    """Such as ``unix:/path``; empty: the seat does not listen yet, or does no longer."""
    token: str
