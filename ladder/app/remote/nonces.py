"""
Nonces of this user's entries in events of remote ladders, kept beside the log-in.

A nonce is secret until the list of entrants is final; the ladder knows its SHA-256 alone. It is kept before the ladder
is told, so that a process that ends meanwhile loses none.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from ladder.app.remote.login import login_file
from ladder.errors import UserError
from ladder.sandbox.host.whole_file import write_whole
from pigpen.rules.shuffle import SEED_BYTES, commitment

if TYPE_CHECKING:
    from pathlib import Path

FILE = "nonces.json"


@dataclass(frozen=True)
class KeptNonce:
    """The nonce of an entry."""

    address: str
    """Of the ladder."""
    event: str
    bot: str
    nonce: str = field(repr=False)
    """In hex."""

    @property
    def commitment(self) -> str:
        """Its SHA-256, in hex."""
        return commitment(bytes.fromhex(self.nonce))


def make_nonce(address: str, event: str, bot: str) -> KeptNonce:
    """
    Make a nonce and keep it.

    Raises:
        UserError: If it cannot be kept.
    """
    made = KeptNonce(address, event, bot, secrets.token_hex(SEED_BYTES))
    path = _file()
    try:
        write_whole(path, json.dumps([asdict(each) for each in [*kept_nonces(), made]], indent=1).encode())
    except OSError as error:
        raise UserError(
            f"The nonce of {bot!r} cannot be kept in {str(path)!r}: {error.strerror}. To enter without one of your "
            "own: --ladder-nonce"
        ) from None
    return made


def kept_nonces(address: str | None = None, event: str | None = None) -> list[KeptNonce]:
    """
    Read the nonces that are kept, of all ladders or one, and of all events or one.

    Raises:
        UserError: If they cannot be read.
    """
    path = _file()
    try:
        found = [KeptNonce(**each) for each in json.loads(path.read_text("utf-8"))] if path.exists() else []
        for each in found:
            bytes.fromhex(each.nonce)
    except OSError as error:
        raise UserError(
            f"{str(path)!r} cannot be read: {error.strerror}. It holds the nonces of your entries."
        ) from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise UserError(f"{str(path)!r} does not hold nonces of entries. Move it away, and enter again.") from None
    return [each for each in found if address in (None, each.address) and event in (None, each.event)]


def _file() -> Path:
    path = login_file()
    if path is None:
        raise UserError("A nonce cannot be kept: this user has no home folder. Set XDG_CONFIG_HOME to a folder.")
    return path.with_name(FILE)
