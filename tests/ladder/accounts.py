"""People for tests: accounts, and secrets that open them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.accounts.sessions import SESSION, TOKEN, hash_of, new_secret
from ladder.store.account_names import account_of
from ladder.store.commands.accounts import add_account, add_credential
from ladder.values.accounts import Role, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.app.ladder import Ladder

HOUR = 3600.0


def add_person(ladder: Ladder, name: str, role: Role = Role.CONTESTANT) -> None:
    """Make an account; the owner of that name may be there already."""
    with ladder.database.write() as session:
        add_account(session, name, role, ladder.clock(), is_reserved=True)


def session_of(ladder: Ladder, name: str, hours: float = 1) -> str:
    """Begin a session of an account; give its secret."""
    return _secret(ladder, name, SESSION, Scope, hours)


def token_of(ladder: Ladder, name: str, *scopes: Scope, hours: float = 1) -> str:
    """Make a token of an account, by default with every scope; give its secret."""
    return _secret(ladder, name, TOKEN, scopes or Scope, hours)


def _secret(ladder: Ladder, name: str, prefix: str, scopes: Iterable[Scope], hours: float) -> str:
    secret, now = new_secret(prefix), ladder.clock()
    with ladder.database.write() as session:
        account = account_of(session, name)
        assert account is not None
        kind, until = "session" if prefix == SESSION else "token", now + hours * HOUR
        add_credential(session, account.owner_id, kind, hash_of(secret), "a test's", scopes, now, until)  # type: ignore[arg-type]
    return secret
