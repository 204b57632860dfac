"""Facts that a worker reports of itself: some take long to find out, and impossible ones turn it away."""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from distributed.versions import get_versions
from pydantic import ValidationError

from ladder.cluster.dispatcher import Dispatcher
from ladder.cluster.terms import TOPIC, TURN_AWAY
from ladder.cluster.worker_facts import Facts
from ladder.values.cluster import MAX_COUNT, WorkerFacts, WorkerReport
from ladder.values.value import LAST_SECOND
from ladder.worker.channel import Frame, MessageKind
from tests.ladder.cluster_rows import MACHINE, facts

SOON, NEVER = 0.01, 60.0
"""Seconds: so short that nothing new is known by then; so long that no test waits for it."""


class SlowFacts(Facts):
    """Counts images only when it is allowed to."""

    def __init__(self) -> None:
        super().__init__("mars", 2, self._count)
        self.counted, self.fails = 0, False
        self.may_count = threading.Semaphore(0)
        self._asked = float("inf")  # the Docker engine is not asked

    def _count(self) -> tuple[int, int]:
        assert self.may_count.acquire(timeout=NEVER)
        self.counted += 1
        if self.fails:
            raise OSError("The disk is gone.")
        return self.counted, 0


async def test_several_may_ask_at_once_and_one_of_them_asks_the_machine() -> None:
    facts = SlowFacts()
    asking = [asyncio.create_task(facts.latest(NEVER)) for _ in range(3)]
    await asyncio.sleep(0)
    facts.may_count.release()
    assert [each.images for each in await asyncio.gather(*asking)] == [1, 1, 1]


async def test_what_was_known_is_said_while_the_machine_is_asked_but_that_it_leaves_at_once() -> None:
    facts = SlowFacts()
    facts.may_count.release()
    first = await facts.latest(SOON)
    facts.leaving = True
    second = await facts.latest(SOON)
    assert (first.images, first.leaving, second.images, second.leaving) == (1, False, 1, True)
    assert second.clock > first.clock
    facts.may_count.release()


async def test_what_was_known_is_said_where_it_cannot_be_found_out_and_then_it_is_tried_again() -> None:
    facts = SlowFacts()
    facts.may_count.release(4)
    facts.fails = True
    with pytest.raises(OSError, match="The disk is gone"):
        await facts.latest(NEVER)
    facts.fails = False
    assert (await facts.latest(NEVER)).images == 2
    facts.fails = True
    assert (await facts.latest(NEVER)).images == 2
    facts.fails = False
    assert (await facts.latest(NEVER)).images == 4


async def test_a_certificate_that_never_expires_is_reported_with_the_last_moment_that_there_is() -> None:
    facts = SlowFacts()
    facts.may_count.release(2)
    assert (await facts.latest(NEVER)).certificate_ends is None
    facts.certificate_ends = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()
    assert (await facts.latest(NEVER)).certificate_ends == LAST_SECOND


ADDRESS = "tls://127.1.2.3:1"
COUNTS = ("memory", "slots", "images", "image_bytes")
TIMES = ("certificate_ends", "clock")
IMPOSSIBLE = [
    *((name, value) for name in COUNTS for value in (MAX_COUNT + 1, 10**30, -1)),
    *((name, value) for name in TIMES for value in (LAST_SECOND + 1, 1e15, 1e300, -1.0, float("inf"), float("nan"))),
    *(("machine", MACHINE.model_dump() | {"cores": cores}) for cores in (MAX_COUNT + 1, 10**30)),
]


class Reporter:
    """A worker that reports what the test gives it."""

    def __init__(self) -> None:
        self.orders: list[str] = []
        self.reports: list[WorkerReport] = []
        self.removed: list[str] = []
        scheduler = SimpleNamespace(
            workers={ADDRESS: SimpleNamespace(versions=get_versions())},
            stream_comms={ADDRESS: SimpleNamespace(comm=SimpleNamespace(peer_address=ADDRESS))},
            worker_send=lambda _, order: self.orders.append(order["op"]),
            remove_worker=self._remove,
        )
        self._dispatcher = Dispatcher(scheduler, SimpleNamespace(send=self._take))  # type: ignore[arg-type]

    async def report(self, **more: Any) -> None:
        """Send facts, of which some may be impossible."""
        body = json.dumps(facts("sty").model_dump(mode="json") | more)
        self._dispatcher.log_event(TOPIC, {"kind": str(MessageKind.FACTS), "body": body, "worker": ADDRESS})
        await asyncio.sleep(0)  # a worker is removed in a task

    def _take(self, frame: Frame) -> None:
        if frame.kind is MessageKind.WORKER:
            self.reports.append(WorkerReport.model_validate_json(frame.body))

    async def _remove(self, address: str, **_: object) -> None:
        self.removed.append(address)


@pytest.mark.parametrize(("name", "value"), IMPOSSIBLE)
async def test_a_worker_with_an_impossible_number_is_turned_away(name: str, value: object) -> None:
    worker = Reporter()
    await worker.report(**{name: value})
    assert (worker.orders, worker.removed, worker.reports) == ([TURN_AWAY], [ADDRESS], [])


async def test_a_worker_that_reports_an_impossible_number_later_is_turned_away_then() -> None:
    worker = Reporter()
    await worker.report()
    await worker.report(image_bytes=10**30)
    assert (worker.orders, worker.removed) == ([TURN_AWAY], [ADDRESS])
    assert [report.event for report in worker.reports] == ["joined"]


async def test_the_largest_numbers_reach_the_coordinator() -> None:
    worker = Reporter()
    most: dict[str, Any] = dict.fromkeys(COUNTS, MAX_COUNT) | dict.fromkeys(TIMES, LAST_SECOND)
    await worker.report(**most)
    (report,) = worker.reports
    assert report.facts == facts("sty", **most)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9" * 5000])
def test_a_number_that_no_computer_number_can_hold_is_refused(number: str) -> None:
    whole = facts("sty").model_dump_json()
    plain = json.loads(whole)
    for name in (*COUNTS, *TIMES):
        broken = json.dumps(plain | {name: "HERE"}).replace('"HERE"', number)
        with pytest.raises(ValidationError):
            WorkerFacts.model_validate_json(broken)
