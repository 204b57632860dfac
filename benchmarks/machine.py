"""Where the figures come from."""

from __future__ import annotations

import os
import platform
from contextlib import closing
from importlib import metadata
from pathlib import Path

from ladder.errors import SandboxError
from ladder.sandbox.docker.engine import connect


def machine() -> str:
    """One line: processor, memory, kernel, Docker, Python, gRPC, and how busy the machine is."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{_processor()}, {os.cpu_count()} CPUs, {memory:.0f} GiB, Linux {platform.release()}, {_docker()}, "
        f"Python {platform.python_version()}, grpcio {metadata.version('grpcio')}, load {load}"
    )


def _processor() -> str:
    """Its model, where Linux knows one; else its kind."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(": ")[2]
    return platform.machine()


def _docker() -> str:
    try:
        with closing(connect()) as client:
            return f"Docker {client.version()['Version']}"
    except SandboxError:
        return "no Docker"
