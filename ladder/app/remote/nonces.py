"""
Nonces of this user's entries in events of remote ladders, kept beside the log-in, in a file each.

A nonce is secret until the list of entrants is final; the ladder knows its SHA-256 alone. It is kept before the ladder
is told, so that a process that ends meanwhile loses none; nor do several commands that enter bots at the same time.
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

FOLDER = "nonces"


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
    path = _folder() / f"{made.commitment}.json"
    try:
        write_whole(path, json.dumps(asdict(made), indent=1).encode())
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
    found = [_read(path) for path in sorted(_folder().glob("*.json"))]
    return [each for each in found if address in (None, each.address) and event in (None, each.event)]


def _read(path: Path) -> KeptNonce:
    try:
        kept = KeptNonce(**json.loads(path.read_text("utf-8")))
        is_whole = kept.commitment == path.stem
    except OSError as error:
        raise UserError(f"{str(path)!r} cannot be read: {error.strerror}. It holds the nonce of an entry.") from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise UserError(f"{str(path)!r} does not hold the nonce of an entry. Move it away, and enter again.")
    return kept


def _folder() -> Path:
    path = login_file()
    if path is None:
        raise UserError("A nonce cannot be kept: this user has no home folder. Set XDG_CONFIG_HOME to a folder.")
    return path.with_name(FOLDER)
