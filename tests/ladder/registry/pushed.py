"""Images put into a registry part by part, as no engine would."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import requests

from ladder.registry.login import RegistryLogin
from ladder.registry.manifests import CONFIGS, DOCKER, PACKED
from ladder.registry.tokens import Access, registry_key, sign
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def digest_of(content: bytes) -> str:
    """Compute the digest by which a registry names it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def layer(size: int = 10) -> bytes:
    """A layer with a file of *size* zeros, packed."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        info = tarfile.TarInfo("zeros")
        info.size = size
        archive.addfile(info, io.BytesIO(bytes(size)))
    return gzip.compress(tar.getvalue(), 1, mtime=0)


def member(
    name: str = "x", kind: bytes = tarfile.REGTYPE, size: int = 0, pax: Mapping[str, str] | None = None
) -> bytes:
    """A member of a tar: a header that claims *size* bytes, after a header of pax with records; no data."""
    info = tarfile.TarInfo(name)
    info.type, info.size, info.pax_headers = kind, size, dict(pax or {})
    return info.tobuf(tarfile.PAX_FORMAT)


SPARSE = member(pax={"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(1 << 40)})
"""A file of 1 TiB, without data."""


@dataclass
class Pusher:
    """A client with a token for one repository of a ladder's registry."""

    data_dir: Path
    address: str
    repository: str = "ada/trotter"

    @property
    def login(self) -> RegistryLogin:
        """The login that a worker would have."""
        return RegistryLogin(address=self.address, plain=True, token=self.token("pull"))

    def token(self, *actions: str) -> str:
        """A token of the ladder's."""
        return sign(registry_key(self.data_dir), "ada", [Access(self.repository, actions)], time.time())

    def blob(self, content: bytes) -> dict[str, Any]:
        """Put a layer, or a configuration; give its entry for a manifest."""
        begun = self._ask("POST", "blobs/uploads/")
        place = requests.compat.urljoin(f"http://{self.address}", begun.headers["Location"])
        done = requests.put(
            place, params={"digest": digest_of(content)}, data=content, headers=self._headers, timeout=PATIENCE
        )
        assert done.status_code == 201, done.text
        return {"size": len(content), "digest": digest_of(content)}

    def image(self, *layers: bytes, tag: str = "1", **changes: Any) -> str:
        """Put an image together; gives its digest."""
        config = self.blob(json.dumps({"architecture": "amd64", "os": "linux"}).encode())
        parts = [{"mediaType": PACKED[0]} | self.blob(each) for each in layers]
        plain = {"schemaVersion": 2, "mediaType": DOCKER, "config": {"mediaType": CONFIGS[0]} | config, "layers": parts}
        return self.manifest(plain | changes, tag)

    def manifest(self, plain: dict[str, Any], tag: str = "1") -> str:
        """Put a manifest; gives its digest."""
        body = json.dumps(plain).encode()
        done = self._ask("PUT", f"manifests/{tag}", body, **{"Content-Type": plain.get("mediaType", DOCKER)})
        assert done.status_code == 201, done.text
        return digest_of(body)

    def try_manifest(self, plain: dict[str, Any]) -> int:
        """The status with which the registry takes or refuses a manifest."""
        headers = {"Content-Type": plain.get("mediaType", DOCKER)}
        return self._ask("PUT", "manifests/1", json.dumps(plain).encode(), **headers).status_code

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token('pull', 'push')}"}

    def _ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> requests.Response:
        address = f"http://{self.address}/v2/{self.repository}/{path}"
        return requests.request(method, address, data=body, headers=self._headers | headers, timeout=PATIENCE)
