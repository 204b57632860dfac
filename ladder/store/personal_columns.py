"""
Columns that name an account: where its rows are, for its owner to have, to rename and to delete.

Rows are found by a key (the owner's id, or its code), or by the account's name in a column that holds such names. A
name is never looked for in other text: an account may be called `id`, or as another's bot is. A test goes through all
columns of all tables: each that can hold text is listed here, or is known to name no account.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Table, and_, or_, select

from ladder.store.account_models import (
    Account,
    AuditEntry,
    Credential,
    FormerName,
    Invitation,
    LoginCode,
    StoredSubmission,
    TeamInvitation,
)
from ladder.store.computing_models import Computation, StoredPuzzleAnswer
from ladder.store.event_models import EventEntry
from ladder.store.mail_models import Letter, MailAddress
from ladder.store.models import FinishedSeason, Owner, Rating, StateChange, StoredBot, Version
from ladder.store.study_models import Study, StudyPosition
from ladder.store.table_models import PeopleChair, PeopleTable
from ladder.values.names import owner_code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import InstrumentedAttribute

    from ladder.store.models import Base

NAMES: tuple[InstrumentedAttribute[Any], ...] = (
    Invitation.name,
    Invitation.by,
    Invitation.used_by,
    TeamInvitation.by,
    TeamInvitation.used_by,
    AuditEntry.actor,
    StoredSubmission.owner,
    PeopleTable.owner,
    PeopleChair.account,
)
"""Columns whose whole value is the account's name."""
VISITORS: tuple[InstrumentedAttribute[Any], ...] = (Computation.visitor, StoredPuzzleAnswer.visitor)
"""Columns that hold `account NAME`, or a guest."""
ACCOUNT = "account "
ON_ACCOUNTS = ("account.", "token.", "session.", "login.", "invitation.create", "team.")
"""Beginnings of the actions of the audit log whose subject is an account; that of others may be a bot of its name."""
ACCOUNT_DETAILS = ("owner", "team")
"""Details of the audit log whose whole value is the name of an account."""
SECRETS = frozenset(
    {
        "hash",
        "password",
        "device_hash",
        "secret_hash",
        "pending_hash",
        "salt",
        "token",
        "seed",
        "nonce",
        "holder",
        "folder",
    }
)
"""Columns that are given to no one: secrets and their hashes, places on the ladder's machine."""


@dataclass(frozen=True)
class PersonalRows:
    """The rows of a table that are about an account."""

    model: type[Base]
    which: ColumnElement[bool]
    left_out: frozenset[str] = SECRETS

    def select(self) -> Select[Any]:
        """Select what the account's owner may have of them."""
        table = self.model.__table__
        assert isinstance(table, Table)
        shown = [each for each in table.columns if each.name not in self.left_out]
        return select(*shown).where(self.which).order_by(*table.primary_key.columns)


def audited_on(name: str) -> ColumnElement[bool]:
    """Select the entries of the audit log whose subject is an account."""
    return and_(AuditEntry.subject == name, or_(*(AuditEntry.action.startswith(each) for each in ON_ACCOUNTS)))


def audited_with(name: str) -> ColumnElement[bool]:
    """Select the entries of the audit log whose details name an account."""
    return or_(*(AuditEntry.details[each].as_string() == name for each in ACCOUNT_DETAILS))


def personal_rows(owner: Owner) -> Iterable[PersonalRows]:
    """
    List all rows that are about an account, table by table.

    Where another person acted, the row does not say who, from where, or with what note.
    """
    name, number, code = owner.name, owner.id, owner_code(owner.id)
    bots = select(StoredBot.id).where(StoredBot.owner_id == number)
    versions = select(Version.id).where(Version.bot_id.in_(bots))
    seated = select(PeopleChair.table_id).where(PeopleChair.account == name)
    studies = select(Study.id).where(Study.owner_id == number)
    yield PersonalRows(Owner, Owner.id == number)
    yield PersonalRows(Account, Account.owner_id == number)
    yield PersonalRows(FormerName, FormerName.owner_id == number)
    yield PersonalRows(MailAddress, MailAddress.owner_id == number)
    yield PersonalRows(Letter, Letter.owner_id == number)
    yield PersonalRows(Invitation, Invitation.by == name)
    invited = or_(Invitation.name == name, Invitation.used_by == name)
    yield PersonalRows(Invitation, and_(Invitation.by != name, invited), SECRETS | {"by", "note"})
    joined = TeamInvitation.team_id == number, TeamInvitation.by == name, TeamInvitation.used_by == name
    yield PersonalRows(TeamInvitation, or_(*joined))
    yield PersonalRows(Credential, Credential.owner_id == number)
    yield PersonalRows(LoginCode, LoginCode.owner_id == number)
    yield PersonalRows(AuditEntry, AuditEntry.actor == name)
    audited = or_(audited_on(name), audited_with(name))
    yield PersonalRows(AuditEntry, and_(AuditEntry.actor != name, audited), SECRETS | {"actor", "address"})
    yield PersonalRows(StoredSubmission, StoredSubmission.owner == name)
    yield PersonalRows(StoredBot, StoredBot.owner_id == number)
    yield PersonalRows(Version, Version.bot_id.in_(bots))
    yield PersonalRows(Rating, Rating.version_id.in_(versions))
    yield PersonalRows(StateChange, StateChange.version_id.in_(versions))
    yield PersonalRows(EventEntry, or_(EventEntry.owner == code, EventEntry.checked_in_by == code))
    tables = or_(PeopleTable.owner == name, PeopleTable.id.in_(seated))
    yield PersonalRows(PeopleTable, tables, SECRETS | {"guest", "network"})  # of a guest who opened it
    yield PersonalRows(PeopleChair, PeopleChair.account == name)
    yield PersonalRows(Study, Study.owner_id == number)
    yield PersonalRows(StudyPosition, StudyPosition.study_id.in_(studies))
    yield PersonalRows(Computation, Computation.visitor == ACCOUNT + name)
    yield PersonalRows(StoredPuzzleAnswer, StoredPuzzleAnswer.visitor == ACCOUNT + name)


def own_standings(season: FinishedSeason, name: str) -> list[dict[str, Any]]:
    """Give the lines of a finished season's standings that name an owner."""
    return [each for each in season.standings.get("standings", ()) if each.get("owner") == name]
