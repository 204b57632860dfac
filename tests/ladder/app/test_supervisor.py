"""The files to which supervised processes write what they print to stderr."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from ladder.app import supervisor
from ladder.app.supervisor import SupervisedProcess
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def start_to_the_end(errors: Path, word: str) -> None:
    """Run a program that prints a word to stderr."""
    shell = shutil.which("sh")
    assert shell is not None
    process = SupervisedProcess("A part", ["-c", f"echo {word} >&2"], errors, program=shell)
    process.start()
    until(lambda: process.has_ended)


def test_a_large_file_of_errors_becomes_the_old_one_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "MAX_ERRORS", 8)
    for word in ("first", "second", "third", "fourth", "fifth"):
        start_to_the_end(tmp_path / "part.err", word)
    found = {path.name: path.read_text().split() for path in tmp_path.iterdir()}
    assert found == {"part.err": ["fifth"], "part.err.1": ["third", "fourth"]}
