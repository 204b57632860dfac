"""Making an account of one's own: by an invitation, or by oneself where the settings say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.accounts.passwords import check_password
from ladder.app.accounts.secrets import hash_of
from ladder.app.accounts.sessions import begin_session
from ladder.app.accounts.viewers import DISABLED
from ladder.entry.claims import check_name
from ladder.errors import Forbidden, LadderError
from ladder.store.commands.accounts import (
    add_account,
    open_invitation,
    revoke_all,
    set_password,
    use_invitation,
    write_audit,
)
from ladder.store.names import account_by_subject, account_of
from ladder.values.accounts import Role, Viewer

if TYPE_CHECKING:
    from ladder.app.accounts.passwords import Passwords
    from ladder.app.accounts.sessions import LoggedIn, Visit
    from ladder.app.ladder import Ladder
    from ladder.store.account_models import Invitation
    from ladder.store.database import Session

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
        _check_open(ladder)
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
    check_name(name, "an account")
    check_password(password, name)
    hashed = passwords.hash(password)
    with ladder.database.write() as session:
        now = ladder.clock()
        invited = open_invitation(session, hash_of(invitation), now) if invitation else None
        account = account_of(session, name) if invited and invited.name else None
        who = Viewer(name, address=visit.address)
        if account is not None:
            if account.disabled is not None:
                raise LadderError(DISABLED)
            set_password(session, account, hashed, now)
            revoke_all(session, account.owner_id, now)
            write_audit(session, who, "account.password", name, now, invitation=invited.id if invited else None)
        else:
            account = add_account(
                session, name, _role(invited), now, password=hashed, is_reserved=_is_reserved(invited)
            )
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
        account = add_account(session, name, _role(invited), now, subject=subject, is_reserved=_is_reserved(invited))
        _write_created(session, Viewer(name, address=visit.address), invited, now)
        if invited is not None:
            use_invitation(session, invited, name, now)
        return begin_session(ladder, session, account, visit)


def _check_open(ladder: Ladder) -> None:
    how = ladder.settings.registration
    if how != "open":
        raise Forbidden(BY_PROVIDER if how == "oidc" else BY_INVITATION)


def _role(invited: Invitation | None) -> Role:
    return Role(invited.role) if invited else Role.CONTESTANT


def _is_reserved(invited: Invitation | None) -> bool:
    return invited is not None and invited.name is not None


def _write_created(session: Session, who: Viewer, invited: Invitation | None, now: float) -> None:
    number = invited.id if invited else None
    write_audit(session, who, "account.create", str(who.name), now, role=str(_role(invited)), invitation=number)
