"""A worker that reports what no machine has is turned away, and nothing of its report reaches the coordinator."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from distributed.versions import get_versions
from pydantic import ValidationError

from ladder.cluster.dispatcher import Dispatcher
from ladder.cluster.terms import TOPIC, TURN_AWAY
from ladder.values.cluster import MAX_COUNT, WorkerFacts, WorkerReport
from ladder.values.value import LAST_SECOND
from ladder.worker.channel import Frame, MessageKind
from tests.ladder.cluster_rows import MACHINE, facts

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
