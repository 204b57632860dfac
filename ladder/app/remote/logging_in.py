"""Logging in to a remote ladder, and out of it."""

from __future__ import annotations

import platform
import time
from typing import TYPE_CHECKING

from ladder.app.remote.connection import Connection
from ladder.app.remote.login import Login, is_token, remove_login, write_login
from ladder.errors import LadderError, RemoteError, UserError
from ladder.values.accounts import DeviceCode, LoginAnswer, LoginClient, LoginStarted, Me
from pigpen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

MIN_PAUSE, MAX_PAUSE = 0.2, 30.0
"""Seconds between two requests that ask whether the log-in is confirmed."""


def start(connection: Connection) -> LoginStarted:
    """
    Begin to log in; the user must confirm it in a browser.

    Raises:
        LadderError: If the ladder refuses.
        RemoteError: If it does not answer.
    """
    client = f"pigpen {__version__} on {platform.node() or 'a machine without a name'}"[:200]
    return connection.send("POST", "/login/codes", LoginStarted, LoginClient(client=client))


def confirmed(connection: Connection, started: LoginStarted, wait: Callable[[float], None] = time.sleep) -> str:
    """
    Wait until the log-in is confirmed; give the token. A connection that breaks meanwhile does no harm.

    Raises:
        LadderError: If the code has expired, or the log-in was refused.
        RemoteError: If the ladder does not answer any more.
    """
    pause, silent = min(max(started.interval, MIN_PAUSE), MAX_PAUSE), 0
    while True:
        wait(pause)
        try:
            answer = connection.send("POST", "/login/tokens", LoginAnswer, DeviceCode(device_code=started.device_code))
            silent = 0
        except RemoteError:
            silent += 1
            if silent >= 5:
                raise
            continue
        if answer.token is not None:
            return answer.token


def keep(address: str, token: str) -> Login:
    """
    Ask whose a token is, and keep it in the place of another log-in.

    Raises:
        LadderError: If the ladder does not know it.
        RemoteError: If the ladder does not answer.
        UserError: If it is no token, or cannot be kept.
    """
    if not is_token(token):
        raise UserError(
            f"That is not a token. Make one at {address}/me/account, and give it to: pigpen login {address} --token"
        )
    with Connection(address, token) as connection:
        login = Login(address, who(connection).name, token)
    write_login(login)
    return login


def who(connection: Connection) -> Me:
    """
    Ask who one is on a ladder.

    Raises:
        LadderError: If the token is not good any more.
        RemoteError: If the ladder does not answer.
    """
    return connection.get("/me", Me)


def forget(login: Login) -> None:
    """
    Log out: the token is revoked there and forgotten here, whatever goes wrong there.

    Raises:
        RemoteError: If it is only forgotten.
        UserError: If the file cannot be removed.
    """
    try:
        with Connection(login.address, login.token) as connection:
            connection.send("DELETE", "/me/token", type(None))
    except LadderError:
        pass  # it was not good any more
    except RemoteError as error:
        remove_login()
        raise RemoteError(
            f"You are logged out on this machine, but the token is still valid: {error} "
            f"Revoke it at {login.address}/me/account"
        ) from None
    remove_login()
