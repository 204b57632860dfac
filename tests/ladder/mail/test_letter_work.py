"""Letters are sent at least once, whatever becomes of the server and of the process; a clock of the test's own."""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
import sys
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app.accounts import mail, managing
from ladder.app.accounts.registering import IS_TEAM
from ladder.app.deadlines import set_deadline
from ladder.app.ladder import Ladder
from ladder.errors import LadderError
from ladder.mail.letter_work import MAX_AT_ONCE, LetterRows, Letters
from ladder.mail.sending import mailing, send_once, send_test
from ladder.mail.smtp import Answer, Outcome
from ladder.results.files import WakeFile
from ladder.runner.lease_loop import LeaseLoop
from ladder.store.account_names import find_account
from ladder.store.commands import letters as outbox
from ladder.store.commands import mail_addresses
from ladder.store.commands.letters import DAY, MAX_REFUSALS, LetterLease, post_notice
from ladder.store.commands.notices import notice_deadlines
from ladder.store.commands.teams import join, make_team
from ladder.store.mail_models import Letter, MailAddress
from ladder.values.accounts import LOCAL
from ladder.values.mail import LetterKind
from tests.ladder.accounts import add_person
from tests.ladder.databases import backend
from tests.ladder.ladders import NOW
from tests.ladder.mail.servers import SENDER, SITE, mail_settings, smtp_server
from tests.ladder.virtual import Time
from tests.waiting import comes, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from ladder.settings.settings import Settings
    from ladder.store.database import Database

__all__ = ["backend"]

OK = Outcome(Answer.ACCEPTED, "accepted")
AWAY = Outcome(Answer.NO_SERVER, "The server could not be used: Connection refused.")
GREY = Outcome(Answer.LATER, "The server answered 451 4.7.1 Greylisted.")
UNKNOWN = Outcome(Answer.BAD_ADDRESS, "The server answered 550 5.1.1.")
MINUTE, HOUR = 60.0, 3600.0


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def ladder(settings: Settings, database: Database, clock: Time) -> Ladder:
    changed = settings.model_copy(update={"mail_host": "127.0.0.1", "mail_sender": SENDER, "site_url": SITE})
    made = Ladder(changed, database, clock)
    for name in ("ada", "ben"):
        add_person(made, name)
        give_address(made, name)
    return made


def give_address(ladder: Ladder, name: str) -> None:
    """Give an account a confirmed address, `NAME@mail.example`."""
    mail.ask_for(ladder, LOCAL, name, f"{name}@mail.example", "en")
    with ladder.database.write() as session:
        row = session.get_one(MailAddress, find_account(session, name).owner_id)
        row.address, row.pending, row.confirmed = row.pending, None, NOW
        outbox.forget_letters(session, row.owner_id)


def write(ladder: Ladder, key: str, seconds: float = DAY, kind: LetterKind = LetterKind.SUBMISSION) -> None:
    """Write a notice to all."""
    data = {"bot": "Trotter", "number": 1, "status": "entered"}
    with ladder.database.write() as session:
        post_notice(session, kind, key, ladder.clock(), None, data, seconds)


def statuses(ladder: Ladder) -> list[str]:
    with ladder.database.read() as session:
        return list(session.scalars(select(Letter.status).order_by(Letter.id)))


class Server:
    """Notes what is sent, and answers as it is told."""

    def __init__(self) -> None:
        self.tries: list[tuple[float, str]] = []
        """Time and key of each attempt."""
        self.taken: list[str] = []
        self.answer = OK
        self.clock: Time | None = None
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def __call__(self, lease: LetterLease) -> Outcome:
        self.tries.append((self.clock.now - NOW if self.clock else 0.0, lease.key))
        await self.may_answer.wait()
        if self.answer is OK:
            self.taken.append(lease.key)
        return self.answer


@asynccontextmanager
async def sending(ladder: Ladder, server: Server, holder: str = "one") -> AsyncIterator[Callable[[], None]]:
    """A process that sends letters; gives what lets it look at once."""
    files = WakeFile(ladder.settings.data_dir / holder)
    key = bytes(32)
    rows = LetterRows(
        ladder.database,
        ladder.clock,
        ladder.settings.mail_a_day,
        lambda session, now: mail.answer_requests(session, key, now),
        notice_deadlines,
        holder,
    )
    task = asyncio.ensure_future(LeaseLoop([Letters(rows, files, server, random.Random(1), retry_seconds=0.01)]).run())
    try:
        yield files.wake
    finally:
        task.cancel()
        await asyncio.wait([task])
        rows.close()


async def test_each_letter_is_sent_once_and_leaves_no_address(ladder: Ladder) -> None:
    for key in ("1", "2", "1"):
        write(ladder, key)
    server = Server()
    async with sending(ladder, server):
        await comes(lambda: set(statuses(ladder)) == {"delivered"})
    assert len(server.taken) == len(set(server.taken)) == 4
    with ladder.database.read() as session:
        assert {(row.address, str(row.data)) for row in session.scalars(select(Letter))} == {(None, "{}")}
    write(ladder, "1")
    assert len(statuses(ladder)) == 4


async def turned(ladder: Ladder, clock: Time, server: Server, wake: Callable[[], None], to: float) -> None:
    """Let time pass until *to* seconds after the start, from one attempt to the next."""
    while True:
        await comes(lambda: "leased" not in statuses(ladder))
        with ladder.database.read() as session:
            due = [row.due for row in session.scalars(select(Letter)) if row.status == "queued"]
        if not due or min(due) - NOW > to:
            break
        if min(due) > clock.now:
            clock.now = min(due)
        before = len(server.tries)
        wake()
        await comes(lambda before=before: len(server.tries) > before)  # type: ignore[misc]
    clock.now = NOW + to


async def test_a_server_that_is_away_for_an_hour_gets_each_letter_once_then(ladder: Ladder, clock: Time) -> None:
    for number in range(20):
        write(ladder, str(number))
    server = Server()
    server.answer, server.clock = AWAY, clock
    async with sending(ladder, server) as wake:
        await turned(ladder, clock, server, wake, HOUR)
        tries = len(server.tries)
        assert set(statuses(ladder)) == {"queued"}
        with ladder.database.read() as session:
            found = outbox.mail_status(session, "", clock.now)
        assert (found.waiting, found.oldest_seconds, found.reason) == (40, HOUR, AWAY.sentence)
        server.answer = OK
        clock.now += 15 * MINUTE
        wake()
        await comes(lambda: set(statuses(ladder)) == {"delivered"})
    pauses = [later - sooner for (sooner, _), (later, _) in zip(server.tries, server.tries[1:tries], strict=False)]
    assert len(server.taken) == len(set(server.taken)) == 40
    assert tries < 14, "one letter is tried for all, after growing pauses"
    assert max(pauses) < 15 * MINUTE


async def test_a_letter_that_is_put_off_keeps_no_other_waiting(ladder: Ladder, clock: Time) -> None:
    write(ladder, "1")
    server = Server()
    server.answer, server.clock = GREY, clock
    async with sending(ladder, server) as wake:
        await comes(lambda: len(server.tries) == 2 and "leased" not in statuses(ladder))
        server.answer = OK
        write(ladder, "2")
        wake()
        await comes(lambda: statuses(ladder).count("delivered") == 2)
        assert statuses(ladder)[:2] == ["queued", "queued"]
        clock.now += 15.0
        wake()
        await comes(lambda: set(statuses(ladder)) == {"delivered"})


async def test_a_process_that_ends_between_sending_and_noting_sends_again(ladder: Ladder) -> None:
    """It errs to a letter too many, never to one too few; the second has the Message-ID of the first."""
    write(ladder, "1")
    first, second = Server(), Server()
    with ladder.database.write() as session:
        ended = outbox.claim(session, "gone", NOW, 60.0, 5, 100)
    async with sending(ladder, first):
        pass
    assert not first.tries, "its lease holds"
    with ladder.database.write() as session:
        outbox.LETTERS.requeue_dead(session, NOW, lambda holder: holder == "gone")
    async with sending(ladder, second):
        await comes(lambda: set(statuses(ladder)) == {"delivered"})
    assert sorted(second.taken) == sorted(lease.key for lease in ended)
    with ladder.database.write() as session:
        assert not any(outbox.accept(session, lease, NOW) for lease in ended), "what the first notes comes too late"


async def test_two_processes_send_each_letter_once(ladder: Ladder) -> None:
    server = Server()
    async with sending(ladder, server, "one"), sending(ladder, server, "two"):
        for number in range(10):
            write(ladder, str(number))
        await comes(lambda: set(statuses(ladder)) == {"delivered"})
    assert len(server.taken) == len(set(server.taken)) == 20


async def test_a_process_sends_few_letters_at_once(ladder: Ladder) -> None:
    server = Server()
    server.may_answer.clear()
    for number in range(5):
        write(ladder, str(number))
    async with sending(ladder, server) as wake:
        await comes(lambda: len(server.tries) == MAX_AT_ONCE)
        wake()
        await comes(lambda: statuses(ladder).count("leased") == MAX_AT_ONCE)
        assert len(server.tries) == MAX_AT_ONCE
        server.may_answer.set()
        await comes(lambda: set(statuses(ladder)) == {"delivered"})


async def test_an_address_that_is_not_there_gets_no_more_letters(ladder: Ladder, clock: Time) -> None:
    server = Server()
    server.answer = UNKNOWN
    async with sending(ladder, server) as wake:
        for number in range(MAX_REFUSALS):
            write(ladder, str(number))
            wake()
            await comes(lambda: set(statuses(ladder)) == {"given_up"})
    before = len(statuses(ladder))
    write(ladder, "more")
    assert len(statuses(ladder)) == before == 2 * MAX_REFUSALS
    with ladder.database.read() as session:
        row = mail_addresses.mail_of(session, "ada")
    assert row is not None
    assert row.is_refused


async def test_what_comes_too_late_is_not_sent(ladder: Ladder, clock: Time) -> None:
    write(ladder, "1", seconds=MINUTE)
    clock.now += 2 * MINUTE
    write(ladder, "2")
    server = Server()
    async with sending(ladder, server):
        await comes(lambda: statuses(ladder).count("delivered") == 2)
    assert statuses(ladder)[:2] == ["given_up", "given_up"]
    assert all(" 2 " in key for key in server.taken)


def test_a_day_has_so_many_letters_and_notices_leave_room_for_links(ladder: Ladder, clock: Time) -> None:
    for number in range(10):
        write(ladder, str(number))
    mail.ask_for(ladder, LOCAL, "ada", "new@mail.example", "en")
    with ladder.database.write() as session:
        leases = outbox.claim(session, "one", NOW, 60.0, 100, 10)
        assert [lease.kind for lease in leases].count(LetterKind.CONFIRM) == 1
        assert len(leases) == 9, "nine tenths of ten"
        for lease in leases:
            outbox.accept(session, lease, NOW)
        assert not outbox.claim(session, "one", NOW, 60.0, 100, 10)
    mail.ask_for(ladder, LOCAL, "ben", "new@mail.example", "en")
    mail.ask_for(ladder, LOCAL, "ben", "newer@mail.example", "en")
    with ladder.database.write() as session:
        assert len(outbox.claim(session, "one", NOW, 60.0, 100, 10)) == 1
    clock.now += DAY + 1
    with ladder.database.write() as session:
        outbox.LETTERS.requeue_dead(session, clock.now, lambda _: True)
    write(ladder, "tomorrow")
    with ladder.database.write() as session:
        assert len(outbox.claim(session, "one", clock.now, 60.0, 100, 10)) == 2


def test_old_rows_go(ladder: Ladder) -> None:
    write(ladder, "1")
    with ladder.database.write() as session:
        for lease in outbox.claim(session, "one", NOW, 60.0, 5, 100):
            outbox.accept(session, lease, NOW)
        outbox.tidy(session, NOW + outbox.DELIVERED_SECONDS - 1)
    assert len(statuses(ladder)) == 2
    with ladder.database.write() as session:
        outbox.tidy(session, NOW + outbox.DELIVERED_SECONDS + 1)
    assert not statuses(ladder)


def test_who_does_not_want_a_letter_gets_none(ladder: Ladder) -> None:
    write(ladder, "1", kind=LetterKind.ROUND)
    assert not statuses(ladder)
    write(ladder, "1")
    mail.choose(ladder, LOCAL, "ada", [LetterKind.ROUND], "en")
    with ladder.database.write() as session:
        (lease,) = outbox.claim(session, "one", NOW, 60.0, 5, 100)
    assert lease.address == "ben@mail.example"


def to_whom(ladder: Ladder, *kinds: LetterKind) -> list[str]:
    """Give the addresses of letters of these kinds that wait, sorted."""
    with ladder.database.read() as session:
        return sorted(map(str, session.scalars(select(Letter.address).where(Letter.kind.in_(kinds)))))


def test_a_disabled_account_gets_no_letter_but_warnings(ladder: Ladder, clock: Time) -> None:
    write(ladder, "1")
    mail.ask_for(ladder, LOCAL, "ada", "new@mail.example", "en")
    managing.disable(ladder, LOCAL, "ada", "It cheats.")
    write(ladder, "2", kind=LetterKind.DEADLINE)
    set_deadline(ladder, LOCAL, NOW + HOUR)
    with ladder.database.write() as session:
        notice_deadlines(session, clock())
    notices = LetterKind.SUBMISSION, LetterKind.DEADLINE
    assert to_whom(ladder, *notices) == ["ben@mail.example"] * 3
    assert to_whom(ladder, LetterKind.CONFIRM, LetterKind.ASKED) == ["ada@mail.example"]
    managing.enable(ladder, LOCAL, "ada")
    write(ladder, "3")
    assert to_whom(ladder, *notices) == ["ada@mail.example"] + ["ben@mail.example"] * 4


def test_a_disabled_member_gets_no_letter_about_the_teams_bots(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        team = make_team(session, "badgers", None, NOW)
        for name in ("ada", "ben"):
            join(session, find_account(session, name), team, 3, NOW)
    managing.disable(ladder, LOCAL, "ada", "It cheats.")
    with ladder.database.write() as session:
        team = find_account(session, "badgers")
        post_notice(session, LetterKind.SUBMISSION, "17", NOW, [team.owner_id], {"bot": "Trotter"})
    assert to_whom(ladder, LetterKind.SUBMISSION) == ["ben@mail.example"]


def test_a_team_has_no_address(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        make_team(session, "badgers", None, NOW)
    with pytest.raises(LadderError, match=re.escape(IS_TEAM.format(name="badgers"))):
        mail.ask_for(ladder, LOCAL, "badgers", "b@mail.example", "en")
    assert mail.mail_of(ladder, LOCAL, "badgers") is None
    assert not statuses(ladder)


def test_a_notice_about_the_bot_of_a_team_goes_to_its_members(ladder: Ladder) -> None:
    add_person(ladder, "cleo")
    give_address(ladder, "cleo")
    with ladder.database.write() as session:
        team = make_team(session, "badgers", None, NOW)
        for name in ("ada", "ben"):
            join(session, find_account(session, name), team, 3, NOW)
        post_notice(session, LetterKind.SUBMISSION, "17", NOW, [team.owner_id], {"bot": "Trotter"})
        found = session.scalars(select(Letter.address).where(Letter.kind == LetterKind.SUBMISSION)).all()
    assert sorted(map(str, found)) == ["ada@mail.example", "ben@mail.example"]


def test_a_run_sends_to_a_real_server(ladder: Ladder) -> None:
    write(ladder, "1")
    with smtp_server() as box:
        settings = mail_settings(ladder.settings.data_dir, box.port)
        real = Ladder(settings, ladder.database, ladder.clock)
        with mailing(real):
            until(lambda: set(statuses(ladder)) == {"delivered"})
        assert send_test(real, LOCAL, "olga@mail.example").accepted
    assert sorted(box.recipients) == ["ada@mail.example", "ben@mail.example", "olga@mail.example"]
    assert len({each["Subject"] for each in box.letters}) == 2


PROGRAM = """
import sys
from ladder.app.ladder import Ladder
from ladder.mail.sending import mailing
from threading import Event
from pathlib import Path
from tests.ladder.mail.servers import mail_settings

settings = mail_settings(Path(sys.argv[1]), int(sys.argv[3]), database_url=sys.argv[2])
with Ladder.open(settings) as ladder, mailing(ladder):
    Event().wait()
"""


def started(ladder: Ladder, port: int) -> subprocess.Popen[bytes]:
    """A process that sends letters, to be killed."""
    url = ladder.database.engine.url.render_as_string(hide_password=False)
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(ladder.settings.data_dir), url, str(port)])


def test_a_letter_whose_process_is_killed_comes_again_with_its_name(settings: Settings, database: Database) -> None:
    """It is killed after the server has taken the letter, and before it could note that: one letter too many."""
    ladder = Ladder(settings.model_copy(update={"mail_host": "127.0.0.1", "site_url": SITE}), database)
    add_person(ladder, "ada")
    give_address(ladder, "ada")
    write(ladder, "1")
    with smtp_server() as box:
        box.hangs.set()
        process = started(ladder, box.port)
        until(lambda: box.letters)
        process.kill()
        process.wait()
        assert statuses(ladder) == ["leased"]
        box.hangs.clear()
        process = started(ladder, box.port)
        until(lambda: statuses(ladder) == ["delivered"])
        process.kill()
        process.wait()
    first, again = box.letters
    assert first["Message-ID"] == again["Message-ID"]
    assert first.get_content() == again.get_content()


async def test_without_the_key_nothing_is_sent(ladder: Ladder) -> None:
    (ladder.settings.data_dir / "mail").mkdir(exist_ok=True)
    (ladder.settings.data_dir / "mail" / "key").write_text("not hex")
    write(ladder, "1")
    with ladder.database.write() as session:
        lease = outbox.claim(session, "one", NOW, 60.0, 5, 100)[0]
    outcome = await partial(send_once, ladder)(lease)
    assert (outcome.answer, "The key of e-mail" in outcome.sentence) == (Answer.NO_SERVER, True)
