"""A match tells how long its bots took to start, and how long it was played."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec
from referee.match.match import Match, MatchSeconds
from tests.referee.scripted_seats import FakeTime
from tests.referee.slow import Slow, quick

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from pigpen.values.notices import Welcome
    from referee.seats.seat import Seat

START, CONNECT, CLEAR = 3.0, 0.25, 0.5
SPEC = MatchSpec(PRESETS["hearts"], tuple("abcd"), Format(boards=2), seed=bytes(32))


class Connecting(Slow):
    """Takes a while until it has taken its seat."""

    async def welcome(self, welcome: Welcome) -> None:
        self.time.seconds += CONNECT
        await super().welcome(welcome)


async def played() -> tuple[MatchSeconds, float]:
    """Measure the time of a match by its use, and all of its time."""
    time = FakeTime()

    @contextlib.asynccontextmanager
    async def open_table(number: int) -> AsyncIterator[Sequence[Seat]]:
        time.seconds += START
        yield [Connecting(time, quick) for _ in SPEC.bots]
        time.seconds += CLEAR

    match = Match(SPEC, open_table, lambda line: None, now=time)
    await match.play()
    return match.seconds, time.seconds


async def test_starting_is_all_until_the_seats_are_taken_and_after_the_last_deal() -> None:
    seconds, whole = await played()
    assert seconds.starting == pytest.approx(4 * (START + 4 * CONNECT + CLEAR))
    assert seconds.playing == pytest.approx(whole - seconds.starting)
    assert seconds.playing > 0


async def test_nothing_has_been_played_before_the_match() -> None:
    match = Match(SPEC, lambda number: contextlib.nullcontext([]), lambda line: None)
    assert match.seconds == MatchSeconds(0.0, 0.0)
