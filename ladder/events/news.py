"""News of an event: the messages to write now, about all that has become public since the last ones were written."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ladder.values.held_events import EventState
from ladder.values.webhooks import MessageKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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

    @classmethod
    def read(cls, plain: Mapping[str, Any] | None) -> PublicCourse:
        """Read what `plain` has given; None: nothing was public."""
        if plain is None:
            return cls()
        shown = tuple(ShownTable(*each) for each in plain["shown"])
        return cls(plain["state"], tuple(plain["stages"]), tuple(plain["over"]), shown)

    def plain(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {**asdict(self), "shown": [list(asdict(each).values()) for each in self.shown]}


@dataclass(frozen=True)
class EventNews:
    """The subject of a message."""

    kind: MessageKind
    round: int | None = None
    table: int | None = None


def news(before: PublicCourse, now: PublicCourse) -> Iterator[EventNews]:
    """
    Find what has become public, in order of time.

    >>> [str(each.kind) for each in news(PublicCourse("running", (0,)), PublicCourse("paused", (0, 0), (1,)))]
    ['event.round_over', 'event.round_drawn', 'event.paused']
    """
    has_new_state = now.state != before.state
    if has_new_state and now.state not in (EventState.PAUSED, EventState.OVER):
        yield EventNews(_running_again(before) if now.state == EventState.RUNNING else KINDS[EventState(now.state)])
    for table in now.shown:
        if table not in before.shown:
            yield EventNews(MessageKind.RESULT_SHOWN, table.round, table.number)
    for number in now.over:
        if number not in before.over:
            yield EventNews(MessageKind.ROUND_OVER, number)
    for number in range(len(before.stages) + 1, len(now.stages) + 1):
        if now.stages[number - 1] not in now.stages[: number - 1]:
            yield EventNews(MessageKind.STAGE_BEGUN, number)
        yield EventNews(MessageKind.ROUND_DRAWN, number)
    if has_new_state and now.state in (EventState.PAUSED, EventState.OVER):
        yield EventNews(KINDS[EventState(now.state)])


def _running_again(before: PublicCourse) -> MessageKind:
    has_run = before.state in (EventState.PAUSED, EventState.OVER)
    return MessageKind.EVENT_RESUMED if has_run else MessageKind.EVENT_STARTED
