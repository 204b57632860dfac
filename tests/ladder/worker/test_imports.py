"""What a worker's process loads."""

from __future__ import annotations

import subprocess
import sys

LADDER_ONLY = ("sqlalchemy", "alembic", "psycopg", "numpy", "orjson", "ladder.store")
LOADED = f"import sys, ladder.worker.process; print([name for name in {LADDER_ONLY} if name in sys.modules])"


def test_a_worker_loads_no_database() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
