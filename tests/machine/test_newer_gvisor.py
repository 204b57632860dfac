"""
The tests of gVisor once more, with the release of the next Debian: organisers have newer ones than this machine.

Its default platform is another one (systrap in place of ptrace). An engine of its own knows that release as `runsc`, so
that what is marked `runsc` in these rooms runs with it as it is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import docker
import pytest

from ladder.sandbox.docker.base_image import find_base
from ladder.sandbox.docker.gvisor import gvisor_version
from tests.e2e.command import ROOT
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.docker, pytest.mark.machines, pytest.mark.long, pytest.mark.timeout(3000)]

NEXT_DEBIAN = "trixie"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
ROOMS = ("tests/bad_bots", "tests/ladder/matches", "tests/ladder/sandbox", "tests/machine")
FEWEST = 30
"""As many tests are marked `runsc` in these rooms, and more."""


def fetched(folder: Path) -> Path:
    """Fetch the package from the mirror that this machine uses, without installing it; give the program."""
    form = ("--format", "$(SITE) $(RELEASE)", "Created-By: Packages")
    targets = subprocess.run(["apt-get", "indextargets", *form], capture_output=True, text=True, check=True).stdout
    site = targets.split()[0]
    for each in ("lists/partial", "cache/archives/partial"):
        (folder / each).mkdir(parents=True)
    sources = folder / "sources.list"
    sources.write_text(f"deb [signed-by={KEYS}] {site} {NEXT_DEBIAN} main\n")
    options = {
        "Dir::Etc::SourceList": sources, "Dir::Etc::SourceParts": "/dev/null", "Dir::State::Lists": folder / "lists",
        "Dir::Cache": folder / "cache", "APT::Sandbox::User": "root",
    }  # fmt: skip
    apt = ("apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items()))
    for words in (("update",), ("download", "runsc")):
        subprocess.run([*apt, *words], cwd=folder, check=True, timeout=PATIENCE * 3)
    (package,) = folder.glob("runsc_*.deb")
    subprocess.run(["dpkg-deb", "-x", package, folder / "unpacked"], check=True)
    return folder / "unpacked/usr/bin/runsc"


@contextmanager
def engine_with(runsc: Path, folder: Path) -> Iterator[str]:
    """Run an engine beside this machine's, with that gVisor and the same base image; yield its address."""
    arguments = ["--host-uds=open", "--network=none"]
    config, socket = folder / "daemon.json", f"unix://{folder}/docker.sock"
    config.write_text(json.dumps({"runtimes": {"runsc": {"path": str(runsc), "runtimeArgs": arguments}}}))
    words = {
        "config-file": config, "data-root": folder / "data", "exec-root": folder / "exec",
        "pidfile": folder / "docker.pid", "host": socket, "bridge": "none", "iptables": "false", "log-level": "warn",
    }  # fmt: skip
    with (folder / "log").open("wb") as log:
        program = subprocess.Popen(
            ["dockerd", *(f"--{name}={value}" for name, value in words.items())], stdout=log, stderr=log
        )
    try:
        until = time.monotonic() + PATIENCE
        while subprocess.run(["docker", "--host", socket, "version"], capture_output=True, check=False).returncode:
            assert time.monotonic() < until, (folder / "log").read_text()[-2000:]
            time.sleep(0.2)
        here, client = docker.from_env(), docker.DockerClient(socket, timeout=int(PATIENCE))
        client.images.load(b"".join(here.api.get_image(find_base(here, print))))
        here.close()
        client.close()
        yield socket
    finally:
        program.terminate()
        program.wait(PATIENCE)


@pytest.mark.skipif(not shutil.which("apt-get"), reason="This machine has no Debian packages.")
def test_what_is_tested_in_gvisor_holds_in_the_release_of_the_next_debian(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    runsc = fetched(tmp_path)
    here = gvisor_version("runsc", [])
    assert here is not None
    assert gvisor_version(str(runsc), []) not in (here, None), "both machines have the same"
    with engine_with(runsc, tmp_path) as address:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "runsc and not long", *ROOMS],
            cwd=ROOT, env={**os.environ, "DOCKER_HOST": address}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) >= FEWEST
    assert "skipped" not in done.stdout
