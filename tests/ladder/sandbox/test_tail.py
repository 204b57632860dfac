from __future__ import annotations

import itertools
import re

import pytest

from ladder.sandbox.base import STDERR_HEAD, STDERR_TAIL
from ladder.sandbox.tail import Tail


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
