"""Origin of the figures."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from ladder.errors import SandboxError
from ladder.sandbox.docker.base_image import LATEST, ensure_base_image
from ladder.sandbox.docker.engine import connect

QUIET = 0.05
"""The share of all CPUs that other processes may use on a quiet machine."""
LOOK_SECONDS = 2.0
GRPC = """
from pigpen.wire.blocking_stream import WHY_SLOW, grpc
print("grpcio", grpc.__version__, "NOT on one thread: " + WHY_SLOW if WHY_SLOW else "on one thread")
"""
"""A program that says how gRPC runs where it runs."""


def machine() -> str:
    """Describe this machine in one line: processor, memory, kernel, Docker, Python, gRPC, and how busy it is."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{_processor()}, {os.cpu_count()} CPUs, {memory:.0f} GiB, Linux {platform.release()}, {_docker()}, "
        f"Python {platform.python_version()}, {_grpc_here()}, {_grpc_in_image()}, load {load}"
    )


def busy_share(seconds: float = LOOK_SECONDS) -> float:
    """Measure the share of all CPUs, 0 to 1, in use, or taken by other virtual machines, while this process waits."""
    idle, total = _ticks()
    time.sleep(seconds)
    later_idle, later_total = _ticks()
    return 1 - (later_idle - idle) / max(1, later_total - total)


def how_quiet(shares: dict[str, float]) -> str:
    """
    Say whether the machine was quiet, from the `busy_share` right before each part.

    >>> how_quiet({"engine": 0.01, "wire": 0.02})
    'quiet: other processes used at most 2 % of the CPUs before a part'
    >>> how_quiet({"engine": 0.01, "wire": 0.62})
    'NOT QUIET: other processes used 62 % of the CPUs before wire; compare ratios only'
    """
    loud = {name: share for name, share in shares.items() if share > QUIET}
    if not loud:
        most = 100 * max(shares.values())
        return f"quiet: other processes used at most {most:.0f} % of the CPUs before a part"
    each = ", ".join(f"{100 * share:.0f} % of the CPUs before {name}" for name, share in loud.items())
    return f"NOT QUIET: other processes used {each}; compare ratios only"


def _ticks() -> tuple[int, int]:
    """Read the ticks of all CPUs since the start, idle ones and all (man 5 proc_stat)."""
    ticks = [int(each) for each in Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0].split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def _processor() -> str:
    """Name the processor's model, where Linux knows one; else its kind."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(": ")[2]
    return platform.machine()


def _grpc_here() -> str:
    # In a process of its own: a part that looks at gRPC as it comes decides for itself how it is imported.
    return subprocess.run([sys.executable, "-c", GRPC], capture_output=True, text=True, check=True).stdout.strip()


def _grpc_in_image() -> str:
    try:
        with closing(connect()) as client:
            ensure_base_image(client, lambda line: None)
            printed = client.containers.run(LATEST, ["python", "-c", GRPC], network_mode="none", remove=True)
        return f"in containers {printed.decode().strip()}"
    except SandboxError:
        return "no containers"


def _docker() -> str:
    try:
        with closing(connect()) as client:
            return f"Docker {client.version()['Version']}"
    except SandboxError:
        return "no Docker"
