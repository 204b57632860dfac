"""The class of this machine."""

from __future__ import annotations

import platform
from contextlib import suppress
from functools import cache
from pathlib import Path

from ladder.sandbox.host.cores import all_cores
from ladder.values.cluster import MachineClass

CPUINFO = Path("/proc/cpuinfo")


@cache
def this_machine(cpuinfo: Path = CPUINFO) -> MachineClass:
    """
    Say what bots can expect of this machine's processor.

    Args:
        cpuinfo: Where the kernel describes it.
    """
    return MachineClass(architecture=platform.machine(), processor=_processor(cpuinfo), cores=len(all_cores()))


def _processor(cpuinfo: Path) -> str:
    with suppress(OSError):
        for line in cpuinfo.read_text(errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Model", "cpu model"):
                return value.strip()[:200]
    return ""
