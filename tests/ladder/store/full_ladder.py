"""A ladder with rows in every table, matches that were really played among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from ladder.store import models
from ladder.store.account_models import Account, FormerName, StoredSubmission, SubmissionStatus
from ladder.store.account_names import find_account
from ladder.store.cluster_models import StoredCoordinator, StoredWorker
from ladder.store.commands import studies, teams
from ladder.store.commands.accounts import add_account, add_credential, add_invitation, add_login_code, write_audit
from ladder.store.commands.estimates import refresh
from ladder.store.commands.groups import put_into_group
from ladder.store.commands.puzzles import answer_puzzle, keep_puzzles, next_look, note_look
from ladder.store.commands.results import record_summary
from ladder.store.commands.submission_queue import SUBMISSIONS
from ladder.store.computing_models import Computation
from ladder.store.event_models import EventEntry, EventLink, EventRound, EventTable
from ladder.store.lookup import code_of
from ladder.store.mail_models import Letter, MailAddress
from ladder.store.organiser_models import Announcement, Deadline
from ladder.store.table_models import PeopleChair, PeopleTable
from ladder.store.webhook_models import Webhook, WebhookMessage
from ladder.values.accounts import Role, Scope, Viewer
from ladder.values.studies import StudiedPosition
from tests.ladder.ladders import NOW, lease, queue, summary_of
from tests.ladder.puzzles import RIGHT, made_up
from tests.ladder.shown import a_ladder, seats_of, suspend
from tests.ladder.store.handed_in import hand_in

if TYPE_CHECKING:
    import random

    from sqlalchemy.orm import Session

    from ladder.store.database import Database

VARIANT = "gongzhu"
NOTE = "猪 \\ \t\n\x7f 'quoted' \"twice\" \u202e"
"""Text that a copy must keep unchanged."""


def fill(database: Database) -> dict[str, int]:
    """Fill a ladder that has nothing in it; give its bots' version ids."""
    with database.write() as session:
        versions = a_ladder(session, VARIANT, matches=6)
        suspend(session, versions["Mud"], NOTE, VARIANT)
        _add_people(session)
        _add_worker(session)
        _add_computation(session)
        _add_table(session, versions["Mud"])
        _add_puzzle(session)
        _add_study(session)
        _add_event(session, [*versions.values()][:4])
        _add_webhook(session)
        _add_mail(session)
        _add_season(session)
        withdrawn = queue(session, [*versions.values()][:4], VARIANT)
        session.execute(delete(models.StoredSeat).where(models.StoredSeat.match_id == withdrawn))
        session.execute(delete(models.StoredMatch).where(models.StoredMatch.id == withdrawn))
        left = queue(session, [*versions.values()][:4], VARIANT, "left in the queue")
        lost = versions["Mud"]
        session.add(models.VoidAttempt(match_id=left, variant=VARIANT, at=NOW - 0.125, version_id=lost))
    number, _ = hand_in(database, "ada", count=2)
    with database.write() as session:
        row = session.get_one(StoredSubmission, number)
        row.result = {"a": [1, 2.5, None], "猪": True}
        SUBMISSIONS.end(session, row, SubmissionStatus.REFUSED, NOW + 0.1, NOTE)
    refresh(database, VARIANT)
    return versions


def _add_study(session: Session) -> None:
    owner = find_account(session, "ada").owner_id
    study = studies.add_study(session, owner, NOTE, False, NOW)
    position = StudiedPosition(hands=NOTE, moves=NOTE, deal=3, leader=1)
    row = studies.add_position(session, study, VARIANT, position)
    row.title, row.comment = NOTE, NOTE
    studies.mark_puzzle(session, row, made_up(VARIANT), NOW)


def _add_season(session: Session) -> None:
    variant = session.get_one(models.Variant, VARIANT)
    session.add(
        models.FinishedSeason(
            variant=VARIANT, number=0, name=NOTE[:8], began=NOW - 9, ended=NOW - 8, after=0, last=0,
            clock={"bank": 60.0}, rules=variant.rules, standings={"standings": []},
        )
    )  # fmt: skip


def go_on(database: Database, versions: dict[str, int], rng: random.Random, count: int) -> None:
    """Play *count* more matches, whose bots and seeds follow from *rng*."""
    for number in range(count):
        seed = str(number % 10)
        with database.write() as session:
            match = queue(session, seats_of(versions, VARIANT, rng), VARIANT, seed)
            assert record_summary(session, match, lease(session, match), summary_of(VARIANT, seed), NOW + number)


def _add_people(session: Session) -> None:
    account = add_account(session, "ada", Role.CONTESTANT, NOW, is_reserved=True)
    put_into_group(session, account, "course", NOW)
    add_credential(session, account.owner_id, "token", "a" * 64, NOTE, list(Scope), NOW, NOW + 1.5)
    add_invitation(session, "b" * 64, Role.ORGANISER, None, NOTE, "ada", NOW, NOW + 1.5)
    add_login_code(session, "c" * 64, "ABCD-EFGH", NOTE, "127.0.0.1", NOW, NOW + 1.5)
    session.add(FormerName(hash="e" * 64, owner_id=account.owner_id))
    team = teams.make_team(session, "badgers", None, NOW)
    account.team_id, account.joined = team.owner_id, NOW
    teams.invite_to_team(session, team, "f" * 64, "ada", NOW, NOW + 1.5)
    write_audit(session, Viewer(name="ada", address="127.0.0.1"), "account.disable", NOTE, NOW, why=NOTE)
    session.add(Announcement(at=NOW, title=NOTE, text=NOTE))
    session.add(Deadline(variant=VARIANT, at=NOW + 1.5))


def _add_event(session: Session, versions: list[int]) -> None:
    event = models.StoredEvent(
        name="cup", file=NOTE, variant=VARIANT, rules={NOTE: 1}, seed="d" * 64, commitment="e" * 64,
        entrants_hash="f" * 64, beacon_value=NOTE, contributions="a" * 64, stand_in=NOTE, stand_in_identity=NOTE,
        stand_in_id=versions[0], state="paused", reason=NOTE, opened=NOW, frozen=NOW, started=NOW + 0.5,
        announced={
            "state": "paused", "stages": [0], "over": [], "shown": [], "redone": [], "left": [], "is_official": False,
        },
        results_at=NOW, official=NOW + 1, on_hold=True,
        unlisted=[{"name": NOTE, "version": 1, "owner": code_of(session, "ada"), "reason": "check-in", "by": ""}],
    )  # fmt: skip
    session.add(event)
    session.flush()
    session.add(
        EventEntry(
            event_id=event.id, number=1, version_id=versions[0], name=NOTE, rating=1.5, entered=NOW,
            owner=code_of(session, "ada"), left_after=1, identity=NOTE, commitment="1" * 64, nonce="2" * 64,
            has_own_nonce=True, checked_in=NOW, checked_in_by=code_of(session, "ada"),
        )
    )  # fmt: skip
    session.add(
        EventRound(
            event_id=event.id, number=1, stage=0, round=1, kind="round", boards=None, cost=[0, 1, 2], bound=[0, 0, 0],
            method="order", drawn=NOW,
        )
    )  # fmt: skip
    match = queue(session, versions, VARIANT, "of an event")
    session.get_one(models.StoredMatch, match).event_id = event.id
    session.get_one(models.StoredMatch, match).priority = models.EVENT_PRIORITY
    session.add(
        EventTable(
            event_id=event.id, round=1, number=1, turn=0, match_id=match, entrants=[1, -1, -2, -3],
            boards=[[1, -2, 3, 4]], deals=4, taken_over=[1], rulings=[{"last": [1], "reason": NOTE}], record="3" * 64,
            redo={"reason": NOTE, "by": code_of(session, "ada"), "at": NOW},
        )
    )  # fmt: skip
    session.add(EventLink(event_id=event.id, number=1, kind="event.opened", at=NOTE, data=NOTE, hash="4" * 64))


def _add_table(session: Session, version: int) -> None:
    """Add a table with people of which something is known in every column."""
    values = {str: NOTE[:8], int: 1, float: -0.125, bool: True, object: {"猪": [1, 2.5, None]}}
    words = {"status": "over", "purpose": "board", "kind": "bot", "table_id": 1, "version_id": version, "chair": 3}
    for model in (PeopleTable, PeopleChair):
        columns = model.__table__.columns
        plain = {each.name: values[each.type.python_type] for each in columns}
        session.add(model(**plain | {name: word for name, word in words.items() if name in columns}))
        session.flush()


def _add_puzzle(session: Session) -> None:
    found = next_look(session, NOW)
    if found is None:  # no record of it is kept
        session.get_one(models.StoredMatch, 1).record_kept = True
        found = next_look(session, NOW)
    assert found is not None
    note_look(session, found, NOW)
    keep_puzzles(session, found.id, [made_up(VARIANT)], NOW)
    answer_puzzle(session, 1, "account ada", RIGHT, True, NOW)


def _add_computation(session: Session) -> None:
    """Add a question of which something is known in every column."""
    values = {str: NOTE[:8], int: 3, float: -0.125, object: {"猪": [1, 2.5, None]}}
    columns = Computation.__table__.columns
    words = {"status": "ended", "lane": "long"}
    session.add(Computation(**{each.name: values[each.type.python_type] for each in columns} | words))


def _add_webhook(session: Session) -> None:
    """Add a webhook and a message, of which something is known in every column."""
    values = {str: NOTE[:8], int: 1, float: -0.125, object: [NOTE]}
    for model in (Webhook, WebhookMessage):
        columns = model.__table__.columns
        words = {"status": "delivered"} if "status" in columns else {}
        session.add(model(**{each.name: values[each.type.python_type] for each in columns} | words))
        session.flush()


def _add_mail(session: Session) -> None:
    """Add an address and a letter, of which something is known in every column."""
    values = {str: NOTE[:8], int: 1, float: -0.125, object: [NOTE]}
    owner = session.scalars(select(Account.owner_id)).first()
    for model in (MailAddress, Letter):
        columns = model.__table__.columns
        words = {"owner_id": owner} | ({"status": "delivered"} if "status" in columns else {})
        session.add(model(**{each.name: values[each.type.python_type] for each in columns} | words))
        session.flush()


def _add_worker(session: Session) -> None:
    """Add a worker of which something is known in every column, and its coordinator, which has ended long ago."""
    values = {str: "barn", int: 3, float: -0.125, object: {"猪": [1, 2.5, None]}}  # object: JSON
    columns = StoredWorker.__table__.columns
    session.add(StoredWorker(**{each.name: values[each.type.python_type] for each in columns} | {"wanted": "active"}))
    session.add(StoredCoordinator(holder="nobody", folder="f" * 32, joined=NOW - 0.125, seen=1.5))
