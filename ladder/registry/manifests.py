"""
The check of an image in the registry before an engine has it: its manifest, and the archives of its layers.

A manifest must have one image for one kind of machine, all of it in the registry. The tar archive of a layer is read as
an engine reads it, to know what it unpacks to before an engine does. An engine writes more than the archive holds: a
sparse file has any size, and an empty one costs an inode. It reads with Go's archive/tar. What that reads otherwise
than other programs is refused, so that no member is hidden from this one.
"""

from __future__ import annotations

import json
import re
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ladder.errors import BotRejected
from ladder.values.names import MAX_LAYER_FILES

if TYPE_CHECKING:
    from collections.abc import Mapping

DOCKER = "application/vnd.docker.distribution.manifest.v2+json"
OCI = "application/vnd.oci.image.manifest.v1+json"
LISTS = (
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.index.v1+json",
)
ACCEPTED = (DOCKER, OCI, *LISTS)
"""The media types that are requested: else a registry would choose one image of a list, or write it in an old way."""
CONFIGS = ("application/vnd.docker.container.image.v1+json", "application/vnd.oci.image.config.v1+json")
PACKED = ("application/vnd.docker.image.rootfs.diff.tar.gzip", "application/vnd.oci.image.layer.v1.tar+gzip")
PLAIN = ("application/vnd.oci.image.layer.v1.tar",)
MAX_MANIFEST, MAX_CONFIG = 256 * 1024, 256 * 1024
"""Bytes."""
MAX_LAYERS = 100
_DIGEST = re.compile("sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class Blob:
    """A layer, or the configuration."""

    digest: str
    size: int
    """Bytes, as the manifest says."""
    is_packed: bool = False
    """With gzip."""


@dataclass(frozen=True)
class Manifest:
    """An image that may be looked at more closely."""

    config: Blob
    layers: tuple[Blob, ...]


def read_manifest(name: str, body: bytes, media_type: str, max_bytes: int) -> Manifest:
    """
    Read a manifest, and refuse what the ladder does not take, before anything is pulled.

    Args:
        name: The image, for the message.
        body: The manifest.
        media_type: As the registry names it.
        max_bytes: The most for all layers together, packed as they are.

    Raises:
        BotRejected: If the ladder does not take it.
    """
    if media_type in LISTS:
        raise BotRejected(
            f"{name} is a list of images for several machines. Push one image: docker build --provenance=false "
            "--platform with one platform."
        )
    if media_type not in (DOCKER, OCI):
        raise BotRejected(
            f"{name} has a manifest of a kind that this ladder does not accept ({media_type or 'no kind'})."
        )
    plain = _parsed(name, body)
    if plain.get("mediaType", media_type) != media_type or plain.get("schemaVersion") != 2 or "manifests" in plain:
        raise BotRejected(f"The manifest of {name} contradicts itself.")
    config = _blob(name, plain.get("config"), CONFIGS)
    layers = plain.get("layers")
    if not isinstance(layers, list) or not 0 < len(layers) <= MAX_LAYERS:
        raise BotRejected(f"{name} has no layers, or more than {MAX_LAYERS}. Build it in fewer steps.")
    blobs = tuple(_blob(name, layer, PACKED + PLAIN) for layer in layers)
    if config.size > MAX_CONFIG:
        raise BotRejected(f"The configuration of {name} has more than {MAX_CONFIG:,} bytes.")
    check_bytes(name, sum(layer.size for layer in blobs), max_bytes)
    return Manifest(config, blobs)


def check_bytes(name: str, size: int, max_bytes: int) -> None:
    """
    Refuse an image that is too large.

    Raises:
        BotRejected: If it is.
    """
    if size > max_bytes:
        raise BotRejected(
            f"{name} has more than {max_bytes:,} bytes, the most that this ladder takes (setting image_bytes). "
            "Leave out what the bot does not need to play."
        )


def _parsed(name: str, body: bytes) -> dict[str, Any]:
    try:
        plain = json.loads(body)
    except (ValueError, RecursionError):
        plain = None
    if not isinstance(plain, dict):
        raise BotRejected(f"The manifest of {name} cannot be read.")
    return plain


def _blob(name: str, plain: object, kinds: tuple[str, ...]) -> Blob:
    if not isinstance(plain, dict):
        raise BotRejected(f"The manifest of {name} cannot be read.")
    kind, size, digest = plain.get("mediaType"), plain.get("size"), plain.get("digest")
    if "urls" in plain or kind not in kinds:
        raise BotRejected(
            f"{name} has a part that this ladder does not take: {str(kind)[:100]}. All layers must be in the registry "
            "itself, packed with gzip."
        )
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise BotRejected(f"The manifest of {name} cannot be read.")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise BotRejected(f"The manifest of {name} cannot be read.")
    return Blob(digest, size, kind in PACKED)


PIECE = 1 << 20
BLOCK = tarfile.BLOCKSIZE
PAX, GLOBAL_PAX = tarfile.XHDTYPE, tarfile.XGLTYPE
EXTENSIONS = (PAX, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
"""Headers that say more of the next member."""
WITHOUT_DATA = (
    tarfile.LNKTYPE,
    tarfile.SYMTYPE,
    tarfile.CHRTYPE,
    tarfile.BLKTYPE,
    tarfile.DIRTYPE,
    tarfile.FIFOTYPE,
    tarfile.AREGTYPE,  # a file or, by a slash at the end of its name, a folder
)
SKIPPED = tuple(bytes([number]) + b"*M\x18" for number in range(0x50, 0x60))
"""Beginnings of frames that zstd skips."""
COMPRESSED = (b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\0", b"(\xb5/\xfd", *SKIPPED)
"""Beginnings by which an engine knows gzip, bzip2, xz and zstd, whatever the manifest calls the layer."""
MAX_EXTENSION = 1 << 20
"""Bytes of such a header, as in Go."""
MAX_EXTENSIONS = 64 << 20
"""Bytes of all of them in an image."""
_TYPE, _SIZE = slice(156, 157), slice(124, 136)
_OCTAL = re.compile(rb" *([0-7]*)[ \0]*")
_BINARY = b"\x80"
_RECORD = re.compile(rb"([0-9]{1,7}) ([^=]+)=")
_DECIMAL = re.compile(rb"[0-9]{1,18}")


class ImageTotal:
    """The unpacked size of an image, counted while it is read."""

    def __init__(self, image: str, max_bytes: int) -> None:
        """
        Begin at nothing.

        Args:
            image: Its name, for messages.
            max_bytes: The most for all layers, unpacked.
        """
        self.image = image
        self.bytes = self.files = self.extensions = 0
        self._max_bytes = max_bytes

    def add(self, size: int = 0, files: int = 0) -> None:
        """
        Count what was read.

        Args:
            size: Bytes.
            files: Files, folders and links.

        Raises:
            BotRejected: If it is too much.
        """
        self.bytes += size
        self.files += files
        self.check_room(0)
        if self.files > MAX_LAYER_FILES:
            raise BotRejected(
                f"{self.image} has more than {MAX_LAYER_FILES:,} files and folders in its layers, the most that this "
                "ladder takes. Leave out what the bot does not need to play."
            )

    def check_room(self, size: int) -> None:
        """
        Make sure that *size* more bytes would not be too many.

        Raises:
            BotRejected: If they would.
        """
        check_bytes(self.image, self.bytes + size, self._max_bytes)


class PlainStream:
    """The unpacked bytes of a layer, or of a configuration; each byte is counted."""

    def __init__(self, stream: Any, total: ImageTotal) -> None:
        self.total = total
        self._stream = stream

    def take(self, size: int) -> bytes:
        """Give the next *size* bytes; fewer at the end."""
        found = bytearray()
        while len(found) < size and (piece := self._stream.read(size - len(found))):
            found += piece
        self.total.add(size=len(found))
        return bytes(found)

    def skip(self, size: int) -> None:
        """
        Read the next *size* bytes, and forget them.

        Raises:
            tarfile.ReadError: If there are fewer.
        """
        while size > 0:
            piece = self.take(min(size, PIECE))
            if not piece:
                raise tarfile.ReadError("cut off")
            size -= len(piece)

    def skip_rest(self) -> None:
        """Read to the end."""
        while self.take(PIECE):
            pass


def read_layer(stream: PlainStream) -> None:
    """
    Read a layer to its end, and count what an engine would write.

    Raises:
        BotRejected: If that is too much, or if there is a sparse file, which may be of any size.
        tarfile.TarError: If it is no tar archive, or one that is not read alike everywhere.
    """
    _Layer(stream).run()
    stream.skip_rest()  # no engine reads members there


class _Layer:
    """Member by member to the end of the archive."""

    def __init__(self, stream: PlainStream) -> None:
        self._stream = stream
        self._total = stream.total
        self._extended: dict[bytes, Mapping[bytes, bytes]] = {}
        """Headers before the next member, by their type, with the records of each."""

    def run(self) -> None:
        """Read all members."""
        header = self._header()
        if header.startswith(COMPRESSED):
            raise tarfile.ReadError("an engine would unpack this once more")
        while header:
            self._entry(header[_TYPE], _number(header[_SIZE]))
            header = self._header()

    def _entry(self, kind: bytes, size: int) -> None:
        if kind in EXTENSIONS and kind not in self._extended:
            self._extended[kind] = self._extension(kind, size)
        elif kind == GLOBAL_PAX and not self._extended:
            self._total.add(files=1)  # an engine takes it for a member
            self._extension(kind, size)
        elif kind in (*EXTENSIONS, GLOBAL_PAX):  # Go drops those before it
            raise tarfile.ReadError("one header too many")
        else:
            self._member(kind, size)

    def _header(self) -> bytes:
        """Read the next header; empty at the end, which is two blocks of zeros, or where nothing follows."""
        block = self._stream.take(BLOCK)
        if not any(block):
            if any(self._stream.take(BLOCK)):
                raise tarfile.ReadError("a header behind the end")
            return b""
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")  # is it whole, and does its checksum fit?
        return block

    def _extension(self, kind: bytes, size: int) -> Mapping[bytes, bytes]:
        self._total.extensions += size
        if size > MAX_EXTENSION or self._total.extensions > MAX_EXTENSIONS:
            raise tarfile.ReadError("long headers")
        body = self._stream.take(size)
        self._stream.skip(-size % BLOCK)
        if len(body) < size:
            raise tarfile.ReadError("cut off")
        records = _records(body) if kind in (PAX, GLOBAL_PAX) else {}
        if any(keyword.startswith(b"GNU.sparse.") for keyword in records):
            raise self._sparse()
        return records

    def _member(self, kind: bytes, size: int) -> None:
        if kind == tarfile.GNUTYPE_SPARSE:
            raise self._sparse()
        longer = self._extended.get(PAX, {}).get(b"size")
        if longer is not None:
            if not _DECIMAL.fullmatch(longer):
                raise tarfile.ReadError("a size that is no number")
            size = int(longer)
        if kind in WITHOUT_DATA and size:
            raise tarfile.ReadError("data where none may be")
        self._total.add(files=1)
        self._total.check_room(size)
        self._stream.skip(size + -size % BLOCK)
        self._extended = {}

    def _sparse(self) -> BotRejected:
        return BotRejected(
            f"A layer of {self._total.image} holds a sparse file, which may unpack to any size. Build it anew without "
            "one, and push it again."
        )


def _number(field: bytes) -> int:
    r"""
    Read the size in a header: octal digits, or from 8 GiB on a binary number.

    >>> _number(b"00000001750\0")
    1000

    Raises:
        tarfile.ReadError: If it is none, or not one for every program: Go skips zeros before the digits.
    """
    if field[:1] == _BINARY:
        return int.from_bytes(field[1:])
    found = _OCTAL.fullmatch(field)
    if found is None:
        raise tarfile.ReadError("a size that is no number")
    return int(found[1] or b"0", 8)


def _records(body: bytes) -> dict[bytes, bytes]:
    r"""
    Read an extended header (POSIX.1-2001, pax): lines of ``LENGTH KEYWORD=VALUE``; a value may be binary.

    >>> _records(b"13 path=ab/c\n")
    {b'path': b'ab/c'}

    Raises:
        tarfile.ReadError: If it is none.
    """
    found, at = dict[bytes, bytes](), 0
    while at < len(body):
        begin = _RECORD.match(body, at)
        end = at + int(begin[1]) if begin else 0
        if begin is None or not begin.end() < end <= len(body) or body[end - 1 : end] != b"\n":
            raise tarfile.ReadError("an extended header that makes no sense")
        found[begin[2]] = body[begin.end() : end - 1]
        at = end
    return found
