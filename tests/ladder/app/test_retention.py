"""Data about people is removed when the settings say so, and not before."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app.ladder import Ladder
from ladder.app.retention import DAY, remove_old
from ladder.runner import run_log
from ladder.runner.run_log import FILES, file_seconds, log, log_to
from ladder.settings.settings import load_settings
from ladder.store.account_models import AuditEntry, Credential, Invitation
from ladder.store.commands.accounts import add_invitation, write_audit
from ladder.values.accounts import Role, Viewer
from tests.ladder.accounts import add_person, session_of
from tests.ladder.ladders import NOW, new_ladder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ADDRESS = "192.0.2.7"


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path, address_days=10, audit_days=20, log_days=9))
    yield made
    made.database.close()


def after(ladder: Ladder, days: float) -> Ladder:
    return Ladder(ladder.settings, ladder.database, lambda: NOW + days * DAY)


@pytest.mark.parametrize(
    ("days", "address", "count"), [(10, ADDRESS, 1), (10.001, "", 1), (20, "", 1), (20.001, "", 0)]
)
def test_the_audit_log_keeps_addresses_and_entries_for_a_time(
    ladder: Ladder, days: float, address: str, count: int
) -> None:
    with ladder.database.write() as session:
        write_audit(session, Viewer("ada", address=ADDRESS), "token.create", "ada", NOW)
    remove_old(after(ladder, days))
    with ladder.database.read() as session:
        assert session.scalars(select(AuditEntry.address)).all() == [address] * count


def test_without_a_limit_entries_stay(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        write_audit(session, Viewer("ada", address=ADDRESS), "token.create", "ada", NOW)
    remove_old(Ladder(ladder.settings.model_copy(update={"audit_days": 0}), ladder.database, lambda: NOW + 9999 * DAY))
    with ladder.database.read() as session:
        assert session.scalars(select(AuditEntry.address)).all() == [""]


@pytest.mark.parametrize(("days", "left"), [(11, 1), (11.001, 0)])
def test_expired_sessions_and_invitations_go(ladder: Ladder, days: float, left: int) -> None:
    add_person(ladder, "ada")
    session_of(ladder, "ada", hours=24)
    with ladder.database.write() as session:
        add_invitation(session, "b" * 64, Role.CONTESTANT, None, "Ben", "olga", NOW, NOW + DAY)
    remove_old(after(ladder, days))
    with ladder.database.read() as session:
        assert [len(session.scalars(select(model)).all()) for model in (Credential, Invitation)] == [left, left]


def test_old_log_files_go_and_open_ones_are_emptied(ladder: Ladder) -> None:
    logs = ladder.settings.data_dir / "logs"
    logs.mkdir()
    limit = file_seconds(ladder.settings.log_days) * (FILES - 2)
    for name, age in (("site.jsonl", limit + 1), ("site.jsonl.1", limit + 1), ("ladder.jsonl.1", limit - 1)):
        (logs / name).write_text("x")
        os.utime(logs / name, (NOW - age, NOW - age))
    remove_old(ladder)
    assert {path.name: path.read_text() for path in logs.iterdir()} == {"site.jsonl": "", "ladder.jsonl.1": "x"}


def test_a_log_begins_another_file_when_its_first_line_is_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "site.jsonl"
    for seconds, files in ((1000.0, 1), (0.0, 2)):
        stop = log_to(file, to_stderr=False, seconds=seconds)
        log.info("event")
        stop()
        assert len(list(tmp_path.iterdir())) == files
    assert '"event"' in file.read_text()
    monkeypatch.setattr(run_log, "_began", lambda _: 0.0)
    stop = log_to(file, to_stderr=False, seconds=1000.0)
    log.info("later")
    stop()
    assert len(list(tmp_path.iterdir())) == 3
