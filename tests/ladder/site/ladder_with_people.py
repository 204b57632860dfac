"""A ladder with people: contestants with bots and submissions in every state, an organiser, a quarantined match."""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import update

from ladder.app.accounts import managing
from ladder.app.cluster import worker_states
from ladder.app.ladder import Ladder
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.account_models import StoredSubmission, SubmissionStatus
from ladder.store.commands import submission_queue as submissions
from ladder.store.commands.queue import MATCHES
from ladder.store.commands.submission_queue import SUBMISSIONS
from ladder.store.leases import Lease
from ladder.values.accounts import LOCAL, Role
from ladder.values.cluster import WorkerState
from ladder.values.submission import EnteredVariant, Failure, SubmissionOrder, SubmissionResult
from tests.ladder import ladders
from tests.ladder.cluster_rows import add_workers, seen
from tests.ladder.every_database import ON_POSTGRESQL
from tests.ladder.ladders import recorded_match
from tests.ladder.site.person import PASSWORD, quick_passwords

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings

PEOPLE = {"ada": Role.CONTESTANT, "bob": Role.CONTESTANT, "olga": Role.ORGANISER}
PRINTED = "I hold the <b>queen</b>.\n\x1b[2Jnothing"
AGAIN = "pigpen check ./mud --variant gongzhu"


@dataclass(frozen=True)
class PeopleLadder:
    """The ladder, and the numbers of what is in it."""

    ladder: Ladder
    match: int
    """Done: seat 0 is ada's Trotter, which printed `PRINTED`; the others are other people's."""
    aside: int
    """Quarantined."""
    queued: int
    leased: int
    entered: int
    refused: int
    """Submissions of ada's."""
    of_bob: int
    """One of bob's, which waits."""


def ladder_with_people(settings: Settings) -> PeopleLadder:
    """Make it, from a copy; the caller closes the ladder's database."""
    if ON_POSTGRESQL:
        ladder = Ladder.open(settings, create=True).__enter__()
        numbers = _people(ladder)
    else:
        first = _made_once()
        shutil.copytree(first.folder.name, settings.data_dir, dirs_exist_ok=True)
        ladder = Ladder.open(settings).__enter__()
        numbers = first.numbers
    _add_workers(ladder)
    return PeopleLadder(ladder, *numbers)


@dataclass(frozen=True)
class _First:
    """A ladder that is only copied: making it takes ten times as long."""

    folder: tempfile.TemporaryDirectory[str]
    numbers: tuple[int, ...]


@cache
def _made_once() -> _First:
    folder = tempfile.TemporaryDirectory(prefix="people-")
    with Ladder.open(load_settings(data_dir=Path(folder.name)), create=True) as ladder:
        return _First(folder, _people(ladder))


def _people(ladder: Ladder) -> tuple[int, ...]:
    """Add all but the workers, which must have been seen a moment ago; gives what `PeopleLadder` has."""
    with ladder.database.write() as session:
        for bot, owner in (("Trotter", "ada"), ("Mud", "bob")):
            ladders.enter(session, bot, "gongzhu", owner=owner)
    match = recorded_match(ladder, ladders.played("gongzhu"), logs={0: (PRINTED, "", "", "")})
    for name, role in PEOPLE.items():
        managing.add_with_password(ladder, quick_passwords(), LOCAL, name, role, PASSWORD)
    with ladder.database.write() as session:
        session.execute(update(models.Version).values(sandbox="docker"))
        aside = _set_aside(session)
        now = ladder.clock()
        entered = _handed_in(session, "ada", "Trotter", now - 300)
        _end(session, entered.id, now, SubmissionStatus.ENTERED, _result("Trotter", accepted=True))
        refused = _handed_in(session, "ada", "mud", now - 200)
        _end(session, refused.id, now, SubmissionStatus.REFUSED, _result("mud", accepted=False))
        leased = _handed_in(session, "ada", "Sow", now - 100)
        row = submissions.lease(session, leased, "host:1", now, 3600.0)
        row.phase, row.done, row.steps = "trying", 3, 20
        waiting, of_bob = (_handed_in(session, owner, "Boar", now) for owner in ("ada", "bob"))
        return match, aside, waiting.id, leased.id, entered.id, refused.id, of_bob.id


def _add_workers(ladder: Ladder) -> None:
    now = ladder.clock()
    lately: dict[str, Any] = {"seen": now, "joined": now - 9000}
    add_workers(
        ladder,
        seen("barn", busy=4, tasks=812, speed=2210.4, last_match=1, **lately),
        seen("sty", {"certificate_ends": now + 86_400 * 12}, busy=3, tasks=640, voids=1, **lately),
        seen("byre", state=WorkerState.FAILING, reason="The <engine> does not answer.", voids=3, **lately),
        seen("loft", clock_skew=-3600, state=WorkerState.DRAINED, reason="3 lies.", lies=3, **lately),
        seen("coop", {"version": "0.1"}, state=WorkerState.TURNED_AWAY, reason="It has version 0.1.", **lately),
        seen("old", state=WorkerState.GONE, seen=now - 10**6, joined=now - 10**6),
    )
    worker_states.drain(ladder, LOCAL, "loft", "3 lies.")


def a_folder(name: str = "Farrow") -> bytes:
    """A bot's folder as people pack it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        text = b"from sample_bots.random_bot.bot import RandomBot as Bot\n"
        info = tarfile.TarInfo("./bot.py")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    return packed.getvalue()


def _handed_in(session: Session, owner: str, bot: str, now: float) -> StoredSubmission:
    order = SubmissionOrder(name=bot, source=bot.lower())
    return submissions.add(session, order, now, owner=owner, sandbox="docker", remote=True, size=1000)


def _end(session: Session, number: int, now: float, status: SubmissionStatus, result: SubmissionResult) -> None:
    row = session.get_one(StoredSubmission, number)
    submissions.lease(session, row, "host:1", now - 50, 60.0)
    row.result = result.model_dump(mode="json")
    SUBMISSIONS.end(session, row, status, now)


def _result(bot: str, accepted: bool) -> SubmissionResult:
    entry = EnteredVariant(variant="gongzhu", state="active", news="entered", elo=1512.0, retired=(f"{bot}@1",))
    failure = Failure(
        variant="gongzhu", where="deal 3, its decision 7", verdict="illegal",
        why="It played 2C, which it does not hold.", output=PRINTED, format="boards:1", rotation=1, decision=7,
    )  # fmt: skip
    return SubmissionResult(
        accepted=accepted, bot=bot, owner="ada", identity="0" * 64, pinned=None,
        version=f"{bot}@2" if accepted else None, new=True, changed=accepted, moved_from=None, outdated=(),
        variants=(entry,) if accepted else (), reasons=() if accepted else (failure,),
        again=None if accepted else AGAIN,
    )  # fmt: skip


def _set_aside(session: Session) -> int:
    versions = [ladders.enter(session, f"Piglet{number}", "gongzhu", owner="bob") for number in range(4)]
    match = ladders.queue(session, versions, "gongzhu", "9", "boards:1")
    attempt = ladders.lease(session, match)
    assert MATCHES.fail(session, Lease(match, attempt), ladders.NOW, "The <engine> did not answer.", for_good=True)
    return match
