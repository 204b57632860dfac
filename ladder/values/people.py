"""
Tables at which people play.

There are the request for a table, the table that was opened, and its state; then the games that a person has played
here, and the days on which it played the board of the day; then one board as several have played it from the same
chair, with the same cards.
"""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field

from ladder.values.clocks import MAX_PERSON_SECONDS as MAX_SECONDS
from ladder.values.clocks import MIN_SECONDS
from ladder.values.matches import DealPlace
from ladder.values.names import NAME_LENGTH
from ladder.values.opponents import Player
from ladder.values.value import Computing, Time, Value

GUEST_DAYS = 30
"""Days for which answers of guests are kept, and their tables after the end; those of accounts stay."""
TABLE_FILE = "table-"
"""Beginning of what the record of a table is called where it is downloaded, and in questions about it."""
PERSON_NAME_LENGTH = 24
"""The most characters of the name by which a person is shown."""


def is_called(shown: str, name: str) -> bool:
    """Tell whether a seat is a person's of that name: the second one of a name has a number behind it."""
    return shown == name or shown.partition("#")[0] == name


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
    PAUSED = "paused"
    """It waits for its one person, who has left; all others are bots."""
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
    seconds: Annotated[float, Field(ge=MIN_SECONDS, le=MAX_SECONDS)] | None = None
    """Seconds that a person has for each decision; None: no clock among bots, 30 where several people play."""
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
    absent: bool
    """True if the policy has played most of the game for this person: it does not count as the person's."""


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
    """Seconds that a person has for each decision; 0: there is no clock."""
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


class OwnGame(Value):
    """A table that a person has played to its end."""

    table: str
    """The table's name in its address."""
    purpose: TablePurpose
    day: datetime.date | None
    """The day whose board it was; None: no day's."""
    variant: str
    format: str
    finished: Time
    place: int
    players: int
    points: int
    others: tuple[Player, ...]
    """The other players."""
    assisted: bool
    """True if the person asked why before it played, or took cards back."""
    ahead: float | None
    """
    Points a deal by which the person did better than the mean of the bots `counting` at the table.

    More is better in every variant. None: there were none, or the number of deals is not known beforehand.
    """
    deals: int
    """0: the number is not known beforehand."""
    places: tuple[tuple[str, int], ...]
    """Names and places of all at the table, the person's name empty; none where the game counts for no rating."""
    cost: float | None
    """Of the person's costliest decision, in points, as far as its page was asked for them; None: not at all."""


class OwnRecord(Value):
    """A person's games in one variant."""

    variant: str
    games: int
    place: float
    """Mean."""
    compared: int
    """Games of which `ahead` is known, without those with help."""
    ahead: float | None
    """Mean of `OwnGame.ahead` over these; None if there are none."""
    ahead_error: float | None
    """± at 95 % of that; None for fewer than two games."""
    elo: float | None
    """The person's rating against house bots, `counting` having 1500 (`ladder.people.review.own_games`)."""
    elo_error: float | None
    """± at 95 % of that."""
    rated: int
    """Games that count for it."""


class DayGame(Value):
    """A person's first play of a day's board."""

    table: str
    """The table's name in its address."""
    variant: str


class CalendarDay(Value):
    """One day of the calendar."""

    day: datetime.date
    games: tuple[DayGame, ...]
    """The first play of each variant's board of that day."""
    is_future: bool


class OwnDays(Value):
    """A person's plays of the boards of the days."""

    streak: int
    """Days in a row on which a board was played, up to today, or up to yesterday as long as today's is open."""
    weeks: tuple[tuple[CalendarDay, ...], ...]
    """Each from Monday to Sunday, the newest last."""

    def games_on(self, day: datetime.date) -> tuple[DayGame, ...]:
        """Give the plays of the boards of one of these days."""
        return next((each.games for week in self.weeks for each in week if each.day == day), ())


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
    marks: tuple[int, ...]
    """For each trick: 1, it was good for you; −1, bad; 0, it changed nothing."""
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
