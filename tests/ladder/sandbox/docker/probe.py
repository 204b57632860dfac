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
        "write": {folder: write(folder) for folder in FOLDERS},
        "unlink_in_seat": attempt(Path("/run/pigpen/program.py").unlink),
        "health_checked": Path("/run/pigpen/healthy").stat().st_size > 0,
        "execute_in_tmp": attempt(execute_in_tmp),
        "fill_tmp": attempt(fill_tmp),
        "open_many": attempt(open_many),
        "mounts": mounts(),
        "connect": attempt(lambda: socket.create_connection(("192.0.2.1", 80))),
        "namespaces": {name: os.readlink(f"/proc/self/ns/{name}") for name in ("ipc", "pid", "mnt", "uts", "net")},
        "status": status(),
        "rlimits": rlimits(),
        "environment": dict(os.environ),
    }
    print(json.dumps(facts))
