"""Uploads in pieces, which are nobody else's, and the submission that follows: judged, stored and answered."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import Connection, event

from ladder.app.ladder import Ladder
from ladder.app.submit.ended import result_of
from ladder.app.submit.local_submission import NO_ISOLATION, submit
from ladder.app.uploads import LASTS_SECONDS, MAX_OPEN, begin_upload, finished_upload, give_up, go_on, upload
from ladder.entry.variants import choices
from ladder.errors import BotRejected, Conflict, LadderError, SandboxError, TooOften, UserError
from ladder.settings.settings import Settings
from ladder.store.database import Database, Session
from ladder.store.queries.submissions import submission_rows
from ladder.values.accounts import Viewer
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.submission import SubmissionOrder, SubmissionResult
from tests.for_two import write_for_two
from tests.ladder.app.submit.observed import Observed
from tests.ladder.bad_checks import FLAWS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ladder.values.submission import Upload

ADA, BEN, OLGA = Viewer("ada"), Viewer("ben"), Viewer("olga", is_organiser=True)
NONE = "There is no such upload"


class Clock:
    """Gives the time that it is set to."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    """The time by which files are dated."""
    return Clock(tmp_path.stat().st_mtime)


@pytest.fixture
def ladder(settings: Settings, database: Database, clock: Clock) -> Ladder:
    return Ladder(settings.model_copy(update={"upload_bytes": 200_000}), database, clock)


async def pieces(*all_of_them: bytes) -> AsyncIterator[bytes]:
    for piece in all_of_them:
        yield piece


async def send(ladder: Ladder, name: str, offset: int, *sent: bytes, viewer: Viewer = ADA) -> Upload:
    return await go_on(ladder, viewer, name, offset, pieces(*sent))


def there(ladder: Ladder) -> list[Path]:
    return list((ladder.settings.data_dir / "uploads").iterdir())


async def test_an_upload_arrives_in_pieces_and_is_there_as_it_was_sent(ladder: Ladder) -> None:
    begun = begin_upload(ladder, ADA, 6)
    assert (begun.bytes, begun.offset) == (6, 0)
    assert (await send(ladder, begun.id, 0, b"ab", b"c")).offset == 3
    assert upload(ladder, ADA, begun.id).offset == 3
    with (
        pytest.raises(UserError, match="3 of 6 bytes"),
        finished_upload(ladder, ADA, begun.id),
    ):
        pass
    assert (await send(ladder, begun.id, 3, b"def")).offset == 6
    with finished_upload(ladder, ADA, begun.id) as file:
        assert file.read_bytes() == b"abcdef"
        assert oct(file.stat().st_mode & 0o777) == oct(0o600)
        assert oct(file.parent.stat().st_mode & 0o777) == oct(0o700)
    assert there(ladder) == []


async def test_what_has_come_stays_when_the_sender_is_gone_and_it_goes_on_from_there(ladder: Ladder) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"abc"
        raise ConnectionError

    begun = begin_upload(ladder, ADA, 6)
    with pytest.raises(ConnectionError):
        await go_on(ladder, ADA, begun.id, 0, broken())
    assert upload(ladder, ADA, begun.id).offset == 3
    assert (await send(ladder, begun.id, 3, b"def")).offset == 6


@pytest.mark.parametrize("offset", [0, 2, 4, 6, 10**12])
async def test_another_offset_than_the_one_that_was_reached_is_a_conflict(ladder: Ladder, offset: int) -> None:
    begun = begin_upload(ladder, ADA, 6)
    await send(ladder, begun.id, 0, b"abc")
    with pytest.raises(Conflict, match=f"^3 bytes .* not {offset}"):
        await send(ladder, begun.id, offset, b"def")
    assert upload(ladder, ADA, begun.id).offset == 3


async def test_of_two_senders_one_is_told_to_wait(ladder: Ladder) -> None:
    begun = begin_upload(ladder, ADA, 6)
    has_begun, may_end = asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"abc"
        has_begun.set()
        await may_end.wait()
        yield b"def"

    sending = asyncio.create_task(go_on(ladder, ADA, begun.id, 0, slow()))
    await has_begun.wait()
    with pytest.raises(Conflict, match="Another request is sending"):
        await send(ladder, begun.id, 3, b"DEF")
    with pytest.raises(Conflict, match="or submitting this"), finished_upload(ladder, ADA, begun.id):
        pass
    may_end.set()
    assert (await sending).offset == 6
    with finished_upload(ladder, ADA, begun.id) as file:
        assert file.read_bytes() == b"abcdef"


async def test_more_than_was_announced_is_not_taken(ladder: Ladder) -> None:
    begun = begin_upload(ladder, ADA, 4)
    with pytest.raises(UserError, match="the announced 4 bytes"):
        await send(ladder, begun.id, 0, b"abc", b"def")
    assert upload(ladder, ADA, begun.id).offset == 3
    assert (await send(ladder, begun.id, 3, b"d")).offset == 4


def test_more_than_the_ladder_takes_is_refused_before_it_is_sent(ladder: Ladder) -> None:
    assert begin_upload(ladder, ADA, 200_000).bytes == 200_000
    with pytest.raises(UserError, match=r"has 200,001 bytes, .* 200,000"):
        begin_upload(ladder, ADA, 200_001)
    assert len(there(ladder)) == 1


ASK: dict[str, Callable[[Ladder, Viewer, str], object]] = {
    "read": upload,
    "send": lambda ladder, viewer, name: asyncio.run(send(ladder, name, 0, b"abc", viewer=viewer)),
    "submit": lambda ladder, viewer, name: finished_upload(ladder, viewer, name).__enter__(),
    "give up": give_up,
}


@pytest.mark.parametrize("how", ASK)
@pytest.mark.parametrize("viewer", [BEN, OLGA], ids=["stranger", "organiser"])
def test_to_others_an_upload_is_not_there(ladder: Ladder, how: str, viewer: Viewer) -> None:
    begun = begin_upload(ladder, ADA, 3)
    with pytest.raises(LadderError, match=NONE) as theirs:
        ASK[how](ladder, viewer, begun.id)
    with pytest.raises(LadderError, match=NONE) as nobodys:
        ASK[how](ladder, viewer, "0" * 32)
    assert str(theirs.value) == str(nobodys.value)
    assert upload(ladder, ADA, begun.id).offset == 0


@pytest.mark.parametrize("how", ASK)
@pytest.mark.parametrize("name", ["", ".", "..", "../ladder.db", "a" * 31, "A" * 32, "0" * 32 + "\n", "0" * 32 + "/x"])
def test_a_name_that_is_none_leads_nowhere(ladder: Ladder, how: str, name: str) -> None:
    begin_upload(ladder, ADA, 3)
    with pytest.raises(LadderError, match=NONE):
        ASK[how](ladder, ADA, name)
    assert len(there(ladder)) == 1


def test_an_account_has_few_uploads_at_once_and_may_give_one_up(ladder: Ladder) -> None:
    begun = [begin_upload(ladder, ADA, 3) for _ in range(MAX_OPEN)]
    with pytest.raises(TooOften, match=f"{MAX_OPEN} of your uploads") as caught:
        begin_upload(ladder, ADA, 3)
    assert caught.value.seconds == 60
    begin_upload(ladder, BEN, 3)
    give_up(ladder, ADA, begun[0].id)
    begin_upload(ladder, ADA, 3)


def test_what_nobody_goes_on_with_is_gone_after_a_day(ladder: Ladder, clock: Clock) -> None:
    begun = [begin_upload(ladder, ADA, 3) for _ in range(MAX_OPEN)]
    clock.now += LASTS_SECONDS + 60
    with pytest.raises(LadderError, match=NONE):
        upload(ladder, ADA, begun[0].id)
    os.utime(there(ladder)[0], (clock.now, clock.now))
    begin_upload(ladder, BEN, 3)
    assert len(there(ladder)) == 2


def test_an_upload_that_is_not_taken_is_gone_and_one_that_could_not_be_is_there(ladder: Ladder) -> None:
    bad, good = (begin_upload(ladder, ADA, 1) for _ in range(2))
    for begun in (bad, good):
        asyncio.run(send(ladder, begun.id, 0, b"x"))
    with pytest.raises(BotRejected), finished_upload(ladder, ADA, bad.id):
        raise BotRejected("It holds a link.")
    with pytest.raises(TooOften), finished_upload(ladder, ADA, good.id):
        raise TooOften("Three of yours wait.")
    with pytest.raises(LadderError, match=NONE):
        upload(ladder, ADA, bad.id)
    assert upload(ladder, ADA, good.id).offset == 1


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file of this process grows beyond 100 KiB: a disk that is full, as far as an upload can tell."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100 * 1024, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_is_said_in_a_sentence_and_what_came_stays(ladder: Ladder, small_files: None) -> None:
    begun = begin_upload(ladder, ADA, 150_000)
    with pytest.raises(SandboxError, match="made: File too large"):
        asyncio.run(send(ladder, begun.id, 0, bytes(90_000), bytes(60_000)))
    assert upload(ladder, ADA, begun.id).offset == 100 * 1024


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
    with pytest.raises(LadderError, match="a bot of ada's"):
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
        (row,) = submission_rows(session, ("ada",), None, 10)
    assert (row.status, row.phase, row.result) == ("refused", "ended", found)
