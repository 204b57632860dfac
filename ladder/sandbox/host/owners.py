"""Process identity: a name for this process that no later process can have, by which containers know their owner."""

from __future__ import annotations

import os
import platform
import re
import sys
from pathlib import Path

PROC = Path("/proc")
_OWNER = re.compile(r"[!-~]{0,255} [!-~]{1,64} pid:\[[0-9]{1,20}\] [0-9]{1,7} [0-9]{1,20}")
"""Machine, boot, pid namespace, pid, start time."""
_COORDINATOR: list[str] = []
"""At most one."""


def this_process() -> str:
    """
    Name this process by machine, boot, pid namespace, pid, and start time, so that a reused pid gives another name.

    On systems without /proc a name has neither boot nor start time.
    """
    pid = os.getpid()
    return f"{_where(PROC)} {pid} {_started(pid, PROC)}"


def work_for(coordinator: str) -> None:
    """Remember who started this process to work for it, as `this_process` named that one."""
    _COORDINATOR[:] = [coordinator]


def coordinator() -> str | None:
    """Name the coordinator that this process works for; None: itself."""
    return next(iter(_COORDINATOR), None)


def is_owner(text: str) -> bool:
    """Tell whether *text* has exactly the form of what `this_process` gives: any user can write labels and files."""
    return _OWNER.fullmatch(text) is not None


def is_dead(owner: str, proc: Path = PROC) -> bool:
    """
    Tell whether the process that `this_process` named *owner* has surely ended.

    One on another machine or in another pid namespace cannot be seen from here, so it counts as living.

    Args:
        owner: The name.
        proc: Where the kernel shows its processes.

    Raises:
        ValueError: If *owner* is no such name (`is_owner`).
    """
    if not is_owner(owner):
        raise ValueError(f"{owner[:80]!r} names no process")
    machine, boot, namespace, pid, started = owner.split(" ")
    here_machine, here_boot, here_namespace = _where(proc).split(" ")
    if machine != here_machine:
        return False
    if boot != here_boot:
        return True
    if namespace != here_namespace:
        return False
    try:
        return _started(int(pid), proc) != started
    except OSError:
        return not _is_hidden(int(pid), proc)


def is_of_this_boot(owner: str) -> bool:
    """
    Tell whether the process that `this_process` named *owner* is, or was, one of this machine since its last start.

    A name of a machine is no proof of that: two machines may have the same.
    """
    return is_owner(owner) and owner.split(" ")[:2] == _where(PROC).split(" ")[:2]


def _where(proc: Path) -> str:
    if not proc.exists():
        return f"{platform.node()} - pid:[0]"
    boot = (proc / "sys/kernel/random/boot_id").read_text().strip()
    return f"{platform.node()} {boot} {os.readlink(proc / 'self/ns/pid')}"


def _started(pid: int, proc: Path) -> str:
    """Give the start time in clock ticks since boot; a zombie has ended, whatever the process table says."""
    if not proc.exists():
        if sys.platform != "win32":  # where this call would end the process
            os.kill(pid, 0)
        return "0"
    # The command's name stands in brackets and may hold any bytes, brackets and blanks included.
    fields = (proc / str(pid) / "stat").read_bytes().rpartition(b")")[2].decode("ascii").split()
    if fields[0] in "ZX":
        raise ProcessLookupError(pid)
    return fields[19]


def _is_hidden(pid: int, proc: Path) -> bool:
    """Tell whether there is such a process, of another user, and /proc does not show those (mount option hidepid)."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return not (proc / str(pid)).exists()
    except OSError:
        return False
    return False
