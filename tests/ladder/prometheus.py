"""Debian's Prometheus: its tool for rules, and a server that reads a site for a while."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from ladder.sandbox.process.forked import dying_with_us
from tests.ports import free_port
from tests.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
UNPACKED = ROOT / ".venv" / "prometheus" / "usr" / "bin"
"""Path at which scripts/program prometheus puts both programs."""


def program(name: str) -> str | None:
    """The path of prometheus or of promtool; None if it is not there."""
    return shutil.which(name) or (str(UNPACKED / name) if (UNPACKED / name).is_file() else None)


def promtool(*words: str, folder: Path) -> str:
    """Run it; what it prints, when it finds nothing wrong."""
    binary = program("promtool")
    assert binary, "promtool is not there; see scripts/program prometheus"
    done = subprocess.run([binary, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def running_prometheus(site: str, job: str, rules: Path) -> Iterator[httpx.Client]:
    """Let it read a site's `/metrics`; gives a client of its API when it has done so, and has looked at each rule."""
    binary = program("prometheus")
    assert binary, "prometheus is not there; see scripts/program prometheus"
    address = f"127.0.0.1:{free_port()}"
    config = {
        "global": {"scrape_interval": "5s", "scrape_timeout": "5s", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "scrape_configs": [{"job_name": job, "static_configs": [{"targets": [site]}]}],
    }
    with tempfile.TemporaryDirectory(prefix="pigpen-prometheus-") as folder:
        (Path(folder) / "prometheus.yml").write_text(json.dumps(config))
        words = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
        command = dying_with_us([binary, *words, f"--web.listen-address={address}", "--log.level=error"])
        with (
            subprocess.Popen(command, stderr=subprocess.PIPE) as server,
            httpx.Client(base_url=f"http://{address}/api/v1", timeout=PATIENCE) as client,
        ):
            try:
                until(lambda: server.poll() is not None or _has_read(client), "what Prometheus reads", pause=0.2)
                assert server.poll() is None, server.stderr and server.stderr.read()
                yield client
            finally:
                server.kill()


def _has_read(client: httpx.Client) -> bool:
    try:
        read = client.get("query", params={"query": "pigpen_requests_total"}).json()["data"]["result"]
        (group,) = client.get("rules").json()["data"]["groups"]
    except (httpx.TransportError, ValueError, KeyError):
        return False
    return bool(read) and all(rule["health"] != "unknown" for rule in group["rules"])
