"""
Browsers in which an account has logged in before: their tries at its password are counted apart from strangers'.

What a browser keeps is a number of its own for each of the last few accounts, each with a message authentication code
(HMAC-SHA256) over number and account. It opens nothing: the password is asked for as always.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from ladder.app.kept_secret import kept_secret

if TYPE_CHECKING:
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
