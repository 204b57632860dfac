"""
An account's data: given to its owner, moved to another name, removed.

Matches, ratings, and chains of events hold no name of an account: they name bots, and owners by their codes
(`ladder.values.names.owner_code`). So both can be verified whatever becomes of an account. Functions that rename or
remove need a transaction that writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, exists, func, or_, select, text, update

from ladder.entry.claims import check_account_name, check_new_name, skeleton
from ladder.errors import LadderError
from ladder.store.account_models import (
    Account,
    AuditEntry,
    Credential,
    FormerName,
    Invitation,
    StoredSubmission,
    TeamInvitation,
)
from ladder.store.account_names import account_of, check_not_former, find_account, hash_of_name
from ladder.store.commands.accounts import forget_confirmed
from ladder.store.commands.computations import rename_in_computations
from ladder.store.commands.entries import OWNER, PLAYING, entries_of
from ladder.store.commands.event_entries import withdraw_from_event
from ladder.store.commands.event_news import announce_event
from ladder.store.commands.groups import remove_unused_groups
from ladder.store.commands.people_tables import end_table, remove_tables
from ladder.store.commands.studies import remove_study
from ladder.store.commands.submission_queue import SUBMISSIONS
from ladder.store.commands.suspending import set_state
from ladder.store.commands.teams import disband
from ladder.store.computing_models import Computation, StoredPuzzleAnswer
from ladder.store.event_models import EventEntry
from ladder.store.mail_models import Letter, MailAddress
from ladder.store.models import (
    FinishedSeason,
    Owner,
    State,
    Status,
    StoredBot,
    StoredEvent,
    StoredMatch,
    StoredSeat,
    Version,
)
from ladder.store.personal_columns import (
    ACCOUNT,
    ACCOUNT_DETAILS,
    NAMES,
    VISITORS,
    audited_on,
    audited_with,
    own_standings,
    personal_rows,
)
from ladder.store.study_models import Study
from ladder.store.table_models import OPEN, PeopleChair, PeopleTable
from ladder.store.turns import open_submissions
from ladder.values.accounts import Role
from ladder.values.names import owner_code
from ladder.values.people import ChairKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.orm import Session

GONE = "–"
"""Stands where a person was named that has deleted its account."""
LEFT = "Its owner has left the ladder."
ENDED = "A player of this table has left the ladder."


def personal_data(session: Session, name: str) -> dict[str, list[dict[str, Any]]]:
    """
    Read all rows that are about an account, by table, without secrets; a transaction that reads will do.

    Raises:
        LadderError: If there is no such account.
    """
    owner = session.get_one(Owner, find_account(session, name).owner_id)
    found: dict[str, list[dict[str, Any]]] = {}
    for rows in personal_rows(owner):
        there = found.setdefault(rows.model.__tablename__, [])
        there.extend(dict(row._mapping) for row in session.execute(rows.select()))
    seasons = session.scalars(select(FinishedSeason).order_by(FinishedSeason.variant, FinishedSeason.number))
    found[FinishedSeason.__tablename__] = [
        {"variant": each.variant, "name": each.name, **line} for each in seasons for line in own_standings(each, name)
    ]
    return found


def rename_account(session: Session, name: str, new: str, now: float) -> list[int]:
    """
    Give an account another name, in all rows; the old one is kept for it.

    Returns:
        The tables of people whose records name the account.

    Raises:
        LadderError: If there is no such account, it has a seat at a table that has not ended, whose record is being
            written, or the new name cannot be, is taken, or looks like one that is.
    """
    owner = session.get_one(Owner, find_account(session, name).owner_id)
    seated = select(PeopleChair.table_id).where(PeopleChair.account == name)
    if session.scalar(select(PeopleTable.id).where(PeopleTable.id.in_(seated), text(OPEN)).limit(1)) is not None:
        raise LadderError(f"{name!r} has a seat at a table that has not ended. Play it to its end, or leave it, first.")
    check_account_name(new)
    if account_of(session, new) is not None:
        raise LadderError(f"There is an account {new!r} already. Choose another name.")
    open_ones = Invitation.name.is_not(None), Invitation.used.is_(None), Invitation.expires > now
    reserved = session.scalars(select(Invitation.name).where(*open_ones, Invitation.name != name))
    others = {*session.scalars(select(Owner.name).where(Owner.id != owner.id)), *map(str, reserved)}
    if new in others:
        raise LadderError(f"The name {new!r} is taken. Choose another name.")
    check_new_name(new, "an account", others)
    check_not_former(session, new, owner.id)
    return _rename(session, owner, new, now)


def _rename(session: Session, owner: Owner, new: str, now: float) -> list[int]:
    old = owner.name
    if session.get(FormerName, hash_of_name(old)) is None:
        session.add(FormerName(hash=hash_of_name(old), owner_id=owner.id))
    owner.name, owner.skeleton, owner.renamed = new, skeleton(new), now
    session.flush()
    tables = list(session.scalars(select(PeopleChair.table_id).where(PeopleChair.account == old)))
    shown = PeopleChair.account == old, PeopleChair.name == old
    session.execute(update(PeopleChair).where(*shown).values(name=new))
    for column in NAMES:
        session.execute(update(column.class_).where(column == old).values({column.key: new}))
    for column in VISITORS:
        session.execute(update(column.class_).where(column == ACCOUNT + old).values({column.key: ACCOUNT + new}))
    rename_in_computations(session, old, new)
    session.execute(update(AuditEntry).where(audited_on(old)).values(subject=new))
    for entry in session.scalars(select(AuditEntry).where(audited_with(old))):
        named = {key: new for key in ACCOUNT_DETAILS if entry.details.get(key) == old}
        entry.details = entry.details | named
    for season in session.scalars(select(FinishedSeason)):
        if own_standings(season, old):
            lines = [
                each | {"owner": new} if each.get("owner") == old else each for each in season.standings["standings"]
            ]
            season.standings = season.standings | {"standings": lines}
    session.flush()
    return tables


@dataclass(frozen=True)
class Leftovers:
    """Files of an account that has just been deleted."""

    pseudonym: str
    owner: int
    submissions: tuple[str, ...]
    """Folders of submissions."""
    removed_tables: tuple[int, ...]
    """Tables of people whose rows are gone."""
    shared_tables: tuple[int, ...]
    """Tables of people that others have played at, too: their records name the person."""


def check_may_leave(session: Session, name: str) -> None:
    """
    Make sure that an organiser remains.

    Raises:
        LadderError: If the account is the only one of an organiser.
    """
    account = find_account(session, name)
    others = exists().where(Account.role == Role.ORGANISER, Account.owner_id != account.owner_id)
    if account.role == Role.ORGANISER and not session.scalar(select(others.where(Account.disabled.is_(None)))):
        raise LadderError(f"{name!r} is the only organiser. Make another one first: pigpen account role NAME organiser")


def delete_account(session: Session, name: str, now: float) -> Leftovers:
    """
    Remove an account: all rows that are about the person alone, and the name wherever else it stands.

    Its bots retire, and leave events that are not over. Results stay, and name the bots; their owner is called
    `deleted-NUMBER` from now on.

    Raises:
        LadderError: If there is no such account.
    """
    account = find_account(session, name)
    owner = session.get_one(Owner, account.owner_id)
    folders = tuple(_end_submissions(session, name, now))
    _leave_matches(session, owner, now)
    removed, shared = _leave_tables(session, name, now)
    for study in session.scalars(select(Study).where(Study.owner_id == owner.id)).all():
        remove_study(session, study)
    session.execute(delete(StoredPuzzleAnswer).where(StoredPuzzleAnswer.visitor == ACCOUNT + name))
    session.execute(update(Computation).where(Computation.visitor == ACCOUNT + name).values(visitor=""))
    session.execute(delete(Credential).where(Credential.owner_id == owner.id))
    session.execute(delete(Letter).where(Letter.owner_id == owner.id))
    session.execute(delete(MailAddress).where(MailAddress.owner_id == owner.id))
    forget_confirmed(session, owner.id)
    session.execute(delete(Invitation).where(or_(Invitation.name == name, Invitation.used_by == name)))
    session.execute(delete(TeamInvitation).where(or_(TeamInvitation.by == name, TeamInvitation.used_by == name)))
    disband(session, account)
    open_ones = Invitation.by == name, Invitation.used.is_(None), Invitation.expires > now
    session.execute(update(Invitation).where(*open_ones).values(expires=now))
    _forget_actions(session, name)
    session.delete(account)
    remove_unused_groups(session, now)
    owner.leftover = True
    pseudonym = _pseudonym(session, owner.id)
    _rename(session, owner, pseudonym, now)
    return Leftovers(pseudonym, owner.id, folders, tuple(removed), tuple(shared))


def _pseudonym(session: Session, owner: int) -> str:
    name, number = f"deleted-{owner}", 1
    while session.scalar(select(Owner.id).where(or_(Owner.name == name, Owner.skeleton == skeleton(name)))) is not None:
        number += 1
        name = f"deleted-{owner}-{number}"
    return name


def _end_submissions(session: Session, name: str, now: float) -> Iterator[str]:
    """Withdraw what has not ended, and remove all rows; gives their folders."""
    for row in open_submissions(session):
        if row.owner == name:
            SUBMISSIONS.end(session, row, "withdrawn", now, LEFT)
    mine = StoredSubmission.owner == name
    yield from filter(None, session.scalars(select(StoredSubmission.folder).where(mine)).all())
    session.execute(delete(StoredSubmission).where(mine))


def _leave_matches(session: Session, owner: Owner, now: float) -> None:
    """Take the bots of an owner out of the matches to come, and out of events."""
    bots = session.scalars(select(StoredBot).where(StoredBot.owner_id == owner.id)).all()
    for bot in bots:
        bot.tables = False
        for entry in entries_of(session, bot.id):
            if entry.state in PLAYING:
                set_state(session, entry, State.RETIRED, OWNER, LEFT, now)
        session.execute(update(Version).where(Version.bot_id == bot.id).values(source=bot.name))
    code = owner_code(owner.id)
    entered = select(StoredEvent, EventEntry.name).join(EventEntry, EventEntry.event_id == StoredEvent.id)
    for event, entrant in session.execute(entered.where(EventEntry.owner == code, StoredEvent.state != "over")).all():
        try:
            withdraw_from_event(session, event, entrant, code)
        except LadderError:  # it has left already
            continue
        announce_event(session, event, now, code)
    session.flush()


def _leave_tables(session: Session, name: str, now: float) -> tuple[list[int], list[int]]:
    """End open tables; give those that no other person has played at, whose rows are removed, and the others."""
    seated = select(PeopleChair.table_id).where(PeopleChair.account == name)
    mine = or_(PeopleTable.owner == name, PeopleTable.id.in_(seated))
    for row in session.scalars(select(PeopleTable).where(mine, text(OPEN))).all():
        end_table(session, row, ENDED, now)
    removed, shared = [], []
    for table in session.scalars(select(PeopleTable).where(mine).order_by(PeopleTable.id)).all():
        chairs = session.scalars(select(PeopleChair).where(PeopleChair.table_id == table.id)).all()
        people = [each for each in chairs if each.kind == ChairKind.PERSON and each.joined is not None]
        if all(each.account == name for each in people):
            removed.append(table.id)
            continue
        shared.append(table.id)
        for chair in (each for each in people if each.account == name):
            chair.account, chair.name, chair.secret_hash = None, GONE, None
        if table.owner == name:
            table.owner, table.guest = None, ""
    session.flush()
    remove_tables(session, removed)
    return removed, shared


def _forget_actions(session: Session, name: str) -> None:
    """Remove from the audit log from where the person came, and what was written about the person in words."""
    for entry in session.scalars(select(AuditEntry).where(AuditEntry.actor == name)):
        entry.address = ""
    about = or_(AuditEntry.actor == name, audited_on(name), audited_with(name))
    for entry in session.scalars(select(AuditEntry).where(about)):
        entry.details = {
            key: value for key, value in entry.details.items() if key in ACCOUNT_DETAILS or not isinstance(value, str)
        }
    session.flush()


def unsettled_owners(session: Session) -> list[int]:
    """Read the owners of deleted accounts of whom files are still there; a transaction that reads will do."""
    return list(session.scalars(select(Owner.id).where(Owner.leftover)))


@dataclass(frozen=True)
class OwnedFiles:
    """Files of the bots of an owner who has left."""

    outputs: tuple[tuple[int, int, int], ...]
    """Match, attempt and seat of what the bots have printed."""
    programs: tuple[str, ...]
    """Identities of programs that no other owner's bot has."""
    in_use: bool
    """True if matches that are not over, or events, still need the programs."""


def files_of_owner(session: Session, owner: int) -> OwnedFiles:
    """Find the files of an owner's bots; a transaction that reads will do."""
    bots = select(StoredBot.id).where(StoredBot.owner_id == owner)
    mine = select(Version.id).where(Version.bot_id.in_(bots))
    done = select(StoredMatch.id, StoredMatch.attempt, StoredSeat.seat).join(
        StoredSeat, StoredSeat.match_id == StoredMatch.id
    )
    done = done.where(StoredSeat.version_id.in_(mine), StoredMatch.status == Status.DONE, StoredMatch.record_kept)
    waiting = exists().where(
        StoredSeat.match_id == StoredMatch.id,
        StoredSeat.version_id.in_(mine),
        StoredMatch.status.in_((Status.QUEUED, Status.LEASED)),
    )
    in_events = exists().where(
        EventEntry.event_id == StoredEvent.id, EventEntry.version_id.in_(mine), StoredEvent.state != "over"
    )
    others = select(Version.identity).where(Version.bot_id.not_in(bots))
    alone = select(Version.identity).where(Version.bot_id.in_(bots), Version.identity.not_in(others)).distinct()
    return OwnedFiles(
        tuple((match, attempt, seat) for match, attempt, seat in session.execute(done.order_by(StoredMatch.id))),
        tuple(session.scalars(alone)),
        bool(session.scalar(select(or_(waiting, in_events)))),
    )


def settle_owner(session: Session, owner: int) -> None:
    """Note that nothing of an owner who has left is on the disk; the registry's images are named by no version."""
    bots = select(StoredBot.id).where(StoredBot.owner_id == owner)
    session.execute(update(Version).where(Version.bot_id.in_(bots)).values(pinned=None))
    session.get_one(Owner, owner).leftover = False


def bots_named_like(session: Session, name: str) -> Sequence[str]:
    """Find the account's bots in whose names its own name occurs: those stay; a transaction that reads will do."""
    mine = select(StoredBot.name).join(Owner, Owner.id == StoredBot.owner_id).where(Owner.name == name)
    return session.scalars(mine.where(func.lower(StoredBot.name).contains(name.lower(), autoescape=True))).all()


def forget_old(session: Session, addresses: float, entries: float | None, now: float) -> None:
    """
    Remove what is kept for a time.

    Args:
        session: A transaction that writes.
        addresses: Unix time; addresses of older entries of the audit log are removed.
        entries: Unix time; older entries of the audit log are removed; None: none is.
        now: Unix time.
    """
    session.execute(update(AuditEntry).where(AuditEntry.at < addresses, AuditEntry.address != "").values(address=""))
    session.execute(delete(Credential).where(Credential.expires < addresses))
    session.execute(delete(Invitation).where(Invitation.used.is_(None), Invitation.expires < addresses))
    remove_unused_groups(session, now)
    if entries is not None:
        session.execute(delete(AuditEntry).where(AuditEntry.at < entries))
