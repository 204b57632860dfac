"""A bot's folder packed into bytes, on its way to another machine; what comes out is what went in, or nothing."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.members import MAX_BYTES, MAX_MEMBERS, FolderMember, Kind

MAX_PACKED = 64 * 1024**2
"""Bytes of a folder that is sent to another machine, packed."""
MAX_UNPACKED = MAX_BYTES + MAX_MEMBERS * 4096
"""Bytes of the archive, its headers included."""
GZIP = 16 + zlib.MAX_WBITS
LEVEL = 6


class TooLarge(SandboxError):
    """A folder is too large to be sent."""


def pack(content: Content, max_bytes: int = MAX_PACKED) -> bytes:
    """
    Pack what a folder holds: the same content gives the same bytes.

    Args:
        content: What the folder holds.
        max_bytes: Bytes that there may be, packed.

    Raises:
        TooLarge: If it is too large, packed.
    """
    packed = gzip.compress(content.archive().read(), LEVEL, mtime=0)
    if len(packed) > max_bytes:
        raise TooLarge(
            f"A folder has {len(packed):,} bytes, packed, and {max_bytes:,} are the most that can be sent to another "
            "machine. Leave out what the bot does not need to play, or enter it in the docker sandbox."
        )
    return packed


def unpack(packed: bytes, identity: str, max_bytes: int = MAX_UNPACKED) -> Content:
    """
    Unpack a folder in memory. Nothing is written, so that nothing is ever written that is not what was asked for.

    Args:
        packed: The archive.
        identity: ``sha256:`` and the hash of its content.
        max_bytes: Bytes that there may be, unpacked.

    Raises:
        SandboxError: If it is not the content of that identity.
    """
    try:
        content = Content(_members(packed, max_bytes))
    except (zlib.error, tarfile.TarError, ValueError, EOFError) as error:
        raise SandboxError(f"The folder {identity} came damaged: {error}.") from None
    if f"sha256:{content.hash}" != identity:
        raise SandboxError(f"The folder {identity} came as another one: sha256:{content.hash}.")
    return content


def _members(packed: bytes, max_bytes: int) -> tuple[FolderMember, ...]:
    inflate = zlib.decompressobj(GZIP)
    unpacked = inflate.decompress(packed, max_bytes)
    if not inflate.eof or inflate.unused_data:
        raise ValueError("it is cut off, too large, or has data after its end")
    with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as tar:
        found = [_member(tar, info) for info in tar]
    return tuple(sorted(found, key=lambda member: member.parts))


def _member(tar: tarfile.TarFile, info: tarfile.TarInfo) -> FolderMember:
    if info.isdir():
        return FolderMember(info.name, Kind.FOLDER)
    if info.issym():
        return FolderMember(info.name, Kind.LINK, info.linkname.encode())
    file = tar.extractfile(info) if info.isreg() else None
    if file is None:
        raise ValueError(f"{info.name[:80]!r} is neither a file, nor a folder, nor a link")
    return FolderMember(info.name, Kind.EXECUTABLE if info.mode & 0o100 else Kind.FILE, file.read())
