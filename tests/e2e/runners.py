"""Several `pigpen ladder run` at one ladder, and what they are doing."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.store import models
from ladder.store.cluster_models import StoredCoordinator
from ladder.store.commands.coordinators import LEFT
from ladder.store.models import Status
from tests.e2e.command import PIGPEN, environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.small_ladder import SmallLadder


@contextmanager
def runner(ladder: SmallLadder, *words: str, **extra: str) -> Iterator[subprocess.Popen[bytes]]:
    """``pigpen ladder run`` that nobody listens to; killed at the end if it still runs."""
    with (
        (ladder.scratch.parent / "output").open("ab") as output,
        subprocess.Popen(
            [PIGPEN, "ladder", "run", "--log-to-stderr", "--concurrency", "2", *words], cwd=ladder.settings.data_dir,
            env=environment(**ladder.variables(**extra)), stdout=output, stderr=output,
        ) as program,
    ):  # fmt: skip
        try:
            yield program
        finally:
            program.kill()


def recorded(ladder: SmallLadder) -> int:
    with ladder.database.read() as session:
        return session.scalar(select(func.max(models.StoredMatch.ordinal))) or 0


def coordinators(ladder: SmallLadder) -> set[int]:
    """The processes of coordinators that have joined, and not left."""
    with ladder.database.read() as session:
        return {
            int(holder.split(" ")[3]) for holder in session.scalars(select(StoredCoordinator.holder)) if holder != LEFT
        }


def playing(ladder: SmallLadder) -> set[int]:
    """The processes of coordinators that have leased a match."""
    leased = select(models.StoredMatch.holder).where(models.StoredMatch.status == Status.LEASED)
    with ladder.database.read() as session:
        return {int(holder.split(" ")[3]) for holder in session.scalars(leased) if holder}
