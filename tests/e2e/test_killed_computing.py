"""`pigpen ladder compute`, killed while it computes: the next one computes the same, and the answer is there once."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import select

from ladder.app.computing.running import ASKER
from ladder.app.computing.why import inbox
from ladder.app.ladder import Ladder
from ladder.settings.settings import load_settings
from ladder.store.computing_models import Computation
from tests.e2e.command import PIGPEN, environment
from tests.ladder.ladders import played
from tests.ladder.recorded_ladders import new_ladder, recorded_match
from tests.processes import children, has_ended
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

T = TypeVar("T")


@contextmanager
def computing(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`pigpen ladder compute` while it runs; killed at the end."""
    variables = environment(PIGPEN_DATA_DIR=str(folder / "ladder"))
    with (folder / "computing.err").open("ab") as errors, subprocess.Popen(
        [PIGPEN, "ladder", "compute"], cwd=folder, env=variables, stderr=errors
    ) as program:  # fmt: skip
        try:
            yield program
        finally:
            program.kill()


def test_a_killed_process_loses_no_question_and_answers_none_twice(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path / "ladder")
    made = new_ladder(settings)
    match = recorded_match(made, played("gongzhu"))
    made.database.close()
    with Ladder.open(settings) as ladder:
        assert inbox(ladder, "Trotter").computing
        with computing(tmp_path) as program:
            (child, *_) = until(lambda: children(program.pid))
            os.kill(program.pid, signal.SIGKILL)
            program.wait()
            until(lambda: has_ended(child))
        assert inbox(ladder, "Trotter").computing, "it was killed while it computed, or before"
        with computing(tmp_path) as program:
            until(lambda: inbox(ladder, "Trotter").computing is None)
            program.terminate()
            assert program.wait() == 128 + signal.SIGTERM
        found = inbox(ladder, "Trotter")
        assert (found.matches, len(found.costliest)) == ((match,), 5)
        with ladder.database.read() as session:
            visitors = session.scalars(select(Computation.visitor)).all()
            assert len([each for each in visitors if each != ASKER]) == 1
