"""Result of a bot in the conformance cases."""

from __future__ import annotations

from typing import Literal

from ladder.values.value import Value


class CaseResult(Value):
    """One case."""

    group: str
    """The variant, or `wire`."""
    case: str
    passed: bool
    verdict: str
    """Empty if it passed; `untried` if an earlier failure kept it from being tried."""
    reason: str
    output: str
    """Beginning and end of what the bot had printed."""
    worst_ms: float | None
    """Its slowest answer; None without one."""


class CheckResult(Value):
    """All cases for one bot."""

    bot: str
    sandbox: str
    passed: bool
    start_up_ms: float | None
    """From the start of the program to its Hello, the longest of all starts; None if it never came."""
    think_ms: dict[Literal["median", "worst"], float]
    """Of all answers; empty without one."""
    peak_memory_bytes: int | None
    """None where that cannot be read."""
    cases: tuple[CaseResult, ...]
