"""A match that was killed resumes from its record and ends as if nothing had happened."""

from __future__ import annotations

import contextlib
import json
import random
import re
import shutil
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from referee.records.file import raw_lines
from referee.records.framing import RecordCut
from referee.records.lines import without_times
from tests.e2e.command import PATIENT, pigpen, started
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

FOUR = ("random", "cautious", "random", "cautious")
MATCH = (*FOUR, "--rules", "hearts", "--boards", "60", "--seed", "7", *PATIENT)
DEALS = 240
LATER = pytest.mark.long
PROCESSES = ("--sandbox", "process")


def lines_of(path: Path) -> list[str]:
    """A whole record without times, the deals sorted by where they belong."""
    first, *deals, last = texts(path)
    return without_times([first, *sorted(deals, key=_table_and_deal), last])


def texts(path: Path) -> list[str]:
    """The whole lines that are there by now."""
    lines: list[str] = []
    with path.open("rb") as file, contextlib.suppress(RecordCut):
        lines.extend(line.decode() for line in raw_lines(file))
    return lines


def _table_and_deal(line: str) -> tuple[int, int]:
    deal = json.loads(line)
    return deal["rotation"], deal["deal"]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("whole") / "match.jsonl"
    done = pigpen("play", *MATCH, "--sandbox", "inline", "--record", str(path))
    assert done.returncode == 0, done.stderr
    assert not seed_of(path).exists()
    return lines_of(path)


def seed_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.seed")


def stop_at(lines: int, path: Path, number: signal.Signals, *words: str) -> str:
    """Play until *lines* lines have been written, then send a signal; give what the command printed."""
    with started("play", *words) as program:
        while not path.exists() or len(texts(path)) < lines:
            assert program.poll() is None, program.communicate()
            time.sleep(0.005)
        program.send_signal(number)
        _, errors = program.communicate(timeout=PATIENCE)
    return errors


def resume(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return pigpen("play", *FOUR, "--resume", str(path), *words)


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a match that was killed."""
    path = tmp_path_factory.mktemp("killed") / "match.jsonl"
    stop_at(5, path, signal.SIGKILL, *MATCH, *PROCESSES, "--record", str(path))
    return path


@pytest.fixture
def killed(tmp_path: Path, killed_once: Path) -> Path:
    """A copy of it, with its seed."""
    path = tmp_path / killed_once.name
    for each in (killed_once, seed_of(killed_once)):
        shutil.copy2(each, tmp_path)
    return path


@pytest.mark.parametrize(
    ("concurrency", "name"), [pytest.param("1", "match.jsonl", marks=LATER), ("4", "match.jsonl.gz")]
)
def test_after_kill_9_at_any_moment_the_record_becomes_the_same(
    tmp_path: Path, uninterrupted: list[str], concurrency: str, name: str
) -> None:
    path, rng = tmp_path / name, random.Random(concurrency)
    how = (*PROCESSES, "--concurrency", concurrency)
    moments = sorted(rng.sample(range(2, DEALS // 5), 2))  # long before its end, however slow we look
    stop_at(moments[0], path, signal.SIGKILL, *MATCH, *how, "--record", str(path))
    for moment in moments[1:]:
        stop_at(max(moment, len(texts(path)) + 1), path, signal.SIGKILL, *FOUR, "--resume", str(path), *how)
    assert seed_of(path).stat().st_mode & 0o777 == 0o600
    done = resume(path, "--sandbox", "inline")
    assert done.returncode == 0, done.stderr
    assert lines_of(path) == uninterrupted
    assert not seed_of(path).exists()


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=LATER)], ids=lambda each: each.name
)
def test_a_match_that_is_stopped_says_how_to_continue(
    tmp_path: Path, uninterrupted: list[str], number: signal.Signals
) -> None:
    path = tmp_path / "match.jsonl"
    errors = stop_at(5, path, number, *MATCH, *PROCESSES, "--record", str(path))
    assert f"To continue: --resume {path}" in errors
    assert "Traceback" not in errors
    assert resume(path, "--sandbox", "inline").returncode == 0
    assert lines_of(path) == uninterrupted


def test_half_a_line_at_the_end_is_played_again_and_the_seed_given_again_does_instead_of_the_file(
    killed: Path, uninterrupted: list[str]
) -> None:
    content = killed.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    killed.write_bytes(whole[:-100])
    seed_of(killed).unlink()
    missing = resume(killed, "--sandbox", "inline")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert " again with --seed" in missing.stderr
    wrong = resume(killed, "--sandbox", "inline", "--seed", "8")
    assert wrong.returncode == 2
    assert "the seed is not " in wrong.stderr
    done = resume(killed, "--sandbox", "inline", "--json", "--seed", "7")
    assert done.returncode == 0, done.stderr
    assert lines_of(killed) == uninterrupted
    assert json.loads(done.stdout)["deals"] == DEALS


def test_what_cannot_be_resumed_is_answered_in_words_and_left_as_it_was(tmp_path: Path, killed: Path) -> None:
    path = killed
    before = path.read_bytes()
    mistakes = {
        (*FOUR, "--resume", str(path), "--rules", "hearts"): "--resume and --rules exclude each other",
        (*FOUR, "--resume", str(path), "--boards", "12"): "--resume and --boards exclude each other",
        (*FOUR, "--resume", str(path), "--record", "x"): "--resume and --record exclude each other",
        (
            *FOUR[1:],
            "random",
            "--resume",
            str(path),
        ): "is a match of random, cautious, random#2, cautious#2: name these",
        (*FOUR, "--resume", str(tmp_path / "no.jsonl")): "cannot be read: No such file",
        (
            *FOUR,
            "--resume",
            "README.md",
        ): "line 1: it does not end in its chain: it is no line of a record",
        (*FOUR, "--resume", str(seed_of(path))): "does not begin with the first line of a match",
    }
    for words, text in mistakes.items():
        done = pigpen("play", *words, "--sandbox", "inline")
        assert (done.returncode, done.stdout) == (2, ""), words
        assert text in done.stderr
        assert "Traceback" not in done.stderr
    assert path.read_bytes() == before
    tampered = before.replace(b'"scores":[', b'"scores":[1', 1)
    path.write_bytes(tampered)
    done = resume(path, "--sandbox", "inline")
    assert done.returncode == 2
    assert re.search("line 2: .* not fit: .* changed", done.stderr)
    assert path.read_bytes() == tampered


def test_a_finished_match_is_not_resumed(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    assert pigpen("play", *FOUR, "--boards", "1", "--sandbox", "inline", "--record", str(path)).returncode == 0
    before = path.read_bytes()
    done = resume(path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the match is finished" in done.stderr
    assert path.read_bytes() == before


def test_two_commands_do_not_write_to_one_record(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    with started("play", *FOUR, "--boards", "20000", *PROCESSES, "--record", str(path)) as program:
        while not path.exists() or len(texts(path)) < 2:
            assert program.poll() is None
            time.sleep(0.05)
        done = resume(path, "--sandbox", "inline")
        assert done.returncode == 2
        assert "written by another pigpen" in done.stderr
        assert seed_of(path).exists()
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=PATIENCE)
