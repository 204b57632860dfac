"""
Findings of `pigpen doctor`: the abilities of this machine, and the protections between bots.

The findings about the machine, one for each thing, need no sandbox to be started; the protections are tried by
`ladder.app.protections`. The OCI runtime under which a ladder's bots play is chosen here, too: gVisor's, where the
settings leave it open.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladder.app.protections import probe, protections, stands
from ladder.errors import SandboxError
from ladder.sandbox.bots.languages import LANGUAGES
from ladder.sandbox.docker.base_image import can_make_debian_base
from ladder.sandbox.docker.container_plan import machine_of
from ladder.sandbox.docker.control_group import GROUPS, reclaim_memory
from ladder.sandbox.docker.engine import connect, engine_errors
from ladder.sandbox.docker.gvisor import gvisor_version
from ladder.sandbox.docker.programs import MACHINES
from ladder.sandbox.docker.toolchain_images import ready_toolchains
from ladder.sandbox.host.machine import bot_cores, overrides_modes
from ladder.values.reports import DoctorReport, Finding
from ladder.values.sandbox_kind import AUTO, GVISOR, LOCKED_BYTES, SHARED, SandboxKind, chosen_runtime, has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ladder.settings.settings import Settings

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


def machine(engine: dict[str, Any], runtime: str = AUTO) -> list[Finding]:
    """
    Give the findings about this machine that need no sandbox to be started.

    Args:
        engine: As the engine describes itself.
        runtime: As in `examine`: if it is a gVisor of another name, that one is looked at.
    """
    return [
        _engine(engine),
        _groups(engine),
        _seccomp(engine),
        _root(),
        _gvisor(engine, runtime if runtime.startswith(GVISOR) else GVISOR),
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
    is_root = os.geteuid() == 0
    follows = (
        "Without root, or the capability CAP_DAC_OVERRIDE, no bot can be frozen while others think, and file names "
        "that bots looked up are not cleared from the kernel's cache between tables."
    )
    overrides = overrides_modes()
    found = "root" if is_root else f"number {os.geteuid()}, {'with CAP_DAC_OVERRIDE' if overrides else 'not root'}"
    return Finding("User", overrides, found, follows)


def _gvisor(engine: dict[str, Any], name: str) -> Finding:
    known = engine.get("Runtimes") or {}
    if name not in known:
        return Finding("gVisor", False, "not installed", f"{SHARED_KERNEL} {HOW_TO_GET_GVISOR}")
    arguments = known[name].get("runtimeArgs") or ()
    path = known[name].get("path")
    holds = path is None or any("host-uds" in argument for argument in arguments)
    installed = gvisor_version(path, arguments) or "installed"
    follows = (
        f"Bots in gVisor do not reach their seats: the engine must give {name} the argument --host-uds=open. "
        f"{HOW_TO_GET_GVISOR}"
    )
    return Finding("gVisor", holds, installed if holds else f"{installed}, without --host-uds=open", follows)


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


def compilers(ready: Collection[str], can_make: bool, languages: Collection[str] = tuple(LANGUAGES)) -> Finding:
    """
    Tell in which languages bots can be compiled.

    Args:
        ready: Names of those whose images the engine has.
        can_make: True if the others can be made here.
        languages: Names of those that the ladder takes.
    """
    if not languages:
        return Finding("Compilers", True, "not needed: the setting languages names none")
    wanted = [each for each in LANGUAGES.values() if each.name in languages]
    there = [each.title for each in wanted if each.name in ready]
    missing = [each.title for each in wanted if each.name not in ready]
    parts = [f"images ready: {', '.join(there)}"] if there else []
    if missing:
        parts.append(f"{'made when a bot needs them' if can_make else 'missing'}: {', '.join(missing)}")
    follows = (
        "Only root on Debian makes these images. Make them there (python -m ladder.sandbox.docker.toolchain_images), "
        "and load them here, or leave these languages out of the setting languages."
    )
    return Finding("Compilers", can_make or not missing, "; ".join(parts), follows)


def engine_facts() -> dict[str, Any]:
    """
    Ask the engine what it is.

    Raises:
        SandboxError: If none answers.
    """
    client = connect()
    try:
        with engine_errors("tell what it is"):
            return dict(client.api.info())
    finally:
        client.close()


def _compilers(languages: Collection[str]) -> Finding:
    client = connect()
    try:
        return compilers(ready_toolchains(client), can_make_debian_base(), languages)
    finally:
        client.close()


def examine(
    runtime: str,
    report: Callable[[str], None],
    locked_bytes: int = LOCKED_BYTES,
    asked_by: str = RUNTIME_SETTING,
    measure_speed: Callable[[], Finding] | None = None,
    languages: Collection[str] = tuple(LANGUAGES),
) -> DoctorReport:
    """
    Look at everything: the machine, and then the protections.

    Args:
        runtime: The OCI runtime under which bots play; auto: gVisor where the engine knows it.
        report: Called with one line before each step that takes seconds.
        locked_bytes: The largest image that is kept in memory.
        asked_by: What asks for that runtime, as a sentence begins.
        measure_speed: Measures how fast matches are, where containers start; None: this is left out.
        languages: Names of the languages whose source the ladder compiles.
    """
    findings = _examined(runtime, report, locked_bytes, asked_by, measure_speed, languages)
    return DoctorReport(stands=stands(findings), findings=tuple(findings))


def _examined(
    runtime: str,
    report: Callable[[str], None],
    locked_bytes: int,
    asked_by: str,
    measure_speed: Callable[[], Finding] | None,
    languages: Collection[str],
) -> list[Finding]:
    try:
        engine = engine_facts()
    except SandboxError as error:
        return no_engine(error)
    found = machine(engine, runtime)
    try:
        follows = shared_kernel(runtime, engine.get("Runtimes") or (), asked_by)
        probed = asyncio.run(probe(runtime, report, locked_bytes, follows))
        found.append(_compilers(languages))
    except SandboxError as error:
        return [
            *found,
            Finding("A container like a bot's", False, "could not be started", str(error), is_protection=True),
        ]
    found.append(grpc_threads("gRPC in containers", probed.output["grpc"]))
    if measure_speed is not None:
        found.append(measure_speed())
    return [*found, *protections(probed, reclaim_memory(str(engine.get("CgroupDriver"))))]


def with_runtime(settings: Settings) -> Settings:
    """Give the settings with the runtime that this machine's engine has for them; as they are if none answers."""
    if settings.sandbox != SandboxKind.DOCKER or settings.runtime != AUTO:
        return settings
    try:
        engine = engine_facts()
    except SandboxError:  # the first match will say so
        return settings
    return settings.model_copy(update={"runtime": _chosen(settings, engine)})


def warning(settings: Settings, engine: Mapping[str, Any]) -> str:
    """Say that bots share the host's kernel under these settings, and what to do; empty: each has one of its own."""
    if has_own_kernel(_chosen(settings, engine)):
        return ""
    return shared_kernel(settings.runtime, engine.get("Runtimes") or ())


def _chosen(settings: Settings, engine: Mapping[str, Any]) -> str:
    return chosen_runtime(settings.runtime, engine.get("Runtimes") or ())
