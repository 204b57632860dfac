"""Certificates, and a cluster without workers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ladder.cluster.certificates import make_authority, make_worker
from tests.ladder.cluster.clusters import Cluster, a_cluster


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority, a scheduler's certificate, and a worker's: worker.pem."""
    folder = tmp_path_factory.mktemp("certificates")
    make_authority(folder)
    make_worker(folder, "worker", folder / "worker.pem")
    return folder


@pytest.fixture
async def cluster(certificates: Path) -> AsyncIterator[Cluster]:
    async with a_cluster(certificates) as cluster:
        yield cluster
