"""What a wheel says of its own files: RECORD with a hash for each, and METADATA with what it needs."""

from __future__ import annotations

import base64
import binascii
import csv
import hashlib
from email.parser import BytesHeaderParser
from typing import TYPE_CHECKING

from ladder.sandbox.wheels.requirements import read_requirement

if TYPE_CHECKING:
    from ladder.sandbox.wheels.archive import Wheel
    from ladder.sandbox.wheels.requirements import Wanted

RECORD_BYTES = 4 * 1024 * 1024
METADATA_BYTES = 1024 * 1024
UNHASHED = ("RECORD", "RECORD.jws", "RECORD.p7s")
HASHES = ("sha256", "sha384", "sha512")
"""PEP 427: nothing weaker."""


def recorded(wheel: Wheel) -> dict[str, tuple[str, bytes]]:
    """
    Read RECORD: for each file the kind of its hash, and the hash.

    Raises:
        BotRejected: If RECORD and the archive do not name the same files, or a hash is missing or weak.
    """
    name = wheel.metadata("RECORD")
    text = wheel.read(name, RECORD_BYTES).decode("utf-8", "replace")
    unhashed = {wheel.metadata(file) for file in UNHASHED}
    found: dict[str, tuple[str, bytes]] = {}
    try:
        for row in csv.reader(text.splitlines()):
            if row and row[0] not in unhashed and not row[0].endswith("/"):
                found[row[0]] = _hash(wheel, row)
    except csv.Error as error:
        raise wheel.refusal(f"has a RECORD that cannot be read ({error})") from None
    if odd := sorted((set(wheel.files) - unhashed) ^ set(found)):
        raise wheel.refusal(f"and its RECORD do not name the same files: {odd[0][:80]!r}")
    return found


def needs(wheel: Wheel) -> list[Wanted]:
    """
    Read what other packages it asks for.

    Raises:
        BotRejected: If that cannot be read.
    """
    headers = BytesHeaderParser().parsebytes(wheel.read(wheel.metadata("METADATA"), METADATA_BYTES))
    return [read_requirement(str(text), wheel.label) for text in headers.get_all("Requires-Dist", [])]


def new_hash(kind: str) -> hashlib._Hash:
    """Begin a hash of one of the kinds that RECORD may use."""
    return hashlib.new(kind)


def _hash(wheel: Wheel, row: list[str]) -> tuple[str, bytes]:
    kind, _, digest = (row[1] if len(row) > 1 else "").partition("=")
    if kind not in HASHES:
        raise wheel.refusal(f"has no good hash of {row[0][:80]!r} in its RECORD")
    try:
        return kind, base64.urlsafe_b64decode(digest + "=" * (-len(digest) % 4))
    except (binascii.Error, ValueError):
        raise wheel.refusal(f"has no good hash of {row[0][:80]!r} in its RECORD") from None
