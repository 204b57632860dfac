"""What became of a submission, as a value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ladder.app.submit.again import again
from ladder.values.submission import EnteredVariant, Failure, SubmissionResult
from pigpen.check.run import UNTRIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.submit.entering import EntryOutcome, Request
    from ladder.matches.preflight import Preflight, SelfPlay

NEWS = {"entered": "entered", "back": "back again", "": "there already"}


def result_of(request: Request, outcome: EntryOutcome, sandbox: str) -> SubmissionResult:
    """
    Make the value.

    Args:
        request: What was asked for.
        outcome: What became of it.
        sandbox: Where the bot was tried.
    """
    added, found = outcome.added, outcome.preflight
    moved = added and added.changed and request.source.image
    return SubmissionResult(
        accepted=added is not None,
        bot=request.name,
        owner=request.owner,
        identity=outcome.identity,
        pinned=outcome.pinned,
        version=added.name if added else None,
        new=bool(added and added.is_new),
        changed=bool(added and added.changed),
        moved_from=added.before if added and moved else None,
        outdated=outcome.outdated,
        variants=tuple(
            EnteredVariant(
                variant=entry.variant,
                state=entry.state,
                news=NEWS[entry.news],
                elo=round(entry.elo, 1),
                retired=entry.retired,
            )
            for entry in (added.entries if added else ())
        ),
        reasons=() if added or not found else tuple(_failures(found)),
        again=None if added or not found else again(request, found, sandbox),
    )


def _failures(found: Preflight) -> Iterator[Failure]:
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
        logs = match.played.logs.get(fault.table)
        yield Failure(
            variant=match.spec.rules.name,
            where=f"{fault.place}, decision {fault.decision}",
            verdict=fault.verdict,
            why=fault.why,
            output=_until(logs[fault.seat], fault.decision) if logs else "",
            format=str(match.spec.format),
            table=fault.table,
            decision=fault.decision,
        )


def _until(log: str, decision: int) -> str:
    """What stands in a bot's output up to a decision; each line begins with its own: ``[12] Traceback …``."""
    lines = log.splitlines(keepends=True)
    late = (number for number, line in enumerate(lines) if _decision(line) > decision)
    return "".join(lines[: next(late, None)])


def _decision(line: str) -> int:
    found = re.match(r"\[(\d+)\] ", line)
    return int(found[1]) if found else 0
