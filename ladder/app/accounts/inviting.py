"""Links for making an account or setting a password. Each works once, and for some days."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.accounts.secrets import INVITATION, hash_of, new_secret
from ladder.app.accounts.sessions import DAY
from ladder.entry.claims import check_name
from ladder.entry.policy import Act, check
from ladder.errors import Forbidden, LadderError, UserError
from ladder.store.commands.accounts import (
    add_invitation,
    check_alike,
    revoke_invitation,
    revoke_invitations,
    write_audit,
)
from ladder.store.names import account_of, find_account, has_organiser
from ladder.store.queries import account_lists
from ladder.values.accounts import LOCAL, InvitationRow, NewSecret, Role
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.store.account_models import Invitation
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer

USUAL_DAYS, MAX_DAYS = 14, 365
FIRST = "the first organiser"
"""The note of invitations that `pigpen up` makes."""


def invite(
    ladder: Ladder, viewer: Viewer, role: Role, name: str | None = None, note: str = "", days: int = USUAL_DAYS
) -> NewSecret:
    """
    Make an invitation, with which one person may register an account; open ones for the same name are revoked.

    Args:
        ladder: The ladder.
        viewer: Who invites.
        role: Of the account to be.
        name: Its name, which may be that of an owner who has bots already; None: the invited person chooses it.
        note: For whom it is.
        days: Days for which it is valid.

    Raises:
        LadderError: If there is an account of that name, or the name cannot be.
        UserError: If it would be valid for too long.
    """
    check(viewer, Act.ADMINISTER)
    check_days(days)
    with ladder.database.write() as session:
        if name is not None:
            check_name(name, "an account")
            if account_of(session, name) is not None:
                raise LadderError(f"There is an account {name!r} already. A new password: pigpen account password")
            check_alike(session, name, ladder.clock())
        return new_invitation(session, viewer, role, name, note, ladder.clock(), days)


def invitations(ladder: Ladder, viewer: Viewer) -> Sequence[InvitationRow]:
    """Give all invitations that are open or were used, the newest first."""
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return account_lists.invitations(session, ladder.clock())


def take_back(ladder: Ladder, viewer: Viewer, number: int) -> None:
    """
    Revoke an invitation.

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
    Give the secret of a link with which the account's owner sets a new password; older links are revoked.

    Only a viewer with access to the ladder's machine may do that: with the link, anyone can log in as the owner.

    Raises:
        Forbidden: If the viewer has no access to the ladder's machine.
        LadderError: If there is no such account, or it is disabled.
    """
    if not viewer.is_local:
        raise Forbidden("Only on the ladder's machine: pigpen account password NAME")
    with ladder.database.write() as session:
        account, now = find_account(session, name), ladder.clock()
        if account.disabled is not None:
            raise LadderError(f"The account {name!r} is disabled. First: pigpen account enable {name}")
        return new_invitation(session, viewer, Role(account.role), name, "a new password", now, days)


def first_invitation(ladder: Ladder) -> NewSecret | None:
    """Make an invitation for the first organiser, and revoke earlier unused ones; None: there is an organiser."""
    with ladder.database.write() as session:
        now = ladder.clock()
        if has_organiser(session):
            return None
        revoke_invitations(session, now, note=FIRST)
        return new_invitation(session, LOCAL, Role.ORGANISER, None, FIRST, now, USUAL_DAYS)


def new_invitation(
    session: Session, viewer: Viewer, role: Role, name: str | None, note: str, now: float, days: int
) -> NewSecret:
    """
    Store an invitation; open ones for the same name are revoked, so that a name has one link at most.

    Args:
        session: A transaction that writes.
        viewer: Who invites.
        role: Of the account.
        name: Its name; None: the invited person chooses it.
        note: For whom, or what, it is.
        now: Unix time.
        days: Days for which it is valid.
    """
    secret, expires = new_secret(INVITATION), now + days * DAY
    if name is not None:
        revoke_invitations(session, now, name=name)
    made: Invitation = add_invitation(
        session, hash_of(secret), role, name, note.strip(), str(viewer.name), now, expires
    )  # fmt: skip
    write_audit(session, viewer, "invitation.create", name or "", now, id=made.id, role=str(role), note=note.strip())
    return NewSecret(id=made.id, secret=secret, expires=time_of(expires))


def check_days(days: int) -> None:
    """
    Check the number of days for which an invitation is to be valid.

    Raises:
        UserError: If it may not.
    """
    if not 1 <= days <= MAX_DAYS:
        raise UserError(f"An invitation is valid for 1 to {MAX_DAYS} days.")
