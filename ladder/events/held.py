"""
An event that is held: what has been drawn, played and ruled, from which all else follows, such as its news.

News are the messages to write now, about all that has become public since the last ones were written.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ladder.errors import UserError
from ladder.events.course import Course, NextRound, Standings
from ladder.events.entrants import Contributions, Dropped, Lots, PlayedRound, TableResult, Takeovers, is_stand_in
from ladder.events.scoring import put_last
from ladder.values.held_events import EventState
from ladder.values.webhooks import MessageKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ladder.events.entrants import Entrant, Table
    from ladder.values.events import Event
    from pigpen.rules import Rules


@dataclass(frozen=True)
class Ruling:
    """The organiser's decision that some are last at a table."""

    last: tuple[int, ...]
    """By number; on each board they are behind all others, and level with each other."""
    after: int
    """The rounds that had been drawn; their draws do not know of it."""
    reason: str
    by: str
    """The account; empty: a person on the ladder's machine."""
    at: float
    """Unix time."""


@dataclass(frozen=True)
class Redo:
    """The organiser's decision that a table is played again."""

    reason: str
    by: str
    """The account; empty: a person on the ladder's machine."""
    at: float
    """Unix time."""


@dataclass(frozen=True)
class HeldTable:
    """A table, as it counts."""

    table: Table
    turn: int
    """Number of times that the organiser has let it be played again."""
    boards: tuple[tuple[int, ...], ...] | None
    """As in `TableResult`; None: not played yet."""
    deals: int
    rulings: tuple[Ruling, ...] = ()
    taken_over: tuple[int, ...] = ()
    """As in `TableResult`."""

    def result(self, after: int | None = None) -> TableResult:
        """Give what counts: now, or for the draw after *after* rounds."""
        boards = self.boards or ()
        for ruling in self.rulings:
            if after is None or ruling.after <= after:
                boards = tuple(put_last(points, [self.table.index(one) for one in ruling.last]) for points in boards)
        return TableResult(self.table, boards, self.deals, self.taken_over)


@dataclass(frozen=True)
class HeldRound:
    """A round that was drawn."""

    stage: int
    round: int
    """From 1, within the stage."""
    kind: str
    boards: int | None
    """Of each match; None: a game."""
    tables: tuple[HeldTable, ...]

    @property
    def is_over(self) -> bool:
        """True if all tables have been played."""
        return all(table.boards is not None for table in self.tables)

    @property
    def entrants(self) -> frozenset[int]:
        """Those who play it."""
        return frozenset(one for table in self.tables for one in table.table if not is_stand_in(one))


@dataclass(frozen=True)
class Held:
    """An event, as far as it has come."""

    event: Event
    rules: Rules
    entrants: tuple[Entrant, ...]
    seed: bytes
    stand_in: Entrant | None = None
    """In the list under the number 0; None: none has been chosen yet."""
    contributions: Contributions | None = None
    left: Mapping[int, int] = field(default_factory=dict)
    """By number of those who have left: the rounds that had been drawn then."""
    rounds: tuple[HeldRound, ...] = ()

    @cached_property
    def listed(self) -> tuple[Entrant, ...]:
        """The list of its entrants, with the stand-in."""
        return (*self.entrants, *([self.stand_in] if self.stand_in else ()))

    @cached_property
    def lots(self) -> Lots:
        """Its lots."""
        return Lots.of(self.seed, self.listed, self.contributions)

    def dropped(self, *, is_over: bool) -> dict[int, Dropped]:
        """
        Give by number those who have left by the rule about takeovers, once that is settled.

        Until the next round is drawn a table may be played again, and a bot stays in.

        Args:
            is_over: Whether the event is.
        """
        takeovers = Takeovers(self.event.takeovers)
        for each in self.rounds:
            if not each.is_over:
                break
            takeovers.take(table.taken_over for table in each.tables)
        return {one: each for one, each in takeovers.dropped.items() if is_over or each.after < len(self.rounds)}

    def match_seed(self, stage: int, round_number: int, table: int, turn: int = 0) -> bytes:
        """
        Give the seed of the match at a table.

        Args:
            stage: Its place in the file, from 0.
            round_number: From 1, within the stage.
            table: From 1.
            turn: How often the table is played again.
        """
        words = ("stage", stage, "round", round_number, "table", table)
        return self.lots.seed(*words, *(("again", turn) if turn else ()))

    def played(self, rounds: int, *, as_drawn: bool = False) -> Iterator[PlayedRound]:
        """Give the results of the first rounds, as they count now, or *as_drawn*: as the draw after them knew them."""
        after = rounds if as_drawn else None
        for held in self.rounds[:rounds]:
            yield PlayedRound(held.stage, held.round, tuple(table.result(after) for table in held.tables))

    def following(self, rounds: int | None = None, *, as_drawn: bool = False) -> NextRound | Standings:
        """
        Give what follows after the first *rounds* rounds, or after all: a round, or all places.

        Raises:
            UserError: If a ruling leads to another course than the one that was drawn.
        """
        count = len(self.rounds) if rounds is None else rounds
        return self._course().next_round(self.played(count, as_drawn=as_drawn))

    def standings(self, rounds: int) -> tuple[Standings, int]:
        """Give the order after the first rounds, and the stage whose it is: its place in the file."""
        course, last = self._course(), self.rounds[rounds - 1].stage if rounds else 0
        following = course.next_round(self.played(rounds))
        if isinstance(following, Standings):
            return following, last
        found = following.standings()
        return (found, following.stage) if found.rows else (course.last, last)

    def _course(self) -> Course:
        return Course(self.event, self.rules, self.entrants, self.lots, self.left)

    def check_course(self) -> None:
        """
        Check that the rounds that were drawn are still the right ones, by what counts now.

        Raises:
            UserError: If others would have advanced, or another round would have been played.
        """
        course, results, number = self._course().rounds(), list(self.played(len(self.rounds))), 0
        try:
            coming = next(course)
            for number, (round_held, played) in enumerate(zip(self.rounds, results, strict=True), 1):
                if why := differs(round_held, coming, number):
                    raise UserError(f"With that, {why}, and it has been drawn already; nothing was changed.")
                if not round_held.is_over:  # what follows it is not known yet
                    return
                coming = course.send(played)
        except StopIteration:
            if number < len(self.rounds):
                raise UserError(f"With that, round {number + 1} is not needed; nothing was changed.") from None


def differs(held: HeldRound, coming: NextRound, number: int) -> str:
    """Say how a round differs from the one that should be there; empty if it does not."""
    what = (held.stage, held.round, held.kind, held.boards)
    if what != (coming.stage, coming.number, coming.kind, coming.boards):
        return f"round {number} is another one"
    if held.entrants != coming.entrants:
        return f"others play round {number}"
    return ""


KINDS = {
    EventState.OPEN: MessageKind.EVENT_OPENED,
    EventState.FROZEN: MessageKind.EVENT_FROZEN,
    EventState.RUNNING: MessageKind.EVENT_RESUMED,
    EventState.PAUSED: MessageKind.EVENT_PAUSED,
    EventState.OVER: MessageKind.EVENT_OVER,
}
"""The message about a new state."""


@dataclass(frozen=True)
class ShownTable:
    """A table whose result is public."""

    round: int
    """Within the event, from 1."""
    number: int
    turn: int
    """Number of times that the organiser has let it be played again."""
    rulings: int
    """The organiser's decisions about it."""


@dataclass(frozen=True)
class PublicCourse:
    """The course of an event, as far as the public may know it."""

    state: str = ""
    """`EventState`; empty: the event does not exist."""
    stages: tuple[int, ...] = ()
    """Of each round whose draw is public: its stage, by its place in the file."""
    over: tuple[int, ...] = ()
    """The rounds whose results are all public, by number."""
    shown: tuple[ShownTable, ...] = ()
    redone: tuple[tuple[int, int, int], ...] = ()
    """Tables that are played again: round, number and turn."""
    left: tuple[tuple[int, int], ...] = ()
    """Bots that have left: number, and the rounds that had been drawn then, as far as these are public."""
    dropped: tuple[tuple[int, int], ...] = ()
    """Bots that have left by the rule about takeovers: number, and the rounds that had been played."""
    is_official: bool = False
    entries: tuple[tuple[str, str, float | None], ...] = ()
    """
    While bots may enter, if each entry is a link of the chain: the bot, its version and commitment as one text, and the
    Unix time of its check-in.
    """
    on_hold: bool = False
    """Of such an event."""

    @classmethod
    def read(cls, plain: Mapping[str, Any] | None) -> PublicCourse:
        """Read what `plain` has given; None: nothing was public."""
        if plain is None:
            return cls()
        shown = tuple(ShownTable(*each) for each in plain["shown"])
        redone = tuple((number, table, turn) for number, table, turn in plain["redone"])
        left, dropped = (tuple((number, after) for number, after in plain[name]) for name in ("left", "dropped"))
        stages, over = tuple(plain["stages"]), tuple(plain["over"])
        entries = tuple((bot, entry, checked_in) for bot, entry, checked_in in plain["entries"])
        return cls(
            plain["state"], stages, over, shown, redone, left, dropped, plain["is_official"], entries, plain["on_hold"]
        )  # fmt: skip

    def plain(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {**asdict(self), "shown": [list(asdict(each).values()) for each in self.shown]}


@dataclass(frozen=True)
class EventNews:
    """The subject of a message."""

    kind: MessageKind
    round: int | None = None
    table: int | None = None
    entrant: int | None = None
    bot: str = ""
    """Of an entry."""
    after: int | None = None
    """Rounds after which it has left, as far as they are public."""
    by_rule: bool = False
    """True if it has left by the rule about takeovers."""


def news(before: PublicCourse, now: PublicCourse) -> Iterator[EventNews]:
    """
    Find what has become public, in order of time.

    >>> [str(each.kind) for each in news(PublicCourse("running", (0,)), PublicCourse("paused", (0, 0), (1,)))]
    ['event.round_over', 'event.round_drawn', 'event.paused']
    """
    if now.state == EventState.OPEN == before.state:
        yield from _entry_news(before, now)
    if now.on_hold and not before.on_hold:
        yield EventNews(MessageKind.EVENT_HELD)
    has_new_state = now.state != before.state
    if has_new_state and now.state not in (EventState.PAUSED, EventState.OVER):
        yield EventNews(_running_again(before) if now.state == EventState.RUNNING else KINDS[EventState(now.state)])
    for left in now.left:
        if left not in before.left:
            yield EventNews(MessageKind.BOT_LEFT, entrant=left[0], after=left[1])
    for redone in now.redone:
        if redone not in before.redone:
            yield EventNews(MessageKind.TABLE_REDONE, redone[0], redone[1])
    for table in now.shown:
        if table not in before.shown:
            yield EventNews(MessageKind.RESULT_SHOWN, table.round, table.number)
    for number in now.over:
        if number not in before.over:
            yield EventNews(MessageKind.ROUND_OVER, number)
    for one, after in now.dropped:
        if (one, after) not in before.dropped:
            yield EventNews(MessageKind.BOT_LEFT, entrant=one, after=after, by_rule=True)
    for number in range(len(before.stages) + 1, len(now.stages) + 1):
        if now.stages[number - 1] not in now.stages[: number - 1]:
            yield EventNews(MessageKind.STAGE_BEGUN, number)
        yield EventNews(MessageKind.ROUND_DRAWN, number)
    if has_new_state and now.state in (EventState.PAUSED, EventState.OVER):
        yield EventNews(KINDS[EventState(now.state)])
    if now.is_official and not before.is_official:
        yield EventNews(MessageKind.EVENT_OFFICIAL)


def _entry_news(before: PublicCourse, now: PublicCourse) -> Iterator[EventNews]:
    known = {bot: (entry, checked_in) for bot, entry, checked_in in before.entries}
    for bot in sorted(known.keys() - {bot for bot, _, _ in now.entries}):
        yield EventNews(MessageKind.ENTRY_WITHDRAWN, bot=bot)
    for bot, entry, checked_in in now.entries:
        entry_before, checked_in_before = known.get(bot, (None, None))
        if entry != entry_before:
            yield EventNews(MessageKind.ENTRY_MADE, bot=bot)
        if checked_in != checked_in_before:
            yield EventNews(MessageKind.ENTRY_CHECKED_IN, bot=bot)


def _running_again(before: PublicCourse) -> MessageKind:
    has_run = before.state in (EventState.PAUSED, EventState.OVER)
    return MessageKind.EVENT_RESUMED if has_run else MessageKind.EVENT_STARTED
