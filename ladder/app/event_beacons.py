"""
The part of a run that fetches the values of beacons: a thread beside the matches.

A value is stored once, by whichever process has it first; it enters the draw, so it is not looked up again.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

import structlog

from ladder.errors import LadderError, UserError
from ladder.store.commands.held_events import take_beacon
from ladder.store.event_rows import beacons_due, find_event
from ladder.values.events import MAX_BEACON_VALUE
from ladder.webhooks.public_addresses import AddressPolicy
from ladder.webhooks.sending import fetch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.ladder import Ladder

LOOK_SECONDS = 5.0
"""Seconds between two looks at the events; a beacon that gives no value is asked again at the next look."""

log = structlog.get_logger()


def fetch_beacons(ladder: Ladder) -> list[str]:
    """
    Fetch and store the values of all beacons that have one by now.

    Returns:
        The names of the events whose value is there now.
    """
    policy, now, found = AddressPolicy.of(ladder.settings), ladder.clock(), list[str]()
    with ladder.database.read() as session:
        due = beacons_due(session, now)
    for name, address in due:
        try:
            value = asyncio.run(fetch(address, policy, MAX_BEACON_VALUE)).decode()
            with ladder.database.write() as session:
                take_beacon(session, find_event(session, name), value, ladder.clock())
        except (LadderError, UserError, UnicodeError) as error:
            log.warning("event.beacon_failed", name=name, reason=str(error))
        else:
            log.info("event.beacon", name=name)
            found.append(name)
    return found


@contextmanager
def fetching_beacons(ladder: Ladder) -> Iterator[None]:
    """Fetch the values of beacons meanwhile."""
    ended = Event()

    def work() -> None:
        while not ended.wait(LOOK_SECONDS):
            try:
                fetch_beacons(ladder)
            except Exception as error:  # it runs unattended for months
                log.exception("event.beacon_mistake", reason=f"{type(error).__name__}: {error}")

    thread = Thread(target=work, name="beacons", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
