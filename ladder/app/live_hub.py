"""
Following matches while they are played, for many viewers at once, in one event loop.

A viewer holds an offset in the file of a match and the few events that it reads next; nothing is queued for it, however
slow it is. Viewers of one match share the open file, the task that looks whether it has grown, and the last events.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.app.live import attempt_of, number_after
from ladder.errors import LadderError, StoreError
from ladder.results.live_folder import LiveChunk, LiveFile, LiveFolder
from ladder.values.live import LiveEnd, LiveEvent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from ladder.app.ladder import Ladder
    from ladder.values.live import Outcome

POLL_SECONDS = 0.2
"""Seconds between two looks at a file."""
DOUBT_SECONDS = 5.0
"""Seconds without an event after which the ladder is asked whether the match is still being played."""
MOST_SHARED = 4
"""Chunks of a file that are kept for the next viewer that comes to the same place."""


class LiveHub:
    """
    The matches that somebody follows now.

    Example:
        hub = LiveHub(ladder)
        async with hub.follow(17, after="1-250") as viewer:
            async for event in viewer:
                ...
    """

    def __init__(self, ladder: Ladder) -> None:
        self._ladder = ladder
        self._tails: dict[tuple[int, int], LiveTail] = {}
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._is_closed

    @property
    def matches(self) -> int:
        """How many attempts are followed now."""
        return len(self._tails)

    @property
    def viewers(self) -> int:
        """How many viewers there are, those left out that have asked for no event yet."""
        return sum(len(tail.viewers) for tail in self._tails.values())

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
        for tail in list(self._tails.values()):
            for viewer in list(tail.viewers):
                await viewer.aclose()

    async def join(self, viewer: LiveViewer, match: int) -> LiveTail:
        """Let a viewer in; only for `LiveViewer`."""
        attempt, outcome = await asyncio.to_thread(attempt_of, self._ladder, match)
        tail = self._tails.get((match, attempt))
        if tail is None:
            tail = self._tails[match, attempt] = LiveTail(self._ladder, match, attempt, outcome)
        tail.viewers.add(viewer)
        return tail

    def leave(self, viewer: LiveViewer, tail: LiveTail) -> None:
        """Let a viewer out, and its match go with the last one; only for `LiveViewer`."""
        tail.viewers.discard(viewer)
        if not tail.viewers:
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
                await asyncio.sleep(0)  # whoever catches up lets others through
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


class LiveTail:
    """The file of one attempt, for all who follow it."""

    def __init__(self, ladder: Ladder, match: int, attempt: int, outcome: Outcome | None) -> None:
        """
        Begin to watch; in the event loop that runs now.

        Args:
            ladder: The ladder.
            match: Number of the match.
            attempt: The attempt.
            outcome: What has become of it; None: it is being played.
        """
        self.match, self.attempt = match, attempt
        self.outcome = outcome
        """What has become of it, as far as was asked."""
        self.viewers: set[LiveViewer] = set()
        self._ladder = ladder
        self._folder = LiveFolder(ladder.settings.data_dir)
        self._file: LiveFile | None = None
        self._chunks: deque[tuple[int, LiveChunk]] = deque(maxlen=MOST_SHARED)
        self._open()
        self._watching = asyncio.ensure_future(self._watch())

    def close(self) -> None:
        """Stop watching, and let go of the file."""
        self._watching.cancel()
        if self._file:
            self._file.close()

    def offset_after(self, event: int) -> int | None:
        """Where the event after number *event* begins, or the end if that is known; None if there is no file yet."""
        if self._file is None:
            return None
        offset = self._file.offset_after(event)
        if event and offset == self._file.size:
            begin = self._file.offset_after(event - 1)
            if self._file.read(begin).is_last:
                return begin
        return offset

    def read(self, offset: int) -> LiveChunk:
        """Some events from *offset* on, as many as there are at most."""
        for begin, chunk in self._chunks:
            if begin == offset:
                return chunk
        assert self._file is not None
        chunk = self._file.read(offset)
        if chunk.events:
            self._chunks.append((offset, chunk))
        return chunk

    def is_read_up_to(self, offset: int | None) -> bool:
        """Whether nothing whole stands behind *offset*."""
        return self._file is None or (offset is not None and not self.read(offset).events)

    def last_event(self, seen: int) -> LiveEvent:
        """The end of an attempt whose file does not have one: its run was killed, or the file is gone."""
        assert self.outcome is not None
        end = LiveEnd(id=seen + 1, outcome=self.outcome)
        return LiveEvent(match=self.match, attempt=self.attempt, id=end.id, type=end.type, line=end.model_dump_json())

    async def _watch(self) -> None:
        size, quiet = self._size(), 0.0
        while True:
            await asyncio.sleep(POLL_SECONDS)
            now, quiet = self._size(), quiet + POLL_SECONDS
            if now == size and quiet >= DOUBT_SECONDS and self.outcome is None:
                await self._ask()
                quiet = 0.0
            elif now == size:
                continue
            else:
                size, quiet = now, 0.0
            for viewer in list(self.viewers):
                viewer.news.set()

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
