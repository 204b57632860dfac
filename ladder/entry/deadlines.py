"""Deadlines of submissions, by variant."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from ladder.errors import LadderError, UserError
from ladder.values.value import FIRST_YEAR, LAST_YEAR, to_utc

if TYPE_CHECKING:
    from collections.abc import Mapping

EVERY = ""
"""In the place of a variant's name: of every variant that has no deadline of its own."""
NOW = "now"
"""In the place of a time."""
CLOSED = (
    "Submissions for {variant} closed on {when:%Y-%m-%d at %H:%M:%S} UTC: only bots that were submitted by then play. "
    "Choose other variants with --variant, or ask the organiser."
)
NO_TIME = (
    "{text!r} is not a time with its time zone. Write it as 2026-12-18T18:00Z or 2026-12-18T18:00+01:00, or write: now"
)
NO_YEAR = "{text!r} cannot be a deadline: its year must be from {first} to {last}. Write a time in that range, or: now"


def deadline_of(deadlines: Mapping[str, float], variant: str) -> float | None:
    """Give the deadline of a variant in Unix time; None: it has none."""
    return deadlines.get(variant, deadlines.get(EVERY))


def check_in_time(deadlines: Mapping[str, float], variant: str, accepted: float) -> None:
    """
    Make sure that a submission was accepted before the deadline of a variant.

    Raises:
        LadderError: If not.
    """
    at = deadline_of(deadlines, variant)
    if at is not None and accepted > at:
        raise LadderError(CLOSED, variant=variant, when=datetime.datetime.fromtimestamp(at, datetime.UTC))


def read_time(text: str) -> float | None:
    """
    Read a time as an organiser types it, and give it as Unix time in whole seconds; None: now.

    >>> read_time("2026-12-18T18:00+01:00")
    1797613200.0

    Raises:
        UserError: If it is none, has no time zone, or is in no year that a moment can have (`ladder.values.value`).
    """
    if text == NOW:
        return None
    try:
        read = datetime.datetime.fromisoformat(text)
    except ValueError:
        read = None
    if read is None or read.tzinfo is None:
        raise UserError(NO_TIME, text=text)
    try:
        return float(int(to_utc(read).timestamp()))
    except ValueError:
        raise UserError(NO_YEAR, text=text, first=FIRST_YEAR, last=LAST_YEAR) from None
