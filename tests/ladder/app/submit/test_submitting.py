"""A submission as a whole: what is looked at, what is written, and what comes out."""

from __future__ import annotations

import contextlib
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
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
from tests.ladder.app.submit.observed import Observed
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


async def submit_folder(
    database: Database, settings: Settings, folder: Path, *variants: str, owner: str = "ada"
) -> SubmissionResult:
    order = SubmissionOrder(name="Trotter", source=folder.name, word="./my bot", variants=choices(variants))
    ladder, observed = Ladder(settings, database, lambda: 7.0), Observed()
    row = await submit(ladder, order, folder, observed, owner=owner, sandbox=SandboxKind.PROCESS)
    assert observed.sentences == [NO_ISOLATION]
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


PROJECT = Path(__file__).parents[4]
ROUTE = ("app", "runner", "store", "trials", "entry", "values")
"""The rooms through which a submission goes."""


def ranks() -> dict[str, int]:
    """By room of the ladder, how far down it is, as the contract of the imports says."""
    contracts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (rooms,) = (each["layers"] for each in contracts if each["name"] == "Rooms of the ladder")
    return {room: rank for rank, layer in enumerate(rooms) for room in layer.split(" | ")}


class Climbs:
    """Notes calls of one room into a room above it, among those through which a submission goes."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.calls = 0
        self._ranks = ranks()
        self._above = str(PROJECT / "ladder") + "/"

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        callee, caller = self._room(frame), self._room(frame.f_back)
        if event != "call" or callee not in ROUTE or caller not in ROUTE:
            return
        self.calls += callee != caller
        if self._ranks[callee] < self._ranks[caller]:
            assert frame.f_back is not None
            self.found.append(f"{frame.f_back.f_code.co_qualname} -> {frame.f_code.co_qualname}")

    def _room(self, frame: FrameType | None) -> str:
        if frame is None or not frame.f_code.co_filename.startswith(self._above):
            return ""
        return frame.f_code.co_filename.removeprefix(self._above).partition("/")[0]


async def test_a_submission_calls_down_and_returns_up(
    database: Database, settings: Settings, bot: Callable[..., Path], tmp_path: Path
) -> None:
    """Only the observer, which is the caller's, is called upwards meanwhile."""
    climbs, folder, variant = Climbs(), bot(), write_for_two(tmp_path)
    sys.setprofile(climbs)
    try:
        found = await submit_folder(database, settings, folder, variant)
    finally:
        sys.setprofile(None)
    assert found.accepted
    assert climbs.calls > 50
    assert climbs.found == []


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
