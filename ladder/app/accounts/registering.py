"""
Registration of accounts: by an invitation, or without one where the settings allow it.

An invitation is a link for making an account or setting a password. Each works once, and for some days.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.accounts.guests import Guest
from ladder.app.accounts.passwords import check_password
from ladder.app.accounts.sessions import DAY, DISABLED, INVITATION, begin_session, hash_of, new_secret
from ladder.entry.claims import check_account_name
from ladder.entry.policy import Act, check
from ladder.errors import Forbidden, LadderError, UserError
from ladder.store.account_models import MAX_NOTE
from ladder.store.account_names import account_by_subject, account_of, find_account, has_organiser
from ladder.store.commands.accounts import (
    NOT_GOOD,
    add_account,
    add_invitation,
    check_alike,
    open_invitation,
    revoke_all,
    revoke_invitation,
    revoke_invitations,
    set_password,
    use_invitation,
    write_audit,
)
from ladder.store.commands.groups import make_group, remove_unused_groups
from ladder.store.queries import account_lists
from ladder.values.accounts import LOCAL, InvitationRow, NewSecret, Role, Viewer
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.accounts.passwords import Passwords
    from ladder.app.accounts.sessions import LoggedIn, Visit
    from ladder.app.ladder import Ladder
    from ladder.store.account_models import Invitation
    from ladder.store.database import Session

USUAL_DAYS, MAX_DAYS = 14, 365
LONG_NOTE = "The note has {length:,} characters; it can have {limit} at most. Shorten it."
FIRST = "the first organiser"
"""The note of invitations that `pigpen up` makes."""


def invite(
    ladder: Ladder,
    viewer: Viewer,
    role: Role,
    name: str | None = None,
    note: str = "",
    days: int = USUAL_DAYS,
    group: str | None = None,
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
        group: Into which the account comes; a new one is made. None: into none.

    Raises:
        LadderError: If there is an account of that name, or the name, or that of a new group, cannot be.
        UserError: If it would be valid for too long, or the note is too long.
    """
    (made,) = invite_all(ladder, viewer, role, [Guest(name, note, group)], days)
    return made


def invite_all(
    ladder: Ladder, viewer: Viewer, role: Role, guests: Sequence[Guest], days: int = USUAL_DAYS
) -> list[NewSecret]:
    """
    Make an invitation for each, or none at all. The rest is as `invite` has it.

    Raises:
        LadderError: As `invite`; file and line are named.
        UserError: As `invite`.
    """
    check(viewer, Act.ADMINISTER)
    check_days(days)
    made = []
    with ladder.database.write() as session:
        now = ladder.clock()
        for guest in guests:
            try:
                _check_free(session, guest.name, now)
                _check_note(guest.note)
                group = None if guest.group is None else make_group(session, guest.group, now).name
            except (LadderError, UserError) as error:
                if not guest.place:
                    raise
                raise LadderError(f"{guest.place}: {error}") from None
            made.append(new_invitation(session, viewer, role, guest.name, guest.note, now, days, group))
    return made


def _check_note(note: str) -> None:
    if len(note.strip()) > MAX_NOTE:
        raise UserError(LONG_NOTE, length=len(note.strip()), limit=MAX_NOTE)


def _check_free(session: Session, name: str | None, now: float) -> None:
    if name is None:
        return
    check_account_name(name)
    account = account_of(session, name)
    if account is not None and account.is_team:
        raise LadderError(f"{IS_TEAM.format(name=name)} To make an account its member: pigpen account team NAME {name}")
    if account is not None:
        raise LadderError(f"There is an account {name!r} already. A new password: pigpen account password")
    check_alike(session, name, now)


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
        remove_unused_groups(session, now)
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
        if account.is_team:
            raise LadderError(IS_TEAM, name=name)
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
    session: Session,
    viewer: Viewer,
    role: Role,
    name: str | None,
    note: str,
    now: float,
    days: float,
    group: str | None = None,
    *,
    secret: str = "",
    revokes: bool = True,
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
        group: Into which the account comes, which is there; None: into none.
        secret: Its secret; empty: a new one.
        revokes: False: open ones stay, as any visitor may ask for this one.
    """
    secret, expires = secret or new_secret(INVITATION), now + days * DAY
    if name is not None and revokes:
        revoke_invitations(session, now, name=name)
    made: Invitation = add_invitation(
        session, hash_of(secret), role, name, note.strip(), str(viewer.name), now, expires, group
    )  # fmt: skip
    write_audit(session, viewer, "invitation.create", name or "", now, id=made.id, role=str(role), group=group)
    return NewSecret(id=made.id, secret=secret, expires=time_of(expires))


def check_days(days: int) -> None:
    """
    Check the number of days for which an invitation is to be valid.

    Raises:
        UserError: If it may not.
    """
    if not 1 <= days <= MAX_DAYS:
        raise UserError(f"An invitation is valid for 1 to {MAX_DAYS} days.")


IS_TEAM = "{name!r} is a team: its members log in, and act for it."
BY_INVITATION = "This ladder takes contestants by invitation: ask its organiser for a link."
BY_PROVIDER = "Contestants of this ladder log in at its identity provider."
THERE_ALREADY = "You have an account already; log in again."


@dataclass(frozen=True)
class RegistrationOffer:
    """The conditions under which a visitor may register, with an invitation or without one."""

    name: str | None = None
    """The account's name; None: to be chosen."""
    is_organiser: bool = False
    has_account: bool = False
    """True if the account exists already, and this only gives it a password."""


def registration_offer(ladder: Ladder, invitation: str) -> RegistrationOffer:
    """
    Say what an invitation permits.

    Args:
        ladder: The ladder.
        invitation: Its secret; empty: there is none.

    Raises:
        Forbidden: If there is none, and the ladder registers invited people only.
        LadderError: If it is not good any more.
    """
    if not invitation:
        if (how := ladder.settings.registration) != "open":
            raise Forbidden(BY_PROVIDER if how == "oidc" else BY_INVITATION)
        return RegistrationOffer()
    with ladder.database.read() as session:
        found = open_invitation(session, hash_of(invitation), ladder.clock())
        has_account = found.name is not None and account_of(session, found.name) is not None
        return RegistrationOffer(found.name, found.role == Role.ORGANISER, has_account)


def register(ladder: Ladder, passwords: Passwords, name: str, password: str, invitation: str, visit: Visit) -> LoggedIn:
    """
    Make an account with a password, or give an account the password that an invitation is for, and begin a session.

    Args:
        ladder: The ladder.
        passwords: Hashes them.
        name: Of the account; what the invitation says goes before it.
        password: What it will log in with.
        invitation: Its secret; empty: there is none.
        visit: Where it comes from.

    Raises:
        Busy: If too many log in at the same time.
        Forbidden: If there is no invitation, and the ladder registers invited people only.
        LadderError: If the invitation is not good any more, or the name cannot be or is taken.
        UserError: If the password cannot be.
    """
    name = registration_offer(ladder, invitation).name or name
    check_account_name(name)
    check_password(password, name)
    hashed = passwords.hash(password)
    with ladder.database.write() as session:
        now = ladder.clock()
        invited = open_invitation(session, hash_of(invitation), now) if invitation else None
        account = account_of(session, name) if invited and invited.name else None
        if account is not None and account.is_team:
            raise LadderError(NOT_GOOD)
        who = Viewer(name, address=visit.address)
        if account is not None and invited is not None:
            if account.disabled is not None:
                raise LadderError(DISABLED)
            use_invitation(session, invited, name, now)  # first: a new password revokes those that are open
            set_password(session, account, hashed, now)
            revoke_all(session, account.owner_id, now)
            write_audit(session, who, "account.password", name, now, invitation=invited.id)
        else:
            account = add_account(
                session, name, _role(invited), now, password=hashed, is_reserved=_is_reserved(invited),
                group=_group(invited),
            )  # fmt: skip
            _write_created(session, who, invited, now)
            if invited is not None:
                use_invitation(session, invited, name, now)
        return begin_session(ladder, session, account, visit)


def log_in_known(ladder: Ladder, subject: str, visit: Visit) -> LoggedIn | None:
    """
    Begin a session for a person whom the identity provider has authenticated; None: there is no account yet.

    Raises:
        Forbidden: If the account is disabled.
    """
    with ladder.database.write() as session:
        account = account_by_subject(session, subject)
        if account is None:
            return None
        if account.disabled is not None:
            raise Forbidden(DISABLED)
        return begin_session(ladder, session, account, visit)


def register_known(ladder: Ladder, subject: str, name: str, invitation: str, visit: Visit) -> LoggedIn:
    """
    Make an account for a person whom the identity provider has authenticated, and begin a session.

    Raises:
        LadderError: If the invitation is not good any more, or the name cannot be or is taken.
    """
    with ladder.database.write() as session:
        now = ladder.clock()
        if account_by_subject(session, subject) is not None:
            raise LadderError(THERE_ALREADY)
        invited = open_invitation(session, hash_of(invitation), now) if invitation else None
        name = (invited.name if invited else None) or name
        account = add_account(
            session, name, _role(invited), now, subject=subject, is_reserved=_is_reserved(invited),
            group=_group(invited),
        )  # fmt: skip
        _write_created(session, Viewer(name, address=visit.address), invited, now)
        if invited is not None:
            use_invitation(session, invited, name, now)
        return begin_session(ladder, session, account, visit)


def _role(invited: Invitation | None) -> Role:
    return Role(invited.role) if invited else Role.CONTESTANT


def _group(invited: Invitation | None) -> str | None:
    return invited.group_name if invited else None


def _is_reserved(invited: Invitation | None) -> bool:
    return invited is not None and invited.name is not None


def _write_created(session: Session, who: Viewer, invited: Invitation | None, now: float) -> None:
    number = invited.id if invited else None
    write_audit(session, who, "account.create", str(who.name), now, role=str(_role(invited)), invitation=number)
