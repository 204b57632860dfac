"""Phrases that people at a table send to each other: a file that all web processes of a site add to, and read."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, get_args

from ladder.values.person_state import Phrase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
