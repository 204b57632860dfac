"""
Accounts, and the access to them.

Accounts are made, and changed by their owners and by organisers. Invitations are made, used once, or taken back;
sessions and tokens are made, used, or revoked. Log-ins of the command wait for a confirmation in a browser (RFC 8628).
In the audit log each action is stored in the transaction that does it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select, update

from ladder.entry.claims import check_account_name, check_new_name
from ladder.errors import LadderError
from ladder.store.account_models import MAX_NOTE, Account, AccountGroup, AuditEntry, Credential, Invitation, LoginCode
from ladder.store.account_names import account_of, check_not_former
from ladder.store.commands.letters import forget_letters
from ladder.store.commands.mail_addresses import end_of_password, forget_pending
from ladder.store.lookup import name_of
from ladder.store.models import Owner
from ladder.values.names import NAME_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

    from ladder.values.accounts import Kind, Role, Scope, Viewer


def write_audit(
    session: Session, viewer: Viewer, action: str, subject: str, now: float, **details: str | int | bool | None
) -> None:
    """
    Add an action to the audit log.

    Args:
        session: The transaction in which it is done.
        viewer: Who does it.
        action: What: ``account.disable``, ``token.create``, …
        subject: What it is done to: the name of an account, a bot or an image, or a number.
        now: Unix time.
        details: What else an organiser may want to know; no secrets.
    """
    entry = AuditEntry(
        at=now,
        actor=(viewer.name or "")[:NAME_LENGTH],
        action=action,
        subject=subject[:MAX_NOTE],
        details={name: text[:MAX_NOTE] if isinstance(text, str) else text for name, text in details.items()},
        address=viewer.address[:64],
    )
    session.add(entry)


def add_login_code(
    session: Session, device_hash: str, user_code: str, client: str, address: str, now: float, expires: float
) -> LoginCode:
    """Let a log-in wait; those that have expired are forgotten."""
    session.execute(delete(LoginCode).where(LoginCode.expires <= now))
    made = LoginCode(
        device_hash=device_hash, user_code=user_code, client=client[:MAX_NOTE], address=address[:64],
        added=now, expires=expires, scopes=[],
    )  # fmt: skip
    session.add(made)
    session.flush()
    return made


def waiting_codes(session: Session, now: float) -> int:
    """Count the log-ins that wait."""
    return session.scalar(select(func.count()).where(LoginCode.expires > now)) or 0


def unconfirmed_codes(session: Session, now: float) -> Sequence[LoginCode]:
    """Give the log-ins that are not confirmed yet, the oldest first."""
    open_ones = LoginCode.owner_id.is_(None), LoginCode.expires > now
    return session.scalars(select(LoginCode).where(*open_ones).order_by(LoginCode.added, LoginCode.id)).all()


def login_code(session: Session, user_code: str, now: float) -> LoginCode | None:
    """Find a log-in that is not confirmed yet, by the code that people see."""
    open_one = LoginCode.user_code == user_code, LoginCode.owner_id.is_(None), LoginCode.expires > now
    return session.scalar(select(LoginCode).where(*open_one))


def device_login(session: Session, device_hash: str, now: float) -> LoginCode | None:
    """Find a log-in, by the hash of the secret that the command keeps."""
    return session.scalar(select(LoginCode).where(LoginCode.device_hash == device_hash, LoginCode.expires > now))


def confirm(code: LoginCode, owner_id: int, scopes: Iterable[Scope]) -> None:
    """Let the command that waits have a token of this owner's."""
    code.owner_id, code.scopes = owner_id, sorted(scopes)


def forget(session: Session, code: LoginCode) -> None:
    """End a log-in: it was refused, or the command has its token."""
    session.delete(code)
    session.flush()


def forget_confirmed(session: Session, owner_id: int) -> None:
    """End the log-ins that an account has confirmed, and whose commands have no token yet."""
    session.execute(delete(LoginCode).where(LoginCode.owner_id == owner_id))


KEPT_SECONDS = 30 * 24 * 3600.0
"""Seconds after its end that a session or token is kept."""


def add_credential(
    session: Session,
    owner_id: int,
    kind: Kind,
    hashed: str,
    name: str,
    scopes: Iterable[Scope],
    now: float,
    expires: float,
) -> Credential:
    """
    Let a secret open an account.

    Args:
        session: A transaction that writes.
        owner_id: Whose account.
        kind: What for.
        hashed: SHA-256 of the secret.
        name: For people.
        scopes: What it permits.
        now: Unix time.
        expires: Until when.
    """
    session.execute(delete(Credential).where(Credential.expires < now - KEPT_SECONDS))
    made = Credential(
        owner_id=owner_id, kind=kind, hash=hashed, name=name[:MAX_NOTE], scopes=sorted(scopes),
        added=now, expires=expires, used=now,
    )  # fmt: skip
    session.add(made)
    session.flush()
    return made


def revoke(session: Session, owner_id: int, number: int, kind: Kind, now: float) -> bool:
    """Revoke a session or token of an account; False if there is no valid one."""
    mine = Credential.id == number, Credential.owner_id == owner_id, Credential.kind == kind
    found = session.scalar(select(Credential).where(*mine, Credential.revoked.is_(None), Credential.expires > now))
    if found is not None:
        found.revoked = now
    return found is not None


def revoke_all(
    session: Session, owner_id: int, now: float, *, kind: Kind | None = None, spared: int | None = None
) -> int:
    """
    Revoke all sessions and tokens of an account.

    With both, log-ins of the command that would give it a token end, and an e-mail address that waits is forgotten.

    Args:
        session: A transaction that writes.
        owner_id: Whose account.
        now: Unix time.
        kind: Only those; None: both.
        spared: Number of the one that stays.

    Returns:
        How many there were.
    """
    wanted = select(Credential).where(Credential.owner_id == owner_id, Credential.revoked.is_(None))
    wanted = wanted.where(Credential.expires > now)
    if kind is not None:
        wanted = wanted.where(Credential.kind == kind)
    found = [each for each in session.scalars(wanted) if each.id != spared]
    for each in found:
        each.revoked = now
    if kind is None:
        forget_confirmed(session, owner_id)
        forget_pending(session, owner_id)
    return len(found)


def touch(session: Session, number: int, now: float) -> None:
    """Remember that a session or token was used."""
    session.execute(update(Credential).where(Credential.id == number).values(used=now))


def add_account(
    session: Session,
    name: str,
    role: Role,
    now: float,
    *,
    password: str | None = None,
    subject: str | None = None,
    is_reserved: bool = False,
    group: str | None = None,
) -> Account:
    """
    Make an account; an owner of that name, if there is none.

    Args:
        session: A transaction that writes.
        name: The account's, which is its owner's.
        role: What it is for.
        now: Unix time.
        password: Its hash; None: there is none yet, or ever.
        subject: Who it is at the identity provider; None: not known there.
        group: The group into which it comes, which is there; None: none.
        is_reserved: Whether the invitation names this account, so that it may be that of an owner with bots.

    Raises:
        LadderError: If the name cannot be, is taken, or looks like another one.
    """
    check_account_name(name)
    _check_free(session, name, now, is_reserved)
    owner = session.scalar(select(Owner).where(Owner.name == name))
    if owner is None:
        owner = Owner(name=name, added=now)
        session.add(owner)
        session.flush()
    account = Account(
        owner_id=owner.id, role=str(role), password=password, subject=subject, reason="", group_name=group, added=now
    )  # fmt: skip
    session.add(account)
    if group is not None:
        session.get_one(AccountGroup, group).changed = now
    session.flush()
    return account


THERE = "There is an account {name!r} already. Choose another name."
TAKEN = "The name {name!r} is taken. Choose another, or ask the organiser for an invitation to it."


def _check_free(session: Session, name: str, now: float, is_reserved: bool) -> None:
    if account_of(session, name) is not None:
        raise LadderError(THERE, name=name)
    if check_alike(session, name, now) and not is_reserved:
        raise LadderError(TAKEN, name=name)


def check_alike(session: Session, name: str, now: float) -> bool:
    """
    Tell whether a name belongs to an owner, or is reserved by an invitation.

    Raises:
        LadderError: If neither, and it looks like the name of one, or cannot be that of a new account.
    """
    open_ones = select(Invitation.name).where(Invitation.used.is_(None), Invitation.expires > now)
    known = {*session.scalars(select(Owner.name)), *session.scalars(open_ones.where(Invitation.name.is_not(None)))}
    names = {other for other in known if other}
    if name not in names:
        check_not_former(session, name)
        check_new_name(name, "an account", names)
    return name in names


def set_password(session: Session, account: Account, password: str, now: float, spared: int | None = None) -> None:
    """
    Give an account a password, and end its other sessions, and log-ins of the command that have no token yet.

    Open links for a new password, and an e-mail address that waits for its confirmation, are not good any more. A
    letter says to the confirmed address that the password is another one.

    Args:
        session: A transaction that writes.
        account: Whose.
        password: Its hash.
        now: Unix time.
        spared: Number of the session that stays.
    """
    account.password = password
    revoke_all(session, account.owner_id, now, kind="session", spared=spared)
    forget_confirmed(session, account.owner_id)
    revoke_invitations(session, now, name=name_of(session, account.owner_id))
    end_of_password(session, account.owner_id, now)


def renew_hash(account: Account, hashed: str | None) -> None:
    """Keep the same password in another hash; sessions stay."""
    account.password = hashed


def set_role(account: Account, role: Role) -> None:
    """Say what an account is for."""
    account.role = str(role)


def set_quota(account: Account, submissions_a_day: int | None) -> None:
    """Say how often an account may submit in 24 hours; None: as the settings say."""
    account.submissions_a_day = submissions_a_day


def disable(session: Session, account: Account, reason: str, now: float) -> None:
    """
    Disable an account, and end its sessions, its tokens, and log-ins of the command that have no token yet.

    Letters to it that wait are not sent, but for warnings.
    """
    account.disabled, account.reason = now, reason
    revoke_all(session, account.owner_id, now)
    forget_letters(session, account.owner_id)


def enable(account: Account) -> None:
    """Let the account's owner log in again."""
    account.disabled, account.reason = None, ""


NOT_GOOD = "This invitation is no longer valid: it was used, has expired, or was withdrawn. Ask for a new one."


def add_invitation(
    session: Session,
    hashed: str,
    role: Role,
    name: str | None,
    note: str,
    by: str,
    now: float,
    expires: float,
    group: str | None = None,
) -> Invitation:
    """
    Add an invitation.

    Args:
        session: A transaction that writes.
        hashed: SHA-256 of the invitation's secret.
        role: Of the account to be.
        name: Its name; None: the invited person chooses it.
        note: For whom it is.
        by: Who invites.
        now: Unix time.
        expires: Unix time until which it is valid.
        group: Of the account to be, which is there; None: none.
    """
    made = Invitation(
        hash=hashed, role=str(role), name=name, note=note[:MAX_NOTE], group_name=group, by=by, added=now,
        expires=expires,
    )  # fmt: skip
    session.add(made)
    session.flush()
    return made


def open_invitation(session: Session, hashed: str, now: float) -> Invitation:
    """
    Find an invitation by the hash of its secret.

    Raises:
        LadderError: If it is not good any more, or never was.
    """
    good = Invitation.hash == hashed, Invitation.used.is_(None), Invitation.expires > now
    found = session.scalar(select(Invitation).where(*good))
    if found is None:
        raise LadderError(NOT_GOOD)
    return found


def use_invitation(session: Session, invitation: Invitation, name: str, now: float) -> None:
    """Mark an invitation as used, and revoke others for the same name: they would open its account."""
    invitation.used, invitation.used_by = now, name
    revoke_invitations(session, now, name=name)


def revoke_invitation(session: Session, number: int, now: float) -> Invitation:
    """
    Revoke an invitation that has not been used.

    Raises:
        LadderError: If there is none of that number, or it is not good any more.
    """
    found = session.get(Invitation, number)
    if found is None or found.used is not None or found.expires <= now:
        raise LadderError(f"There is no open invitation {number}. To list all: pigpen account invitations")
    found.expires = now
    return found


def revoke_invitations(
    session: Session, now: float, *, note: str | None = None, name: str | None = None, by: str | None = None
) -> int:
    """
    Revoke open invitations.

    Args:
        session: A transaction that writes.
        now: Unix time.
        note: Only those with this note that were made on the ladder's machine.
        name: Only those for this name.
        by: Only those that this account has made.

    Returns:
        How many there were.
    """
    wanted = select(Invitation).where(Invitation.used.is_(None), Invitation.expires > now)
    if note is not None:
        wanted = wanted.where(Invitation.by == "", Invitation.note == note)
    if name is not None:
        wanted = wanted.where(Invitation.name == name)
    if by is not None:
        wanted = wanted.where(Invitation.by == by)
    found = session.scalars(wanted).all()
    for each in found:
        each.expires = now
    return len(found)


def session_began(session: Session, credential: int | None) -> float | None:
    """Give the Unix time at which a session began; None: it is none. A transaction that reads will do."""
    row = session.get(Credential, credential) if credential is not None else None
    return row.added if row is not None and row.kind == "session" else None
