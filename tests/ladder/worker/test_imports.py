"""Imports of a worker's process."""

from __future__ import annotations

import subprocess
import sys

LADDER_ONLY = ("sqlalchemy", "alembic", "psycopg", "numpy", "orjson", "ladder.store")
FOR_SOME = ("docker", "ladder.trials.trial")
"""Modules that matches in processes do not need."""
LOADED = f"import sys, ladder.worker.process; print([name for name in {LADDER_ONLY + FOR_SOME} if name in sys.modules])"


def test_a_worker_loads_no_database_and_neither_docker_nor_trials_before_it_needs_them() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
