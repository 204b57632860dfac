"""
The journal of a deal under way: each step as soon as it is done, in a file, until the deal is a line of the record.

Each line goes to the operating system at once: a referee that is killed loses no more than the line at hand.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

from referee.records.lines import AtSteps, DealNumber, Line, Milliseconds, Step, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self


class JournalLine(Line):
    """The answers to one question: a step, or of a sealed question one for each seat that was asked."""

    deal: DealNumber
    steps: Annotated[tuple[Step, ...], AtSteps]
    took_ms: Annotated[tuple[Milliseconds, ...], AtSteps]
    """As in `DealLine`."""
    cpu_ms: Annotated[tuple[Milliseconds | None, ...], AtSteps] | None = None
    unasked_ms: Annotated[tuple[Milliseconds | None, ...], AtSteps] | None = None

    def timed_steps(self) -> Iterator[tuple[Step, float, float | None, float | None]]:
        """Yield each step with its seconds by the referee's clock, of CPU time, and of CPU time before it was asked."""
        nothing = (None,) * len(self.steps)
        times = zip(self.steps, self.took_ms, self.cpu_ms or nothing, self.unasked_ms or nothing, strict=True)
        for step, took, cpu, unasked in times:
            yield step, took / 1000, _seconds(cpu), _seconds(unasked)


class JournalFile:
    """The file; what is in it is of one deal, or of a deal that the record has already."""

    def __init__(self, path: Path) -> None:
        """
        Open it, or make it; a line that was cut off by a kill is removed.

        Raises:
            OSError: If it cannot be read and written.
        """
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
        whole = self._file.read().rpartition(b"\n")
        self.lines = [JournalLine.model_validate_json(line) for line in whole[0].split(b"\n") if line]
        self._cut(len(whole[0] + whole[1]))

    def write(self, line: JournalLine) -> None:
        """
        Write a line behind the others; the first one of another deal removes those before it.

        Raises:
            OSError: If there is no room.
        """
        if self.lines and self.lines[-1].deal != line.deal:
            self.keep([])
        rest = memoryview(to_json(line).encode() + b"\n")
        while rest:
            rest = rest[self._file.write(rest) :]
        self.lines.append(line)

    def keep(self, lines: Sequence[JournalLine]) -> None:
        """Keep only these lines."""
        self.lines = []
        self._cut(0)
        for line in lines:
            self.write(line)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the file."""
        self.close()

    def _cut(self, end: int) -> None:
        self._file.truncate(end)
        self._file.seek(end)


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
