"""`pigpen verify` as a user types it, also on what a killed match leaves behind."""

from __future__ import annotations

import contextlib
import json
import re
import resource
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from referee.records.file import raw_lines
from referee.records.framing import RecordCut
from referee.records.lines import MatchLine
from tests.e2e.command import PIGPEN, environment, pigpen, pigpen_process, started
from tests.referee.recorded import match_lines, write_record
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

NAMES = pytest.mark.parametrize("name", ["match.jsonl", "match.jsonl.gz"])
LATER = pytest.mark.long
PACKED_FIRST = pytest.mark.parametrize("name", [pytest.param("match.jsonl", marks=LATER), "match.jsonl.gz"])
"""On each push test_resume.py kills one that writes lines as they are, and test_full_disk.py fills its disk."""
BOTS = ("random", "cautious", "random", "cautious")


def played(path: Path, *words: str) -> Path:
    done = pigpen("play", *BOTS, "--sandbox", "inline", "--seed", "7", "--record", str(path), *words)
    assert done.returncode == 0, done.stderr
    return path


def whole_lines(path: Path) -> int:
    """Count the lines that are in the file by now."""
    count = 0
    with path.open("rb") as file, contextlib.suppress(RecordCut):
        for _ in raw_lines(file):
            count += 1
    return count


@NAMES
def test_a_record_that_holds_is_one_line_and_exit_code_0(tmp_path: Path, name: str) -> None:
    path = played(tmp_path / name, "--boards", "2")
    done = pigpen("verify", str(path))
    bots = "random, cautious, random#2, cautious#2"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{path} holds: boards:2 of gongzhu by {bots}, 8 deals.\n"


def test_a_record_that_does_not_hold_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    good, bad = played(tmp_path / "good.jsonl", "--deals", "1"), tmp_path / "bad.jsonl"
    bad.write_text(good.read_text().replace('"by":"bot"', '"by":"BOT"', 1))
    done = pigpen("verify", str(bad), str(good))
    one, other = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (1, "")
    assert one.startswith(f"{bad} does not hold: line 2: its chain does not fit: ")
    assert other.startswith(f"{good} holds: deals:1 of gongzhu by ")
    found = json.loads(pigpen("verify", "--json", str(bad)).stdout)
    assert (found["record"], found["holds"], found["line"], found["deals"]) == (str(bad), False, 2, 0)


@NAMES
def test_a_record_may_come_on_standard_input(tmp_path: Path, name: str) -> None:
    path = played(tmp_path / name, "--deals", "1")
    bot = ("0", "cautious", "--sandbox", "inline")
    for words in (("verify", "-"), ("replay", "-", "--plain"), ("why", "-", "0", "--worst", "1"), ("rerun", "-", *bot)):
        with path.open("rb") as record:
            piped = subprocess.run(
                [PIGPEN, *words], stdin=record, env=environment(), capture_output=True, text=True, check=False
            )
        named = pigpen(*(str(path) if word == "-" else word for word in words))
        assert (piped.returncode, piped.stderr) == (0, "")
        assert without_times(piped.stdout) == without_times(named.stdout.replace(str(path), "-"))


def without_times(printed: str) -> list[str]:
    """The words of what was printed: times are left out, and the width of their column decides where lines break."""
    return sorted(re.findall(r"[^\s─-╿]+", re.sub(r" +[\d.]+ │$", "", printed, flags=re.MULTILINE)))


def test_what_is_wrong_with_standard_input_names_it(tmp_path: Path) -> None:
    path = played(tmp_path / "match.jsonl", "--deals", "1")
    text = path.read_text().replace("\n", "\r\n")
    verified, replayed = (
        subprocess.run([PIGPEN, *words], input=text, env=environment(), capture_output=True, text=True, check=False)
        for words in (("verify", "-"), ("replay", "-"))
    )
    why = "the file has Windows line ends (CR LF), and a record has LF; "
    assert verified.stdout.startswith(f"- does not hold: line 1: {why}")
    assert replayed.stderr.startswith(f"pigpen: standard input, line 1: {why}")


def test_a_file_that_cannot_be_read_is_a_mistake_of_the_users(tmp_path: Path) -> None:
    done = pigpen("verify", str(tmp_path / "nothing"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"pigpen: '{tmp_path}/nothing' cannot be read: No such file or directory.\n"


def test_what_was_found_before_a_file_that_cannot_be_read_is_not_lost(tmp_path: Path) -> None:
    path = played(tmp_path / "match.jsonl", "--deals", "1")
    done = pigpen("verify", str(path), str(tmp_path / "nothing"))
    assert (done.returncode, done.stderr.count("cannot be read")) == (2, 1)
    assert done.stdout.startswith(f"{path} holds: ")


def test_a_name_in_letters_that_the_terminal_lacks_is_shown_as_well_as_can_be(tmp_path: Path) -> None:
    first, deal, _ = match_lines("hearts", "deals:1")
    assert isinstance(first, MatchLine)
    named = first.model_copy(update={"bots": ("猪", *first.bots[1:])})
    path = write_record(tmp_path / "match.jsonl", [named, deal])
    done = pigpen_process("verify", str(path), PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(" by ?, bot1, bot2, bot3, 1 deal.\n")


def test_a_record_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "match\x1b[2J.jsonl"
    path.write_text("{}")
    done = pigpen("verify", str(path))
    assert done.returncode == 1
    assert done.stdout.startswith(f"{tmp_path}/match�[2J.jsonl does not hold: line 1: ")


@PACKED_FIRST
def test_kill_9_costs_a_record_no_more_than_the_line_at_hand(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    words = (*BOTS, "--sandbox", "process", "--boards", "500", "--concurrency", "2", "--record", str(path))
    with started("play", *words) as program:
        while not path.exists() or whole_lines(path) < 8:
            assert program.poll() is None, program.communicate()
            time.sleep(0.01)
        seen = whole_lines(path)
        program.kill()
        program.wait(PATIENCE)
    left = whole_lines(path)
    assert left >= seen
    found = json.loads(pigpen("verify", "--json", str(path)).stdout)
    assert found["deals"] == left - 1
    assert not found["finished"]
    assert found["holds"] or found["line"] == left + 1


@PACKED_FIRST
def test_a_full_disk_is_one_sentence_and_the_match_goes_on_later(tmp_path: Path, name: str) -> None:
    path, limit = tmp_path / name, 12 * 1024
    words = ("play", *BOTS, "--sandbox", "inline", "--seed", "7", "--boards", "12")
    full = subprocess.run(
        [PIGPEN, *words, "--record", str(path)],
        env=environment(), capture_output=True, text=True, timeout=250, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    assert (full.returncode, full.stdout) == (3, "")
    assert f"To continue: --resume {path}\n" in full.stderr
    assert f"pigpen: The record {str(path)!r} cannot be written: File too large." in full.stderr
    unfinished = pigpen("verify", str(path))
    assert (unfinished.returncode, unfinished.stdout.count("is not finished; it holds so far")) == (0, 1)
    done = pigpen("play", *BOTS, "--sandbox", "inline", "--resume", str(path))
    assert done.returncode == 0, done.stderr
    assert pigpen("verify", str(path)).returncode == 0
