"""`pigpen verify`, as a user types it, also on killed matches and on small files that unpack to very much."""

from __future__ import annotations

import contextlib
import errno
import gzip
import json
import os
import re
import resource
import subprocess
import sys
import time
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING

import pytest

from ladder.cli.replay.verify import NOT_PROVED
from pigpen.rules import PRESETS, Rules
from referee.match.formats import Format
from referee.records.file import TOO_LARGE, TOO_MANY, RecordWriter, raw_lines, read_record
from referee.records.framing import (
    HEADER_BYTES,
    LINE_BYTES,
    MAX_BYTES,
    MAX_DEALS,
    MAX_LINES,
    MAX_STEPS,
    START,
    RecordCut,
    chained,
    pack,
)
from referee.records.lines import DealLine, MatchLine, Step, to_json
from tests.e2e.command import PIGPEN, environment, pigpen, pigpen_process, started
from tests.referee.recorded import SEED, match_lines, write_record
from tests.typed import typed
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    Bomb = Callable[[Callable[[], Iterable[bytes]], str], Path]

LATER = pytest.mark.long
MIB = 1024**2
ROOM = 320 * MIB
"""Bytes of memory that a command may take beyond its start; a line full of errors takes 200 MiB, 10,000 deals 350."""
LIMITED = """
import resource, sys
import ladder.cli.typer_app, ladder.cli.replay.replay, referee.replay.verify
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(sys.argv.pop(1)),) * 2)
ladder.cli.typer_app.run_app()
"""
FIRST, DEAL, _ = match_lines("hearts", "deals:1")
LINE_TOO_MANY = f", line {MAX_LINES + 1}: {TOO_MANY}."
READERS = (
    ("verify", "{}"),
    ("verify", "--json", "{}"),
    ("replay", "{}"),
    ("rerun", "{}", "0", "random", "--sandbox", "inline"),
    ("play", *["random"] * 4, "--resume", "{}", "--seed", SEED.hex(), "--sandbox", "inline"),
)


def short_lines() -> Iterator[bytes]:
    """150 million: 291 KiB in gzip."""
    return repeat(b"0\n" * (MIB // 2), 300_000_000 // MIB)


def chain_of(texts: Iterable[bytes]) -> Iterator[bytes]:
    """The same lines as they stand in a file."""
    before = START
    for text in texts:
        line, before = chained(text, before)
        yield line + b"\n"


def blank_lines() -> Iterator[bytes]:
    """More lines of a megabyte than there may be: 8 MiB of gzip or less for each gigabyte."""
    first = to_json(FIRST).encode()
    blank = to_json(DEAL).encode()[:-1] + b" " * (LINE_BYTES - 20_000) + b"}"
    return chain_of([first, *repeat(blank, MAX_BYTES // LINE_BYTES + 20)])


def endless_line() -> Iterator[bytes]:
    """A line of 64 MiB."""
    return repeat(b"{" * MIB, 64)


def many_values() -> Iterator[bytes]:
    """A line full of the smallest values there are: 300,000 complaints."""
    steps = b",".join(repeat(b"{}", 300_000))
    return chain_of([to_json(FIRST).encode(), b'{"type":"deal","deal":0,"steps":[' + steps + b"]}"])


def many_deals() -> Iterator[bytes]:
    """A record that can be read to its end."""
    return chain_of([to_json(FIRST).encode(), *repeat(to_json(DEAL).encode(), 10_000)])


def written(path: Path, pieces: Iterable[bytes], packed: str) -> Path:
    """A file of these lines: as they are, in gzip, or packed as Pigpen packs them."""
    if packed == "gzip":
        with gzip.open(path, "wb", compresslevel=1) as file:
            for piece in pieces:
                file.write(piece)
    else:
        with path.open("wb") as plain:
            for piece in pieces:
                plain.write(pack(piece) if packed == "ours" else piece)
    return path


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> Bomb:
    """Gives such a file; each is written once, which takes a second for a gigabyte."""
    folder = tmp_path_factory.mktemp("bombs")

    @cache
    def of(make: Callable[[], Iterable[bytes]], packed: str) -> Path:
        return written(folder / f"{make.__name__}.{packed}.jsonl.gz", make(), packed)

    return of


@pytest.mark.parametrize("command", READERS)
def test_150_million_short_lines_are_refused_at_the_first_one_too_many(
    bomb: Bomb, tmp_path: Path, command: tuple[str, ...]
) -> None:
    path = bomb(short_lines, "gzip")
    done = typed(*(str(path) if word == "{}" else word for word in command), folder=tmp_path)
    assert done.is_one_sentence, done
    if command[0] == "verify":
        assert done.err == f"pigpen: {str(path)!r}{LINE_TOO_MANY}\n"


@pytest.mark.parametrize(
    ("make", "packed", "code", "words"),
    [
        pytest.param(short_lines, "gzip", 2, LINE_TOO_MANY, marks=LATER),
        (blank_lines, "gzip", 2, TOO_LARGE),
        (endless_line, "gzip", 1, "line 1: it is longer than 1,048,576 bytes, the most for a line."),
        (many_values, "ours", 1, " does not hold: line "),
        pytest.param(many_deals, "ours", 1, " does not hold: line 3: ", marks=LATER),
    ],
)
def test_verify_takes_little_memory_whatever_the_file(
    bomb: Bomb, make: Callable[[], Iterable[bytes]], packed: str, code: int, words: str
) -> None:
    done = limited("verify", str(bomb(make, packed)))
    assert (done.returncode, words in done.stdout + done.stderr) == (code, True), done
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("make", [pytest.param(blank_lines, marks=LATER), many_values])
def test_so_does_replay(bomb: Bomb, make: Callable[[], Iterable[bytes]]) -> None:
    done = limited("replay", str(bomb(make, "gzip")))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done


def test_deals_that_are_not_looked_at_are_no_objects(bomb: Bomb) -> None:
    done = limited("replay", str(bomb(many_deals, "ours")), "--deal", "8")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search("no deal .* 8; .* 1 to 1[.]\n", done.stderr)


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    path = write_record(tmp_path / "match.jsonl", match_lines("hearts", "deals:1"))
    with path.open("rb") as file:
        done = subprocess.run(
            ["sh", "-c", 'cat | "$0" verify /dev/stdin', PIGPEN],
            stdin=file, env=environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.startswith("/dev/stdin holds: ")
    assert "deals:1 of hearts " in done.stdout
    assert done.stdout.endswith(f", bot3, 1 deal. {NOT_PROVED}\n")


def test_a_line_that_claims_to_be_longer_than_a_line_can_be_is_no_end_of_the_file(tmp_path: Path) -> None:
    packed = pack(b"{}\n")
    path = tmp_path / "match.jsonl.gz"
    path.write_bytes(packed[: HEADER_BYTES - 36] + b"\xff" * 4 + packed[HEADER_BYTES - 32 :])
    done = typed("replay", str(path), folder=tmp_path)
    assert done.is_one_sentence
    assert re.search(r"line 1: .* 1,048,576 bytes", done.err)


@pytest.mark.parametrize("levels", [201, 5000, 300_000])
@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_line_that_is_nested_too_deep_names_the_limit(tmp_path: Path, levels: int, command: str) -> None:
    text = b'{"type":"match","rules":' + b"[" * levels + b"]" * levels + b"}"
    done = typed(command, str(written(tmp_path / "deep", chain_of([text]), "no")), folder=tmp_path)
    assert done.is_civil
    assert re.search("line 1: .* 200 levels deep", done.out + done.err)


def test_a_deal_of_more_steps_than_any_rules_have_names_the_limit(tmp_path: Path) -> None:
    assert isinstance(DEAL, DealLine)
    long = DEAL.model_copy(update={"steps": DEAL.steps * 2})
    done = typed("replay", str(write_record(tmp_path / "long", [FIRST, long])), folder=tmp_path)
    assert done.is_one_sentence
    assert re.search(rf"line 2: deal\.steps: .* {MAX_STEPS} ", done.err)


@pytest.mark.parametrize("number", [-1, 10**5, 2**63, 2**64, 10**4000])
def test_a_deal_without_a_sensible_number_is_refused(tmp_path: Path, number: int) -> None:
    assert isinstance(DEAL, DealLine)
    lines = match_lines("hearts", "deals:1")
    lines[1] = DEAL.model_copy(update={"deal": number})
    path = str(write_record(tmp_path / "match.jsonl", lines))
    for words in (("rerun", path, "0", "random", "--sandbox", "inline"), ("replay", path)):
        done = typed(*words, folder=tmp_path)
        assert done.is_one_sentence, done
        assert "line 2: deal.deal: " in done.err
    for given in (str(-number), str(number)):
        done = typed("rerun", path, "0", "random", "--sandbox", "inline", "--deal", given, folder=tmp_path)
        assert (done.is_civil, done.code) == (True, 2)


def test_no_record_is_written_that_could_not_be_read_again(tmp_path: Path) -> None:
    lines = match_lines("hearts", "deals:2")
    with RecordWriter.create(tmp_path / "match.jsonl", max_lines=2) as writer:
        for line in lines[:2]:
            writer.write(line)
        with pytest.raises(Exception, match=f"cannot be written: {TOO_MANY}"):
            writer.write(lines[2])
    with (
        RecordWriter.append(tmp_path / "match.jsonl", max_lines=2) as writer,
        pytest.raises(Exception, match=TOO_MANY),
    ):
        writer.write(lines[2])
    assert list(read_record(tmp_path / "match.jsonl")) == lines[:2]


@pytest.mark.parametrize("record", [[], ["--record", "x.jsonl"]], ids=["not recorded", "recorded"])
def test_a_match_that_is_too_long_for_a_record_is_refused_before_it_begins(tmp_path: Path, record: list[str]) -> None:
    bots = ["random"] * 4
    done = typed("play", *bots, "--boards", "25000", *record, "--sandbox", "inline", folder=tmp_path)
    assert done.is_one_sentence
    assert re.search("boards:25000 has 100,000 deals; .* 99,998[.]", done.err)
    assert list(tmp_path.iterdir()) == []


def test_the_limits_are_far_above_what_a_match_gives() -> None:
    """The longest deal by any rules, with all that can be said of every step."""
    seats = 8
    rules = max(PRESETS.values(), key=lambda rules: len(to_json(_first(rules))))
    sealed = ("pass", "expose")
    steps = [Step.model_validate({"seat": 7, kind: "QS QH QD", "by": "bot"}) for kind in sealed for _ in range(seats)]
    steps += [Step(seat=7, by="default:malformed", why="w" * 500, play="QS") for _ in range(52)]
    steps += [Step(seat=7, by="bot", moon="subtract")]
    deal = DealLine(
        deal=99_999, board=99_999, rotation=7, seats=tuple(range(seats)), hands=("QS " * 7,) * seats,
        steps=tuple(steps), scores=(-100_000,) * seats, totals=(-100_000_000,) * seats,
        took_ms=(123456.789,) * len(steps), cpu_ms=(123456.789,) * len(steps),
    )  # fmt: skip
    assert len(steps) == 69 < MAX_STEPS
    assert len(to_json(deal)) < LINE_BYTES / 20
    assert len(to_json(_first(rules))) < LINE_BYTES / 100
    longest = max(10_000, Format(boards=1000).count(PRESETS["gongzhu-five"]) or 0, 1000 * seats)
    assert longest * 5 < MAX_DEALS
    honest = max(len(to_json(line)) for name in PRESETS for line in match_lines(name, "deals:1"))
    assert longest * honest * 5 < MAX_BYTES


def _first(rules: Rules) -> MatchLine:
    assert isinstance(FIRST, MatchLine)
    return FIRST.model_copy(update={"rules": rules.to_plain(), "bots": ("b" * 64,) * 8})


def limited(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, with `ROOM` for what it reads."""
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(ROOM), *words],
        env=environment(PYTHONPATH=os.pathsep.join(sys.path)), capture_output=True, text=True, check=False,
    )  # fmt: skip


NAMES = pytest.mark.parametrize("name", ["match.jsonl", "match.jsonl.gz"])
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
    assert done.stdout.startswith(f"{path} holds: boards:2 of gongzhu ")
    assert done.stdout.endswith(f" {bots}, 8 deals. {NOT_PROVED}\n")
    assert done.stdout.count("\n") == 1


def test_a_record_that_does_not_hold_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    good, bad = played(tmp_path / "good.jsonl", "--deals", "1"), tmp_path / "bad.jsonl"
    bad.write_text(good.read_text().replace('"by":"bot"', '"by":"BOT"', 1))
    done = pigpen("verify", str(bad), str(good))
    one, other = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (1, "")
    assert one.startswith(f"{bad} does not hold: line 2: ")
    assert " chain does not fit: " in one
    assert other.startswith(f"{good} holds: deals:1 of gongzhu ")
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
    assert done.stderr.startswith("pigpen: ")
    assert done.stderr.endswith(f"'{tmp_path}/nothing' cannot be read: {os.strerror(errno.ENOENT)}.\n")


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
    assert re.search(r" \?, bot1, bot2, bot3, 1 deal\.\n\Z", done.stdout)


def test_a_record_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "match\x1b[2J.jsonl"
    path.write_text("{}")
    done = pigpen("verify", str(path))
    assert done.returncode == 1
    assert done.stdout.startswith(f"{tmp_path}/match�[2J.jsonl does not hold: ")


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
    assert f" {str(path)!r} cannot be written: {os.strerror(errno.EFBIG)}." in full.stderr
    unfinished = pigpen("verify", str(path))
    assert (unfinished.returncode, unfinished.stdout.count("is not finished")) == (0, 1)
    done = pigpen("play", *BOTS, "--sandbox", "inline", "--resume", str(path))
    assert done.returncode == 0, done.stderr
    assert pigpen("verify", str(path)).returncode == 0
