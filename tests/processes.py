"""Processes of this machine, as /proc shows them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

LISTENS = "0A"
"""The state of a socket that waits for connections, in /proc/net/tcp."""


def children(pid: int) -> list[int]:
    """The processes that *pid* has started and that have not ended, in ascending order."""
    found = (int(path.name) for path in Path("/proc").glob("[0-9]*"))
    return sorted(each for each in found if (fields := _fields(each)) and int(fields[1]) == pid)


def has_ended(pid: int) -> bool:
    """True if there is no such process, or only its exit code is left of it."""
    return not _fields(pid)


def listening(pid: int) -> set[str]:
    """List the addresses and ports at which a process waits for connections by TCP."""
    sockets = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it has been closed meanwhile
            sockets.add(link.readlink().name)
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and f"socket:[{fields[9]}]" in sockets:
                address, port = fields[1].split(":")
                host = ".".join(map(str, reversed(bytes.fromhex(address))))
                found.add(f"{host}:{int(port, 16)}")
    return found


def _fields(pid: int) -> list[str]:
    """List the fields of `stat` after the name; none if the process has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
    return [] if fields[0] in "ZX" else fields
