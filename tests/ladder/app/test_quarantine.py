"""An organiser queues quarantined matches again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.accounts import managing
from ladder.app.ladder import Ladder
from ladder.app.matches import public_match
from ladder.app.states import requeue
from ladder.errors import Forbidden, LadderError
from ladder.settings.settings import load_settings
from ladder.store.commands import queue
from ladder.store.commands.queue import MATCHES
from ladder.store.leases import MAX_LOSSES, Lease
from ladder.values.accounts import ANONYMOUS, LOCAL, Viewer
from tests.e2e.command import pigpen
from tests.ladder import ladders

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        yield ladder


@pytest.fixture
def aside(ladder: Ladder) -> int:
    """A match that was quarantined after its last attempt."""
    with ladder.database.write() as session:
        match = ladders.queue(session, [ladders.enter(session, f"Bot{number}") for number in range(4)])
        for _ in range(MAX_LOSSES):
            attempt = ladders.lease(session, match)
            MATCHES.lose(session, Lease(match, attempt), ladders.NOW, "No worker had a slot for it.")
    assert public_match(ladder, match).status == "quarantined"
    return match


def test_it_is_tried_again_as_if_nothing_had_failed(ladder: Ladder, aside: int) -> None:
    row = requeue(ladder, LOCAL, aside)
    assert (row.status, row.attempt) == ("queued", MAX_LOSSES)
    with ladder.database.write() as session:
        for _ in range(MAX_LOSSES - 1):
            attempt = ladders.lease(session, aside)
            MATCHES.lose(session, Lease(aside, attempt), ladders.NOW, "No worker had a slot for it.")
    with ladder.database.write() as session:
        assert [lease.id for lease in queue.claim(session, "host:1", 0.0, lambda _: 60.0, 5)] == [aside]
    assert [(row.action, row.subject) for row in managing.audit(ladder, LOCAL)] == [("match.requeue", str(aside))]


def test_what_is_not_quarantined_stays_as_it_is(ladder: Ladder, aside: int) -> None:
    requeue(ladder, LOCAL, aside)
    with pytest.raises(LadderError, match=f"Match {aside} .*: it is queued"):
        requeue(ladder, LOCAL, aside)
    with pytest.raises(LadderError, match="There is no match 99"):
        requeue(ladder, LOCAL, 99)


@pytest.mark.parametrize("viewer", [ANONYMOUS, Viewer("ada")])
def test_only_organisers_may(ladder: Ladder, aside: int, viewer: Viewer) -> None:
    with pytest.raises(Forbidden):
        requeue(ladder, viewer, aside)
    assert public_match(ladder, aside).status == "quarantined"


def test_the_command_does_the_same(ladder: Ladder, aside: int) -> None:
    here = str(ladder.settings.data_dir)
    done = pigpen("ladder", "requeue", str(aside), PIGPEN_DATA_DIR=here)
    assert (done.returncode, f"Match {aside} is in" in done.stdout) == (0, True)
    again = pigpen("ladder", "requeue", str(aside), "--json", PIGPEN_DATA_DIR=here)
    assert (again.returncode, again.stdout) == (2, "")
    assert "is not quarantined" in again.stderr
