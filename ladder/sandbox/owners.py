"""Who started a container: a name for this process that no later process can bear."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from ladder.sandbox.base import SandboxError

_PROC = Path("/proc")


def this_process() -> str:
    """
    Name this process by machine, boot, pid namespace, pid, and start time, so that a reused pid is told apart.

    Raises:
        SandboxError: If this is not Linux.
    """
    try:
        pid = os.getpid()
        return f"{_where()} {pid} {_started(pid)}"
    except OSError as error:
        raise SandboxError("The docker sandbox needs Linux. Elsewhere use the process sandbox.") from error


def is_dead(owner: str) -> bool:
    """
    Whether the process that `this_process` named *owner* has surely ended.

    One on another machine or in another pid namespace cannot be seen from here, so it counts as living.
    """
    machine, boot, namespace, pid, started = owner.split(" ")
    here_machine, here_boot, here_namespace = _where().split(" ")
    if machine != here_machine:
        return False
    if boot != here_boot:
        return True
    if namespace != here_namespace:
        return False
    try:
        return _started(int(pid)) != started
    except OSError:
        return True


def _where() -> str:
    boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    return f"{platform.node()} {boot} {os.readlink(_PROC / 'self/ns/pid')}"


def _started(pid: int) -> str:
    """Give the start time in clock ticks since boot; a zombie has ended, whatever the process table says."""
    # The command's name stands in brackets and may hold anything, brackets and blanks included.
    fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    if fields[0] in "ZX":
        raise ProcessLookupError(pid)
    return fields[19]
