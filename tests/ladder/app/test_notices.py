"""Letters about bots, submissions, events and deadlines are written to those whom they concern."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app import personal_data
from ladder.app.accounts import mail
from ladder.app.deadlines import lift_deadline, set_deadline
from ladder.app.event import holding
from ladder.app.ladder import Ladder
from ladder.store.account_models import SubmissionStatus
from ladder.store.account_names import find_account
from ladder.store.commands import letters as outbox
from ladder.store.commands.letters import DAY
from ladder.store.commands.notices import notice_deadlines
from ladder.store.commands.submission_queue import SUBMISSIONS, withdraw
from ladder.store.commands.suspending import resume_entries, suspend_entries
from ladder.store.lookup import find_version
from ladder.store.mail_models import Letter, MailAddress
from ladder.store.models import Owner, StoredBot
from ladder.values.accounts import LOCAL
from ladder.values.mail import NOTICES, LetterKind
from tests.ladder.accounts import add_person
from tests.ladder.app.event_ladders import open_cup
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter
from tests.ladder.mail.servers import SENDER, SITE
from tests.ladder.store.handed_in import hand_in

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.account_models import StoredSubmission
    from ladder.store.database import Database

__all__ = ["backend"]


@pytest.fixture
def ladder(settings: Settings, database: Database) -> Ladder:
    changed = {"mail_host": "127.0.0.1", "mail_sender": SENDER, "site_url": SITE, "sandbox": "process"}
    return Ladder(settings.model_copy(update=changed), database, lambda: NOW)


def add_with_address(ladder: Ladder, name: str, language: str = "en") -> None:
    """Make an account with a confirmed address that wants every letter."""
    add_person(ladder, name)
    mail.ask_for(ladder, LOCAL, name, f"{name}@mail.example", language)
    mail.choose(ladder, LOCAL, name, NOTICES, language)
    with ladder.database.write() as session:
        row = session.get_one(MailAddress, find_account(session, name).owner_id)
        row.address, row.pending, row.confirmed = row.pending, None, NOW
        outbox.forget_letters(session, row.owner_id)


def written(ladder: Ladder) -> list[tuple[str | None, str, str]]:
    """Give address, kind and language of all letters."""
    with ladder.database.read() as session:
        rows = session.scalars(select(Letter).order_by(Letter.id)).all()
        return [(row.address, row.kind, row.language) for row in rows]


def test_the_owner_of_a_suspended_bot_gets_a_letter_each_time(ladder: Ladder) -> None:
    add_with_address(ladder, "ada", "zh")
    add_with_address(ladder, "ben")
    with ladder.database.write() as session:
        enter(session, "Trotter", "gongzhu", owner="ada")
    for number in range(2):
        with ladder.database.write() as session:
            version = find_version(session, "Trotter")
            suspend_entries(session, version, "gongzhu", "It fails.\nAlways.", NOW + number)
            resume_entries(session, version, None, NOW + number)
    assert written(ladder) == [("ada@mail.example", "suspended", "zh")] * 2


@pytest.mark.parametrize("status", list(SubmissionStatus))
def test_the_end_of_a_submission_is_written_to_its_owner(ladder: Ladder, status: SubmissionStatus) -> None:
    add_with_address(ladder, "ada")
    add_with_address(ladder, "ben")
    (number,) = hand_in(ladder.database, "ada")
    with ladder.database.write() as session:
        row: StoredSubmission = session.get_one(SUBMISSIONS.row, number)
        if status == SubmissionStatus.WITHDRAWN:
            withdraw(session, number, NOW)
        elif status not in (SubmissionStatus.QUEUED, SubmissionStatus.LEASED):
            SUBMISSIONS.end(session, row, status, NOW)
    is_written = status in (SubmissionStatus.ENTERED, SubmissionStatus.REFUSED, SubmissionStatus.FAILED)
    assert written(ladder) == [("ada@mail.example", "submission", "en")] * is_written


def test_a_ladder_without_addresses_writes_nothing(ladder: Ladder) -> None:
    add_person(ladder, "ada")
    with ladder.database.write() as session:
        enter(session, "Trotter", "gongzhu", owner="ada")
        suspend_entries(session, find_version(session, "Trotter"), None, "It fails.", NOW)
    assert not written(ladder)


def test_entrants_get_a_letter_when_it_begins_and_for_each_round(ladder: Ladder) -> None:
    open_cup(ladder)
    owners = {}
    with ladder.database.write() as session:
        for bot in session.scalars(select(StoredBot).where(StoredBot.name.startswith("Bot-"))).all():
            owner = session.get_one(Owner, bot.owner_id)
            owner.name = owners[bot.name] = f"player-{bot.id}"
    first, second, third, *_ = sorted(owners.values())
    for name in (first, second, third, "stranger"):
        add_with_address(ladder, name)
    mail.choose(ladder, LOCAL, second, [LetterKind.EVENT], "en")
    mail.choose(ladder, LOCAL, third, [], "en")
    holding.freeze(ladder, LOCAL, "cup")
    assert not written(ladder)
    holding.start(ladder, LOCAL, "cup")
    found = written(ladder)
    assert sorted(address or "" for address, kind, _ in found if kind == "event") == [
        f"{first}@mail.example",
        f"{second}@mail.example",
    ]
    assert [address for address, kind, _ in found if kind == "round"] == [f"{first}@mail.example"]
    with ladder.database.read() as session:
        row = session.scalars(select(Letter).where(Letter.kind == "round")).one()
        assert (row.data["event"], row.data["number"], owners[row.data["bots"]]) == ("cup", 1, first)


def test_a_deadline_that_comes_near_is_written_once_to_all(ladder: Ladder) -> None:
    add_with_address(ladder, "ada")
    add_with_address(ladder, "ben", "zh")
    mail.choose(ladder, LOCAL, "ben", [LetterKind.EVENT], "zh")
    add_with_address(ladder, "cara", "zh")
    set_deadline(ladder, LOCAL, NOW + 3 * DAY)
    for after, count in ((0.0, 0), (2 * DAY - 1, 0), (2 * DAY, 2), (2 * DAY + 60, 2), (3 * DAY + 1, 2)):
        with ladder.database.write() as session:
            notice_deadlines(session, NOW + after)
        assert len(written(ladder)) == count
    assert written(ladder) == [("ada@mail.example", "deadline", "en"), ("cara@mail.example", "deadline", "zh")]
    lift_deadline(ladder, LOCAL)
    set_deadline(ladder, LOCAL, NOW + 3 * DAY + 3600)
    with ladder.database.write() as session:
        notice_deadlines(session, NOW + 2.5 * DAY)
    assert len(written(ladder)) == 4, "another time is another reason"


def test_a_renamed_account_keeps_its_letters(ladder: Ladder) -> None:
    add_with_address(ladder, "ada")
    personal_data.rename(ladder, LOCAL, "ada", "countess")
    (number,) = hand_in(ladder.database, "countess")
    with ladder.database.write() as session:
        SUBMISSIONS.end(session, session.get_one(SUBMISSIONS.row, number), SubmissionStatus.REFUSED, NOW)
    assert written(ladder) == [("ada@mail.example", "submission", "en")]
