"""The file of a running match, for all who follow it in one event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.live import attempt_of
from ladder.errors import LadderError, StoreError
from ladder.results.live_folder import LiveChunk, LiveFile, LiveFolder
from ladder.values.live_events import LiveEnd, LiveEvent

if TYPE_CHECKING:
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
