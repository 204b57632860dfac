"""
Limits of a container, and the flags that hold it there.

Parts of /proc, /sys and /dev are masked: all that reveals the host, and so other containers. The files about the
machine's processors are replaced by copies that never change. The kernel's own files show what other containers do (the
clock rate of each core), and are masked. But libraries for computing look there for the kind and number of processors,
and some fail if there are none: that which onnxruntime and PyTorch share, cpuinfo, then reads memory that is not its
own (docs/adr/0014-what-containers-share.md).
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docker.types import LogConfig, Mount, Ulimit

from ladder.sandbox.base import SAME_HASHES, SOCKET_NAME
from ladder.sandbox.host.machine import MIB
from ladder.sandbox.host.scratch import disk_errors
from ladder.values.sandbox_kind import has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docker import APIClient

KEPT = frozenset({"self", "thread-self", "mounts", "net", "cpuinfo"})
"""
Names that are not masked: links to a process's own folder, which each container has; and cpuinfo, which has a copy in
its place, as files in /sys have (`put_processor_files`).
"""

USUAL = (
    "acpi", "asound", "buddyinfo", "bus", "cgroups", "cmdline", "config.gz", "consoles", "crypto", "devices",
    "diskstats", "dma", "driver", "execdomains", "filesystems", "fs", "interrupts", "iomem", "ioports", "irq",
    "kallsyms", "kcore", "key-users", "keys", "kmsg", "kpagecgroup", "kpagecount", "kpageflags", "latency_stats",
    "loadavg", "locks", "meminfo", "misc", "modules", "mtrr", "pagetypeinfo", "partitions", "pressure", "sched_debug",
    "schedstat", "scsi", "slabinfo", "softirqs", "stat", "swaps", "sys", "sysrq-trigger", "sysvipc", "timer_list",
    "timer_stats", "tty", "uptime", "version", "version_signature", "vmallocinfo", "vmstat", "zoneinfo",
)  # fmt: skip
"""Names that Linux has in /proc, as far as we have seen; a name that a kernel does not have is passed over."""

DEVICES = ("/dev/pts/ptmx", "/dev/zero")
"""
Devices that a container could count by: terminals, whose number on the host is limited; and shared memory, which a map
of /dev/zero is, and whose inode numbers count for the whole host.
"""


def masked_paths(proc: Path = Path("/proc")) -> list[str]:
    """
    Give the paths to cover: files read as empty, folders are empty.

    Args:
        proc: The /proc of the engine's machine, which is ours: a later kernel may have more in it than we know.
    """
    try:
        found = {entry.name for entry in proc.iterdir() if not entry.name.isdecimal()}
    except OSError:
        found = set()
    return [*(f"/proc/{name}" for name in sorted(found.union(USUAL) - KEPT)), *DEVICES]


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


GROUP = 65532
"""Numeric group of every bot, whatever its image says; the bot base image's own."""

FIRST_USER, USERS = 1_900_000_000, 100_000_000
"""The users of bots: numbers that Linux distributions do not use."""

STARTS_AS = f"0:{GROUP}"
"""User and group of a container's first process: root, so that it can start the bot as another user than its own."""

STARTS_WITH = ["SETUID", "SETPCAP"]
"""
The first process's capabilities: to become another user, and to see to it that the bot can become none.

So nothing that a bot calls with the number of the first process, or of its user, reaches it. The bot has none.
"""

SEAT_FOLDER = "/run/pigpen"
"""Path at which a container sees the folder of its `SeatMount`."""


@dataclass(frozen=True)
class Limits:
    """Limits of one container. The defaults suit a Python bot with grpcio (about 20 MB, 10 threads)."""

    cpus: float = 1.0
    """CPU time per wall time: 0.5 is half of one core."""
    memory: int = 256 * MIB
    """Bytes of memory, tmpfs files included; there is no swap beyond it."""
    pids: int = 64
    """Processes and threads at one time."""
    tmp: int = 16 * MIB
    """Bytes of files in /tmp, and again in /dev/shm; both live in memory."""
    tmp_files: int = 4096
    """Files and folders in /tmp: the kernel's records of them use memory too."""
    open_files: int = 256
    """File descriptors of one process."""
    file_size: int = 16 * MIB
    """Bytes of one file."""
    for_builds: bool = False
    """True if programs in /tmp may run, and `BUILD_CALLS` may be made: compilers need both."""


KERNEL_THREAD = 64 * 1024
"""
Bytes of a container's memory for each thread of a kernel of its own.

gVisor's kernel is a program in the container, and ends with exit code 2, as if the bot had, when it gets no thread. Its
threads grow with what the bot's processes do: 42 where a bot sleeps, 230 with 30 busy children, 1,200 with 62 that map
memory or take signals, measured. Each needs some 200 KiB, so the container's memory ends before this limit is reached.
"""

SECCOMP = Path(__file__).with_name("seccomp.json")
"""The system calls that a bot may make, in place of Docker's much longer list."""


BUILD_CALLS = ("flock", "setresgid")
"""
System calls that a build may make as well: `go` locks its files, `make` sets the group that it has.

Bots may not lock files, as locks on inodes of one image are seen in all its containers; a build has seen no cards.
Without capabilities a process can become no group that it is not in already.
"""


def security_options(*, for_builds: bool = False) -> list[str]:
    """
    Give the options of the security modules; the engine wants the profile's text, not its path.

    Args:
        for_builds: Whether `BUILD_CALLS` are allowed.
    """
    profile = SECCOMP.read_text(encoding="utf-8")
    if for_builds:
        rules = json.loads(profile)
        rules["syscalls"].append({"names": [*BUILD_CALLS], "action": "SCMP_ACT_ALLOW"})
        profile = json.dumps(rules)
    return ["no-new-privileges:true", f"seccomp={profile}"]


def new_user() -> int:
    """
    Give the bot of one container its own numeric user; the next number is its launcher's.

    The kernel counts pipe memory, message queues, watched files and more by user: under one number, a bot could take
    its neighbours' share.
    """
    return FIRST_USER + 2 * secrets.randbelow(USERS // 2)


def host_config(
    api: APIClient, folder: Path, limits: Limits, runtime: str, parent_group: str | None = None
) -> dict[str, Any]:
    """Give the half of a container's settings that confines it; each one is proven in test_docker_sandbox.py."""
    may_run = "exec" if limits.for_builds else "noexec"
    tmpfs = f"size={limits.tmp},nr_inodes={limits.tmp_files},mode=1777,{may_run},nosuid,nodev"
    seat = Mount(SEAT_FOLDER, str(folder), type="bind", read_only=True)
    config: dict[str, Any] = api.create_host_config(
        runtime=runtime,
        cgroup_parent=parent_group,
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        cap_add=STARTS_WITH,
        security_opt=security_options(for_builds=limits.for_builds),
        ipc_mode="private",
        pids_limit=_pids_limit(limits, runtime),
        mem_limit=limits.memory,
        memswap_limit=limits.memory,
        nano_cpus=round(limits.cpus * 1e9),
        shm_size=limits.tmp,
        tmpfs={"/tmp": tmpfs},
        ulimits=_ulimits(limits, runtime),
        mounts=[seat],
        log_config=LogConfig(type="none"),
    )
    if not has_own_kernel(runtime):
        config["MaskedPaths"] = masked_paths()
        config["Mounts"] += processor_mounts(folder)
    return config


def environment(folder: str, token: str) -> dict[str, str]:
    """
    Give the variables that hold the address of a bot's seat; the SDK reads them. No image knows its user's home.

    Args:
        folder: Where the container sees the folder of its seat.
        token: The seat's token.
    """
    address = f"unix:{folder}/{SOCKET_NAME}"
    return {"PIGPEN_ADDRESS": address, "PIGPEN_TOKEN": token, "HOME": "/tmp", "USER": "bot", **SAME_HASHES}


def _pids_limit(limits: Limits, runtime: str) -> int:
    """Limit what the host's kernel counts in a container: the bot's processes, or those of the bot's own kernel."""
    return limits.pids + (limits.memory // KERNEL_THREAD if has_own_kernel(runtime) else 0)


def _ulimits(limits: Limits, runtime: str) -> list[Ulimit]:
    """
    Limit single processes, and where the container has a kernel of its own, the processes of the bot's user there.

    The host's kernel sees none of those. No other container has the bot's user (`new_user`), who may not raise a limit.
    """
    values = {"nofile": limits.open_files, "core": 0, "fsize": limits.file_size}
    values |= {"nproc": limits.pids} if has_own_kernel(runtime) else {}
    return [Ulimit(name=name, soft=value, hard=value) for name, value in values.items()]
