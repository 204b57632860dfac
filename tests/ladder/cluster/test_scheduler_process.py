"""A real scheduler process and real workers, from the coordinator's side."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ladder.cluster.scheduler_process import SchedulerLost
from ladder.errors import SandboxError
from ladder.worker.match_tasks import MatchOutcome
from pigpen.version import __version__
from tests.ladder.cluster.clusters import Cluster
from tests.ladder.worker.test_worker import ONE_DEAL

pytestmark = pytest.mark.asyncio(loop_scope="module")
TASK = ONE_DEAL.model_dump_json()


async def test_a_worker_joins_plays_and_leaves(cluster: Cluster) -> None:
    program = cluster.worker("mars", slots=3)
    report = await cluster.report("joined")
    assert report.facts is not None
    assert (report.facts.name, report.facts.version, report.facts.slots) == ("mars", __version__, 3)
    assert report.facts.machine.cores >= 1
    outcome = MatchOutcome.model_validate_json(await cluster.scheduler.play(report.worker, TASK))
    assert (outcome.match, outcome.attempt, outcome.void) == (7, 2, None)
    program.send_signal(signal.SIGTERM)
    assert (await cluster.report("left")).worker == report.worker
    printed, _ = await asyncio.to_thread(program.communicate)
    assert program.returncode == 143
    joined, *finishing, last = printed.splitlines()
    assert joined.startswith(f"mars has joined {cluster.scheduler.address}, ")
    assert last == "pigpen: Terminated."
    # Here the answer may be known before there.
    assert [each.partition(";")[0] for each in finishing] in ([], ["Finishing 1 task"])


@contextmanager
def kept_free(address: str) -> Iterator[None]:
    """Let no other program take an address where nothing listens."""
    host, _, port = address.removeprefix("tls://").rpartition(":")
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((host, int(port)))
        yield


async def test_when_the_scheduler_ends_workers_wait_for_the_next_one_and_who_is_turned_away_says_why_and_ends(
    cluster: Cluster,
) -> None:
    program = cluster.worker()
    worker = await cluster.joined()
    cluster.scheduler.kill()
    address = cluster.scheduler.address
    with pytest.raises(SchedulerLost, match="ended by signal 9"):
        await cluster.scheduler.play(worker, TASK)
    with kept_free(address):
        early = cluster.worker("venus")
        assert early.stdout is not None
        line = await asyncio.to_thread(early.stdout.readline)
    assert f" at {address} (connection refused); " in line
    await cluster.start(address)
    joined: dict[str, str] = {}
    while len(joined) < 2:
        report = await cluster.report("joined")
        assert report.facts is not None
        joined[report.facts.name] = report.worker
    outcome = MatchOutcome.model_validate_json(await cluster.scheduler.play(joined["mars"], TASK))
    assert outcome.void is None
    why = "it has version 0.0.9, and the coordinator has another."
    cluster.scheduler.turn_away(joined["mars"], why)
    printed, _ = await asyncio.to_thread(program.communicate)
    assert program.returncode == 2
    first, lost, again, away = printed.splitlines()
    assert first == again
    assert first.startswith(f"mars has joined {address}, ")
    assert f"to {address} has ended; mars" in lost
    assert away.endswith(f": {why}")


async def test_a_frozen_scheduler_is_killed(certificates: Path) -> None:
    cluster = Cluster(certificates)
    await cluster.start(frozen_seconds=0.5)
    os.kill(cluster.scheduler.pid, signal.SIGSTOP)
    with pytest.raises(SchedulerLost, match="ended by signal 9"):
        await cluster.scheduler.play("tls://127.0.0.1:1", TASK)
    await cluster.close()


async def test_a_port_that_is_taken_is_named(cluster: Cluster) -> None:
    with pytest.raises(SandboxError, match="can connect to tls://127"):
        await Cluster(cluster.certificates).start(cluster.scheduler.address)
