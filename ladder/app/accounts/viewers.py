"""The caller of a request, found by the secret of a session or token."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.app.accounts.secrets import SESSION, TOKEN, hash_of
from ladder.errors import StoreError
from ladder.store.commands.accounts import touch
from ladder.store.queries.account_lists import holder_of
from ladder.values.accounts import ANONYMOUS, Role, Scope, Viewer

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder

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
        scopes=holder.scopes if kind == "token" else frozenset(Scope),
        by_token=kind == "token",
        credential=holder.credential,
        address=address,
    )
