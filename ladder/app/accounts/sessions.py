"""
Sessions of accounts: logging in and out with a browser, changing the password, and the caller of a request.

A caller is found by the secret of a session or token. A secret that gives access is made of 32 random bytes, shown
once, and stored as its SHA-256 only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.accounts.passwords import check_password
from ladder.app.accounts.secrets import hash_of, new_secret
from ladder.entry.policy import Act, check
from ladder.errors import Forbidden
from ladder.store.account_names import account_of, find_account
from ladder.store.commands.accounts import add_credential, renew_hash, revoke, set_password, write_audit
from ladder.store.names import name_of
from ladder.values.accounts import Scope, Viewer

if TYPE_CHECKING:
    from ladder.app.accounts.passwords import Passwords
    from ladder.app.ladder import Ladder
    from ladder.store.account_models import Account
    from ladder.store.database import Session
    from ladder.values.accounts import Kind

TOKEN, SESSION, INVITATION, DEVICE = "pgp_", "pgs_", "pgi_", "pgd_"
"""Beginnings of the kinds of secrets, so that people, and programs that look for leaks, recognise one."""


DAY = 24 * 3600.0
WRONG = "The name or the password is wrong."
WRONG_OLD = "The old password is wrong."


@dataclass(frozen=True)
class Visit:
    """The origin of a log-in."""

    address: str
    browser: str
    """In its own words."""


@dataclass(frozen=True)
class LoggedIn:
    """A new session."""

    name: str
    secret: str
    """For the browser's cookie."""
    seconds: float
    """Seconds for which it is valid."""


def log_in(ladder: Ladder, passwords: Passwords, name: str, password: str, visit: Visit) -> LoggedIn:
    """
    Begin a session for a person who knows an account's password.

    An unknown name, a wrong password and a disabled account give the same answer after the same time.

    Raises:
        Busy: If too many log in at the same time.
        Forbidden: If name or password is wrong.
    """
    with ladder.database.read() as session:
        account = account_of(session, name if name.isprintable() else "")
        stored = account.password if account else None
    is_good = passwords.are_good(stored, password)
    new = passwords.hash(password) if is_good and stored and passwords.is_outdated(stored) else stored
    if not is_good:
        raise Forbidden(WRONG)
    with ladder.database.write() as session:
        account = account_of(session, name)
        if account is None or account.disabled is not None or account.password != stored:  # it may have changed since
            raise Forbidden(WRONG)
        renew_hash(account, new)
        return begin_session(ladder, session, account, visit)


def begin_session(ladder: Ladder, session: Session, account: Account, visit: Visit) -> LoggedIn:
    """Begin a session, with a new secret, for a person who has proved to be the account's owner."""
    secret, now, seconds = new_secret(SESSION), ladder.clock(), ladder.settings.session_days * DAY
    name = name_of(session, account.owner_id)
    made = add_credential(
        session, account.owner_id, "session", hash_of(secret), visit.browser, Scope, now, now + seconds
    )  # fmt: skip
    write_audit(session, Viewer(name, address=visit.address), "session.create", name, now, id=made.id)
    return LoggedIn(name, secret, seconds)


def log_out(ladder: Ladder, viewer: Viewer) -> None:
    """End the session, or revoke the token, that asks for it."""
    if viewer.credential is not None and viewer.name is not None:
        kind: Kind = "token" if viewer.by_token else "session"
        now = ladder.clock()
        with ladder.database.write() as session:
            account = find_account(session, viewer.name)
            if revoke(session, account.owner_id, viewer.credential, kind, now):
                write_audit(session, viewer, f"{kind}.revoke", viewer.name, now, id=viewer.credential)


def change_password(ladder: Ladder, passwords: Passwords, viewer: Viewer, old: str, new: str) -> None:
    """
    Give the account that asks another password; its other sessions end.

    Raises:
        Busy: If too many log in at the same time.
        Forbidden: If the old password is wrong.
        UserError: If the new one cannot be.
    """
    check(viewer, Act.CHANGE_ACCOUNT, viewer.name)
    name = str(viewer.name)
    check_password(new, name)
    with ladder.database.read() as session:
        stored = find_account(session, name).password
    if not passwords.are_good(stored, old):
        raise Forbidden(WRONG_OLD)
    hashed = passwords.hash(new)
    with ladder.database.write() as session:
        account, now = find_account(session, name), ladder.clock()
        if account.password != stored or account.disabled is not None:
            raise Forbidden(WRONG_OLD)
        set_password(session, account, hashed, now, spared=viewer.credential)
        write_audit(session, viewer, "account.password", name, now)
