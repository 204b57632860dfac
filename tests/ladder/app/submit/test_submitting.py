"""A submission as a whole: what is looked at, what is written, and what comes out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from ladder.app.ladder import Ladder
from ladder.app.submit.ended import result_of
from ladder.app.submit.submitting import NO_ISOLATION, submit
from ladder.entry.variants import choices
from ladder.errors import LadderError
from ladder.settings.settings import Settings
from ladder.store.database import Database, Session
from ladder.store.queries.submissions import submission_rows
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.submission import SubmissionOrder, SubmissionResult
from tests.for_two import write_for_two
from tests.ladder.bad_checks import FLAWS


class CountedDatabase(Database):
    """Notes each transaction, and in which of them it is read what the ladder holds."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings.url)
        self.transactions: list[str] = []
        self.looks: list[str] = []
        event.listen(self.engine, "before_cursor_execute", self._note_look)

    def _note_look(self, connection: Connection, cursor: Any, statement: str, *_: object) -> None:
        if statement.split() == ["SELECT", "owners.name", "FROM", "owners"]:  # one of those of `look_at`
            self.looks.append(self.transactions[-1])

    @contextlib.contextmanager
    def read(self) -> Iterator[Session]:
        self.transactions.append("read")
        with super().read() as session:
            yield session

    @contextlib.contextmanager
    def write(self) -> Iterator[Session]:
        self.transactions.append("write")
        with super().write() as session:
            yield session


@pytest.fixture
def counted(database: Database, settings: Settings) -> Iterator[CountedDatabase]:
    """The database of a ladder without bots, which `database` has made."""
    counted = CountedDatabase(settings)
    yield counted
    counted.close()


@contextlib.contextmanager
def silent(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """No progress bar."""
    yield lambda doing: None


async def submit_folder(
    database: Database, settings: Settings, folder: Path, *variants: str, owner: str = "ada"
) -> SubmissionResult:
    order = SubmissionOrder(name="Trotter", source=folder.name, word="./my bot", variants=choices(variants))
    ladder, warnings = Ladder(settings, database, lambda: 7.0), list[str]()
    row = await submit(ladder, order, folder, silent, warnings.append, owner=owner, sandbox=SandboxKind.PROCESS)
    assert warnings == [NO_ISOLATION]
    return result_of(row)


async def test_the_ladder_is_read_before_and_where_the_bot_is_entered_and_written_when_it_comes_and_was_tried(
    counted: CountedDatabase, settings: Settings, bot: Callable[..., Path], tmp_path: Path
) -> None:
    folder = bot()
    first = await submit_folder(counted, settings, folder, write_for_two(tmp_path))
    assert (first.accepted, first.version, first.new, first.changed) == (True, "Trotter@1", True, True)
    assert [(one.variant, one.state, one.news, one.elo) for one in first.variants] == [
        ("for-two", "active", "entered", 1500.0)
    ]
    assert counted.transactions == ["read", "write", "write"]
    assert counted.looks == ["read", "write"]
    again = await submit_folder(counted, settings, folder)
    assert (again.accepted, again.new, again.changed) == (True, False, False)
    assert [one.news for one in again.variants] == ["there already"]
    assert counted.transactions == ["read", "write", "write"] * 2
    with pytest.raises(LadderError, match="belongs to a bot of ada's"):
        await submit_folder(counted, settings, folder, owner="ben")
    assert counted.transactions == ["read", "write", "write"] * 2 + ["read"]


async def test_of_a_bot_that_fails_the_submission_alone_is_written(
    counted: CountedDatabase, settings: Settings, bot: Callable[..., Path]
) -> None:
    sinner = FLAWS["plays an illegal card"]
    found = await submit_folder(counted, settings, bot(method=sinner.method), sinner.rules)
    assert (found.accepted, found.version, found.variants) == (False, None, ())
    assert {(one.variant, one.where, one.verdict) for one in found.reasons} == {
        (sinner.rules, sinner.case, sinner.verdict)
    }
    assert found.again == f"pigpen check './my bot' --rules {sinner.rules} --sandbox process"
    assert counted.transactions == ["read", "write", "write"]
    with counted.read() as session:
        (row,) = submission_rows(session, "ada", None, 10)
    assert (row.status, row.phase, row.result) == ("refused", "ended", found)
