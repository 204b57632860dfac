"""Deadlines of submissions, as organisers set and lift them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.entry.deadlines import EVERY, deadline_of
from ladder.entry.policy import Act, check
from ladder.errors import LadderError, UserError
from ladder.store import lookup
from ladder.store.commands import organiser_rows as commands
from ladder.store.commands.accounts import write_audit
from ladder.store.submission_look import deadlines_in
from ladder.values.deadlines import DeadlineRow
from ladder.values.value import time_of
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer

PAST = "{at:%Y-%m-%d %H:%M} UTC is past. Name a later time, or: now"
NONE_OF_ITS_OWN = "{variant} has no deadline of its own. To list all: pigpen ladder deadline list"
NONE = "There is no deadline. To set one: pigpen ladder deadline set TIME"


def deadlines(ladder: Ladder) -> list[DeadlineRow]:
    """Read all deadlines: first that of every variant, then those of single ones by name."""
    with ladder.database.read() as session:
        return _rows(deadlines_in(session))


def deadline(ladder: Ladder, variant: str) -> DeadlineRow | None:
    """Read the deadline of a variant, which may be that of every variant; None: it has none."""
    with ladder.database.read() as session:
        at = deadline_of(deadlines_in(session), variant)
    return None if at is None else DeadlineRow(variant=variant, at=time_of(at))


def set_deadline(ladder: Ladder, viewer: Viewer, at: float | None, variants: Collection[str] = ()) -> list[DeadlineRow]:
    """
    Set a deadline: what is submitted later is refused, until the deadline is lifted or set anew.

    Args:
        ladder: The ladder.
        viewer: The caller.
        at: Unix time; None: now.
        variants: Of these; none: of every variant that has none of its own.

    Returns:
        All deadlines.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such variant.
        UserError: If the time is past.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        now = ladder.clock()
        if at is not None and at < now:
            raise UserError(PAST, at=time_of(at))
        at = now if at is None else at
        for each in _found(session, variants) or [EVERY]:
            commands.set_deadline(session, each, at)
            write_audit(session, viewer, "deadline.set", each or "all", now, at=time_of(at).isoformat())
        return _rows(deadlines_in(session))


def lift_deadline(ladder: Ladder, viewer: Viewer, variants: Collection[str] = ()) -> list[DeadlineRow]:
    """
    Lift deadlines: bots may be submitted again.

    Args:
        ladder: The ladder.
        viewer: The caller.
        variants: Those of these; none: all.

    Returns:
        The deadlines that are left.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such variant, or it has no deadline of its own.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        there = deadlines_in(session)
        lifted = _found(session, variants) or list(there)
        for each in lifted:
            if each not in there:
                raise LadderError(NONE_OF_ITS_OWN, variant=each)
        if not lifted:
            raise LadderError(NONE)
        commands.lift_deadlines(session, lifted)
        for each in lifted:
            write_audit(session, viewer, "deadline.lift", each or "all", ladder.clock())
        return _rows(deadlines_in(session))


def _found(session: Session, variants: Collection[str]) -> list[str]:
    for each in variants:
        if each not in PRESETS:
            lookup.find_variant(session, each)
    return list(dict.fromkeys(variants))


def _rows(found: Mapping[str, float]) -> list[DeadlineRow]:
    return [DeadlineRow(variant=variant or None, at=time_of(at)) for variant, at in sorted(found.items())]
