"""Presence of a person at the table."""

from __future__ import annotations

import asyncio

from referee.seats.presence import Presence
from tests.waiting import PATIENCE


def test_a_connection_brings_back_only_whoever_was_lost_with_one() -> None:
    presence = Presence()
    presence.lose()
    assert presence.is_away
    presence.connected()
    assert not presence.is_away
    presence.leave()
    presence.lose()
    presence.connected()
    assert presence.is_away, "it sent that it left"
    presence.come_back()
    assert not presence.is_away


def test_changes_are_told_once() -> None:
    noted: list[bool] = []
    presence = Presence(lambda: noted.append(presence.is_away))
    presence.leave()
    presence.leave()
    presence.come_back()
    presence.come_back()
    assert noted == [True, False]


def test_whoever_waits_for_a_person_goes_on_when_it_is_back_or_the_time_is_up() -> None:
    async def waiting() -> None:
        presence = Presence(wait=0.01)
        presence.leave()
        assert not await presence.back_in_time()
        presence = Presence(wait=30)
        presence.leave()
        asyncio.get_running_loop().call_soon(presence.come_back)
        assert await presence.back_in_time()

    asyncio.run(waiting())


def test_nobody_waits_for_the_end_of_a_deal_that_was_looked_at_or_not_shown_or_for_one_who_is_away() -> None:
    async def waiting() -> None:
        presence = Presence()
        await presence.looked_within(10 * PATIENCE)
        presence.show_end_of(0)
        presence.look_at_end_of(0)
        await presence.looked_within(10 * PATIENCE)
        presence.show_end_of(1)
        asyncio.get_running_loop().call_soon(presence.leave)
        await presence.looked_within(10 * PATIENCE)

    asyncio.run(asyncio.wait_for(waiting(), PATIENCE))
