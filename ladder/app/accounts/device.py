"""Logging in with the command: it shows a code, its user confirms that in a browser (RFC 8628)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.accounts.sessions import DAY, DEVICE, TOKEN, hash_of, new_secret, new_user_code, tidy_user_code
from ladder.entry.networks import neighbourhood_of
from ladder.entry.policy import Act, check
from ladder.errors import Busy, LadderError
from ladder.store.account_names import find_account
from ladder.store.commands import accounts
from ladder.store.commands.accounts import add_credential, write_audit
from ladder.store.lookup import name_of
from ladder.values.accounts import LoginAnswer, LoginStarted, Scope, Viewer
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from ladder.app.ladder import Ladder
    from ladder.store.account_models import LoginCode
    from ladder.store.database import Session

GOOD_SECONDS = 600.0
"""Seconds in which a log-in must be confirmed."""
ASK_SECONDS = 2.0
"""Seconds between two requests of the command that ask whether the log-in is confirmed."""
MAX_WAITING = 1000
"""Log-ins that may wait at the same time."""
NO_CODE = "No log-in waits for that code. Check the code, or run pigpen login again."
ENDED = "This log-in was refused, or it has taken too long. Run pigpen login again."


@dataclass(frozen=True)
class Waiting:
    """A log-in that waits, as its user sees it."""

    code: str
    client: str
    """The machine on which the command runs, in the command's own words."""
    address: str


def start(ladder: Ladder, client: str, address: str, site: str, ask_seconds: float = ASK_SECONDS) -> LoginStarted:
    """
    Begin a log-in of the command.

    Args:
        ladder: The ladder.
        client: Where the command runs, in its own words.
        address: From where it asks.
        site: The site's address, as its user can type it.
        ask_seconds: Seconds that the command waits before it asks again whether the log-in is confirmed.

    Raises:
        Busy: If very many wait already, and no other addresses near each other have more of them.
    """
    secret, code, now = new_secret(DEVICE), new_user_code(), ladder.clock()
    with ladder.database.write() as session:
        _make_place(session, address, now)
        while accounts.login_code(session, code, now) is not None:
            code = new_user_code()
        accounts.add_login_code(session, hash_of(secret), code, client, address, now, now + GOOD_SECONDS)
    return LoginStarted(
        device_code=secret,
        user_code=code,
        address=f"{site}login/code?code={code}",
        interval=ask_seconds,
        expires=time_of(now + GOOD_SECONDS),
    )


def waiting(ladder: Ladder, code: str) -> Waiting:
    """
    Find the log-in that shows this code.

    Raises:
        LadderError: If none does.
    """
    with ladder.database.read() as session:
        found = _found(session, code, ladder.clock())
        return Waiting(found.user_code, found.client, found.address)


def confirm(ladder: Ladder, viewer: Viewer, code: str, scopes: Collection[Scope]) -> None:
    """
    Let the command that shows this code have a token of the viewer's.

    Args:
        ladder: The ladder.
        viewer: Who confirms.
        code: The code.
        scopes: What the token will be good for.

    Raises:
        LadderError: If no log-in shows that code.
    """
    check(viewer, Act.CHANGE_ACCOUNT, viewer.name)
    with ladder.database.write() as session:
        now = ladder.clock()
        found, account = _found(session, code, now), find_account(session, str(viewer.name))
        accounts.confirm(found, account.owner_id, scopes)
        write_audit(session, viewer, "login.confirm", str(viewer.name), now, client=found.client, at=found.address)


def refuse(ladder: Ladder, viewer: Viewer, code: str) -> None:
    """
    End the log-in that shows this code.

    Raises:
        LadderError: If none does.
    """
    check(viewer, Act.CHANGE_ACCOUNT, viewer.name)
    with ladder.database.write() as session:
        now = ladder.clock()
        found = _found(session, code, now)
        write_audit(session, viewer, "login.refuse", str(viewer.name), now, client=found.client, at=found.address)
        accounts.forget(session, found)


def collect(ladder: Ladder, device_code: str, address: str) -> LoginAnswer:
    """
    Give the command its token, once, if its log-in is confirmed.

    Raises:
        LadderError: If it was refused, or has expired, or there is none.
    """
    hashed, now = hash_of(device_code), ladder.clock()
    with ladder.database.read() as session:  # this is asked often, and a writer keeps others waiting
        found = accounts.device_login(session, hashed, now)
        if found is None:
            raise LadderError(ENDED)
        if found.owner_id is None:
            return LoginAnswer(token=None)
    secret, expires = new_secret(TOKEN), now + ladder.settings.token_days * DAY
    with ladder.database.write() as session:
        found = accounts.device_login(session, hashed, now)
        if found is None or found.owner_id is None:
            raise LadderError(ENDED)
        name, scopes = name_of(session, found.owner_id), [Scope(each) for each in found.scopes]
        made = add_credential(
            session, found.owner_id, "token", hash_of(secret), found.client, scopes, now, expires
        )  # fmt: skip
        write_audit(session, Viewer(name, address=address), "token.create", name, now, id=made.id, by="login")
        accounts.forget(session, found)
    return LoginAnswer(token=secret, name=name, expires=time_of(expires))


def _make_place(session: Session, address: str, now: float) -> None:
    """
    Make sure that one more log-in may wait, so that a script that begins very many keeps no one else from it.

    If there is no place, the oldest log-in that is not confirmed ends, of the addresses near each other with the most.

    Raises:
        Busy: If none have more than those near *address*.
    """
    if accounts.waiting_codes(session, now) < MAX_WAITING:
        return
    codes = accounts.unconfirmed_codes(session, now)
    near = Counter(neighbourhood_of(each.address) for each in codes)
    most = max(near.values(), default=0)
    if near[neighbourhood_of(address)] >= most:
        raise Busy("Too many log-ins at the moment. Try again in a minute.")
    accounts.forget(session, next(each for each in codes if near[neighbourhood_of(each.address)] == most))


def _found(session: Session, code: str, now: float) -> LoginCode:
    found = accounts.login_code(session, tidy_user_code(code), now)
    if found is None:
        raise LadderError(NO_CODE)
    return found
