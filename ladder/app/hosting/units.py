"""
Units of systemd that run a ladder: one for all of it, or one for each of its processes.

All have the settings in one folder and the ladder in another. The four processes of a ladder that is split share a
user: the site connects to sockets that the tables make in the folder for temporary files, and reads what the runner
writes.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.app.new_file import new_files, write_new

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS, DATA, USER = "/etc/pigpen", "/var/lib/pigpen", "pigpen"
TEMPORARY = f"{DATA}/tmp"
"""Programs may run there, which they may not below /run; all units see it, which they do not see of a private /tmp."""
MATCH_SECONDS = 5700
"""Seconds in which a match ends that is being played (docs/adr/0013)."""
ENGINE = {"Requires": "docker.service", "After": "network-online.target docker.service"}

ALL = {
    "LockPersonality": "yes",
    "NoNewPrivileges": "yes",
    "ProtectClock": "yes",
    "ProtectHome": "yes",
    "ProtectHostname": "yes",
    "ProtectKernelLogs": "yes",
    "ProtectKernelModules": "yes",
    "RestrictRealtime": "yes",
    "RestrictSUIDSGID": "yes",
    "SystemCallArchitectures": "native",
}
"""Protections of every unit."""
WITH_BOTS = {
    "ProtectControlGroups": "no",
    "ProtectKernelTunables": "no",
    "ProtectSystem": "full",
    "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6 AF_NETLINK",
}
"""Those of units that start containers, and freeze them by their control groups."""
WITHOUT_BOTS = {
    "CapabilityBoundingSet": "",
    "PrivateDevices": "yes",
    "ProtectControlGroups": "yes",
    "ProtectKernelTunables": "yes",
    "ProtectProc": "invisible",
    "ProtectSystem": "strict",
    "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6",
    "RestrictNamespaces": "yes",
    "SystemCallFilter": "@system-service",
}
"""Those of units that start none."""
LOW_PORTS = {"AmbientCapabilities": "CAP_NET_BIND_SERVICE", "CapabilityBoundingSet": "CAP_NET_BIND_SERVICE"}
"""For ports below 1024, where the site speaks HTTPS itself."""
FREEZES = {
    "SupplementaryGroups": "docker",
    "AmbientCapabilities": "CAP_DAC_OVERRIDE",
    "CapabilityBoundingSet": "CAP_DAC_OVERRIDE",
}
"""For the engine's socket, and the files by which root freezes containers and clears what they looked up."""


@dataclass(frozen=True)
class Unit:
    """A service."""

    about: str
    words: str
    """Of the command, after `pigpen`."""
    lines: Mapping[str, str]
    """Lines of [Service] that not all units have."""
    head: Mapping[str, str]
    """Lines of [Unit] likewise."""

    def text(self, program: str) -> str:
        """Write it, for the program `pigpen` at that path."""
        service = {
            "Type": "exec",
            "ExecStart": f"{program} {self.words}",
            "WorkingDirectory": SETTINGS,
            "Environment": f"PIGPEN_DATA_DIR={DATA} TMPDIR={TEMPORARY} XDG_CACHE_HOME=/var/cache",
            "StateDirectory": " ".join(("pigpen", "pigpen/tmp")),
            "StateDirectoryMode": "0700",
            "CacheDirectory": "pigpen",
            "Restart": "on-failure",
            "RestartSec": "10",
            "LimitNOFILE": "65536",
        }
        sections = {
            "Unit": {"Description": self.about, "Wants": "network-online.target"} | dict(self.head),
            "Service": service | ALL | dict(self.lines),
            "Install": {"WantedBy": "multi-user.target"},
        }
        return "\n".join(
            "\n".join([f"[{name}]", *(f"{key}={value}" for key, value in lines.items()), ""])
            for name, lines in sections.items()
        )


ENDS = {"KillMode": "mixed", "TimeoutStopSec": str(MATCH_SECONDS)}
AFTER = {"After": "network-online.target"}
APART = {
    "pigpen-site.service": Unit(
        "Pigpen: the site of a ladder", "serve", {"User": USER} | WITHOUT_BOTS | LOW_PORTS, AFTER
    ),
    "pigpen-run.service": Unit(
        "Pigpen: the matches of a ladder", "ladder run", {"User": USER} | ENDS | WITH_BOTS | FREEZES, ENGINE
    ),
    "pigpen-tables.service": Unit(
        "Pigpen: the tables of people", "ladder tables", {"User": USER} | WITH_BOTS | FREEZES, ENGINE
    ),
    "pigpen-compute.service": Unit(
        "Pigpen: estimates for the site of a ladder", "ladder compute", {"User": USER} | WITHOUT_BOTS, AFTER
    ),
}
"""A unit for each process."""
UNITS = {
    "pigpen.service": Unit(
        "Pigpen: all of a ladder", "up", ENDS | WITH_BOTS, {"Conflicts": " ".join(APART)} | ENGINE
    ),
    **APART,
}  # fmt: skip
"""All units by their files' names."""
HIDDEN = ("/home/", "/root/", "/run/user/")
"""Folders that no unit sees."""


def own_program() -> Path:
    """Give the path of the command `pigpen` of this environment."""
    return Path(sys.executable).parent / "pigpen"


def is_hidden(program: Path) -> bool:
    """Tell whether units cannot see a program."""
    return str(program).startswith(HIDDEN)


def write_units(folder: Path, program: Path) -> list[Path]:
    """
    Write all units into a folder, which is made if it is not there; return their paths.

    Args:
        folder: Where to.
        program: The command `pigpen` that they start.

    Raises:
        UserError: If one is there already, or the folder cannot be made.
    """
    paths = new_files(folder, UNITS)
    for path in paths:
        write_new(path, [UNITS[path.name].text(str(program)).encode()])
    return paths
