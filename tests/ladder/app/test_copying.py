"""A ladder is copied while nobody works at it, also if its workers have other clocks, or the name of this machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from ladder.app.database_maintenance import copy
from ladder.app.ladder import Ladder
from ladder.errors import LadderError
from ladder.sandbox.host import scratch
from ladder.store import models
from tests.ladder import ladders
from tests.ladder.databases import backend

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.database import Database

__all__ = ["backend"]
pytestmark = pytest.mark.postgres
DAY = 86400.0
OF_ANOTHER_BOOT = scratch.this_process().split(" ")
OF_ANOTHER_BOOT[1] = "00000000-0000-0000-0000-000000000000"


@pytest.mark.parametrize(
    ("fast", "holder", "seconds", "is_refused"),
    [
        (DAY, scratch.this_process(), 600.0, True),
        (-DAY, scratch.this_process(), -600.0, False),
        (0.0, " ".join(OF_ANOTHER_BOOT), 600.0, True),
    ],
    ids=["a fast clock here", "a slow clock here", "another machine with the name of this one"],
)
def test_leases_of_other_machines_are_judged_by_the_clock_of_the_database(
    settings: Settings, database: Database, other_url: str, fast: float, holder: str, seconds: float, is_refused: bool
) -> None:
    on_many_machines = database.engine.dialect.name == "postgresql"
    clock = time.time() + fast
    until = (time.time() if on_many_machines else clock) + seconds
    with database.write() as session:
        match = ladders.queue(session, [ladders.enter(session, f"bot {number}") for number in range(4)])
        ladders.lease(session, match, until)
        session.get_one(models.StoredMatch, match).holder = holder
    ladder = Ladder(settings, database, lambda: clock)
    if is_refused and (on_many_machines or holder == scratch.this_process()):
        with pytest.raises(LadderError, match="are being played: 1"):
            copy(ladder, other_url)
    else:
        copy(ladder, other_url)
