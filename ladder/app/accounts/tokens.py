"""Sessions and tokens of an account: list, make and revoke them, and find the account that one belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.accounts.secrets import hash_of, new_secret
from ladder.app.accounts.sessions import DAY, TOKEN
from ladder.entry.policy import Act, check
from ladder.errors import LadderError, UserError
from ladder.store.account_names import find_account
from ladder.store.commands.accounts import add_credential, revoke_all, write_audit
from ladder.store.commands.accounts import revoke as revoke_credential
from ladder.store.queries import account_lists
from ladder.values.accounts import CredentialRow, Me, NewSecret, Role, Scope
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Kind, Viewer

MAX_TOKENS = 50
"""Tokens that one account may have at the same time."""


def me(ladder: Ladder, viewer: Viewer) -> Me:
    """Describe the caller."""
    check(viewer, Act.READ_ACCOUNT, viewer.name)
    name = str(viewer.name)
    with ladder.database.read() as session:
        bots = account_lists.bots_of(session, name)
    role = Role.ORGANISER if viewer.is_organiser else Role.CONTESTANT
    return Me(name=name, role=role, scopes=tuple(sorted(viewer.scopes)), bots=bots)


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


def revoke(ladder: Ladder, viewer: Viewer, name: str, number: int, kind: Kind) -> None:
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
