"""Certificates, and a cluster without workers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from ladder.cluster.certificates import make_authority, make_worker
from tests.ladder.cluster.clusters import Cluster, a_cluster


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority, a scheduler's certificate, and a worker's: worker.pem."""
    folder = tmp_path_factory.mktemp("certificates")
    make_authority(folder)
    make_worker(folder, "worker", folder / "worker.pem")
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(certificates: Path) -> AsyncIterator[Cluster]:
    """A scheduler for all tests of a module."""
    async with a_cluster(certificates) as cluster:
        yield cluster


@pytest_asyncio.fixture(loop_scope="module")
async def cluster(running: Cluster) -> AsyncIterator[Cluster]:
    """The module's scheduler, to which no worker has come yet."""
    yield running
    await running.clear()
