"""What all values have in common."""

from __future__ import annotations

import datetime

from pydantic import AwareDatetime, ConfigDict

from referee.records.described import Described


class Value(Described):
    """A value that can be read from anything that has these attributes, and is never changed."""

    model_config = ConfigDict(frozen=True, from_attributes=True, extra="forbid")


Time = AwareDatetime
"""A moment, in UTC; Unix seconds can be given for it. In JSON it is ISO 8601: ``2026-11-22T05:00:00Z``."""


def time_of(seconds: float) -> datetime.datetime:
    """
    Make a moment from Unix seconds.

    >>> time_of(0.25).isoformat()
    '1970-01-01T00:00:00.250000+00:00'
    """
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC)
