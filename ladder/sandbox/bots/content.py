"""
Content of a bot's folder, read once, as one value: what is hashed is what is packed, copied and measured.

All functions that need something of a folder take a `Content` and pass it on; the folder is not read again. To add
files (the wheels of its `requirements.txt`, a Dockerfile that we write), make another value:

    content = Content.read(folder)
    content = content.with_files({"vendor/numpy/__init__.py": b"..."})
    content.hash, content.archive(), content.write(target)

Folders that were entered are kept: copies by the hash of their content, from which the ladder plays. On its way to
another machine a folder is packed into bytes; what comes out is what went in, or nothing.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import posixpath
import tarfile
import tempfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.bots.members import MAX_BYTES, MAX_MEMBERS, FolderMember, Kind, read_members
from ladder.sandbox.host.scratch import disk_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

TAR_TYPES = {Kind.FOLDER: tarfile.DIRTYPE, Kind.LINK: tarfile.SYMTYPE}


@dataclass(frozen=True)
class Content:
    """Files, folders and links, in the order in which they are hashed: a folder before what is in it."""

    members: tuple[FolderMember, ...]

    @classmethod
    def read(cls, folder: Path, max_bytes: int = MAX_BYTES) -> Content:
        """
        Read a folder once; links are not followed, and what is in `ladder.sandbox.bots.members.IGNORED` is left out.

        Args:
            folder: The folder.
            max_bytes: How much all files may hold; never more than `MAX_BYTES`. A larger file is not even opened
                to its end.

        Raises:
            BotRejected: If it cannot be read or exceeds a limit of `members.py`, has a name that is not UTF-8, or a
                link that leads out of it.
        """
        return cls(read_members(folder, min(max_bytes, MAX_BYTES)))

    @cached_property
    def hash(self) -> str:
        """
        64 hexadecimal digits of SHA-256 over names and contents.

        The same tree gives the same hash on every machine: owners, times, and all modes but the x bit do not count.
        """
        whole = hashlib.sha256()
        for member in self.members:
            # Every part is of fixed length, so that no two trees run together to the same bytes.
            name, content = member.name.encode(), member.content
            whole.update(hashlib.sha256(name).digest() + member.kind.encode() + hashlib.sha256(content).digest())
        return whole.hexdigest()

    @property
    def size(self) -> int:
        """Bytes in all files."""
        return sum(len(member.content) for member in self.members)

    @property
    def has_links(self) -> bool:
        """True if a name in it leads to another one."""
        return any(member.kind is Kind.LINK for member in self.members)

    @cached_property
    def by_name(self) -> Mapping[str, FolderMember]:
        """The members by their paths from the folder on."""
        return {member.name: member for member in self.members}

    def file(self, name: str) -> bytes | None:
        """Give the bytes of a file; None if there is none of that name. A link to a file is followed, once."""
        member = self.by_name.get(name)
        if member is not None and member.kind is Kind.LINK:
            target = posixpath.join(posixpath.dirname(name), member.content.decode())
            member = self.by_name.get(posixpath.normpath(target))
        return member.content if member is not None and member.kind in (Kind.FILE, Kind.EXECUTABLE) else None

    def without(self, leaves_out: Callable[[FolderMember], bool]) -> Content:
        """Copy the content without some members; a folder stays if something in it does."""
        kept = {member.name for member in self.members if not leaves_out(member)}
        for name in list(kept):
            kept.update(_folders_above(name))
        return Content(tuple(member for member in self.members if member.name in kept))

    def with_files(self, files: Mapping[str, bytes]) -> Content:
        """
        Copy the content with these files, by their paths from the folder on, in place of what has these names.

        Raises:
            BotRejected: If a folder stands where a file is to be, or something else where a folder is needed.
        """
        members = dict(self.by_name)
        for name, content in files.items():
            for above in _folders_above(name):
                _expect(members.setdefault(above, FolderMember(above, Kind.FOLDER)), (Kind.FOLDER,))
            _expect(members.get(name), (Kind.FILE, Kind.EXECUTABLE, Kind.LINK))
            members[name] = FolderMember(name, Kind.FILE, content)
        return Content(_in_order(members.values()))

    def below(self, prefix: str) -> Content:
        """Copy the content further down, into the folder *prefix*."""
        moved = (FolderMember(f"{prefix}/{member.name}", member.kind, member.content) for member in self.members)
        above = (FolderMember(name, Kind.FOLDER) for name in (*_folders_above(prefix), prefix))
        return Content((*above, *moved))

    def archive(self) -> BinaryIO:
        """Pack everything for a build. Files become readable by everyone: a bot runs under a user of its own."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for member in self.members:
                tar.addfile(_tar_info(member), io.BytesIO(member.content))
        packed.seek(0)
        return packed

    def write(self, folder: Path) -> None:
        """
        Write everything to *folder*, which is made.

        Raises:
            SandboxError: If there is no room for it.
        """
        with disk_errors(folder):
            folder.mkdir()
        for member in self.members:
            path = folder / member.name
            with disk_errors(path):
                _write(path, member)


def content_hash(folder: Path) -> str:
    """Give the hash of a folder of which nothing else is needed."""
    return Content.read(folder).hash


def archive(folder: Path) -> BinaryIO:
    """Pack a folder of ours for a build."""
    return Content.read(folder).archive()


def _folders_above(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _expect(member: FolderMember | None, kinds: Iterable[Kind]) -> None:
    if member is not None and member.kind not in kinds:
        raise BotRejected(
            f"The bot's folder holds {member.name!r}, a name that Pigpen needs itself. Give it another name."
        )


def _in_order(members: Iterable[FolderMember]) -> tuple[FolderMember, ...]:
    return tuple(sorted(members, key=lambda member: member.parts))


def _tar_info(member: FolderMember) -> tarfile.TarInfo:
    info = tarfile.TarInfo(member.name)
    info.type = TAR_TYPES.get(member.kind, tarfile.REGTYPE)
    info.mode = 0o644 if member.kind is Kind.FILE else 0o755
    if member.kind is Kind.LINK:
        info.linkname = member.content.decode()
    else:
        info.size = len(member.content)
    return info


def _write(path: Path, member: FolderMember) -> None:
    if member.kind is Kind.FOLDER:
        path.mkdir()
    elif member.kind is Kind.LINK:
        path.symlink_to(os.fsdecode(member.content))
    else:
        path.write_bytes(member.content)
        path.chmod(0o755 if member.kind is Kind.EXECUTABLE else 0o644)


FOLDERS = "folders"
"""Folder in the ladder's data folder."""


def kept_folder(data_dir: Path, identity: str) -> Path:
    """Give the path where the folder of that identity (``sha256:…``) is kept."""
    return data_dir / FOLDERS / identity.removeprefix("sha256:")


def keep_folder(content: Content, data_dir: Path) -> Path:
    """
    Keep what a folder holds, under its hash; it is there whole or not at all.

    Raises:
        SandboxError: If there is no room for it.
    """
    identity = f"sha256:{content.hash}"
    kept = kept_folder(data_dir, identity)
    with disk_errors(kept):
        kept.parent.mkdir(parents=True, exist_ok=True)
        if is_kept(kept, identity):
            return kept
        with tempfile.TemporaryDirectory(prefix=".new-", dir=kept.parent) as name:
            content.write(Path(name) / "new")
            _put(Path(name) / "new", kept, identity)
    return kept


def check_not_kept(folder: Path, data_dir: Path) -> None:
    """
    Make sure that a submitted folder is not one of those that the ladder keeps: these are bots of all owners.

    Raises:
        BotRejected: If it is.
    """
    if folder.resolve().is_relative_to((data_dir / FOLDERS).resolve()):
        raise BotRejected(f"{folder} is where the ladder keeps the bots that were entered. Submit your own folder.")


def _put(new: Path, kept: Path, identity: str) -> None:
    if kept.exists() and not is_kept(kept, identity):  # it was changed
        kept.rename(new.with_name("old"))
    try:
        new.rename(kept)
    except OSError:
        if not is_kept(kept, identity):  # or else another submission of the same folder was first
            raise


def is_kept(kept: Path, identity: str) -> bool:
    """Tell whether the folder is there and is what its name says."""
    return kept.is_dir() and is_content(kept, identity)


def is_content(folder: Path, identity: str) -> bool:
    """Tell whether the folder holds what has that identity; what cannot be read does not."""
    try:
        return f"sha256:{Content.read(folder).hash}" == identity
    except BotRejected:
        return False


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
