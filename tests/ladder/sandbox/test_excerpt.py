"""Excerpts of a failed bot's output: the lines that give the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

import pigpen
import referee
from ladder.sandbox.excerpt import MAX_LINES, advice, excerpt, likeness, without_changing

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
    assert "may not read /bot/bot.py in the image" in advice(output)
    assert "chmod -R a+rX" in advice(output)


def test_a_module_that_is_missing_leads_to_requirements() -> None:
    assert "numpy is not there" in advice("[1] ModuleNotFoundError: No module named 'numpy'\n")
    assert "requirements.txt" in advice("ModuleNotFoundError: No module named 'a.b'")
    assert advice("KeyError: 'numpy'") == ""
