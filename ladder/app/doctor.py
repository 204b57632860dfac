"""
Findings of `pigpen doctor`: the abilities of this machine, and the protections between bots.

The findings about the machine, one for each thing, need no sandbox to be started. Each protection is tried by what a
hostile program in a bot's container could do. The OCI runtime under which a ladder's bots play is chosen here, too:
gVisor's, where the settings leave it open.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladder.errors import SandboxError
from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.languages import LANGUAGES
from ladder.sandbox.docker.base_image import can_make_debian_base
from ladder.sandbox.docker.container_plan import machine_of
from ladder.sandbox.docker.control_group import GROUPS, GroupFiles, files_of, reclaim_memory
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect, engine_errors
from ladder.sandbox.docker.gvisor import gvisor_version
from ladder.sandbox.docker.programs import MACHINES
from ladder.sandbox.docker.toolchain_images import ready_toolchains
from ladder.sandbox.host.machine import bot_cores, overrides_modes
from ladder.sandbox.host.scratch import scratch_folder
from ladder.values.reports import DoctorReport, Finding
from ladder.values.sandbox_kind import AUTO, GVISOR, LOCKED_BYTES, SHARED, SandboxKind, chosen_runtime, has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ladder.sandbox.base import Instance
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


OWN_KERNEL = "not needed: each bot has a kernel of its own"


@dataclass(frozen=True)
class Probed:
    """Findings of a hostile program in a container, and the platform's power over that container."""

    output: dict[str, Any]
    image_files: str | None
    """Protection of its image's files from timing through the page cache (referee.records.lines.ImageFiles)."""
    has_clock: bool
    """True if its CPU time can be read."""
    can_hold: bool
    """True if it can be frozen."""
    tells_memory: bool
    """True if the engine said that it ended for want of memory when it did."""
    runtime: str
    """The OCI runtime under which it ran."""
    shared_kernel: str
    """The consequence, if the runtime gives it no kernel of its own (`ladder.app.doctor.shared_kernel`)."""

    @property
    def own_kernel(self) -> bool:
        """True if it had a kernel to itself."""
        return has_own_kernel(self.runtime)


def protections(probed: Probed, reclaims: bool) -> list[Finding]:
    """Give what the probe's attempts have shown, one finding for each protection."""
    return [
        _kernel(probed),
        _system_calls(probed),
        _masks(probed),
        _landlock(probed),
        _image_files(probed),
        _reclaiming(probed, reclaims),
        _cpu_clock(probed),
        _holding(probed),
        _lack_of_memory(probed),
    ]


def stands(findings: Sequence[Finding]) -> bool:
    """Tell whether every protection works."""
    return all(finding.holds for finding in findings if finding.is_protection)


def _protection(name: str, holds: bool, stands: str, falls: str, follows: str) -> Finding:
    return Finding(name, holds, stands if holds else falls, follows, is_protection=True)


def _kernel(probed: Probed) -> Finding:
    stands, falls = f"one for each bot ({probed.runtime})", f"all bots share this machine's ({probed.runtime})"
    return _protection("Kernel", probed.own_kernel, stands, falls, probed.shared_kernel)


def _system_calls(probed: Probed) -> Finding:
    done = [name for name, came in probed.output["calls"].items() if came == "done"]
    if probed.own_kernel:
        done = [name for name in done if name == "network"]
    follows = "Bots can pass information, or reach a network. Check that the runtime applies our list of system calls."
    stands = OWN_KERNEL if probed.own_kernel else "only those on our list"
    return _protection("System calls", not done, stands, f"{', '.join(done)} was allowed", follows)


def _masks(probed: Probed) -> Finding:
    follows = "What the whole machine does can be read there, so bots can signal. Check that the runtime masks paths."
    return _reads("/proc and /sys", probed, "host", "tell nothing of the host", follows)


def _landlock(probed: Probed) -> Finding:
    follows = "These tell which pages of an image other bots use. A kernel with Landlock (5.19) closes them."
    return _reads("Landlock", probed, "others", "only harmless files of /proc open", follows)


def _reads(name: str, probed: Probed, what: str, stands: str, follows: str) -> Finding:
    if probed.own_kernel:
        return _protection(name, True, OWN_KERNEL, "", follows)
    seen = probed.output[what]
    return _protection(name, not seen, stands, f"{', '.join(seen)} can be read", follows)


def _image_files(probed: Probed) -> Finding:
    follows = "A bot can leave notes in the page cache for its next rotation. Give the engine the right to lock memory."
    words = {"locked": "locked in memory", "isolated": "in a page cache of each bot's own"}
    holds = probed.image_files in words
    return _protection(
        "Files of images", holds, words.get(str(probed.image_files), ""), "only read before a table", follows
    )


def _reclaiming(probed: Probed, reclaims: bool) -> Finding:
    follows = (
        "A bot can tell its next rotation something by looking up names that do not exist. Run the ladder as root on "
        "the engine's machine."
    )
    return _protection(
        "Names looked up", reclaims or probed.own_kernel, "forgotten between tables", "remembered", follows
    )


def _cpu_clock(probed: Probed) -> Finding:
    follows = "Clocks count wall time, which others at the table can steal. Run the ladder on the engine's machine."
    return _protection("Clocks", probed.has_clock, "count each bot's own CPU time", "count wall time", follows)


def _holding(probed: Probed) -> Finding:
    follows = "Bots can think, and take time from others, while it is not their turn. Run the ladder as root."
    return _protection(
        "Holding still", probed.can_hold, "bots that are not asked are frozen", "no bot can be frozen", follows
    )


def _lack_of_memory(probed: Probed) -> Finding:
    follows = (
        "A bot can make a match void by taking more memory than it may: its end looks like a failure of this machine. "
        "Restart the machine, or the engine with its containerd: they count in control groups that were mounted later."
    )
    return _protection(
        "Lack of memory", probed.tells_memory, "known as the cause of a bot's end", "taken for another cause", follows
    )


PROBE = Path(__file__).with_name("doctor_probe")
"""A bot's folder: it tries what the sandbox is to prevent."""

PROBE_SECONDS = 30.0
"""Limit, in seconds, until the probe reports, and until it has ended for want of memory."""
FILL_MEMORY = "fill-memory"
"""A file in the probe's seat folder: when it is there, the probe takes memory without end."""


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


async def probe(runtime: str, report: Callable[[str], None], locked_bytes: int, shared_kernel: str) -> Probed:
    """
    Start a program in a container as a bot's, let it try, and look at its control group.

    Args:
        runtime: As in `examine`.
        report: As in `examine`.
        locked_bytes: As in `examine`.
        shared_kernel: As in `Probed`.

    Raises:
        SandboxError: If it cannot be started, or says nothing.
    """
    sandbox = DockerSandbox(runtime, report=report, locked_bytes=locked_bytes)
    try:
        program = await sandbox.load(BotSource("doctor", folder=PROBE))
        with scratch_folder() as scratch:
            seat = scratch / "seat"
            seat.mkdir()
            instance = await program.start(SeatMount(seat, token=""))
            probed = json.loads(await _last_words(instance))
            group = await asyncio.to_thread(_group_of, instance.name)
            has_clock = group is not None and _opens(group.cpu, os.O_RDONLY)
            can_hold = group is not None and _opens(group.freezer, os.O_WRONLY)
            (seat / FILL_MEMORY).touch()
            is_reported = await _ended_for_memory(instance)
            return Probed(probed, program.image_files, has_clock, can_hold, is_reported, program.runtime, shared_kernel)
    finally:
        await sandbox.close()


def _opens(file: Path, flags: int) -> bool:
    """Try it: `os.access` asks for the real user, who has no capabilities."""
    try:
        os.close(os.open(file, flags))
    except OSError:
        return False
    return True


async def _last_words(instance: Instance) -> str:
    deadline = time.monotonic() + PROBE_SECONDS
    while time.monotonic() < deadline:
        output = await instance.log_tail()
        if output.endswith("}\n"):
            return output
        await asyncio.sleep(0.02)
    raise SandboxError(f"A container that was started to try the protections printed only this: {output!r}")


async def _ended_for_memory(instance: Instance) -> bool:
    """Wait until it has ended, and tell whether the engine says that it was for want of memory."""
    try:
        end = await asyncio.wait_for(instance.wait(), PROBE_SECONDS)
    except (SandboxError, TimeoutError):  # where the engine does not know the cause, it looks like a failure of its own
        return False
    return end.oom


def _group_of(name: str) -> GroupFiles | None:
    client = connect()
    try:
        with engine_errors("look at a container"):
            found = client.api.inspect_container(name)
        return files_of(found["State"]["Pid"], found["Id"])
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
