"""Sentences about a ladder that no runner plays, on this machine or a remote one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ladder.values.reports import LadderHealth

START_HERE = "Start one with: pigpen up, or pigpen ladder run."
START_THERE = "The organiser of that ladder can start one."


def why_nothing_plays(found: LadderHealth, way_out: str) -> str:
    """Say in sentences that no runner plays, since when, and the *way_out*; empty: one plays, or nothing waits."""
    if found.runners or not found.waiting:
        return ""
    return f"Nothing plays: {no_runner(found)}. {way_out}"


def no_runner(found: LadderHealth) -> str:
    """Say since when no runner has been seen, as a part of a sentence."""
    if found.seen is None:
        return "no runner has been seen yet"
    return f"no runner has been seen since {found.seen:%Y-%m-%d %H:%M} UTC"
