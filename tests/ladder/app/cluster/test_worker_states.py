"""Organisers look at workers, drain them, let them play again, and strike them off."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from ladder.app.accounts import managing
from ladder.app.cluster.worker_states import drain, forget, resume, workers
from ladder.app.ladder import Ladder
from ladder.errors import Forbidden, LadderError
from ladder.settings.settings import load_settings
from ladder.store.cluster_models import StoredWorker
from ladder.store.queries.workers import worker_names
from ladder.values.accounts import ANONYMOUS, LOCAL, Viewer
from ladder.values.cluster import WantedState, WorkerState
from tests.ladder.cluster_rows import add_workers, seen
from tests.ladder.ladders import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OLGA = Viewer("olga", is_organiser=True)


@pytest.fixture
def ladder(tmp_path: Path, sqlite_template: Path) -> Iterator[Ladder]:
    """A ladder with two workers, of which one has gone."""
    shutil.copy(sqlite_template, tmp_path / "ladder.db")
    with Ladder.open(load_settings(data_dir=tmp_path)) as opened:
        ladder = Ladder(opened.settings, opened.database, lambda: NOW)
        add_workers(ladder, seen("sty"), seen("barn", state=WorkerState.GONE, reason="It was stopped."))
        yield ladder


def test_a_worker_is_drained_and_plays_again_and_both_stand_in_the_audit_log(ladder: Ladder) -> None:
    done = drain(ladder, OLGA, "sty", "A new disk.")
    assert (done.wanted, done.state, done.reason) == (WantedState.DRAINED, WorkerState.ACTIVE, "A new disk.")
    again = resume(ladder, OLGA, "sty")
    assert (again.wanted, again.reason) == (WantedState.ACTIVE, "")
    lines = [(line.actor, line.action, line.subject, line.details) for line in managing.audit(ladder, LOCAL)]
    assert lines == [
        ("olga", "worker.resume", "sty", {}),
        ("olga", "worker.drain", "sty", {"reason": "A new disk."}),
    ]


def test_a_worker_that_has_gone_is_forgotten_but_none_that_is_connected(ladder: Ladder) -> None:
    forget(ladder, LOCAL, "barn")
    assert [row.name for row in workers(ladder, LOCAL)] == ["sty"]
    with pytest.raises(LadderError, match=r"worker sty is connected;"):
        forget(ladder, LOCAL, "sty")
    assert [line.action for line in managing.audit(ladder, LOCAL)] == ["worker.forget"]


def test_a_worker_that_cannot_be_read_is_forgotten_and_keeps_no_other_from_being_drained(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        session.execute(update(StoredWorker).where(StoredWorker.name == "barn").values(facts={}))
    assert drain(ladder, LOCAL, "sty").wanted is WantedState.DRAINED
    assert resume(ladder, LOCAL, "sty").wanted is WantedState.ACTIVE
    forget(ladder, LOCAL, "barn")
    with ladder.database.read() as session:
        assert worker_names(session) == ["sty"]


@pytest.mark.parametrize("change", [drain, resume, forget])
def test_for_a_name_that_no_worker_has_the_names_that_there_are_are_given(ladder: Ladder, change: object) -> None:
    with pytest.raises(LadderError, match=r"worker 'Barn'. .* barn, sty.$"):
        change(ladder, LOCAL, "Barn")  # type: ignore[operator]


def test_a_ladder_without_workers_says_so(ladder: Ladder) -> None:
    add_workers(ladder, seen("sty", state=WorkerState.GONE))
    forget(ladder, LOCAL, "sty")
    forget(ladder, LOCAL, "barn")
    with pytest.raises(LadderError, match="No worker has ever connected"):
        drain(ladder, LOCAL, "sty")


@pytest.mark.parametrize("viewer", [ANONYMOUS, Viewer("ada")])
def test_nobody_but_organisers_sees_or_changes_workers(ladder: Ladder, viewer: Viewer) -> None:
    with pytest.raises(Forbidden):
        workers(ladder, viewer)
    for change in (drain, resume, forget):
        with pytest.raises(Forbidden):
            change(ladder, viewer, "barn")
    assert {row.wanted for row in workers(ladder, LOCAL)} == {WantedState.ACTIVE}
