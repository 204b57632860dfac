"""
A container's view of the machine's processors: copies that never change, in the place of the kernel's files.

The kernel's own files show what other containers do (the clock rate of each core), and are masked. But libraries for
computing look there for the kind and number of processors, and some fail if there are none: that which onnxruntime and
PyTorch share, cpuinfo, then reads memory that is not its own (docs/adr/0014-what-containers-share.md).
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from docker.types import Mount

from ladder.sandbox.host.scratch import disk_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "processors"
"""In the folder that a container sees; it holds the files by their paths from the root."""
CPUINFO = "proc/cpuinfo"
LISTS = tuple(f"sys/devices/system/cpu/{name}" for name in ("online", "possible", "present"))
"""Numbers of processors, such as ``0-3``."""
CHANGING = ("cpu MHz",)
"""Lines of /proc/cpuinfo that change with the work of others."""


def put_processor_files(folder: Path) -> None:
    """
    Put the copies into *folder*, which one container is to see: what containers share, they could lock.

    Raises:
        SandboxError: If there is no room.
    """
    root = folder / FOLDER
    with disk_errors(root):
        for name, text in processor_files().items():
            for above in reversed((root / name).relative_to(folder).parents[:-1]):
                (folder / above).mkdir(exist_ok=True)
                (folder / above).chmod(0o755)
            (root / name).write_text(text)
            (root / name).chmod(0o444)


def processor_mounts(folder: Path) -> list[Mount]:
    """Put the copies of *folder* into their places."""
    places = ("proc/cpuinfo", "sys")
    return [Mount(f"/{name}", str(folder / FOLDER / name), type="bind", read_only=True) for name in places]


@cache
def processor_files(root: Path = Path("/")) -> Mapping[str, str]:
    """Give the text of each file by its path from the root, read once from the machine with the folder *root*."""
    everything = f"0-{(os.cpu_count() or 1) - 1}\n"
    lists = {name: _read(root / name) or everything for name in LISTS}
    lines = _read(root / CPUINFO).splitlines(keepends=True)
    return {CPUINFO: "".join(line for line in lines if not line.startswith(CHANGING)), **lists}


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return ""
