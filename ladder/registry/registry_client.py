"""
Requests of the ladder to its registry: manifests before anything is pulled, and that old ones be removed.

The access is that of a program of the ladder's own. The size of an image once it is unpacked is read once, before an
engine unpacks it onto the disk.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import tarfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import requests
import urllib3.exceptions

from ladder.errors import BotRejected, SandboxError
from ladder.registry.login import RegistryLogin
from ladder.registry.manifests import ACCEPTED, MAX_CONFIG, MAX_MANIFEST, ImageTotal, PlainStream, read_layer
from ladder.registry.manifests import PIECE as ARCHIVE_PIECE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from ladder.registry.image_names import ImageName
    from ladder.registry.manifests import Blob, Manifest

CONNECTING, READING = 10.0, 60.0
"""Seconds without a connection, and between two bytes of an answer."""
AUTHORITIES = ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
PIECE = 1 << 20
_DIGEST = re.compile("sha256:[0-9a-f]{64}")
FAILURES = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)


class RegistryClient:
    """The registry of one ladder. It follows no redirect, and asks through no proxy: there is only one place to ask."""

    def __init__(self, login: RegistryLogin) -> None:
        self._base = f"{'http' if login.plain else 'https'}://{login.address}/v2"
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.verify = next(filter(None, map(os.environ.get, AUTHORITIES)), True)
        self._session.headers["Authorization"] = f"Bearer {login.token}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def manifest(self, image: ImageName) -> tuple[str, bytes, str]:
        """
        Read the manifest of an image: its digest, itself, and its media type.

        Raises:
            BotRejected: If there is no such image, or its manifest is very long.
            SandboxError: If the registry fails.
        """
        headers = {"Accept": ", ".join(ACCEPTED)}
        with self._asked("GET", f"{image.repository}/manifests/{image.reference}", headers=headers) as found:
            if found.status_code == 404:
                raise BotRejected(f"There is no image {image} in the ladder's registry. Push it: pigpen push")
            self._check(found, 200)
            body = b"".join(_pieces(found, MAX_MANIFEST))
        if len(body) > MAX_MANIFEST:
            raise BotRejected(f"The manifest of {image} has more than {MAX_MANIFEST:,} bytes.")
        digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
        if image.is_digest and digest != image.reference:
            raise SandboxError(f"The ladder's registry gave another manifest than {image}.")
        return digest, body, found.headers.get("Content-Type", "").partition(";")[0].strip()

    def digest(self, image: ImageName) -> str | None:
        """
        Say what a tag names now; None if nothing.

        Raises:
            SandboxError: If the registry fails.
        """
        headers = {"Accept": ", ".join(ACCEPTED)}
        with self._asked("HEAD", f"{image.repository}/manifests/{image.reference}", headers=headers) as found:
            if found.status_code == 404:
                return None
            self._check(found, 200)
            digest = found.headers.get("Docker-Content-Digest", "")
        if not _DIGEST.fullmatch(digest):
            raise SandboxError(f"The ladder's registry does not say what {image} is.")
        return digest

    @contextmanager
    def blob(self, repository: str, digest: str) -> Iterator[Any]:
        """
        Open a layer, or a configuration: what is packed stays packed.

        Raises:
            BotRejected: If it is not there.
            SandboxError: If the registry fails.
        """
        headers = {"Accept-Encoding": "identity"}
        with self._asked("GET", f"{repository}/blobs/{digest}", headers=headers) as found:
            if found.status_code == 404:
                raise BotRejected(f"A layer of {repository} ({digest}) is not in the ladder's registry. Push it again.")
            self._check(found, 200)
            yield found.raw

    def delete(self, repository: str, digest: str) -> bool:
        """
        Delete a manifest; whether there was one.

        Raises:
            SandboxError: If the registry fails.
        """
        with self._asked("DELETE", f"{repository}/manifests/{digest}") as found:
            if found.status_code == 404:
                return False
            self._check(found, 202)
            return True

    def _check(self, found: requests.Response, wanted: int) -> None:
        if found.status_code != wanted:
            raise SandboxError(f"The ladder's registry failed: {found.status_code} {found.reason} ({self._base}).")

    @contextmanager
    def _asked(self, method: str, path: str, **more: Any) -> Iterator[requests.Response]:
        try:
            with self._session.request(
                method,
                f"{self._base}/{path}",
                timeout=(CONNECTING, READING),
                allow_redirects=False,
                stream=True,
                **more,
            ) as found:
                yield found
        except FAILURES as error:
            raise SandboxError(f"The ladder's registry ({self._base}) does not answer: {error}") from None


def _pieces(found: requests.Response, max_bytes: int) -> Iterator[bytes]:
    """Yield the pieces of the body; reading stops soon after *max_bytes* bytes."""
    read = 0
    for piece in found.iter_content(PIECE):
        yield piece
        read += len(piece)
        if read > max_bytes:
            return


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
            while counted.read(ARCHIVE_PIECE):  # what stands behind the end
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
