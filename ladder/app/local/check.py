"""Checking a bot: does it pass the cases that a submission must pass?"""

from __future__ import annotations

import difflib
import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.matches.check import WIRE, ConformanceCheck, Report
from ladder.matches.kinds import load_program
from ladder.sandbox.excerpt import excerpt
from ladder.sandbox.inline import InlineProgram, as_program
from ladder.values.local_results import CaseResult, CheckResult
from ladder.values.sandbox_kind import SandboxKind
from pigpen.check import cases_of
from pigpen.check import check as check_inline

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ladder.app.local.progress import Progress
    from ladder.sandbox.base import Sandbox
    from ladder.sandbox.bots.bot_source import BotSource
    from pigpen import ClockSetting
    from pigpen.check import Outcome
    from pigpen.rules import Rules


async def check_bot(
    source: BotSource,
    variants: Sequence[Rules],
    clock: ClockSetting,
    sandbox: Sandbox | None,
    progress: Progress,
    only: Collection[str] = (),
) -> CheckResult:
    """
    Try a bot on every case of *variants*, and of the wire.

    Args:
        source: The bot.
        variants: What it is to play.
        clock: How much time it has.
        sandbox: Where it runs; None: in this process, where the wire is not tried.
        progress: Shows how many cases are done.
        only: Names of the cases to try; all if empty.

    Raises:
        BotRejected: If the bot cannot be made.
        SandboxError: If the sandbox failed; that says nothing about the bot.
        UserError: If there is no case of such a name.
    """
    wire = [] if sandbox is None else list(WIRE)
    names = [*wire, *(case.name for rules in variants for case in cases_of(rules))]
    for name in only:
        if name not in names:
            raise UserError(f"There is no case {name!r}{_near(name, names)}")
    if sandbox is None:
        with as_program():
            outcomes = check_inline(InlineProgram(source), variants, clock.limit, only=only)
        report = Report(tuple(replace(outcome, output="\n".join(excerpt(outcome.output))) for outcome in outcomes))
        return check_result(source.name, SandboxKind.INLINE, report)
    program = await load_program(sandbox, source)
    cases = sum(not only or name in only for name in names)
    with progress("cases", cases) as advance:
        check = ConformanceCheck(program, clock, advance=lambda outcome: advance(outcome.group))
        report = await check.run(variants, only)
    return check_result(source.name, sandbox.name, report)


def _near(name: str, names: Sequence[str]) -> str:
    """Name what may have been meant, or what there is."""
    by_lower = {each.lower(): each for each in names}
    meant = [each for lower, each in by_lower.items() if name.lower() in lower][:5] or [
        by_lower[lower] for lower in difflib.get_close_matches(name.lower(), by_lower)
    ]
    if meant:
        return f". Did you mean {' or '.join(map(repr, meant))}?"
    return f"; there are: {', '.join(map(repr, dict.fromkeys(names)))}."


def check_result(bot: str, sandbox: str, report: Report) -> CheckResult:
    """Make the value; times in milliseconds, rounded to microseconds."""
    return CheckResult(
        bot=bot,
        sandbox=sandbox,
        passed=report.passed,
        start_up_ms=None if report.start_up is None else _ms(report.start_up),
        think_ms=(
            {"median": _ms(statistics.median(report.times)), "worst": _ms(max(report.times))} if report.times else {}
        ),
        peak_memory_bytes=report.memory,
        cases=tuple(map(_case, report.outcomes)),
    )


def _case(outcome: Outcome) -> CaseResult:
    return CaseResult(
        group=outcome.group,
        case=outcome.name,
        passed=outcome.passed,
        verdict=outcome.verdict,
        reason=outcome.reason,
        output=outcome.output,
        worst_ms=_ms(max(outcome.times)) if outcome.times else None,
    )


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
