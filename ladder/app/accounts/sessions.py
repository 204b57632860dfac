"""
Sessions and tokens of accounts: logging in and out, changing the password, making, listing and revoking tokens.

The caller of a request is found by the secret of a session or token. Secrets that give access are made of 32 random
bytes, shown once, and stored as their SHA-256 only.
"""

from __future__ import annotations

import hashlib
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.accounts.passwords import check_password
from ladder.entry.policy import Act, check
from ladder.errors import Forbidden, LadderError, StoreError, UserError
from ladder.store.account_names import account_of, find_account
from ladder.store.commands.accounts import (
    add_credential,
    renew_hash,
    revoke,
    revoke_all,
    session_began,
    set_password,
    touch,
    write_audit,
)
from ladder.store.commands.accounts import revoke as revoke_credential
from ladder.store.commands.teams import team_row
from ladder.store.lookup import name_of
from ladder.store.queries import account_lists
from ladder.store.queries.account_lists import holder_of
from ladder.values.accounts import ANONYMOUS, CredentialRow, Me, NewSecret, Role, Scope, Viewer
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ladder.app.accounts.passwords import Passwords
    from ladder.app.ladder import Ladder
    from ladder.store.account_models import Account
    from ladder.store.database import Session
    from ladder.values.accounts import Kind

TOKEN, SESSION, INVITATION, DEVICE = "pgp_", "pgs_", "pgi_", "pgd_"
"""Beginnings of the kinds of secrets, so that people, and programs that look for leaks, recognise one."""
RANDOM_BYTES = 32
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Of codes that people compare: no vowels, so no words; nothing that looks like a digit."""
FRESH_SECONDS = 600.0
"""Seconds after a log-in in which an account without a password can be deleted or renamed by its owner."""
NOT_FRESH = "Log out and log in again first: your log-in must not be older than 10 minutes for this."


def new_secret(prefix: str) -> str:
    """
    Make a secret.

    >>> len(new_secret(TOKEN)), new_secret(TOKEN)[:4]
    (47, 'pgp_')
    """
    return prefix + secrets.token_urlsafe(RANDOM_BYTES)


def hash_of(secret: str) -> str:
    """
    Give what is stored of a secret: 256 random bits need no salt, and no slow hash.

    >>> hash_of("pgp_")[:8]
    'a0f0cd3e'
    """
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def new_user_code() -> str:
    """
    Make a code that people compare at two screens: `BCDF-GHJK`.

    >>> len(new_user_code()), new_user_code()[4]
    (9, '-')
    """
    letters = "".join(secrets.choice(LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def tidy_user_code(text: str) -> str:
    """
    Read such a code as people type it.

    >>> tidy_user_code(" bcdf ghjk")
    'BCDF-GHJK'
    """
    letters = "".join(letter for letter in text.upper() if letter in LETTERS)[:8]
    return f"{letters[:4]}-{letters[4:]}"


LONGEST = 100
"""Characters: no secret is longer."""
TOUCHED_SECONDS = 600.0
"""Seconds between two updates of the time when a secret was last used, at least."""

DISABLED = "This account is disabled; ask the organiser of the ladder."


def viewer_by(ladder: Ladder, secret: str, address: str) -> Viewer:
    """
    Find the caller by a secret.

    Args:
        ladder: The ladder.
        secret: Of a session, or a token.
        address: From where.

    Returns:
        `ANONYMOUS` if the secret opens no account: it is wrong, expired or revoked, or the account is disabled.
    """
    kind = {SESSION: "session", TOKEN: "token"}.get(secret[:4])
    if kind is None or len(secret) > LONGEST:
        return ANONYMOUS
    now = ladder.clock()
    with ladder.database.read() as session:
        holder = holder_of(session, hash_of(secret), kind, now)
    if holder is None:
        return ANONYMOUS
    if now - holder.used > TOUCHED_SECONDS:
        with suppress(StoreError), ladder.database.write() as session:
            touch(session, holder.credential, now)
    return Viewer(
        name=holder.name,
        is_organiser=holder.role is Role.ORGANISER,
        team=holder.team,
        scopes=holder.scopes if kind == "token" else frozenset(Scope),
        by_token=kind == "token",
        credential=holder.credential,
        address=address,
    )


DAY = 24 * 3600.0
WRONG = "The name or the password is wrong."
WRONG_OLD = "The old password is wrong."
WRONG_OWN = "The password is wrong."


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


MAX_TOKENS = 50
"""Tokens that one account may have at the same time."""


def me(ladder: Ladder, viewer: Viewer) -> Me:
    """Describe the caller."""
    check(viewer, Act.READ_ACCOUNT, viewer.name)
    name = str(viewer.name)
    with ladder.database.read() as session:
        bots = tuple(sorted(bot for owner in viewer.owners for bot in account_lists.bots_of(session, owner)))
        team = team_row(session, viewer.team, ladder.settings.team_size) if viewer.team else None
    role = Role.ORGANISER if viewer.is_organiser else Role.CONTESTANT
    return Me(name=name, role=role, scopes=tuple(sorted(viewer.scopes)), bots=bots, team=team)


def credentials(ladder: Ladder, viewer: Viewer, name: str) -> Sequence[CredentialRow]:
    """
    Give an account's sessions and tokens that are good, the newest first.

    Raises:
        LadderError: If there is no such account.
    """
    check(viewer, Act.READ_ACCOUNT, name)
    with ladder.database.read() as session:
        return account_lists.credentials(session, find_account(session, name).owner_id, ladder.clock())


def has_password(ladder: Ladder, viewer: Viewer) -> bool:
    """Tell whether one logs in with a password, and not with the identity provider."""
    check(viewer, Act.READ_ACCOUNT, viewer.name)
    with ladder.database.read() as session:
        return find_account(session, str(viewer.name)).password is not None


def create_token(
    ladder: Ladder, viewer: Viewer, name: str, scopes: Collection[Scope], days: int | None = None
) -> NewSecret:
    """
    Make a token of the viewer's, for a program.

    Args:
        ladder: The ladder.
        viewer: The caller.
        name: What its owner calls it.
        scopes: What it permits; at least one.
        days: Days for which it is valid; None: as many as the settings allow.

    Raises:
        UserError: If it would permit nothing, or be valid for too long, or there are very many already.
    """
    check(viewer, Act.CHANGE_ACCOUNT, viewer.name)
    most = ladder.settings.token_days
    days = most if days is None else days
    if not 1 <= days <= most:
        raise UserError(f"A token is valid for 1 to {most} days.")
    if not scopes:
        raise UserError("A token must allow something: choose at least one of read, submit and admin.")
    if Scope.ADMIN in scopes and not viewer.is_organiser:
        raise UserError("Only a token of an organiser can have the scope admin.")
    secret = new_secret(TOKEN)
    with ladder.database.write() as session:
        account, now = find_account(session, str(viewer.name)), ladder.clock()
        there = [each for each in account_lists.credentials(session, account.owner_id, now) if each.kind == "token"]
        if len(there) >= MAX_TOKENS:
            raise UserError(f"An account has {MAX_TOKENS} tokens at most; revoke one first.")
        expires = now + days * DAY
        made = add_credential(
            session, account.owner_id, "token", hash_of(secret), name.strip() or "token", scopes, now, expires
        )  # fmt: skip
        write_audit(
            session, viewer, "token.create", str(viewer.name), now, id=made.id, scopes=" ".join(sorted(scopes))
        )  # fmt: skip
        return NewSecret(id=made.id, secret=secret, expires=time_of(expires))


def revoke_one(ladder: Ladder, viewer: Viewer, name: str, number: int, kind: Kind) -> None:
    """
    Revoke a session or token of an account.

    Raises:
        LadderError: If it has no such one.
    """
    check(viewer, Act.CHANGE_ACCOUNT, name)
    with ladder.database.write() as session:
        account, now = find_account(session, name), ladder.clock()
        if not revoke_credential(session, account.owner_id, number, kind, now):
            raise LadderError(f"There is no {kind} {number}. To list all: pigpen account sessions {name}")
        write_audit(session, viewer, f"{kind}.revoke", name, now, id=number)


def revoke_every(ladder: Ladder, viewer: Viewer, name: str) -> int:
    """
    Let none of an account's sessions and tokens open it, but for the session that asks; gives how many there were.

    Raises:
        LadderError: If there is no such account.
    """
    check(viewer, Act.CHANGE_ACCOUNT, name)
    with ladder.database.write() as session:
        account, now = find_account(session, name), ladder.clock()
        count = revoke_all(session, account.owner_id, now, spared=viewer.credential)
        write_audit(session, viewer, "account.revoke", name, now, count=count)
    return count


def check_person(ladder: Ladder, passwords: Passwords, viewer: Viewer, password: str) -> None:
    """
    Make sure that the account's owner is there, and not another person at the owner's browser.

    Raises:
        Busy: If too many log in at the same time.
        Forbidden: If the password is wrong; without one, if the log-in is older than `FRESH_SECONDS`.
    """
    check(viewer, Act.CHANGE_ACCOUNT, viewer.name)
    with ladder.database.read() as session:
        account = find_account(session, str(viewer.name))
        stored, begun = account.password, session_began(session, viewer.credential)
    if stored is not None:
        if not passwords.are_good(stored, password):
            raise Forbidden(WRONG_OWN)
    elif begun is None or ladder.clock() - begun > FRESH_SECONDS:
        raise Forbidden(NOT_FRESH)
