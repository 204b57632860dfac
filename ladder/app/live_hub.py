"""
Running matches, followed by many viewers at once in one event loop.

A viewer holds an offset in the file of a match and the few events that it reads next; nothing is queued for it, however
slow it is. Viewers of one match share the open file, the task that looks whether it has grown, and the last events.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.live_matches import attempt_of, number_after
from ladder.errors import LadderError, StoreError
from ladder.results.live_folder import LiveChunk, LiveFile, LiveFolder
from ladder.values.live_events import LiveEnd, LiveEvent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from ladder.app.ladder import Ladder
    from ladder.values.live_events import Outcome

MAX_SHARED = 4
"""Chunks of a file that are kept for the next viewer that comes to the same place."""


@dataclass(frozen=True)
class PollPace:
    """Intervals at which a match is looked at."""

    poll_seconds: float = 0.2
    """Seconds between two looks at a file."""
    doubt_seconds: float = 5.0
    """Seconds without an event after which the ladder is asked whether the match is still being played."""


DEFAULT_PACE = PollPace()


class LiveTail:
    """The file of one attempt, for all who follow it."""

    def __init__(self, ladder: Ladder, match: int, attempt: int, outcome: Outcome | None, pace: PollPace) -> None:
        """
        Begin to watch; in the event loop that runs now.

        Args:
            ladder: The ladder.
            match: Number of the match.
            attempt: The attempt.
            outcome: What has become of it; None: it is being played.
            pace: How often to look at the file.
        """
        self.match, self.attempt = match, attempt
        self.outcome = outcome
        """The attempt's outcome, as far as the ladder was asked; None: it is being played."""
        self.listeners: set[asyncio.Event] = set()
        """Set whenever there may be more to read."""
        self._ladder = ladder
        self._pace = pace
        self._folder = LiveFolder(ladder.settings.data_dir)
        self._file: LiveFile | None = None
        self._chunks: deque[tuple[int, LiveChunk]] = deque(maxlen=MAX_SHARED)
        self._watching = asyncio.ensure_future(self._watch(self._size()))

    def close(self) -> None:
        """Stop watching, and let go of the file."""
        self._watching.cancel()
        if self._file:
            self._file.close()

    def offset_after(self, event: int) -> int | None:
        """Find where the event after number *event* begins, or the end if that is known; None without a file."""
        if self._file is None:
            return None
        offset = self._file.offset_after(event)
        if event and offset == self._file.size:
            begin = self._file.offset_after(event - 1)
            if self._file.read(begin).is_last:
                return begin
        return offset

    def read(self, offset: int) -> LiveChunk:
        """Read some events from *offset* on, as many as there are at most."""
        for begin, chunk in self._chunks:
            if begin == offset:
                return chunk
        assert self._file is not None
        chunk = self._file.read(offset)
        if chunk.events:
            self._chunks.append((offset, chunk))
        return chunk

    def is_read_up_to(self, offset: int | None) -> bool:
        """Tell whether nothing whole stands behind *offset*."""
        return self._file is None or (offset is not None and not self.read(offset).events)

    def last_event(self, seen: int) -> LiveEvent:
        """Make the end of an attempt whose file does not have one: its run was killed, or the file is gone."""
        assert self.outcome is not None
        end = LiveEnd(id=seen + 1, outcome=self.outcome)
        return LiveEvent(match=self.match, attempt=self.attempt, id=end.id, type=end.type, line=end.model_dump_json())

    async def _watch(self, size: int) -> None:
        """Wake the listeners whenever the file has grown; at first they know of *size* bytes."""
        quiet = 0.0
        while True:
            await asyncio.sleep(self._pace.poll_seconds)
            now, quiet = self._size(), quiet + self._pace.poll_seconds
            if now == size and quiet >= self._pace.doubt_seconds and self.outcome is None:
                await self._ask()
                quiet = 0.0
            elif now == size:
                continue
            else:
                size, quiet = now, 0.0
            for listener in self.listeners:
                listener.set()

    async def _ask(self) -> None:
        """Ask the ladder whether this attempt is still being played."""
        with suppress(StoreError, LadderError):  # it is asked again
            attempt, outcome = await asyncio.to_thread(attempt_of, self._ladder, self.match)
            self.outcome = outcome if attempt == self.attempt else "void"

    def _size(self) -> int:
        self._open()
        return self._file.size if self._file else 0

    def _open(self) -> None:
        if self._file is None:
            with suppress(FileNotFoundError):
                self._file = LiveFile(self._folder, self.match, self.attempt)


class LiveHub:
    """
    The matches that viewers follow now.

    Example:
        hub = LiveHub(ladder)
        async with hub.follow(17, after="1-250") as viewer:
            async for event in viewer:
                ...
    """

    def __init__(self, ladder: Ladder, pace: PollPace = DEFAULT_PACE) -> None:
        self._ladder = ladder
        self._pace = pace
        self._tails: dict[tuple[int, int], LiveTail] = {}
        self._viewers: set[LiveViewer] = set()
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """True once `close` was called."""
        return self._is_closed

    @property
    def matches(self) -> int:
        """Number of attempts that are followed now."""
        return len(self._tails)

    @property
    def viewers(self) -> int:
        """Number of viewers; those that have asked for no event yet are not counted."""
        return len(self._viewers)

    def follow(self, match: int, after: str = "") -> LiveViewer:
        """
        Follow the attempt at a match that is being played, or see the end of its last one.

        Args:
            match: Number of the match.
            after: Mark of the last event that is known (`LiveEvent.mark`); empty, or of another attempt: from the first
                on.

        Returns:
            The events, as an asynchronous iterator whose last one has the type `end`. Its first step raises
            `LadderError` if there is no match of that number.
        """
        return LiveViewer(self, match, after)

    async def close(self) -> None:
        """End the iteration of every viewer there is or will be, without an event."""
        self._is_closed = True
        for viewer in list(self._viewers):
            await viewer.aclose()

    async def join(self, viewer: LiveViewer, match: int) -> LiveTail:
        """Add a viewer; only for `LiveViewer`."""
        attempt, outcome = await asyncio.to_thread(attempt_of, self._ladder, match)
        tail = self._tails.get((match, attempt))
        if tail is None:
            tail = self._tails[match, attempt] = LiveTail(self._ladder, match, attempt, outcome, self._pace)
        tail.listeners.add(viewer.news)
        self._viewers.add(viewer)
        return tail

    def leave(self, viewer: LiveViewer, tail: LiveTail) -> None:
        """Remove a viewer, and with the last one its match; only for `LiveViewer`."""
        self._viewers.discard(viewer)
        tail.listeners.discard(viewer.news)
        if not tail.listeners:
            tail.close()
            self._tails.pop((tail.match, tail.attempt), None)


class LiveViewer:
    """The events of one match for one viewer; close it in the end, at any time and from any task of its loop."""

    def __init__(self, hub: LiveHub, match: int, after: str) -> None:
        self.news = asyncio.Event()
        """Set when there may be more to read."""
        self._hub = hub
        self._match = match
        self._after = after
        self._tail: LiveTail | None = None
        self._offset: int | None = None
        self._seen = 0
        self._events: Iterator[LiveEvent] = iter(())
        self._has_ended = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> LiveEvent:
        while not self._has_ended:
            if (event := next(self._events, None)) is not None:
                if event.type == "end":
                    await self.aclose()
                self._seen = event.id
                return event
            await self._read()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """End the iteration at once; may be called again."""
        self._has_ended = True
        self.news.set()
        self._events = iter(())
        if self._tail is not None:
            tail, self._tail = self._tail, None
            self._hub.leave(self, tail)

    async def _read(self) -> None:
        """Wait for events, or for the viewer's being closed."""
        if self._tail is None:
            await self._join()
            return
        self.news.clear()
        if self._offset is None:
            self._offset = self._tail.offset_after(self._seen)
        if self._offset is not None:
            chunk = self._tail.read(self._offset)
            self._events, self._offset = iter(chunk.events), chunk.end
            if chunk.events:
                await asyncio.sleep(0)  # a viewer that catches up lets the others through
                return
        if self._tail.outcome is not None and self._tail.is_read_up_to(self._offset):
            self._events = iter((self._tail.last_event(self._seen),))
            return
        await self.news.wait()

    async def _join(self) -> None:
        self._tail = await self._hub.join(self, self._match)
        self._seen = number_after(self._after, self._tail.attempt)
        if self._has_ended or self._hub.is_closed:  # closed meanwhile
            await self.aclose()
