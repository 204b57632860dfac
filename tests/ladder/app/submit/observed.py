"""An observer of submissions that keeps what it is told."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.values.submission import SubmissionRow


class Observed:
    """A `SubmissionObserver` that shows nothing."""

    def __init__(self) -> None:
        self.total = self.done = 0
        self.steps: set[str] = set()
        self.sentences: list[str] = []
        self.pushed: list[str] = []
        self.rows: list[SubmissionRow] = []

    @contextlib.contextmanager
    def progress(self, what: str, total: int) -> Iterator[Callable[[str], None]]:
        self.total += total
        yield self._advance

    @contextlib.contextmanager
    def pushing(self, image: str) -> Iterator[Callable[[str], None]]:
        self.pushed.append(image)
        yield self.sentences.append

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def moved(self, row: SubmissionRow) -> None:
        self.rows.append(row)

    def _advance(self, doing: str) -> None:
        self.done += 1
        self.steps.add(doing)
