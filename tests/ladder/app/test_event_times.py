"""The times of an event's file act: each once, to the second, unless the organiser holds them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ladder.app.event import holding, reading
from ladder.errors import LadderError, UserError
from ladder.events.event_file import parse_event
from ladder.settings.settings import load_settings
from ladder.site.pages.feeds import calendar
from ladder.values.accounts import LOCAL
from ladder.values.held_events import EventState
from ladder.values.value import time_of
from tests.ladder.app.event_ladders import FILE, coordinator_of, open_cup
from tests.ladder.ladders import NOW, new_ladder
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.held_events import EventPage

FREEZES, STARTS = NOW + 60, NOW + 660


def with_fields(**fields: str) -> str:
    lines = "".join(f"{name} = {value}\n" for name, value in fields.items())
    return FILE.format(show="live").replace("\n[[stage]]", f"{lines}\n[[stage]]", 1)


def moment(at: float) -> str:
    return time_of(at).isoformat()


LATER = "Two more are on their way."
TIMED = with_fields(freezes=moment(FREEZES), starts=moment(STARTS))


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def ladder(tmp_path: Path, time: Time) -> Iterator[Ladder]:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    yield replace(found, clock=time)
    found.database.close()


def page(ladder: Ladder) -> EventPage:
    return reading.event(ladder, LOCAL, "cup")


def test_an_event_is_frozen_and_started_at_its_times_once_by_two_coordinators(ladder: Ladder, time: Time) -> None:
    open_cup(ladder, file=TIMED)
    both = coordinator_of(ladder, time), coordinator_of(ladder, time)
    states = []
    for at in (FREEZES - 1, FREEZES, STARTS - 1, STARTS):
        time.now = at
        for one in both:
            one.advance_events()
        states.append(page(ladder).state)
    assert states == [EventState.OPEN, EventState.FROZEN, EventState.FROZEN, EventState.RUNNING]
    found = page(ladder)
    assert (found.frozen, found.started) == (time_of(FREEZES), time_of(STARTS))
    kinds = [one.kind for one in found.stamps]
    assert (kinds.count("event.frozen"), kinds.count("event.started"), found.rounds) == (1, 1, 1)
    assert f"DTSTART:{time_of(FREEZES):%Y%m%dT%H%M%SZ}" in calendar(found, "https://pigpen.example").decode()


def test_bots_enter_also_again_until_the_moment_of_the_freeze(ladder: Ladder, time: Time) -> None:
    open_cup(ladder, file=TIMED)
    time.now = FREEZES - 1
    holding.withdraw(ladder, LOCAL, "cup", "Bot-1")
    holding.enter(ladder, LOCAL, "cup", "Bot-1")
    assert len(page(ladder).entrant_list) == 8
    time.now = FREEZES
    with pytest.raises(LadderError, match="could enter"):
        holding.enter(ladder, LOCAL, "cup", "Bot-2")


def test_the_organiser_holds_the_times_and_resumes_when_it_suits(ladder: Ladder, time: Time) -> None:
    open_cup(ladder, 7, file=TIMED)
    holding.hold(ladder, LOCAL, "cup", LATER)
    time.now = STARTS + 1
    coordinator = coordinator_of(ladder, time)
    coordinator.advance_events()
    held = page(ladder)
    assert (held.state, held.on_hold, held.reason) == (EventState.OPEN, True, LATER)
    holding.withdraw(ladder, LOCAL, "cup", "Bot-7")
    holding.enter(ladder, LOCAL, "cup", "Bot-7")
    holding.freeze(ladder, LOCAL, "cup")
    frozen = page(ladder)
    assert (frozen.state, frozen.on_hold, frozen.reason) == (EventState.FROZEN, False, "")
    coordinator.advance_events()
    assert page(ladder).state is EventState.RUNNING
    with pytest.raises(LadderError, match="pigpen event pause"):
        holding.hold(ladder, LOCAL, "cup")


def test_too_few_entrants_put_an_event_on_hold_and_registration_stays_open(ladder: Ladder, time: Time) -> None:
    open_cup(ladder, 3, file=TIMED)
    time.now = FREEZES
    coordinator = coordinator_of(ladder, time)
    coordinator.advance_events()
    coordinator.advance_events()
    found = page(ladder)
    assert (found.state, found.on_hold) == (EventState.OPEN, True)
    assert "it needs 4" in found.reason
    holding.withdraw(ladder, LOCAL, "cup", "Bot-3")
    holding.enter(ladder, LOCAL, "cup", "Bot-3")


def test_an_event_starts_when_the_time_for_nonces_has_ended(ladder: Ladder, time: Time) -> None:
    """It was frozen late, so entrants have their time after the planned start."""
    open_cup(ladder, file=TIMED)
    holding.enter(ladder, LOCAL, "cup", "Bot-1", "12" * 32)
    time.now = STARTS - 10
    coordinator = coordinator_of(ladder, time)
    coordinator.advance_events()
    until = page(ladder).reveals_until
    assert until
    for at, state in ((STARTS, "frozen"), (until.timestamp() - 1, "frozen"), (until.timestamp(), "running")):
        time.now = at
        coordinator.advance_events()
        assert page(ladder).state == state
    assert [one.name for one in page(ladder).entrant_list if one.left_after == 0] == ["Bot-1"]


@pytest.mark.parametrize("name", ["freezes", "starts", "ends"])
@pytest.mark.parametrize("after", [0, 1])
def test_an_event_of_which_a_time_is_past_does_not_open(ladder: Ladder, name: str, after: int) -> None:
    file = with_fields(**{name: moment(NOW + after)})
    if after:
        open_cup(ladder, 0, file=file)
    else:
        with pytest.raises(LadderError, match=name):
            open_cup(ladder, 0, file=file)


def test_times_without_a_zone_are_in_that_of_the_file() -> None:
    file = parse_event(with_fields(zone='"Europe/Berlin"', freezes="2026-12-12T09:30:00", starts="2027-07-01T10:00:00"))
    assert [each and each.isoformat() for each in (file.freezes, file.starts)] == [
        "2026-12-12T08:30:00+00:00", "2027-07-01T08:00:00+00:00",
    ]  # fmt: skip
    other = with_fields(zone='"Europe/Berlin"', starts="2026-12-12T09:30:00+09:00")
    assert parse_event(other).starts == parse_event(with_fields(starts="2026-12-12T00:30:00Z")).starts


@pytest.mark.parametrize(
    ("zone", "starts"),
    [
        ('"Europe/Berlin"', "2027-03-28T02:30:00"), ('"Europe/Berlin"', "2027-10-31T02:30:00"),
        ('"Europe/Pigpen"', "2027-03-28T12:30:00"), ("1", "2027-03-28T12:30:00"), ('"../x"', "2027-03-28T12:30:00"),
    ],
)  # fmt: skip
def test_a_zone_that_is_none_and_a_time_that_it_has_not_once_are_refused(zone: str, starts: str) -> None:
    with pytest.raises(UserError, match=r"zone|clocks are changed"):
        parse_event(with_fields(zone=zone, starts=starts))
