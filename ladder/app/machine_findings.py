"""Findings about a machine that need no sandbox to be started: one for each thing."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladder.sandbox.docker.container_plan import machine_of
from ladder.sandbox.docker.control_group import GROUPS
from ladder.sandbox.docker.programs import MACHINES
from ladder.sandbox.host.cores import bot_cores
from ladder.values.reports import Finding
from ladder.values.sandbox_kind import AUTO, GVISOR, SHARED

if TYPE_CHECKING:
    from collections.abc import Collection

    from ladder.errors import SandboxError

SHARED_KERNEL = (
    "All bots share this machine's kernel: boards are protected against chance, but not against a determined bot."
)
HOW_TO_GET_GVISOR = (
    "On Debian, as root, in a checkout: scripts/runsc. On other systems: https://gvisor.dev/docs/user_guide/install/"
)
RUNTIME_SETTING = "The setting runtime (pigpen.toml or PIGPEN_RUNTIME)"
CHOOSE_AUTO = 'With runtime = "auto" bots play in gVisor'

MIN_DISK = 5 * 1024**3
"""Bytes that should be free where the engine keeps images."""


def shared_kernel(wanted: str, known: Collection[str], asked_by: str = RUNTIME_SETTING) -> str:
    """
    Say that bots share this machine's kernel, and what gives each of them one of its own.

    Args:
        wanted: The runtime that was asked for, under which they share it; or `AUTO`, and the engine has no gVisor.
        known: What runtimes the engine knows.
        asked_by: What asks for it.
    """
    if wanted == AUTO:
        return f"{SHARED_KERNEL} (Runtime {SHARED}.) {HOW_TO_GET_GVISOR}"
    problem = f"{SHARED_KERNEL} (Runtime {wanted}.) {asked_by} asks for {wanted}."
    if GVISOR in known:
        return f"{problem} {CHOOSE_AUTO}, which this engine has."
    return f"{problem} {CHOOSE_AUTO}, once it is installed. {HOW_TO_GET_GVISOR}"


def no_engine(error: SandboxError) -> list[Finding]:
    """Give what is known where no engine answers."""
    return [Finding("Docker engine", False, "none", str(error), is_protection=True), *_without_engine()]


def machine(engine: dict[str, Any]) -> list[Finding]:
    """Give the findings about this machine that need no sandbox to be started."""
    return [
        _engine(engine),
        _groups(engine),
        _seccomp(engine),
        _root(),
        _gvisor(engine),
        _disk(engine),
        *_without_engine(),
    ]


def missing_at_once(engine: dict[str, Any]) -> list[Finding]:
    """List what can be seen to be missing without starting anything, and weakens a protection."""
    looked_at = (_groups(engine), _seccomp(engine), _root(), _temporary_folder())
    return [finding for finding in looked_at if not finding.holds]


def _without_engine() -> list[Finding]:
    from pigpen.wire import blocking_stream  # a site, which has no bots, imports this module and no gRPC

    return [_cores(), _temporary_folder(), grpc_threads("gRPC here", blocking_stream.WHY_SLOW)]


def grpc_threads(name: str, why_slow: str | None) -> Finding:
    """
    Tell whether gRPC runs on one thread (docs/adr/0011).

    Args:
        name: Of the finding.
        why_slow: As in `pigpen.wire.blocking_stream`.
    """
    from pigpen.wire.transport import TRIED

    first, last = (".".join(map(str, minor)) for minor in TRIED)
    follows = f"Each decision takes half as much CPU time again, in gVisor twice as much. Use grpcio {first} to {last}."
    return Finding(name, why_slow is None, why_slow or "runs on one thread", follows)


def _engine(engine: dict[str, Any]) -> Finding:
    found = f"{engine['ServerVersion']}, {engine['Driver']}, {engine['OSType']}/{engine['Architecture']}"
    is_known = engine["OSType"] == "linux" and machine_of(engine["Architecture"]) in MACHINES
    return Finding("Docker engine", is_known, found, "Bots run on Linux, on x86_64 and aarch64.")


def _groups(engine: dict[str, Any]) -> Finding:
    found = f"v{engine.get('CgroupVersion', '1')}, made by {engine.get('CgroupDriver')}"
    follows = "Clocks count wall time, and no bot can be frozen: is the engine on another machine?"
    return Finding("Control groups", any(GROUPS.glob("*")), found, follows)


def _seccomp(engine: dict[str, Any]) -> Finding:
    holds = any("seccomp" in option for option in engine.get("SecurityOptions") or ())
    follows = "Bots may make every system call. Use a kernel and an engine with seccomp."
    return Finding("seccomp", holds, "the engine has it" if holds else "the engine does not have it", follows)


def _root() -> Finding:
    holds = os.geteuid() == 0
    follows = (
        "Without root no bot can be frozen while others think, and file names that bots looked up are not cleared from "
        "the kernel's cache between tables."
    )
    return Finding("User", holds, "root" if holds else f"number {os.geteuid()}, not root", follows)


def _gvisor(engine: dict[str, Any]) -> Finding:
    known = engine.get("Runtimes") or {}
    if GVISOR not in known:
        return Finding("gVisor", False, "not installed", f"{SHARED_KERNEL} {HOW_TO_GET_GVISOR}")
    arguments = known[GVISOR].get("runtimeArgs") or ()
    holds = "path" not in known[GVISOR] or any("host-uds" in argument for argument in arguments)
    follows = (
        f"Bots in gVisor do not reach their seats: the engine must give {GVISOR} the argument --host-uds=open. "
        f"{HOW_TO_GET_GVISOR}"
    )
    return Finding("gVisor", holds, "installed" if holds else "installed without --host-uds=open", follows)


def _disk(engine: dict[str, Any]) -> Finding:
    folder = Path(str(engine["DockerRootDir"]))
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return Finding("Disk for images", True, f"{folder} cannot be seen from here")
    follows = f"Less than {MIN_DISK / 1024**3:g} GiB: builds and pulls may fail. Make room."
    return Finding("Disk for images", free >= MIN_DISK, f"{free / 1024**3:.1f} GiB free in {folder}", follows)


def _cores() -> Finding:
    cores = bot_cores()
    holds = (os.cpu_count() or 1) > len(cores)
    found = f"{len(cores)} for bots" + (", one for the referee and the engine" if holds else "")
    return Finding("Cores", holds, found, "Bots share their only core with the referee: clocks are less exact.")


def _temporary_folder() -> Finding:
    folder = Path(tempfile.gettempdir())
    if os.statvfs(folder).f_flag & os.ST_NOEXEC:
        return Finding("TMPDIR", False, f"{folder}, no programs may run there", "No bot starts. Set TMPDIR to another.")
    mode = folder.stat().st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        return Finding("TMPDIR", False, f"{folder}, not sticky", "Others can remove our folders. Run chmod +t on it.")
    return Finding("TMPDIR", True, f"{folder}, programs may run there")
