"""Reads what it should not: the first process, other processes, the kernel, files of root and of the host."""

from __future__ import annotations

import os
from pathlib import Path

from tests.bad_bots.honest import play_after
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import named

SECRETS = [
    "/proc/1/environ",
    "/proc/1/maps",
    "/proc/1/mem",
    "/proc/1/root/etc/passwd",
    "/proc/1/cwd/etc/passwd",
    "/proc/kcore",
    "/proc/kmsg",
    "/proc/keys",
    "/proc/timer_list",
    "/proc/sched_debug",
    "/proc/kpagecount",
    "/sys/firmware/dmi/tables/DMI",
    "/sys/kernel/debug/sched",
    "/dev/mem",
    "/dev/kmsg",
    "/dev/sda",
    "/dev/vda",
    "/etc/shadow",
    "/var/run/docker.sock",
    "/run/docker.sock",
]


def readable(name: str) -> bool:
    """True if anything can be read there: Docker hides some of these behind /dev/null."""
    try:
        with Path(name).open("rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


def look() -> dict[str, object]:
    processes = [name for name in os.listdir("/proc") if name.isdecimal()]
    return {
        "read": [name for name in SECRETS if readable(name)],
        "descriptors of the first": named(attempt(lambda: os.listdir("/proc/1/fd"))),
        "processes": len(processes),
        "token in sight": any(os.environ["PIGPEN_TOKEN"] in name for name in os.listdir(os.path.dirname(__file__))),
    }


play_after(look)
