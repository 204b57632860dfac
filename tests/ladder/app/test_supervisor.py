"""The files of stderr of supervised processes, and the last words in them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from ladder.app import supervisor
from ladder.app.supervisor import SupervisedProcess
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path


def start_to_the_end(errors: Path, text: str) -> SupervisedProcess:
    """Run a program that prints a text to stderr."""
    shell = shutil.which("sh")
    assert shell is not None
    process = SupervisedProcess("A part", ["-c", f"printf '{text}' >&2"], errors, program=shell)
    process.start()
    until(lambda: process.has_ended)
    return process


def test_a_large_file_of_errors_becomes_the_old_one_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "MAX_ERRORS", 8)
    for word in ("first", "second", "third", "fourth", "fifth"):
        start_to_the_end(tmp_path / "part.err", rf"{word}\n")
    found = {path.name: path.read_text().split() for path in tmp_path.iterdir()}
    assert found == {"part.err": ["fifth"], "part.err.1": ["third", "fourth"]}


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("", ""),
        (r" \n\n", ""),
        ("one", "one"),
        (r"one\ntwo\n", "two"),
        (r"one\ntwo \n\n", "two"),
        (r"one\n\377", "\ufffd"),
        (f"{'x' * 9000}" + r"\nlast\n", "last"),
    ],
)
def test_the_last_words_of_a_process_are_the_last_line_that_it_printed(
    tmp_path: Path, printed: str, words: str
) -> None:
    assert start_to_the_end(tmp_path / "part.err", printed).last_words() == words
