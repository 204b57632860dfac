"""The size of an image once it is unpacked: read once before an engine unpacks it onto the disk."""

from __future__ import annotations

import gzip
import hashlib
import tarfile
import zlib
from typing import TYPE_CHECKING, Any

from ladder.errors import BotRejected
from ladder.registry.layer_archive import PIECE, ImageTotal, PlainStream, read_layer
from ladder.registry.manifests import MAX_CONFIG

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.registry.client import RegistryClient
    from ladder.registry.manifests import Blob, Manifest
    from ladder.registry.names import ImageName


def check_contents(client: RegistryClient, image: ImageName, manifest: Manifest, max_bytes: int) -> None:
    """
    Read all layers through, and refuse an image that says less than it has, or unpacks to too much.

    Args:
        client: The registry.
        image: The image.
        manifest: What it says it has.
        max_bytes: The most for all layers, unpacked.

    Raises:
        BotRejected: If it is not what it says, too large, or has too many files or a sparse one.
        SandboxError: If the registry fails.
    """
    _read(client, image, manifest.config, ImageTotal(str(image), MAX_CONFIG), PlainStream.skip_rest)
    total, known = ImageTotal(str(image), max_bytes), dict[str, tuple[int, int]]()
    for layer in manifest.layers:
        if layer.digest in known:  # an engine unpacks it once for each place where it stands
            total.add(*known[layer.digest])
            continue
        size, files = total.bytes, total.files
        _read(client, image, layer, total, read_layer)
        known[layer.digest] = total.bytes - size, total.files - files


def _read(
    client: RegistryClient, image: ImageName, blob: Blob, total: ImageTotal, read: Callable[[PlainStream], None]
) -> None:
    """Read a blob to its end, and count what it unpacks to."""
    with client.blob(image.repository, blob.digest) as packed:
        counted = _Counted(packed, blob.size)
        unpacked = gzip.GzipFile(fileobj=counted, mode="rb") if blob.is_packed else counted  # type: ignore[call-overload]
        try:
            read(PlainStream(unpacked, total))
            while counted.read(PIECE):  # what stands behind the end
                pass
        except (EOFError, gzip.BadGzipFile, zlib.error, tarfile.TarError):
            raise BotRejected(f"A layer of {image} cannot be unpacked. Build it anew, and push it again.") from None
    if counted.size != blob.size or f"sha256:{counted.hash.hexdigest()}" != blob.digest:
        raise BotRejected(f"A layer of {image} is not what its manifest says. Build it anew, and push it again.")


class _Counted:
    """A stream that counts, and ends soon after it should have."""

    def __init__(self, stream: Any, max_bytes: int) -> None:
        self.size = 0
        self.hash = hashlib.sha256()
        self._stream = stream
        self._max_bytes = max_bytes

    def read(self, size: int) -> bytes:
        """Read on; nothing if there is more than there should be."""
        if self.size > self._max_bytes:
            return b""
        piece = bytes(self._stream.read(size))
        self.size += len(piece)
        self.hash.update(piece)
        return piece
