"""Excerpts, last lines and marks of a bot's log: the lines that give the reason, and the decision at each of them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pigpen
import referee
from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import STDERR_HEAD, STDERR_TAIL
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.excerpt import MAX_LINES, Tail, advice, excerpt, likeness, without_changing
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import PRESETS, Rules
from referee.match.formats import Format, MatchSpec
from referee.records.lines import DealLine
from tests.for_two import FOR_TWO
from tests.waiting import PATIENT

if TYPE_CHECKING:
    from ladder.sandbox.base import Sandbox
    from referee.records.lines import AnyLine

SDK = "/usr/local/lib/python3.11/dist-packages/pigpen"
FRAMES = f"""\
[2]   File "{SDK}/client.py", line 140, in _play_stream
[2]     answer = self._handle(message)
[2]              ^^^^^^^^^^^^^^^^^^^^^
[2]   File "{SDK}/bot.py", line 135, in decide
[2]     answer = getattr(bot, method)(view)
"""
BOT = """\
[2]   File "/bot/bot.py", line 10, in play
[2]     return helper(view)
[2]            ^^^^^^^^^^^^
"""


def traceback(*frames: str) -> str:
    return "[2] Traceback (most recent call last):\n" + "".join(frames) + "[2] KeyError: 2\n"


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(count))


@pytest.mark.parametrize("count", [0, 1, MAX_LINES])
def test_a_short_output_is_shown_as_it_is(count: int) -> None:
    assert excerpt(f"\n{numbered(count)}\n \n") == numbered(count).splitlines()


@pytest.mark.parametrize("count", [MAX_LINES + 1, 1000])
def test_of_a_long_one_beginning_and_end_are_shown(count: int) -> None:
    shown = excerpt(numbered(count))
    assert len(shown) == MAX_LINES
    assert shown[:3] == ["line 0", "line 1", "line 2"]
    assert shown[-1] == f"line {count - 1}"
    left = count - MAX_LINES + 1
    assert shown[3] == f"… {left} line{'s' * (left != 1)} left out"
    assert excerpt("\n".join(shown)) == shown


@pytest.mark.parametrize(
    "error",
    [
        "panic: runtime error: index out of range [5] with length 3",
        "fatal error: all goroutines are asleep - deadlock!",
        "terminate called after throwing an instance of 'std::out_of_range'",
        "bot: bot.cpp:12: int choose(): Assertion `fits' failed.",
        "==17==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000011",
        "thread 'main' panicked at src/main.rs:3:5:",
        "Fatal Python error: Segmentation fault",
        'Exception in thread "main" java.lang.NullPointerException',
        "Traceback (most recent call last):",
    ],
)
@pytest.mark.parametrize("label", ["", "[12] "])
def test_the_first_lines_of_an_error_are_shown_whatever_comes_before_and_after(error: str, label: str) -> None:
    report = [f"{label}{line}" for line in (error, "why", "where", *(f"frame {number}" for number in range(500)))]
    shown = excerpt("\n".join([*numbered(100).splitlines(), *report]))
    assert len(shown) == MAX_LINES
    assert shown[:4] == ["line 0", "line 1", "line 2", "… 97 lines left out"]
    assert shown[4:8] == [*report[:3], f"… {len(report) - 3 - 8} lines left out"]
    assert shown[8:] == report[-8:]


def test_an_error_at_the_very_beginning_needs_no_other_beginning() -> None:
    report = ["panic: x", *numbered(99).splitlines()]
    assert excerpt("\n".join(report))[:3] == report[:3]


def test_the_last_of_several_errors_counts() -> None:
    shown = excerpt("panic: handled\n" * 5 + numbered(50) + "panic: the end\n" + numbered(50))
    assert "panic: the end" in shown


def test_frames_of_pigpen_are_one_line() -> None:
    assert excerpt("[1] hello\n" + traceback(FRAMES, BOT, FRAMES, BOT)) == [
        "[1] hello",
        "[2] Traceback (most recent call last):",
        "[2]   … 2 frames of Pigpen",
        *BOT.splitlines(),
        "[2]   … 2 frames of Pigpen",
        *BOT.splitlines(),
        "[2] KeyError: 2",
    ]


def test_one_frame_stays_where_all_are_pigpens() -> None:
    shown = excerpt(traceback(FRAMES))
    assert shown[1:] == ["[2]   … 1 frame of Pigpen", *FRAMES.splitlines()[-2:], "[2] KeyError: 2"]


@pytest.mark.parametrize(
    ("file", "is_folded"),
    [
        (Path(pigpen.__file__).parent / "search.py", True),
        (Path(referee.__file__).parent / "seats" / "seat.py", True),
        ("/home/ada/.venv/lib/python3.12/site-packages/pigpen/bot.py", True),
        ("<frozen runpy>", True),
        ("/bot/vendor/numpy/__init__.py", False),
        ("/home/ada/pigpen/bot.py", False),
        (Path(referee.__file__).parents[1] / "sample_bots" / "random" / "bot.py", False),
    ],
)
def test_only_pigpens_own_files_are_folded(file: Path | str, is_folded: bool) -> None:
    shown = excerpt(traceback(f'[2]   File "{file}", line 1, in x\n[2]     y()\n', BOT))
    assert ("1 frame of Pigpen" in "\n".join(shown)) == is_folded
    assert (str(file) in "\n".join(shown)) != is_folded


def test_the_same_error_at_another_table_is_alike() -> None:
    one, other = (
        f"[{number}] thinking about {card}\n" * number + f"[{number}] Traceback (most recent call last):\n"
        f"[{number}] KeyError: <Card {card} at 0x7f{number}ab>\n"
        for number, card in ((3, "QS"), (11, "10H"))
    )
    assert likeness(one) == likeness(other)
    assert likeness(one) != likeness(one.replace("KeyError", "ValueError"))
    assert (
        without_changing("illegal: QS may not be played, legal: 3H 10C") == "illegal: # may not be played, legal: # #"
    )


def test_a_file_that_the_bot_may_not_read_leads_to_its_mode() -> None:
    output = "python: can't open file '/bot/bot.py': [Errno 13] Permission denied"
    assert "/bot/bot.py" in advice(output)
    assert "chmod -R a+rX" in advice(output)


def test_a_module_that_is_missing_leads_to_requirements() -> None:
    assert "numpy is not there" in advice("[1] ModuleNotFoundError: No module named 'numpy'\n")
    assert "requirements.txt" in advice("ModuleNotFoundError: No module named 'a.b'")
    assert advice("KeyError: 'numpy'") == ""


def test_before_each_line_stands_the_decision_at_which_it_began() -> None:
    tail = Tail()
    tail.write(b"starting\n")
    tail.mark(1)
    tail.write(b"one\nstill")
    tail.mark(2)
    tail.write(b" one\ntwo\n")
    assert str(tail) == "starting\n[1] one\n[1] still one\n[2] two\n"


def test_decisions_at_which_nothing_was_written_leave_no_trace() -> None:
    tail = Tail()
    for decision in range(1, 1000):
        tail.mark(decision)
    tail.write(b"now\n")
    assert str(tail) == "[999] now\n"
    assert len(tail._marks) == 1


def test_what_is_cut_off_takes_its_marks_along() -> None:
    tail = Tail()
    for decision in range(1, 1000):
        tail.mark(decision)
        tail.write(b"x" * 99 + b"\n")
    lines = str(tail).splitlines()
    assert lines[-1] == "[999] " + "x" * 99
    head, cut = lines[: STDERR_HEAD // 100], lines[STDERR_HEAD // 100 + 1]
    assert head == [f"[{decision}] {'x' * 99}" for decision in range(1, len(head) + 1)]
    assert cut == f"… {99900 - STDERR_HEAD - STDERR_TAIL:,} bytes left out …"
    assert lines[len(head) + 3].startswith(f"[{1000 - STDERR_TAIL // 100}] ")
    assert len(tail._marks) + len(tail._first_marks) <= (STDERR_HEAD + STDERR_TAIL) // 100 + 4


def test_the_first_line_about_a_failure_is_kept_before_a_long_report() -> None:
    """A panic in Go: its first line gives the error, then come the stacks of all goroutines."""
    tail = Tail()
    tail.write(b"starting\n")
    for decision in range(1, 1000):
        tail.mark(decision)
        tail.write(b"thinking\n" * 9)
    tail.write(b"panic: no card fits\n\n" + b"goroutine 1 [running]:\n" * 9_999 + b"exit status 2\n")
    lines = str(tail).splitlines()
    assert lines[0] == "starting"
    assert lines[-1] == "[999] exit status 2"
    begins = lines.index("[999] panic: no card fits")
    assert lines[begins - 10 : begins] == [lines[begins - 10], *["[999] thinking"] * 9]
    assert lines[begins - 10].startswith("… ")


@pytest.mark.parametrize("size", [0, 1, STDERR_HEAD, STDERR_TAIL - 1, STDERR_TAIL, STDERR_TAIL + 1, 3 * STDERR_TAIL])
@pytest.mark.parametrize("marked", [(), (1,), (STDERR_HEAD,), (STDERR_TAIL,), (7, 3 * STDERR_TAIL - 9), (5000, 20000)])
@pytest.mark.parametrize("piece", [1000, 1 << 20])
def test_what_is_kept_is_what_was_written(size: int, marked: tuple[int, ...], piece: int) -> None:
    """Each part stands at its place, what is left out is counted, and there is never more than the limit."""
    written = bytes(ord("a") + place % 26 for place in range(size))
    tail = Tail()
    for begin, end in itertools.pairwise([0, *(min(mark, size) for mark in marked), size]):
        for place in range(begin, end, piece):
            tail.write(written[place : min(end, place + piece)])
        tail.mark(0)
    place = 0
    for part in re.split(r"\n?(… [\d,]+ bytes left out …)\n", str(tail)):
        if part.startswith("…"):
            place += int(part.split()[1].replace(",", ""))
        else:
            assert part.encode() == written[place : place + len(part)]
            place += len(part)
    assert place == size
    if size <= STDERR_TAIL:
        assert str(tail) == written.decode()
    assert len(re.sub(r"\n?… .* …\n", "", str(tail))) <= 2 * STDERR_HEAD + STDERR_TAIL


def test_bytes_that_are_no_text_are_replaced() -> None:
    tail = Tail()
    tail.write(b"\xff\n")
    assert str(tail) == "\N{REPLACEMENT CHARACTER}\n"


TALKER = """
import pigpen


class Talker(pigpen.Bot):
    def play(self, view):
        print(f"this is {view.decision}")
        return view.legal[0]


pigpen.run(Talker())
"""
DEALS = 3


@pytest.mark.parametrize(
    ("make", "rules"),
    [(ProcessSandbox, PRESETS["gongzhu"]), pytest.param(DockerSandbox, FOR_TWO, marks=pytest.mark.docker)],
    ids=["ProcessSandbox", "DockerSandbox"],
)
async def test_what_is_printed_before_an_answer_stands_at_that_decision(
    make: type[ProcessSandbox | DockerSandbox], rules: Rules, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text(TALKER)
    (tmp_path / "Dockerfile").write_text('FROM pigpen/bot:latest\nCOPY bot.py .\nCMD ["python", "bot.py"]\n')
    spec = MatchSpec(rules, tuple("abcd"[: rules.players]), Format(DEALS), PATIENT, bytes(32))
    sandbox: Sandbox = make()
    written: list[AnyLine] = []
    try:
        talker = await sandbox.load(BotSource("talker", folder=tmp_path))
        played = await play_sandboxed(spec, [talker] * rules.players, written.append)
    finally:
        await sandbox.close()
    steps = [step for line in written if isinstance(line, DealLine) for step in line.steps]
    for seat, log in enumerate(played.logs[0]):
        lines = [line.split("] this is ") for line in log.splitlines()]
        assert len(lines) == sum(step.seat == seat and step.play is not None and step.by == "bot" for step in steps) > 0
        assert [mark_printed for _, mark_printed in lines] == [mark.removeprefix("[") for mark, _ in lines]
