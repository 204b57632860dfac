"""Tries to make a file in every folder that it sees, and to write into the kernel's own files."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from tests.bad_bots.honest import play_after
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import named

KERNEL = [
    "/proc/sys/kernel/core_pattern",
    "/proc/sysrq-trigger",
    "/proc/sys/kernel/ns_last_pid",
    "/proc/irq/0/smp_affinity",
    "/sys/kernel/uevent_helper",
    "/sys/fs/cgroup/cgroup.procs",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    "/sys/fs/cgroup/memory.max",
]


def write_all() -> dict[str, object]:
    folders = [folder for folder, _, _ in os.walk("/") if attempt(Path(folder, "new").touch) == 0]
    into = {name: named(attempt(partial(Path(name).write_text, "1"))) for name in KERNEL}
    return {"folders": sorted(folders), "kernel": sorted(name for name in into if into[name] == "allowed")}


play_after(write_all)
