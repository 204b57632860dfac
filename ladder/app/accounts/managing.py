"""What organisers do with accounts: make them, invite, disable, set quotas, look at what was done by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.accounts.passwords import check_password
from ladder.app.accounts.secrets import INVITATION, hash_of, new_secret
from ladder.app.accounts.sessions import DAY
from ladder.entry.claims import check_name
from ladder.entry.policy import Act, check
from ladder.errors import Forbidden, LadderError, UserError
from ladder.store.commands import accounts as store
from ladder.store.commands.audit import write_audit
from ladder.store.commands.invitations import add_invitation, revoke_invitation, revoke_invitations
from ladder.store.people import account_of, find_account, has_organiser
from ladder.store.queries import people
from ladder.values.accounts import LOCAL, AccountRow, AuditRow, InvitationRow, NewSecret, Role
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.accounts.passwords import Passwords
    from ladder.app.ladder import Ladder
    from ladder.store.account_models import Invitation
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer

USUAL_DAYS, MOST_DAYS = 14, 365
FIRST = "the first organiser"
"""The note of invitations that `pigpen up` makes."""


def accounts(ladder: Ladder, viewer: Viewer) -> Sequence[AccountRow]:
    """Give all accounts, by name."""
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return people.accounts(session)


def add(ladder: Ladder, viewer: Viewer, name: str, role: Role, days: int = USUAL_DAYS) -> NewSecret:
    """
    Make an account, also for an owner who has bots already; gives the link's secret with which it gets its password.

    Raises:
        LadderError: If there is one already, or the name cannot be.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        now = ladder.clock()
        _check_days(days)
        store.add_account(session, name, role, now, is_reserved=True)
        write_audit(session, viewer, "account.create", name, now, role=str(role))
        return _invited(session, viewer, role, name, "", now, days)


def add_with_password(
    ladder: Ladder, passwords: Passwords, viewer: Viewer, name: str, role: Role, password: str
) -> None:
    """
    Make an account with a password.

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
        write_audit(session, viewer, "account.create", name, now, role=str(role))


def invite(
    ladder: Ladder, viewer: Viewer, role: Role, name: str | None = None, note: str = "", days: int = USUAL_DAYS
) -> NewSecret:
    """
    Invite somebody to make an account.

    Args:
        ladder: The ladder.
        viewer: Who invites.
        role: Of the account to be.
        name: Its name, which may be that of an owner who has bots already; None: whoever registers chooses it.
        note: For whom it is.
        days: For how long it is good.

    Raises:
        LadderError: If there is an account of that name, or the name cannot be.
        UserError: If it would be good for too long.
    """
    check(viewer, Act.ADMINISTER)
    _check_days(days)
    with ladder.database.write() as session:
        if name is not None:
            check_name(name, "an account")
            if account_of(session, name) is not None:
                raise LadderError(f"There is an account {name!r} already. A new password: pigpen account password")
            store.check_alike(session, name, ladder.clock())
        return _invited(session, viewer, role, name, note, ladder.clock(), days)


def invitations(ladder: Ladder, viewer: Viewer) -> Sequence[InvitationRow]:
    """Give all invitations that are open or were used, the newest first."""
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return people.invitations(session, ladder.clock())


def take_back(ladder: Ladder, viewer: Viewer, number: int) -> None:
    """
    Take an invitation back.

    Raises:
        LadderError: If no open one has that number.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        now = ladder.clock()
        revoke_invitation(session, number, now)
        write_audit(session, viewer, "invitation.revoke", str(number), now)


def new_password(ladder: Ladder, viewer: Viewer, name: str, days: int = 1) -> NewSecret:
    """
    Give the secret of a link by which the account's owner sets a new password; older ones are not good any more.

    Only who has access to the ladder's machine may do that: with the link anybody can log in as the owner.

    Raises:
        Forbidden: If somebody else asks.
        LadderError: If there is no such account, or it is disabled.
    """
    if not viewer.is_local:
        raise Forbidden("Only on the ladder's machine: pigpen account password NAME")
    with ladder.database.write() as session:
        account, now = find_account(session, name), ladder.clock()
        if account.disabled is not None:
            raise LadderError(f"The account {name!r} is disabled. First: pigpen account enable {name}")
        revoke_invitations(session, now, name=name)
        return _invited(session, viewer, Role(account.role), name, "a new password", now, days)


def disable(ladder: Ladder, viewer: Viewer, name: str, reason: str) -> AccountRow:
    """
    Let nobody use an account any more: its sessions, tokens and streams end at once. Its bots play on.

    Raises:
        LadderError: If there is no such account.
        UserError: If there is no reason, or it is one's own.
    """
    check(viewer, Act.ADMINISTER)
    if not reason.strip():
        raise UserError("A reason is needed, for the account's owner and other organisers.")
    if viewer.name == name:
        raise UserError("Nobody disables their own account; another organiser can.")
    with ladder.database.write() as session:
        now = ladder.clock()
        store.disable(session, find_account(session, name), reason.strip()[:1000], now)
        revoke_invitations(session, now, name=name)
        write_audit(session, viewer, "account.disable", name, now, reason=reason.strip())
        return _row(session, name)


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
        viewer: Who asks.
        name: Whose account.
        submissions_a_day: How often in 24 hours; None: as the settings say.

    Raises:
        LadderError: If there is no such account.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        find_account(session, name).submissions_a_day = submissions_a_day
        write_audit(session, viewer, "account.quota", name, ladder.clock(), submissions_a_day=submissions_a_day)
        return _row(session, name)


def set_role(ladder: Ladder, viewer: Viewer, name: str, role: Role) -> AccountRow:
    """
    Make somebody an organiser, or a contestant again.

    Raises:
        LadderError: If there is no such account.
        UserError: If it is one's own.
    """
    check(viewer, Act.ADMINISTER)
    if viewer.name == name:
        raise UserError("Nobody changes what their own account is for; another organiser can.")
    with ladder.database.write() as session:
        find_account(session, name).role = str(role)
        write_audit(session, viewer, "account.role", name, ladder.clock(), role=str(role))
        return _row(session, name)


def audit(ladder: Ladder, viewer: Viewer, limit: int = 50, before: int | None = None) -> Sequence[AuditRow]:
    """Give what people did, the newest first; *before*: only what has a smaller number."""
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return people.audit(session, limit, before)


def first_invitation(ladder: Ladder) -> NewSecret | None:
    """Invite the first organiser; those invited before who have not come are not any more. None: there is one."""
    with ladder.database.write() as session:
        now = ladder.clock()
        if has_organiser(session):
            return None
        revoke_invitations(session, now, note=FIRST)
        return _invited(session, LOCAL, Role.ORGANISER, None, FIRST, now, USUAL_DAYS)


def _invited(
    session: Session, viewer: Viewer, role: Role, name: str | None, note: str, now: float, days: int
) -> NewSecret:
    secret, expires = new_secret(INVITATION), now + days * DAY
    made: Invitation = add_invitation(
        session, hash_of(secret), role, name, note.strip(), str(viewer.name), now, expires
    )  # fmt: skip
    write_audit(session, viewer, "invitation.create", name or "", now, id=made.id, role=str(role), note=note.strip())
    return NewSecret(id=made.id, secret=secret, expires=time_of(expires))


def _row(session: Session, name: str) -> AccountRow:
    session.flush()
    (row,) = people.accounts(session, name)
    return row


def _check_days(days: int) -> None:
    if not 1 <= days <= MOST_DAYS:
        raise UserError(f"An invitation is good for 1 to {MOST_DAYS} days.")
