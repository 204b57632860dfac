"""Runs inside a container: tries what a bot might try, and prints what came of it as JSON."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path


def attempt(action: Callable[[], object]) -> int:
    """Give the error number of *action*, 0 if it succeeds."""
    try:
        action()
    except OSError as error:
        return error.errno or -1
    return 0


def write(folder: str) -> int:
    return attempt(lambda: (Path(folder) / "written").write_text("x"))


def execute_in_tmp() -> None:
    script = Path("/tmp/script")
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    subprocess.run([script], check=False)


def fill_tmp() -> None:
    try:
        for number in range(3):
            (Path("/tmp") / f"big{number}").write_bytes(bytes(8 << 20))
    finally:
        for number in range(3):
            (Path("/tmp") / f"big{number}").unlink(missing_ok=True)


def open_many() -> None:
    files = [os.open("/dev/null", os.O_RDONLY) for _ in range(3)]
    try:
        while True:
            files.append(os.open("/dev/null", os.O_RDONLY))
    finally:
        for file in files:
            os.close(file)


def status() -> dict[str, str]:
    lines = Path("/proc/self/status").read_text().splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def mounts() -> dict[str, list[str]]:
    fields = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    return {field[1]: field[3].split(",") for field in fields}


def size(folder: str) -> list[int]:
    facts = os.statvfs(folder)
    return [facts.f_blocks * facts.f_frsize, facts.f_files]


def cgroup() -> dict[str, object]:
    """Give the limits as the kernel has them, from whichever of the two generations of control groups is here."""
    root = Path("/sys/fs/cgroup")
    if (root / "memory").is_dir():
        memory = [int((root / "memory" / f"memory.{name}.limit_in_bytes").read_text()) for name in ("", "memsw")[1:]]
        memory.insert(0, int((root / "memory/memory.limit_in_bytes").read_text()))
        quota = [int((root / "cpu" / f"cpu.cfs_{name}_us").read_text()) for name in ("quota", "period")]
        pids = int((root / "pids/pids.max").read_text())
    else:
        most = int((root / "memory.max").read_text())
        memory = [most, most + int((root / "memory.swap.max").read_text())]
        quota = [int(word) for word in (root / "cpu.max").read_text().split()]
        pids = int((root / "pids.max").read_text())
    return {"memory": memory, "cpus": quota[0] / quota[1], "pids": pids}


def rlimits() -> dict[str, tuple[int, int]]:
    kinds = {"nofile": resource.RLIMIT_NOFILE, "core": resource.RLIMIT_CORE, "fsize": resource.RLIMIT_FSIZE}
    return {name: resource.getrlimit(kind) for name, kind in kinds.items()}


FOLDERS = ["/", "/bot", "/usr/bin", "/etc", "/var/tmp", "/home", "/run", "/dev", "/tmp", "/run/pigpen"]

if __name__ == "__main__":
    facts = {
        "uid": os.getuid(),
        "gid": os.getgid(),
        "groups": [group for group in os.getgroups() if group != os.getgid()],
        "pid": os.getpid(),
        "init": Path("/proc/1/comm").read_text(),
        "write": {folder: write(folder) for folder in FOLDERS},
        "unlink_in_seat": attempt(Path("/run/pigpen/program.py").unlink),
        "health_checked": Path("/run/pigpen/healthy").stat().st_size > 0,
        "execute_in_tmp": attempt(execute_in_tmp),
        "fill_tmp": attempt(fill_tmp),
        "open_many": attempt(open_many),
        "tmp": size("/tmp"),
        "shm": size("/dev/shm")[0],
        "mounts": mounts(),
        "interfaces": os.listdir("/sys/class/net"),
        "connect": attempt(lambda: socket.create_connection(("192.0.2.1", 80))),
        "namespaces": {name: os.readlink(f"/proc/self/ns/{name}") for name in ("ipc", "pid", "mnt", "uts", "net")},
        "status": status(),
        "cgroup": cgroup(),
        "rlimits": rlimits(),
        "environment": dict(os.environ),
    }
    print(json.dumps(facts))
