"""
Protection of passwords: which are accepted, how they are hashed, and which browsers an account knows.

Passwords are hashed and verified with little memory and few cores. Tries from a browser in which an account has logged
in before are counted apart from strangers'. Such a browser keeps a number of its own for each of the last few accounts,
each with a message authentication code (HMAC-SHA256) over number and account. It opens nothing: the password is asked
for as always.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import unicodedata
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ladder.app.kept_secret import kept_secret
from ladder.errors import Busy, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER, FILE = "accounts", "devices.secret"
NUMBER_BYTES = 12
MAX_ACCOUNTS = 4
"""Accounts to which one browser is known; the latest ones are kept."""


def known_device(data_dir: Path, kept: str, name: str) -> str:
    """
    Read the number by which a browser is known to an account; empty: it is not known.

    Args:
        data_dir: The ladder's folder.
        kept: What the browser has kept, or whatever it sends in its place.
        name: The account's name, in any case.

    Raises:
        LadderError: If the ladder's secret cannot be read.
        UserError: If it cannot be made.
    """
    secret = _secret(data_dir)
    for part in kept.split(".", MAX_ACCOUNTS)[:MAX_ACCOUNTS]:
        number, _, code = part.partition("~")
        if number and hmac.compare_digest(code.encode(), _code(secret, number, name).encode()):
            return number
    return ""


def made_known(data_dir: Path, kept: str, name: str) -> str:
    """Give what a browser is to keep after a log-in as *name*; arguments and errors are those of `known_device`."""
    if known_device(data_dir, kept, name):
        return kept
    number = secrets.token_urlsafe(NUMBER_BYTES)
    others = [part for part in kept.split(".", MAX_ACCOUNTS)[: MAX_ACCOUNTS - 1] if part.isascii() and "~" in part]
    return ".".join((f"{number}~{_code(_secret(data_dir), number, name)}", *others))


def _secret(data_dir: Path) -> bytes:
    return kept_secret(data_dir / FOLDER / FILE, "The secret of known browsers")


def _code(secret: bytes, number: str, name: str) -> str:
    message = f"pigpen/1/device/{number}/{name.casefold()}".encode(errors="surrogatepass")
    return hmac.new(secret, message, hashlib.sha256).hexdigest()


MIN_CHARACTERS, MAX_CHARACTERS = 10, 1000
"""Characters of a password."""
BAD_LENGTH = "A password has {least} to {most} characters."
AT_ONCE = 2
"""Passwords that are hashed at the same time; each takes a core and 64 MiB."""
WAIT_SECONDS = 5.0
"""Seconds that a log-in waits for its turn."""
MAX_WAITING = 100
"""Log-ins that wait on the site until a password is hashed, or until the identity provider answers."""
BUSY = "Too many log-ins at the moment. Try again in a minute."


def check_password(password: str, name: str) -> None:
    """
    Check a new password of an account.

    Raises:
        UserError: If not.
    """
    if not MIN_CHARACTERS <= len(password) <= MAX_CHARACTERS:
        raise UserError(BAD_LENGTH, least=MIN_CHARACTERS, most=MAX_CHARACTERS)
    if password.casefold() == name.casefold():
        raise UserError("The password must not be the name.")


class Passwords:
    """Hashes and verifies passwords, a few at a time."""

    def __init__(
        self, hasher: PasswordHasher | None = None, at_once: int = AT_ONCE, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        """
        Prepare.

        Args:
            hasher: Argon2 with its parameters; None: with those of RFC 9106 for little memory.
            at_once: How many are hashed at the same time.
            wait_seconds: How long one waits for its turn.
        """
        self._hasher = hasher or PasswordHasher()
        self._turns = threading.BoundedSemaphore(at_once)
        self._wait_seconds = wait_seconds

    def hash(self, password: str) -> str:
        """
        Give what is stored of a password.

        Raises:
            Busy: If too many others wait.
        """
        with self._turn():
            return self._hasher.hash(_tidy(password))

    def are_good(self, stored: str | None, password: str) -> bool:
        """
        Tell whether a password is the stored one; if none is stored, that takes the same time.

        Raises:
            Busy: If too many others wait.
        """
        with self._turn():
            placeholder = self._placeholder  # made at the first call, whatever the name
            try:
                return self._hasher.verify(stored or placeholder, _tidy(password)) and stored is not None
            except (VerificationError, InvalidHashError):
                return False

    def is_outdated(self, stored: str) -> bool:
        """Tell whether a hash was made with other parameters, so that it is to be made again."""
        return self._hasher.check_needs_rehash(stored)

    @cached_property
    def _placeholder(self) -> str:
        return self._hasher.hash("no account's password")

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(timeout=self._wait_seconds):
            raise Busy(BUSY)
        try:
            yield
        finally:
            self._turns.release()


def _tidy(password: str) -> str:
    """Give the same text however a keyboard composes its letters; no longer than any password is."""
    return unicodedata.normalize("NFKC", password[: MAX_CHARACTERS + 1])
