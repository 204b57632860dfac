"""A bot's failures in its trial, as values for its owner."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ladder.values.submission import Failure
from pigpen.check.run import UNTRIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.matches.preflight import Preflight, SelfPlay


def failures(found: Preflight) -> Iterator[Failure]:
    """Give each case that failed, and each fault in matches against itself."""
    for outcome in found.report.outcomes:
        if not outcome.passed and outcome.verdict != UNTRIED:
            yield Failure(
                variant=outcome.group,
                where=outcome.name,
                verdict=outcome.verdict,
                why=outcome.reason,
                output=outcome.output,
            )
    for match in found.matches:
        yield from _faults(match)


def _faults(match: SelfPlay) -> Iterator[Failure]:
    for fault in match.faults.reports:
        logs = match.played.logs.get(fault.rotation - 1)
        yield Failure(
            variant=match.spec.rules.name,
            where=f"{fault.place}, decision {fault.decision}",
            verdict=fault.verdict,
            why=fault.why,
            output=_until(logs[fault.seat], fault.decision) if logs else "",
            format=str(match.spec.format),
            rotation=fault.rotation,
            decision=fault.decision,
        )


def _until(log: str, decision: int) -> str:
    """Give what stands in a bot's output up to a decision; each line begins with its own: ``[12] Traceback …``."""
    lines = log.splitlines(keepends=True)
    late = (number for number, line in enumerate(lines) if _decision(line) > decision)
    return "".join(lines[: next(late, None)])


def _decision(line: str) -> int:
    found = re.match(r"\[(\d+)\] ", line)
    return int(found[1]) if found else 0
