"""
The log-in to a remote ladder: its address, and a file that only this user may read.

Addresses are read as people type them.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from ladder.errors import UserError
from ladder.sandbox.host.whole_file import write_whole

PORTS = {"https": 443, "http": 80}


def ladder_address(word: str, plain_http: bool = False) -> str:
    """
    Check the address of a ladder, and write it in one way.

    >>> ladder_address("HTTPS://Arena.example:443/")
    'https://arena.example'

    Args:
        word: The address as the user typed it.
        plain_http: Let tokens travel unencrypted beyond this machine.

    Raises:
        UserError: If it is no such address; the message says what would be one.
    """
    try:
        parts = urlsplit(word.strip())
        port = parts.port
    except ValueError as error:
        raise UserError(f"{word!r} is not an address: {error}.") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise UserError(f"{word!r} is not the address of a ladder. Write it as https://arena.example")
    if parts.username is not None or parts.path.strip("/") or parts.query or parts.fragment:
        raise UserError(
            f"{_without_secrets(parts)!r} holds more than the address of a ladder. Write only scheme, host and port: "
            f"{_origin(parts, port)}"
        )
    if not all(letter.isprintable() and not letter.isspace() and letter not in '"<>\\^`{|}' for letter in word.strip()):
        raise UserError(f"{word!r} is not the address of a ladder. Write it as https://arena.example")
    if parts.scheme == "http" and not is_loopback(parts.hostname) and not plain_http:
        raise UserError(
            f"{word!r} is not encrypted: others on the network could read your token. Write https://, or add "
            "--plain-http."
        )
    return _origin(parts, port)


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine, whatever a name server says."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def origin_of(address: str) -> str:
    """Give scheme, host and port of an address: a token is for one origin alone. Empty if it has none."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.hostname}:{port or PORTS.get(parts.scheme)}" if parts.hostname else ""


def _origin(parts: SplitResult, port: int | None) -> str:
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}" + ("" if port in (None, PORTS[parts.scheme]) else f":{port}")


def _without_secrets(parts: SplitResult) -> str:
    """Give the address without what may be a password."""
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


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
