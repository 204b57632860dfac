"""Records come back whole through the real transport, up to the largest one that a worker sends."""

from __future__ import annotations

from pathlib import Path

import pytest

from ladder.worker.match_tasks import MatchOutcome
from ladder.worker.worker import MAX_RECORD
from tests.ladder.cluster.clusters import Cluster
from tests.ladder.cluster.writer import record_of
from tests.ladder.worker.test_worker import ONE_DEAL

pytestmark = pytest.mark.asyncio(loop_scope="module")


def start_writer(cluster: Cluster, folder: Path) -> None:
    """Let it come."""
    certificate = str(cluster.certificates / "worker.pem")
    cluster.python("tests.ladder.cluster.writer", cluster.scheduler.address, certificate, str(folder))


async def test_the_largest_record_comes_back_as_it_was(cluster: Cluster, tmp_path: Path) -> None:
    start_writer(cluster, tmp_path)
    worker = await cluster.joined()
    for size in (MAX_RECORD, 1):
        task = ONE_DEAL.model_copy(update={"match": size})
        outcome = MatchOutcome.model_validate_json(await cluster.scheduler.play(worker, task.model_dump_json()))
        assert (outcome.match, outcome.record == record_of(size)) == (size, True)
