"""
Common bases of all values, and of the messages to workers and from them.

Beside `Value` it defines the moments in time that values hold, and `Computing`, the progress of a computation that a
visitor waits for.
"""

from __future__ import annotations

import datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, ConfigDict

from ladder.values.text import sanitize
from referee.records.lines import Described

FIRST_YEAR, LAST_YEAR = 2, 9998
"""Years of a moment. Python has one year more on each side, so that a moment can be given in any time zone."""
LAST_SECOND = datetime.datetime(LAST_YEAR, 12, 31, 23, 59, 59, tzinfo=datetime.UTC).timestamp()
"""Unix time of the last moment, without its fraction."""


class Value(Described):
    """A value that can be read from anything that has these attributes, and is never changed."""

    model_config = ConfigDict(frozen=True, from_attributes=True, extra="forbid")


def to_utc(moment: datetime.datetime) -> datetime.datetime:
    """
    Give an aware moment in UTC.

    Raises:
        ValueError: If its year, there or in UTC, cannot be.
    """
    is_in_utc = FIRST_YEAR <= moment.year <= LAST_YEAR  # of the years beside these, some moments have none in UTC
    there = moment.astimezone(datetime.UTC) if is_in_utc else moment
    if not FIRST_YEAR <= there.year <= LAST_YEAR:
        raise ValueError(f"the year must be from {FIRST_YEAR} to {LAST_YEAR}")
    return there


Time = Annotated[AwareDatetime, AfterValidator(to_utc)]
"""
A moment; read in any time zone, kept in UTC. Unix seconds can be given for it. In JSON it is ISO 8601:
``2026-11-22T05:00:00Z``.
"""


def time_of(seconds: float) -> datetime.datetime:
    """
    Make a moment from Unix seconds.

    >>> time_of(0.25).isoformat()
    '1970-01-01T00:00:00.250000+00:00'
    """
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC)


def in_utc(moment: datetime.datetime) -> str:
    """
    Write a moment so that it can be compared with others: in UTC, with whole seconds where it has some.

    >>> in_utc(time_of(0)), in_utc(time_of(61.5))
    ('1970-01-01 00:00 UTC', '1970-01-01 00:01:01 UTC')
    """
    there = moment.astimezone(datetime.UTC)
    parts = "seconds" if there.second else "minutes"
    return f"{there.replace(tzinfo=None).isoformat(' ', parts)} UTC"


class Computing(Value):
    """Progress of a computation."""

    place: int | None
    """Its place in the queue, from 1; None: it is being computed now."""
    done: int
    """Number of its steps that are done."""
    steps: int
    """Number of its steps; 0: not known."""
    is_served: bool
    """True if the process that computes is running; if not, this waits until the organiser starts it."""


MAX_SENTENCE = 10_000
"""Characters; one with the end of a build's output has some thousands."""


def storable(text: str, max_characters: int = MAX_SENTENCE) -> str:
    """Cut a text that may quote a bot or a worker to *max_characters* characters that can be stored and shown."""
    return sanitize(text[:max_characters], spared="\n\t")


Sentence = Annotated[str, AfterValidator(storable)]


class Message(Described):
    """Base class of tasks and outcomes."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )
