from __future__ import annotations

from ladder.sandbox.base import STDERR_TAIL
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
    assert lines[1].startswith(f"[{1000 - STDERR_TAIL // 100}] ")
    assert len(tail._marks) <= STDERR_TAIL // 100 + 2


def test_bytes_that_are_no_text_are_replaced() -> None:
    tail = Tail()
    tail.write(b"\xff\n")
    assert str(tail) == "\N{REPLACEMENT CHARACTER}\n"
