"""Decisions as the record writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.records.steps import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.match.player import Decision, Fault


def in_ms(seconds: Iterable[float | None]) -> tuple[float | None, ...] | None:
    """Give milliseconds for the record; None where there are none at all."""
    times = tuple([None if each is None else round(each * 1000, 3) for each in seconds])
    return None if times.count(None) == len(times) else times


def step_fields(seat: int, decision: Decision) -> dict[str, object]:
    """Give the fields of a `Step`."""
    field, text = words_of(decision.action)
    return {"seat": seat, field: text, "by": decision.by, **_fault(decision.fault)}


def _fault(fault: Fault | None) -> dict[str, object]:
    """Give the fields of a `Step` that tell why the default action was played."""
    if fault is None:
        return {}
    if fault.end is None:
        return {"why": fault.message}
    return {"why": fault.message, "exit_code": fault.end.code, "oom": fault.end.oom}
