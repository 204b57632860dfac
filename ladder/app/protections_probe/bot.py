"""Try, as a hostile bot would, what the sandbox is to prevent, and print the results as one line of JSON."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import sys
import time
from collections.abc import Callable

from pigpen.wire.blocking_stream import WHY_SLOW

OF_HOST = ("/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/locks", "/proc/vmstat", "/proc/sys/kernel/hostname")
OURS = ("devices",)
"""Folders of /sys that a container has: copies of what describes processors."""
FILL_MEMORY = "/run/pigpen/fill-memory"
"""A file that asks the probe to take memory without end."""
OF_OTHERS = ("/proc/self/smaps", "/proc/self/pagemap", "/proc/1/status")


def attempt(action: Callable[[], object]) -> str:
    """Try an action; give the name of the error that it raised, or `done`."""
    try:
        action()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error.errno))
    return "done"


def lock() -> None:
    """Lock a file that all containers of this image share."""
    with open(sys.executable, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def connect() -> None:
    """Look for a way to a network. An address for examples; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.connect(("192.0.2.1", 9))


def readable(path: str) -> bool:
    """Tell whether a file can be read and is not empty."""
    try:
        with open(path, "rb") as file:
            return bool(file.read(64))
    except OSError:
        return False


def listed(path: str) -> list[str]:
    """List what a folder shows."""
    try:
        return os.listdir(path)
    except OSError:
        return []


def main() -> None:
    """Try everything, print the results, and take memory without end when that is wanted."""
    output = {
        "calls": {"flock": attempt(lock), "network": attempt(connect)},
        "host": [path for path in OF_HOST if readable(path)]
        + [f"/sys/{name}" for name in listed("/sys") if name not in OURS],
        "others": [path for path in OF_OTHERS if readable(path)],
        "grpc": WHY_SLOW,
    }
    print(json.dumps(output), flush=True)
    taken = []
    while True:
        if os.path.exists(FILL_MEMORY):
            taken.append(os.urandom(1 << 20))
        else:
            time.sleep(0.02)


if __name__ == "__main__":
    main()
