"""
The coordinator's side of live matches: numbers the events that workers send, and writes them to files.

What fails here harms no match: the file of that attempt then ends where it is.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from ladder.values.live_events import LiveEnd, LiveGap, to_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from io import FileIO
    from pathlib import Path

    from ladder.results.live_folder import LiveFolder
    from ladder.values.live_events import Outcome

GRACE_SECONDS = 60.0
"""Seconds for which the file of an attempt stays after its end, so that viewers can read it."""
WAITING_CHARACTERS = 16 * 1024**2
"""The most that waits for its delay, of one attempt; what does not find room is lost, and a gap says so."""
WRITTEN_BYTES = 256 * 1024**2
"""The most that is written of one attempt, some 25,000 deals; what comes then is lost, and a gap says so."""

log = structlog.get_logger()


class LiveWriter:
    """Writes the events of the attempts that have begun and not ended. For any thread."""

    def __init__(self, folder: LiveFolder, delay: float = 0.0, tick: Callable[[], float] = time.monotonic) -> None:
        """
        Prepare to write.

        Args:
            folder: Where the files are.
            delay: Seconds by which everything is held back while a match is played.
            tick: A clock that never goes back; seconds.
        """
        self._folder = folder
        self._delay = delay
        self._tick = tick
        self._lock = threading.Lock()
        self._playing: dict[tuple[int, int], _Attempt] = {}
        self._ended: deque[tuple[float, int, int]] = deque()

    def left(self) -> list[tuple[int, int]]:
        """List the matches and attempts of which there are files; what is played may be among them."""
        with suppress(OSError):
            return self._folder.attempts()
        return []

    def clear(self, attempts: Iterable[tuple[int, int]]) -> None:
        """Remove what earlier runs have left of these matches and attempts."""
        with suppress(OSError):
            for attempt in attempts:
                self._folder.remove(*attempt)

    def begin(self, match: int, attempt: int) -> None:
        """Take events of this attempt from now on; its file is made when the first ones come."""
        with self._lock:
            self._playing[match, attempt] = _Attempt(self._folder.path(match, attempt))
            self._sweep()

    def append(self, match: int, attempt: int, batch: str) -> None:
        """
        Take events of an attempt; dropped unless it is being played. With a delay, only in an event loop.

        Args:
            match: Number of the match.
            attempt: Number of the attempt.
            batch: Events as lines of JSON, without their `id`.
        """
        with self._lock:
            playing = self._playing.get((match, attempt))
            if playing is None:
                return
            if not self._delay:
                playing.write(batch.split("\n"))
                return
            playing.wait(batch)
        asyncio.get_running_loop().call_later(self._delay, self._release, match, attempt)

    def end(self, match: int, attempt: int, outcome: Outcome) -> None:
        """
        Write the last event of an attempt; nothing happens if it has not begun, or has ended.

        What is still held back is written if the match is done, because its record is public then. Else it is
        dropped: the same cards are played again.
        """
        with self._lock:
            playing = self._playing.pop((match, attempt), None)
            if playing is None:
                return
            while outcome == "done" and playing.waiting:
                playing.release()
            playing.finish(outcome)
            self._ended.append((self._tick(), match, attempt))
            self._sweep()

    def close(self) -> None:
        """End all attempts: the run is over."""
        for match, attempt in list(self._playing):
            self.end(match, attempt, "returned")

    def _release(self, match: int, attempt: int) -> None:
        with self._lock:
            playing = self._playing.get((match, attempt))
            if playing is not None:
                playing.release()

    def _sweep(self) -> None:
        while self._ended and self._ended[0][0] <= self._tick() - GRACE_SECONDS:
            _, match, attempt = self._ended.popleft()
            with suppress(OSError):
                self._folder.remove(match, attempt)


class _Attempt:
    """One attempt and its file."""

    def __init__(self, path: Path) -> None:
        self.waiting: deque[list[str]] = deque()
        """Batches that are held back, the oldest first."""
        self._path = path
        self._file: FileIO | None = None
        self._next = 1
        self._bytes = 0
        self._is_full = False
        self._characters = 0
        self._has_failed = False

    def wait(self, batch: str) -> None:
        """Hold a batch back."""
        lines = batch.split("\n")
        if self._characters + len(batch) > WAITING_CHARACTERS:
            lines = [to_line(LiveGap(missed=len(lines)))]
        self.waiting.append(lines)
        self._characters += sum(map(len, lines))

    def release(self) -> None:
        """Write the oldest batch that is held back."""
        lines = self.waiting.popleft()
        self._characters -= sum(map(len, lines))
        self.write(lines)

    def write(self, lines: list[str]) -> None:
        """Number events and write them, as long as there is room."""
        if self._is_full:
            return
        if self._bytes + sum(map(len, lines)) > WRITTEN_BYTES:
            self._is_full = True
            lines = [to_line(LiveGap(missed=len(lines)))]
        self._write(lines)

    def _write(self, lines: list[str]) -> None:
        if self._has_failed:
            return
        # The worker's lines begin with a brace; the number goes behind it.
        text = "".join([f'{{"id":{number},{line[1:]}\n' for number, line in enumerate(lines, self._next)])
        self._next += len(lines)
        try:
            if self._file is None:
                self._path.parent.mkdir(exist_ok=True)
                self._file = self._path.open("wb", buffering=0)
            data = memoryview(text.encode())
            self._bytes += len(data)
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            self._has_failed = True
            log.warning("live.failed", file=self._path.name, reason=str(error))

    def finish(self, outcome: Outcome) -> None:
        """Write the last event, if there was any, and close the file."""
        if self._file is not None:
            self._write([to_line(LiveEnd(outcome=outcome))])
            with suppress(OSError):
                self._file.close()
