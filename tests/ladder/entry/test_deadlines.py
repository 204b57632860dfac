"""Deadlines of submissions: which variant has which, and times as organisers type them."""

from __future__ import annotations

import datetime
import re

import pytest

from ladder.entry.deadlines import EVERY, check_in_time, deadline_of, read_time
from ladder.errors import LadderError, UserError
from ladder.values.deadlines import DeadlineRow
from ladder.values.value import time_of


def test_a_variants_own_deadline_takes_the_place_of_that_of_all() -> None:
    deadlines = {EVERY: 100.0, "hearts": 200.0}
    assert [deadline_of(deadlines, each) for each in ("gongzhu", "hearts")] == [100.0, 200.0]
    assert deadline_of({"hearts": 200.0}, "gongzhu") is None
    assert deadline_of({}, "gongzhu") is None


def test_the_deadline_itself_is_in_time() -> None:
    check_in_time({EVERY: 100.0}, "gongzhu", 100.0)
    check_in_time({"hearts": 100.0}, "gongzhu", 101.0)
    with pytest.raises(LadderError, match="gongzhu closed on 1970-01-01 at 00:01:40 UTC"):
        check_in_time({EVERY: 100.0}, "gongzhu", 100.5)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("now", None),
        ("2026-12-18T18:00Z", 1797616800.0),
        ("2026-12-18 18:00:30+01:00", 1797613230.0),
        ("2026-12-18T18:00:00.9Z", 1797616800.0),
    ],
)
def test_a_time_has_a_time_zone(text: str, time: float | None) -> None:
    assert read_time(text) == time


@pytest.mark.parametrize("text", ["2026-12-18T18:00", "2026-12-18", "friday", "", "2026-13-01T00:00Z"])
def test_what_is_no_time_is_refused_with_the_way_out(text: str) -> None:
    with pytest.raises(UserError, match="2026-12-18T18:00Z"):
        read_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "9999-12-31T23:59-14:00",
        "9999-06-01T00:00Z",
        "9999-01-01T00:00+14:00",
        "0001-01-01T00:00+14:00",
        "0001-06-01T00:00Z",
        "0001-12-31T23:59-14:00",
        "9998-12-31T23:59-00:01",
        "0002-01-01T00:00+00:01",
    ],
)
def test_a_time_in_no_year_that_a_moment_can_have_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=rf"{re.escape(repr(text))}.* from 2 to 9998"):
        read_time(text)


@pytest.mark.parametrize("text", ["9998-12-31T23:59:59+00:00", "0002-01-01T00:00-23:59"])
def test_the_first_and_the_last_time_can_be_written(text: str) -> None:
    time = read_time(text)
    assert time is not None
    assert DeadlineRow(variant="hearts", at=time_of(time)).at == datetime.datetime.fromisoformat(text)
