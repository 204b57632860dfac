"""
Results of commands that work on bots and records on this machine.

These are results of matches, with the faults and the output of the bots in them; of the conformance cases; of the test
for a new version of a bot to be better than the old one; of duels of two bots; of the comparison between the decisions
of a bot and those of a recorded one; of the verification of a record; and of making or locking a bot's folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ladder.values.value import Value
from referee.records.lines import BotResult


class FaultReport(Value):
    """One fault."""

    seat: int
    """The bot's number in the match."""
    rotation: int
    """From 1; in a match without boards, 1."""
    place: str
    """Name of the deal: `board 3, rotation 1`."""
    decision: int
    """Number of the bot's decision in this rotation, from 1; its output names it, too."""
    verdict: str
    why: str
    exit_code: int | None = None
    """Exit code of the bot's program, where its end is the reason."""
    oom: bool | None = None
    """True if it was killed for memory; given whenever `exit_code` is."""

    def __str__(self) -> str:
        """Give it in one line."""
        return f"{self.place}, decision {self.decision}: {self.verdict}: {self.why}"


class RotationLog(Value):
    """The end of what a bot printed in one rotation."""

    rotation: int
    """Its number, from 1; in a match without boards, 1."""
    printed: str
    faults: tuple[FaultReport, ...]


class SeatLog(Value):
    """The end of what a bot printed in a match."""

    seat: int
    bot: str
    rotations: tuple[RotationLog, ...]


class PlayedBot(BotResult):
    """Result of one bot."""

    why: tuple[str, ...]
    """The reasons of its faults, rotation by rotation."""
    rotations: tuple[RotationLog, ...]
    """The rotations in which it printed something or was at fault: its faults, beginning and end of what it printed."""


class PlayedMatch(Value):
    """A finished match."""

    rules: str
    """The name of the variant."""
    format: str
    """`game`, `deals:N`, `boards:N` or `board:B:R`."""
    seed: str
    """64 hex digits."""
    deals: int
    """In all rotations together."""
    results: tuple[PlayedBot, ...]
    """By the bots' numbers."""


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


class CompareResult(Value):
    """Result of a comparison."""

    rules: str
    """The name of the variant."""
    old: str
    new: str
    field: tuple[str, ...]
    """The opponents."""
    decision: Literal["better", "not better", "not worse", "worse", "open"]
    """Result of the test: `better` or `not better` where `elo1` is above 0, `not worse` or `worse` where it is not."""
    accepted: Literal["elo0", "elo1"] | None
    """The hypothesis that the test accepts; None while it is open."""
    boards: int
    deals: int
    """By both candidates together."""
    differing_boards: int
    """Boards on which the candidates' points are not the same."""
    difference: float
    """Points per deal by which the new bot is better, turned so that more is better."""
    standard_error: float
    """Of the difference."""
    interval: tuple[float, float] | None
    """Of the difference, 95 % at any time; None while too few boards differ."""
    superiority: float
    """Likelihood that the new bot is better, 0 to 1."""
    normalised_elo: float
    """The difference as normalised Elo."""
    llr: float
    """Log-likelihood ratio of the two hypotheses."""
    bounds: tuple[float, float]
    """Of `llr`, at which the test decides."""
    elo0: float
    elo1: float
    alpha: float
    beta: float
    faults: dict[Literal["old", "new", "field"], int]
    seed: str


class DuelRow(Value):
    """Result of one bot against another one."""

    one: str
    other: str
    boards: int
    deals: int
    difference: float
    """Points per deal by which the one bot is better, turned so that more is better."""
    standard_error: float
    """Of the difference."""
    interval: tuple[float, float] | None
    """Of the difference, 95 % at any time; None while too few boards differ."""
    won: float
    """Part of the boards that the one bot wins, seat against seat, 0 to 1; a tie is half a win."""
    elo: float | None
    """The same as a difference in Elo; None if it is 0 or 1."""
    elo_error: float | None
    """Standard error of `elo`."""
    faults: dict[Literal["one", "other"], int]


class DuelResult(Value):
    """Results of duels on the same boards."""

    rules: str
    """The name of the variant."""
    alone: bool
    """True if the one bot had a single seat."""
    duels: tuple[DuelRow, ...]
    """First that of the two bots, then each of them against each anchor."""
    seed: str
    """64 hex digits."""


class Difference(Value):
    """One decision; cards by name: `QS`."""

    place: str
    """The deal, as people call it."""
    deal: int
    """Number of the deal, or of the board if there are boards; from 1, as the next two."""
    board: int | None
    """None in a match without boards, as `rotation`."""
    rotation: int | None
    seat: int
    decision: int
    at: str
    """`pass`, `expose`, `moon`, or the trick."""
    hand: tuple[str, ...]
    on_the_table: tuple[str, ...]
    may_choose: tuple[str, ...]
    then: str
    """The recorded action, as the record says it."""
    by: str
    """`bot`, or `default:` and a verdict code."""
    now: str
    """The action of the other bot; empty where it gives no answer that can be read."""
    verdict: str
    """The other bot's fault; empty without one."""
    why: str
    trick_points: int | None
    """Points that the trick brought the seat then; None where the question was not about a card."""
    then_ms: float
    now_ms: float


class RerunResult(Value):
    """Result of the questions to the other bot."""

    recorded: str
    """The name of the recorded bot."""
    bot: str
    """The name of the other one."""
    decisions: int
    """That it was asked for."""
    forced: int
    """Actions of the recorded bot that were the only legal ones: neither bot was asked for them."""
    differ: int
    at_fault: int
    untried: int
    """Questions that were not put, because the bot had ended too often."""
    differences: tuple[Difference, ...]
    """The first ones."""
    output: str
    """The end of what the last instance at fault wrote."""


class Verification(Value):
    """The summary of a record."""

    record: Path
    holds: bool
    """True if everything that is there is right."""
    finished: bool
    """True if the result is there, and holds."""
    line: int | None
    """The number of the first line that differs, from 1."""
    difference: str | None
    """The error in that line."""
    rules: str | None
    """The name of the variant; None, as the next two, if the first line does not hold."""
    format: str | None
    bots: tuple[str, ...] | None
    deals: int
    """Number of deals that hold."""


class NewFolder(Value):
    """A folder that was made."""

    folder: Path
    files: tuple[str, ...]
    """The names of what is in it."""


class Locked(Value):
    """A lock that was written."""

    file: Path
    target: str
    """Machine and Python for which the packages are."""
    packages: tuple[str, ...]
    """Name and version of each."""
