"""How large an image is once it is unpacked: read once before an engine unpacks it onto the disk."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from typing import TYPE_CHECKING, Any

from ladder.errors import BotRejected
from ladder.registry.manifests import MAX_CONFIG, check_bytes

if TYPE_CHECKING:
    from ladder.registry.client import RegistryClient
    from ladder.registry.manifests import Blob, Manifest
    from ladder.registry.names import ImageName

PIECE = 1 << 20


def check_contents(client: RegistryClient, image: ImageName, manifest: Manifest, most_bytes: int) -> None:
    """
    Read all layers through, and refuse an image that says less than it has, or unpacks to too much.

    Args:
        client: The registry.
        image: The image.
        manifest: What it says it has.
        most_bytes: The most for all layers, unpacked.

    Raises:
        BotRejected: If it is not what it says, or too large.
        SandboxError: If the registry fails.
    """
    with client.blob(image.repository, manifest.config.digest) as packed:
        _read(image, manifest.config, packed, MAX_CONFIG)
    total, sizes = 0, dict[str, int]()
    for layer in manifest.layers:
        if layer.digest not in sizes:  # an engine unpacks it once for each place where it stands
            with client.blob(image.repository, layer.digest) as packed:
                sizes[layer.digest] = _read(image, layer, packed, most_bytes - total)
        total += sizes[layer.digest]
        check_bytes(str(image), total, most_bytes)


def _read(image: ImageName, blob: Blob, packed: Any, room: int) -> int:
    """Read a blob to its end; gives how many bytes it has unpacked."""
    counted = _Counted(packed, blob.size)
    unpacked = gzip.GzipFile(fileobj=counted, mode="rb") if blob.is_packed else counted  # type: ignore[call-overload]
    size = 0
    try:
        while piece := unpacked.read(PIECE):
            size += len(piece)
            check_bytes(str(image), size, room)
        while counted.read(PIECE):  # what stands behind the end
            pass
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise BotRejected(f"A layer of {image} cannot be unpacked. Build it anew, and push it again.") from None
    if counted.size != blob.size or f"sha256:{counted.hash.hexdigest()}" != blob.digest:
        raise BotRejected(f"A layer of {image} is not what its manifest says. Build it anew, and push it again.")
    return size


class _Counted:
    """A stream that counts, and ends soon after it should have."""

    def __init__(self, stream: Any, most: int) -> None:
        self.size = 0
        self.hash = hashlib.sha256()
        self._stream = stream
        self._most = most

    def read(self, size: int) -> bytes:
        """Read on; nothing if there is more than there should be."""
        if self.size > self._most:
            return b""
        piece = bytes(self._stream.read(size))
        self.size += len(piece)
        self.hash.update(piece)
        return piece
