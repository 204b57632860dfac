"""A real nginx before a site, with the file that docs/deploy.md shows; gone in the end, and if the tests are killed."""

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

from ladder.sandbox.process.forked import dying_with_us
from tests.ladder.site.certificates import HOST
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.ladder.site.certificates import Pair

ROOT = Path(__file__).resolve().parents[3]
UNPACKED = ROOT / ".venv" / "nginx" / "usr" / "sbin" / "nginx"
"""Path at which scripts/program nginx puts it."""
AROUND = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{servers}
}}
"""


def program() -> str | None:
    """Debian's nginx; None if it is not there."""
    return shutil.which("nginx") or (str(UNPACKED) if UNPACKED.is_file() else None)


def documented() -> str:
    """The file that docs/deploy.md shows."""
    found = re.search(r"```nginx\n(.*?)```", (ROOT / "docs" / "deploy.md").read_text(), re.DOTALL)
    assert found
    return found[1]


@contextmanager
def nginx_before(site_port: int, pair: Pair) -> Iterator[tuple[int, int]]:
    """Run nginx on the loopback; gives its ports, for HTTPS and for HTTP."""
    binary, secure, plain = program(), free_port(), free_port()
    assert binary, "nginx is not there; see scripts/program nginx"
    servers = (
        documented()
        .replace("listen 443 ", f"listen 127.0.0.1:{secure} ")
        .replace("listen 80;", f"listen 127.0.0.1:{plain};")
        .replace("/etc/letsencrypt/live/arena.example/fullchain.pem", str(pair.certificate))
        .replace("/etc/letsencrypt/live/arena.example/privkey.pem", str(pair.key))
        .replace("127.0.0.1:8020", f"127.0.0.1:{site_port}")
        .replace("arena.example", HOST)
    )
    with tempfile.TemporaryDirectory(prefix="pigpen-nginx-") as folder:
        config = Path(folder) / "nginx.conf"
        config.write_text(AROUND.format(folder=folder, servers=servers))
        command = dying_with_us([binary, "-e", f"{folder}/error.log"])
        server = subprocess.Popen([*command, "-p", folder, "-c", str(config)], stderr=subprocess.PIPE)
        try:
            _wait(server, secure)
            yield secure, plain
        finally:
            server.kill()
            server.communicate()


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    while server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.02)
    raise AssertionError(f"nginx ended: {server.communicate()[1]!r}")
