"""Records of a remote ladder's matches: fetched once, and cached by match and hash."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

from ladder.app.remote.answers import not_understood, refusal
from ladder.errors import RemoteError, UserError
from ladder.sandbox.host.cache import cache_folder
from ladder.sandbox.host.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.app.remote.connection import Connection

MAX_BYTES = 256 * 1024**2
"""Of a record, packed."""
KEPT_BYTES = 512 * 1024**2
"""Of all records that are kept of a ladder; those fetched longest ago go first."""
_DIGEST = re.compile(r"sha-256=:([A-Za-z0-9+/]{43}=):")


def fetch_record(connection: Connection, match: int, kept_bytes: int = KEPT_BYTES) -> Path:
    """
    Fetch the record of a match that is done, unless it is here already.

    Args:
        connection: Leads to the ladder.
        match: Number of the match there.
        kept_bytes: Of all records that are kept of this ladder.

    Raises:
        LadderError: If the ladder has none.
        RemoteError: If the ladder does not answer, or the record came damaged.
        UserError: If there is no room for it.
    """
    folder = cache_folder() / "records" / hashlib.sha256(connection.address.encode()).hexdigest()[:16]
    known = {digest: path for path in folder.glob(f"{match}-*.jsonl.gz") if (digest := _hash_in(path)) is not None}
    tags = {"If-None-Match": ", ".join(f'"{digest}"' for digest in known)} if known else {}
    answer = connection.answer(f"/matches/{match}/record", MAX_BYTES, headers=tags)
    if answer.status not in (200, 304):
        raise refusal(connection.address, answer)
    digest = _promised(answer.headers.get("Repr-Digest", ""))
    if answer.status == 304 and digest in known:
        return known[digest]
    if answer.status != 200 or digest is None:
        raise not_understood(connection.address, answer)
    if hashlib.sha256(answer.body).hexdigest() != digest:
        raise RemoteError(f"The record of match {match} arrived damaged from {connection.address}. Try again.")
    return _keep(folder, f"{match}-{digest}.jsonl.gz", answer.body, kept_bytes)


def _hash_in(path: Path) -> str | None:
    """Give the hash in the name of a file, if that is the file's."""
    digest = path.name.partition("-")[2].partition(".")[0]
    try:
        return digest if hashlib.sha256(path.read_bytes()).hexdigest() == digest else None
    except OSError:
        return None


def _promised(header: str) -> str | None:
    found = _DIGEST.search(header)
    return base64.b64decode(found[1]).hex() if found else None


def _keep(folder: Path, name: str, content: bytes, kept_bytes: int) -> Path:
    try:
        write_whole(folder / name, content)
        _make_room(folder, folder / name, kept_bytes)
    except OSError as error:
        raise UserError(f"The record cannot be kept in {str(folder)!r}: {error.strerror}.") from None
    return folder / name


def _make_room(folder: Path, spared: Path, kept_bytes: int) -> None:
    total = 0
    for path in sorted(folder.glob("*.jsonl.gz"), key=lambda path: path.stat().st_mtime, reverse=True):
        total += path.stat().st_size
        if total > kept_bytes and path != spared:
            path.unlink(missing_ok=True)
