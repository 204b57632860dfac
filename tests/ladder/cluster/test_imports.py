"""Imports of the programs of a cluster: the coordinator no Dask, the others no database."""

from __future__ import annotations

import subprocess
import sys

import pytest

DASK = ("dask", "distributed", "msgpack", "tornado")
LADDER_ONLY = ("sqlalchemy", "alembic", "psycopg", "orjson", "ladder.settings", "ladder.store")


@pytest.mark.parametrize(
    ("modules", "without"),
    [
        ("ladder.app.ladder_run", DASK),
        ("ladder.cluster.scheduler_program, ladder.app.cluster.worker_start", LADDER_ONLY),
    ],
)
def test_each_loads_only_what_is_its_business(modules: str, without: tuple[str, ...]) -> None:
    code = f"import sys, {modules}; print([name for name in {without} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
