"""Registries on the loopback for tests: a real one, thrown away in the end, and one that cannot deliver its image."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.registry.program import ENVIRONMENT, RegistryPlan, write_config
from ladder.sandbox.process.forked import dying_with_us
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
UNPACKED = ROOT / ".venv" / "docker-registry" / "usr" / "bin" / "docker-registry"
"""Path at which scripts/program docker-registry puts it."""
CONFIG = "version: 0.1\nstorage: {{filesystem: {{rootdirectory: {folder}}}}}\nhttp: {{addr: '127.0.0.1:0'}}\n"


def program() -> str | None:
    """Debian's docker-registry; None if it is not there."""
    return shutil.which("docker-registry") or (str(UNPACKED) if UNPACKED.is_file() else None)


@contextmanager
def running_registry() -> Iterator[str]:
    """An empty registry; gives its address, such as ``127.0.0.1:41234``."""
    binary = program()
    assert binary, "docker-registry is not there; see scripts/program docker-registry"
    with tempfile.TemporaryDirectory(prefix="pigpen-registry-") as name:
        folder = Path(name)
        (folder / "config.yml").write_text(CONFIG.format(folder=folder / "images"))
        command = dying_with_us([binary, "serve", f"{folder}/config.yml"])
        log = folder / "log"
        with log.open("wb") as writer:
            registry = subprocess.Popen(command, stdout=writer, stderr=writer, env={"OTEL_TRACES_EXPORTER": "none"})
        try:
            yield _address(registry, log)
        finally:
            registry.kill()
            registry.wait()


@contextmanager
def guarded_registry(data_dir: Path, realm: str, *, may_delete: bool = False, address: str = "") -> Iterator[str]:
    """The registry of the ladder in *data_dir*, which takes its tokens only; gives its address."""
    address = address or f"127.0.0.1:{free_port()}"
    binary = program()
    assert binary, "docker-registry is not there; see scripts/program docker-registry"
    config = write_config(RegistryPlan(data_dir, address, realm, may_delete=may_delete))
    command = dying_with_us([binary, "serve", str(config)])
    log = config.with_name("log")
    with log.open("wb") as writer:
        registry = subprocess.Popen(command, stdout=writer, stderr=writer, env=ENVIRONMENT)
    try:
        _wait(registry, address, log)
        yield address
    finally:
        registry.kill()
        registry.wait()


def _wait(registry: subprocess.Popen[bytes], address: str, log: Path) -> None:
    host, _, port = address.rpartition(":")
    while registry.poll() is None:
        try:
            socket.create_connection((host, int(port))).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError(f"docker-registry ended: {log.read_text(errors='replace')[-500:]}")


def _address(registry: subprocess.Popen[bytes], log: Path) -> str:
    """Read the address at which it listens from its log."""
    while registry.poll() is None:
        if found := re.search(r"listening on (127\.0\.0\.1:\d+)", log.read_text(errors="replace")):
            return found[1]
        time.sleep(0.02)
    raise AssertionError(f"docker-registry ended: {log.read_text(errors='replace')[-500:]}")


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
