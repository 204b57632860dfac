"""The remote ladder that this user has logged in to: a file that only this user may read."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ladder.app.remote.address import ladder_address
from ladder.errors import UserError
from ladder.sandbox.host.whole_file import write_whole

FILE = "login.json"
NOT_LOGGED_IN = "You are not logged in to a ladder. To log in: pigpen login URL"
_TOKEN = re.compile(r"[!-~]{8,200}")


@dataclass(frozen=True)
class Login:
    """A remote ladder, and the token for it."""

    address: str
    """As `ladder_address` writes it."""
    name: str
    """The account's."""
    token: str = field(repr=False)


def login_file() -> Path | None:
    """Say where the log-in is kept, by the XDG base directory specification; None if this user has no home."""
    try:
        home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    except RuntimeError:
        return None
    return Path(home) / "pigpen" / FILE


def read_login() -> Login | None:
    """
    Read to which ladder this user has logged in; None: to none.

    Raises:
        UserError: If the file cannot be read, or makes no sense.
    """
    path = login_file()
    try:
        if path is None or not path.exists():
            return None
        found = json.loads(path.read_text(encoding="utf-8"))
        login = Login(*(_text(found[name]) for name in ("address", "name", "token")))
        if not is_token(login.token) or ladder_address(login.address, plain_http=True) != login.address:
            raise ValueError
        return login
    except OSError as error:
        raise UserError(f"{str(path)!r} cannot be read: {error.strerror}. Without it you are not logged in.") from None
    except (ValueError, TypeError, LookupError, RecursionError, UserError):
        raise UserError(
            f"{str(path)!r} does not hold a log-in. Remove it, and log in again: pigpen login URL"
        ) from None


def write_login(login: Login) -> Path:
    """
    Keep a log-in, in the place of another one; it is there as a whole, or not at all.

    Raises:
        UserError: If it cannot be written.
    """
    path = login_file()
    if path is None:
        raise UserError("The log-in cannot be stored: this user has no home folder. Set XDG_CONFIG_HOME to a folder.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.parent.chmod(0o700)
        write_whole(path, json.dumps(asdict(login)).encode())
    except OSError as error:
        raise UserError(f"The log-in cannot be kept in {str(path)!r}: {error.strerror}.") from None
    return path


def remove_login() -> None:
    """
    Forget the log-in.

    Raises:
        UserError: If the file cannot be removed.
    """
    path = login_file()
    try:
        if path is not None:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"{str(path)!r} cannot be removed: {error.strerror}.") from None


def is_token(word: str) -> bool:
    """Tell whether a word can be a token: it has nothing that cannot be sent."""
    return _TOKEN.fullmatch(word) is not None


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError
    return value
