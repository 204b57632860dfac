"""
The contents of a table's page besides the game: facts about the table, phrases of its people, states to show.

The facts are about a table and about a person's seat at it, as the person's browser is shown them. The phrases that
people at a table send to each other are in a file that all web processes of a site add to, and read. A `Tab` has the
states that an open tab of the page has still to show.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, get_args

from ladder.sandbox.bots.bot_source import seat_names
from ladder.values.people import ChairKind, TablePurpose, TableStatus
from ladder.values.person_state import Phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Self

    from ladder.values.people import SeatPlace, TableState

Kind = Literal["person", "house", "bot"]
ShownStatus = Literal["waiting", "starting", "playing", "paused", "resuming", "unserved", "over", "ended"]


@dataclass
class TableInfo:
    """Facts about a table that browsers are shown besides the game."""

    kinds: Mapping[str, Kind]
    """The kind of player behind each name."""
    status: ShownStatus = "starting"
    reason: str = ""
    practice: bool = False
    waits: bool = False
    """True if the table waits while its one person is away."""
    assisted: bool = False
    place: int | None = None
    """The person's, once that is known."""
    totals: tuple[int, ...] = ()
    """The totals of all seats then."""
    verify: str = ""
    compare: str = ""


@dataclass(frozen=True)
class FoundSeat:
    """Facts about a table that a seat session needs."""

    state: TableState
    place: SeatPlace
    is_served: bool = True
    """True if a process runs that plays tables."""


def info_of(found: FoundSeat) -> TableInfo:
    """Give what browsers are shown of a table besides the game."""
    state = found.state
    is_over = state.status is TableStatus.OVER
    mine = None if state.mine is None else state.chairs[state.mine]
    return TableInfo(
        kinds=kinds_of(state),
        status=_status(found),
        reason=state.reason if state.status is TableStatus.ENDED else "",
        practice=state.practice,
        waits=sum(chair.kind is ChairKind.PERSON for chair in state.chairs) == 1,
        assisted=state.assisted,
        place=mine.place if mine else None,
        totals=tuple(chair.points or 0 for chair in state.chairs) if is_over else (),
        verify=f"/play/{state.name}/replay" if is_over else "",
        compare=f"/play/{state.name}/compare" if is_over and state.purpose is not TablePurpose.FREE else "",
    )


def kinds_of(state: TableState) -> dict[str, Kind]:
    """Give what sits at a table, by the names that those at the table are shown."""
    kinds: list[Kind] = [chair.kind.value for chair in state.chairs]
    return dict(zip(seat_names(chair.name for chair in state.chairs), kinds, strict=True))


def _status(found: FoundSeat) -> ShownStatus:
    match found.state.status:
        case TableStatus.WAITING:
            return "waiting"
        case TableStatus.PAUSED:
            return "paused"
        case TableStatus.OVER:
            return "over"
        case TableStatus.ENDED:
            return "ended"
        case _ if not found.is_served:
            return "unserved"
        case TableStatus.READY if found.place.attempt:
            return "resuming"
    return "starting"


PHRASES: tuple[Phrase, ...] = get_args(Phrase)
MAX_BYTES = 64 * 1024
"""Bytes after which a table takes no more of them: over 2,000 phrases."""


class TablePhrases:
    """The phrases of one table from now on."""

    def __init__(self, path: Path) -> None:
        """Begin after what the file holds already; there may be none."""
        self._path = path
        self._read = self._size()

    def send(self, chair: int, phrase: Phrase) -> None:
        """
        Add a phrase of the person in a chair, in one write, so that lines of other processes stay whole.

        A table that has been removed meanwhile takes none.
        """
        if self._size() < MAX_BYTES:
            with suppress(FileNotFoundError), self._path.open("ab", buffering=0) as file:
                file.write(f"{json.dumps([chair, phrase])}\n".encode())

    def received(self) -> Iterator[tuple[int, Phrase]]:
        """Give the phrases since the last call, each with the chair of the person."""
        if self._size() <= self._read:
            return
        whole = b""
        with suppress(FileNotFoundError), self._path.open("rb") as file:
            file.seek(self._read)
            whole = file.read(MAX_BYTES).rpartition(b"\n")[0]
        self._read += len(whole) + 1 if whole else 0
        for line in whole.splitlines():
            chair, phrase = json.loads(line)
            yield chair, phrase

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except OSError:
            return 0


S = TypeVar("S")
MAX_BEHIND = 64
"""States that wait for a slow tab; older ones are left out."""


class Tab(Generic[S]):
    """One tab: an asynchronous iterator of states, which ends when nothing more will come."""

    def __init__(self, closed: Callable[[Tab[S]], None], *first: S) -> None:
        """Begin with these states; *closed* is called when the tab is closed."""
        self._closed = closed
        self._states: deque[S] = deque(first, maxlen=MAX_BEHIND)
        self._news = asyncio.Event()
        self._has_ended = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> S:
        while not self._states:
            if self._has_ended:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._states.popleft()

    def put(self, state: S) -> None:
        """Give it the next state."""
        self._states.append(state)
        self._news.set()

    def end(self) -> None:
        """Note that nothing more will come."""
        self._has_ended = True
        self._news.set()

    def close(self) -> None:
        """Close the tab."""
        self._closed(self)
