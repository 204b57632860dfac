"""A registry on the loopback that knows one image, and cannot deliver it."""

from __future__ import annotations

import hashlib
import json
from http.server import BaseHTTPRequestHandler

BROKEN = "broken"
"""The one image that it has a manifest of."""

_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"
_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
_CONFIG = json.dumps({"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": []}}).encode()


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _error(code: str, message: str, detail: object = None) -> bytes:
    """As the registry's protocol has it; without a detail the engine gives another answer."""
    return json.dumps({"errors": [{"code": code, "message": message, "detail": detail}]}).encode()


class Registry(BaseHTTPRequestHandler):
    """Answers the engine's questions."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/v2/":
            self._answer(200, b"{}")
        elif f"/{BROKEN}/manifests/" in self.path:
            config = {"mediaType": "application/vnd.docker.container.image.v1+json", "size": len(_CONFIG)}
            layer = {"mediaType": _LAYER, "size": 10, "digest": _digest(b"a layer")}
            manifest = {
                "schemaVersion": 2,
                "mediaType": _MANIFEST,
                "config": config | {"digest": _digest(_CONFIG)},
                "layers": [layer],
            }
            self._answer(200, json.dumps(manifest).encode(), _MANIFEST)
        elif self.path.endswith(_digest(_CONFIG)):
            self._answer(200, _CONFIG, "application/octet-stream")
        elif "/blobs/" in self.path:
            self._answer(404, _error("BLOB_UNKNOWN", "blob unknown to registry", {}))
        elif "/terse/" in self.path:
            self._answer(404, _error("MANIFEST_UNKNOWN", "manifest unknown"))
        else:
            self._answer(404, _error("MANIFEST_UNKNOWN", "manifest unknown", {"Tag": "1"}))

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer(self, code: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)
