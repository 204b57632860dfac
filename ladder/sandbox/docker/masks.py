"""Parts of /proc, /sys and /dev that a container does not see: all that reveals the host, and so other containers."""

from __future__ import annotations

from pathlib import Path

KEPT = frozenset({"self", "thread-self", "mounts", "net", "cpuinfo"})
"""
Names that are not masked: links to a process's own folder, which each container has; and cpuinfo, which has a copy in
its place, as files in /sys have (`processors.py`).
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
