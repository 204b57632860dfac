"""A real registry for the tests, on the loopback; thrown away in the end, and with the tests if they are killed."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
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
