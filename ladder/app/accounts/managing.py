"""Accounts, for organisers: make and disable them, set quotas, read the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.accounts.passwords import check_password
from ladder.app.accounts.registering import USUAL_DAYS, check_days, new_invitation
from ladder.entry.policy import Act, check
from ladder.errors import UserError
from ladder.results.files import SubmissionFolders
from ladder.store.account_names import find_account
from ladder.store.commands import accounts as store
from ladder.store.commands.accounts import revoke_invitations, write_audit
from ladder.store.commands.submission_queue import withdraw_all
from ladder.store.commands.teams import revoke_team_invitations
from ladder.store.queries import account_lists
from ladder.values.accounts import AccountRow, AuditRow, NewSecret, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.accounts.passwords import Passwords
    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer
WITHDRAWN = "The account was disabled."
"""The reason that is given for the end of its submissions."""


def accounts(ladder: Ladder, viewer: Viewer) -> Sequence[AccountRow]:
    """Give all accounts, by name."""
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return account_lists.accounts(session)


def add(ladder: Ladder, viewer: Viewer, name: str, role: Role, days: int = USUAL_DAYS) -> NewSecret:
    """
    Make an account, also for an owner who has bots already; gives the link's secret with which it gets its password.

    Raises:
        LadderError: If there is one already, or the name cannot be.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        now = ladder.clock()
        check_days(days)
        store.add_account(session, name, role, now, is_reserved=True)
        write_audit(session, viewer, "account.create", name, now, role=str(role))
        return new_invitation(session, viewer, role, name, "", now, days)


def add_with_password(
    ladder: Ladder, passwords: Passwords, viewer: Viewer, name: str, role: Role, password: str
) -> None:
    """
    Make an account with a password; open invitations for its name are revoked.

    Raises:
        LadderError: If there is one already, or the name cannot be.
        UserError: If the password cannot be.
    """
    check(viewer, Act.ADMINISTER)
    check_password(password, name)
    hashed = passwords.hash(password)
    with ladder.database.write() as session:
        now = ladder.clock()
        store.add_account(session, name, role, now, password=hashed, is_reserved=True)
        revoke_invitations(session, now, name=name)
        write_audit(session, viewer, "account.create", name, now, role=str(role))


def disable(ladder: Ladder, viewer: Viewer, name: str, reason: str) -> AccountRow:
    """
    Disable an account: its sessions, tokens and streams end at once, its submissions are withdrawn.

    Invitations for it and invitations that it has made are revoked, also into its team. Its bots play on.

    Raises:
        LadderError: If there is no such account.
        UserError: If there is no reason, or it is one's own.
    """
    check(viewer, Act.ADMINISTER)
    if not reason.strip():
        raise UserError("A reason is needed, for the account's owner and other organisers.")
    if viewer.name == name:
        raise UserError("You cannot disable your own account; another organiser can.")
    with ladder.database.write() as session:
        now = ladder.clock()
        store.disable(session, find_account(session, name), reason.strip()[:1000], now)
        revoke_invitations(session, now, name=name)
        revoke_invitations(session, now, by=name)
        revoke_team_invitations(session, name, now)
        write_audit(session, viewer, "account.disable", name, now, reason=reason.strip())
        withdrawn = withdraw_all(session, name, now, WITHDRAWN)
        for row in withdrawn:
            write_audit(session, viewer, "submission.withdraw", row.bot, now, submission=row.id)
        found, folders = _row(session, name), [row.folder for row in withdrawn if row.folder]
    for folder in folders:
        SubmissionFolders(ladder.settings.data_dir).remove(folder)
    return found


def enable(ladder: Ladder, viewer: Viewer, name: str) -> AccountRow:
    """
    Let an account's owner log in again; sessions and tokens stay revoked.

    Raises:
        LadderError: If there is no such account.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        store.enable(find_account(session, name))
        write_audit(session, viewer, "account.enable", name, ladder.clock())
        return _row(session, name)


def set_quota(ladder: Ladder, viewer: Viewer, name: str, submissions_a_day: int | None) -> AccountRow:
    """
    Let an account submit more or less often than others.

    Args:
        ladder: The ladder.
        viewer: The caller.
        name: Whose account.
        submissions_a_day: How often in 24 hours; None: as the settings say.

    Raises:
        LadderError: If there is no such account.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        store.set_quota(find_account(session, name), submissions_a_day)
        write_audit(session, viewer, "account.quota", name, ladder.clock(), submissions_a_day=submissions_a_day)
        return _row(session, name)


def set_role(ladder: Ladder, viewer: Viewer, name: str, role: Role) -> AccountRow:
    """
    Make an account an organiser's; or a contestant's again, and revoke the invitations that it has made.

    Raises:
        LadderError: If there is no such account.
        UserError: If it is one's own.
    """
    check(viewer, Act.ADMINISTER)
    if viewer.name == name:
        raise UserError("You cannot change the role of your own account; another organiser can.")
    with ladder.database.write() as session:
        now = ladder.clock()
        account = find_account(session, name)
        if account.is_team:
            raise UserError(f"{name!r} is a team, and no organiser. Name one of its members.")
        store.set_role(account, role)
        if role != Role.ORGANISER:
            revoke_invitations(session, now, by=name)
        write_audit(session, viewer, "account.role", name, now, role=str(role))
        return _row(session, name)


def audit(ladder: Ladder, viewer: Viewer, limit: int = 50, before: int | None = None) -> Sequence[AuditRow]:
    """Read the audit log, the newest entries first; *before*: only those with a smaller number."""
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return account_lists.audit(session, limit, before)


def _row(session: Session, name: str) -> AccountRow:
    (row,) = account_lists.accounts(session, name)
    return row
