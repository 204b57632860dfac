"""The tests' own PostgreSQL server."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HOLDER = """
    import time
    from tests.ladder.postgres import running_server
    with running_server() as server:
        print(server.url("postgres"), flush=True)
        time.sleep(600)
"""


@pytest.mark.postgres
def test_the_server_ends_with_the_tests_that_are_killed() -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLDER)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout
    folder = Path(holder.stdout.readline().strip().partition("host=")[2].replace("%2F", "/"))
    try:
        holder.kill()
        holder.communicate()
        while (folder / "data" / "postmaster.pid").exists():  # the last thing that a server removes
            time.sleep(0.01)
    finally:
        shutil.rmtree(folder)
