"""
Machines for tests: each has a network, processes, a name, a disk and a Docker engine of its own, on this kernel.

A machine is a set of namespaces with a shell as its first process. When that ends, or the tests do, the kernel ends all
others. It sees this machine's files, with its own laid over `/etc`, `/opt`, `/var/lib` and `/var/cache`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.sandbox.process.forked import dying_with_us
from tests.e2e.command import PLAIN
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NAMESPACES = ("--mount", "--net", "--uts", "--pid")
NETWORK = "10.0.0"
CONTAINERD = "/run/docker/containerd/containerd.pid"
"""The number of the engine's own containerd."""
BEGIN = """
set -e
hostname NAME
mount --make-rprivate /
mount -t proc proc /proc
for place in etc var/lib var/cache; do
    mkdir -p FOLDER/$place FOLDER/work/$place
    mount -t overlay overlay -o lowerdir=/$place,upperdir=FOLDER/$place,workdir=FOLDER/work/$place /$place
done
mkdir -p FOLDER/opt FOLDER/docker FOLDER/tmp /var/lib/docker /etc/systemd/system
mount --bind FOLDER/opt /opt
mount --bind FOLDER/tmp /var/tmp
mount --bind FOLDER/docker /var/lib/docker
mount -t tmpfs tmpfs /run
ip link set lo up
echo ready > FOLDER/ready
exec sleep infinity
"""


def why_none() -> str | None:
    """Give the reason for which this machine can have no machines within it; None: it can."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("dockerd", "unshare", "nsenter", "ip"))):
        return "Machines for tests need root, dockerd, util-linux and iproute2."
    tried = subprocess.run(["unshare", *NAMESPACES, "--fork", "mount", "--make-rprivate", "/"], capture_output=True)
    return None if tried.returncode == 0 else "Machines for tests need namespaces, which this machine does not allow."


class Machine:
    """One machine."""

    def __init__(self, name: str, folder: Path, first: int) -> None:
        self.name = name
        self.folder = folder
        """Its own files: `etc` holds what was written to its `/etc`."""
        self.first = first
        """Its first process, as the others are called here."""
        self.patience = 250.0
        """Seconds for a program that is run to its end."""
        self._programs: dict[Path, subprocess.Popen[bytes]] = {}
        """By the file with its number there: what enters the machine is not what runs there."""
        self._engine: Path | None = None
        """That of its Docker engine."""
        self._started = 0

    def run(self, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program there to its end."""
        command = [*self._enter, *map(str, words)]
        return subprocess.run(
            command,
            env=self._environment(variables),
            text=True,
            capture_output=True,
            check=False,
            timeout=self.patience,
        )

    def script(self, text: str, **variables: str) -> None:
        """Type commands there; all of them must succeed."""
        done = self.run("bash", "-euo", "pipefail", "-c", text, **variables)
        assert done.returncode == 0, f"{self.name}: {text}\n{done.stdout}\n{done.stderr}\n{self.printed()}"

    def start(self, *words: str, folder: str = "/", variables: Mapping[str, str] | None = None) -> Path:
        """Start a program there, which runs until the machine ends; gives the file with its number."""
        number = self.folder / f"pid-{self._started}"
        self._started += 1
        named = ("sh", "-c", f'echo $$ > {number}; cd {folder}; exec "$@"', "sh", *words)
        with (self.folder / "log").open("ab") as log:
            self._programs[number] = subprocess.Popen(
                [*self._enter, *named], env=self._environment(variables or {}), stdin=subprocess.DEVNULL,
                stdout=log, stderr=log,
            )  # fmt: skip
        return number

    def printed(self) -> str:
        """The end of what its programs have printed."""
        return (self.folder / "log").read_text(errors="replace")[-3000:] if (self.folder / "log").exists() else ""

    def start_engine(self) -> None:
        """Start its Docker engine, and wait for it."""
        self._engine = self.start("dockerd", "--log-level", "warn")
        until = time.monotonic() + PATIENCE
        while self.run("docker", "version").returncode:
            assert time.monotonic() < until, self.printed()
            time.sleep(0.2)

    def kill_engine(self) -> None:
        """Let its Docker engine die in the middle of its work."""
        assert self._engine is not None
        programs = f"{self._engine.read_text().strip()} $(cat {CONTAINERD})"
        self.script(f"kill -KILL {programs}; rm -f /run/docker.pid {CONTAINERD}")
        self._programs.pop(self._engine).wait(PATIENCE)

    def end(self) -> None:
        """End its programs; the engine last, which removes their containers, and what the kernel keeps of them."""
        for number, program in reversed(self._programs.items()):
            is_engine = number == self._engine
            if program.poll() is None and is_engine:
                self.run("timeout", str(PATIENCE), "sh", "-c", "docker ps --all --quiet | xargs -r docker rm --force")
            if program.poll() is None:
                self.run("kill", "-TERM" if is_engine else "-KILL", number.read_text().strip())
            try:
                program.wait(PATIENCE)
            except subprocess.TimeoutExpired:  # it is ended with its machine
                program.kill()
                program.wait()

    @property
    def _enter(self) -> list[str]:
        return ["nsenter", f"--target={self.first}", *NAMESPACES]

    def _environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PIGPEN_", "DOCKER_", "XDG_"))
        }
        path = f"/opt/stubs:{kept['PATH']}"
        return {**kept, **PLAIN, "PATH": path, "TMPDIR": "/var/tmp", "HOME": "/root", **variables}


class Lan:
    """Machines, and the switch between them, at 10.0.0.1 and so on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()
        self._switch = self._begin("switch")
        self._on_switch("ip", "link", "add", "br0", "type", "bridge")
        self._on_switch("ip", "link", "set", "br0", "up")
        self.machines: dict[str, Machine] = {}

    def add(self, name: str) -> Machine:
        """Add a machine with the next address."""
        machine = self._begin(name)
        self.machines[name] = machine
        ends = ("ip", "link", "add", name, "type", "veth", "peer", "eth0", "netns", str(machine.first))
        subprocess.run(["nsenter", f"--target={self._switch.first}", "--net", *ends], check=True, capture_output=True)
        self._on_switch("ip", "link", "set", name, "master", "br0", "up")
        address = f"{NETWORK}.{len(self.machines)}/24"
        machine.script(f"ip address add {address} dev eth0; ip link set eth0 up")
        return machine

    def plug(self, name: str, *, is_in: bool) -> None:
        """Plug a machine's cable in at the switch, or pull it out: nobody is told."""
        self._on_switch("ip", "link", "set", name, "up" if is_in else "down")

    def close(self) -> None:
        """End everything."""
        for machine in self.machines.values():
            machine.end()
        self._stack.close()

    def _on_switch(self, *words: str) -> None:
        done = self._switch.run(*words)
        assert done.returncode == 0, done.stderr

    def _begin(self, name: str) -> Machine:
        folder = self._folder / name
        folder.mkdir(parents=True)
        script = BEGIN.replace("NAME", name).replace("FOLDER", str(folder))
        command = dying_with_us([shutil.which("unshare") or "unshare"])
        command += [*NAMESPACES, "--fork", "--kill-child", "bash", "-c", script]
        holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._stack.callback(_end, holder)
        until = time.monotonic() + PATIENCE
        while not (folder / "ready").exists():
            assert holder.poll() is None, holder.communicate()[0]
            assert time.monotonic() < until
            time.sleep(0.02)
        children = Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text()
        return Machine(name, folder, int(children.split()[0]))


def _end(holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.communicate()


@contextmanager
def lan(folder: Path) -> Iterator[Lan]:
    """A network without machines; all of it ends in the end."""
    network = Lan(folder)
    try:
        yield network
    finally:
        network.close()
