"""Passwords: which are accepted, and how they are hashed and verified with little memory and few cores."""

from __future__ import annotations

import threading
import unicodedata
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ladder.errors import Busy, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_CHARACTERS, MAX_CHARACTERS = 10, 1000
"""Characters of a password."""
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
        raise UserError(f"A password has {MIN_CHARACTERS} to {MAX_CHARACTERS} characters.")
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
