"""What this machine offers to a ladder, and which protections between bots work here, by trying them."""

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
from ladder.sandbox.base import LOCKED_BYTES, SeatMount, has_own_kernel
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.control_group import GROUPS, GroupFiles, files_of
from ladder.sandbox.docker.docker_sandbox import GVISOR, DockerSandbox
from ladder.sandbox.docker.engine import connect, engine_errors
from ladder.sandbox.docker.forgetting import forget
from ladder.sandbox.host.cores import bot_cores
from ladder.sandbox.host.memory import MIB
from ladder.sandbox.host.scratch import scratch_folder
from ladder.values.doctor import DoctorReport, Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.sandbox.base import Instance

PROBE = Path(__file__).with_name("doctor_probe")
"""A bot's folder: it tries what the sandbox is to prevent."""

PROBE_SECONDS = 30.0
"""How long the probe may take to say what it found."""

OWN_KERNEL = "not needed: each bot has a kernel of its own"

LEAST_DISK = 5 * 1024**3
"""Bytes that should be free where the engine keeps images."""


@dataclass(frozen=True)
class Probed:
    """What a hostile program in a container found, and what we could do with the container."""

    told: dict[str, Any]
    image_files: str | None
    """How the files of its image were kept from the page cache's clock (referee.records.lines.ImageFiles)."""
    has_clock: bool
    """Whether its CPU time can be read."""
    can_hold: bool
    """Whether it can be frozen."""
    own_kernel: bool


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


def no_engine(error: SandboxError) -> list[Finding]:
    """What is known where no engine answers."""
    return [Finding("Docker engine", False, "none", str(error), is_protection=True), *_without_engine()]


def machine(engine: dict[str, Any]) -> list[Finding]:
    """What can be told of this machine at once, without starting anything."""
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
    """What can be seen to be missing without starting anything, and weakens a protection."""
    looked_at = (_groups(engine), _seccomp(engine), _root(), _temporary_folder())
    return [finding for finding in looked_at if not finding.holds]


def _without_engine() -> list[Finding]:
    return [_cores(), _temporary_folder()]


def protections(probed: Probed, forgets: bool) -> list[Finding]:
    """What the probe's attempts have shown, one finding for each protection."""
    return [
        _system_calls(probed),
        _masks(probed),
        _landlock(probed),
        _image_files(probed),
        _forgetting(probed, forgets),
        _cpu_clock(probed),
        _holding(probed),
    ]


async def probe(runtime: str, report: Callable[[str], None], locked_bytes: int = LOCKED_BYTES) -> Probed:
    """
    Start a program in a container as a bot's, let it try, and look at its control group.

    Raises:
        SandboxError: If it cannot be started, or says nothing.
    """
    sandbox = DockerSandbox(runtime, report=report, locked_bytes=locked_bytes)
    try:
        program = await sandbox.load(BotSource("doctor", folder=PROBE))
        with scratch_folder() as scratch:
            seat = scratch / "seat"
            seat.mkdir(mode=0o755)
            instance = await program.start(SeatMount(seat, token=""))
            told = json.loads(await _last_words(instance))
            group = await asyncio.to_thread(_group_of, instance.name)
            has_clock = group is not None and os.access(group.cpu, os.R_OK)
            can_hold = group is not None and os.access(group.freezer, os.W_OK)
            return Probed(told, program.image_files, has_clock, can_hold, has_own_kernel(runtime))
    finally:
        await sandbox.close()


async def _last_words(instance: Instance) -> str:
    deadline = time.monotonic() + PROBE_SECONDS
    while time.monotonic() < deadline:
        said = await instance.log_tail()
        if said.endswith("}\n"):
            return said
        await asyncio.sleep(0.02)
    raise SandboxError(f"A container that was started to try the protections said only this: {said!r}")


def _group_of(name: str) -> GroupFiles | None:
    client = connect()
    try:
        with engine_errors("look at a container"):
            found = client.api.inspect_container(name)
        return files_of(found["State"]["Pid"], found["Id"])
    finally:
        client.close()


def examine(runtime: str, report: Callable[[str], None], locked_bytes: int = LOCKED_BYTES) -> DoctorReport:
    """
    Look at everything: the machine, and then the protections.

    Args:
        runtime: The OCI runtime under which bots play.
        report: Called with one line before each step that takes seconds.
        locked_bytes: The largest image that is kept in memory.
    """
    findings = _examined(runtime, report, locked_bytes)
    return DoctorReport(stands=stands(findings), findings=tuple(findings))


def _examined(runtime: str, report: Callable[[str], None], locked_bytes: int) -> list[Finding]:
    try:
        engine = engine_facts()
    except SandboxError as error:
        return no_engine(error)
    found = machine(engine)
    try:
        probed = asyncio.run(probe(runtime, report, locked_bytes))
    except SandboxError as error:
        return [
            *found,
            Finding("A container like a bot's", False, "could not be started", str(error), is_protection=True),
        ]
    return [*found, *protections(probed, forget(str(engine.get("CgroupDriver"))))]


def stands(findings: Sequence[Finding]) -> bool:
    """Whether every protection works."""
    return all(finding.holds for finding in findings if finding.is_protection)


def _engine(engine: dict[str, Any]) -> Finding:
    found = f"{engine['ServerVersion']}, {engine['Driver']}, {engine['OSType']}/{engine['Architecture']}"
    is_known = engine["OSType"] == "linux" and engine["Architecture"] in {"x86_64", "aarch64"}
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
    follows = "Without root no bot can be frozen while others think, and names that were looked up are not forgotten."
    return Finding("User", holds, "root" if holds else f"number {os.geteuid()}, not root", follows)


def _gvisor(engine: dict[str, Any]) -> Finding:
    holds = GVISOR in engine.get("Runtimes", {})
    follows = (
        f"Images larger than {LOCKED_BYTES // MIB:,} MiB are refused by a ladder. On Debian, as root: scripts/runsc"
    )
    return Finding("gVisor", holds, "installed" if holds else "not installed", follows)


def _disk(engine: dict[str, Any]) -> Finding:
    folder = Path(str(engine["DockerRootDir"]))
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return Finding("Disk for images", True, f"{folder} cannot be seen from here")
    follows = f"Less than {LEAST_DISK / 1024**3:g} GiB: builds and pulls may fail. Make room."
    return Finding("Disk for images", free >= LEAST_DISK, f"{free / 1024**3:.1f} GiB free in {folder}", follows)


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
        return Finding("TMPDIR", False, f"{folder}, not sticky", "Other users can take our folders away. chmod +t it.")
    return Finding("TMPDIR", True, f"{folder}, programs may run there")


def _protection(name: str, holds: bool, stands: str, falls: str, follows: str) -> Finding:
    return Finding(name, holds, stands if holds else falls, follows, is_protection=True)


def _system_calls(probed: Probed) -> Finding:
    done = [name for name, came in probed.told["calls"].items() if came == "done"]
    if probed.own_kernel:
        done = [name for name in done if name == "network"]
    follows = "Bots can tell one another things, or reach a network. Does the runtime take our list of system calls?"
    stands = OWN_KERNEL if probed.own_kernel else "only those on our list"
    return _protection("System calls", not done, stands, f"{', '.join(done)} was allowed", follows)


def _masks(probed: Probed) -> Finding:
    follows = "What the whole machine does can be read there, so bots can signal. Does the runtime mask paths?"
    return _reads("/proc and /sys", probed, "host", "tell nothing of the host", follows)


def _landlock(probed: Probed) -> Finding:
    follows = "These tell which pages of an image other bots use. A kernel with Landlock (5.19) closes them."
    return _reads("Landlock", probed, "others", "only harmless files of /proc open", follows)


def _reads(name: str, probed: Probed, what: str, stands: str, follows: str) -> Finding:
    if probed.own_kernel:
        return _protection(name, True, OWN_KERNEL, "", follows)
    seen = probed.told[what]
    return _protection(name, not seen, stands, f"{', '.join(seen)} can be read", follows)


def _image_files(probed: Probed) -> Finding:
    follows = "A bot can leave notes in the page cache for its next rotation. Give the engine the right to lock memory."
    words = {"locked": "locked in memory", "isolated": "in a page cache of each bot's own"}
    holds = probed.image_files in words
    return _protection(
        "Files of images", holds, words.get(str(probed.image_files), ""), "only read before a table", follows
    )


def _forgetting(probed: Probed, forgets: bool) -> Finding:
    follows = (
        "Names looked up in vain tell the next rotation something. Run the ladder as root on the engine's machine."
    )
    return _protection(
        "Names looked up", forgets or probed.own_kernel, "forgotten between tables", "remembered", follows
    )


def _cpu_clock(probed: Probed) -> Finding:
    follows = "Clocks count wall time, which others at the table can steal. Run the ladder on the engine's machine."
    return _protection("Clocks", probed.has_clock, "count each bot's own CPU time", "count wall time", follows)


def _holding(probed: Probed) -> Finding:
    follows = "Bots can think, and take time from others, while it is not their turn. Run the ladder as root."
    return _protection(
        "Holding still", probed.can_hold, "bots that are not asked are frozen", "nobody can be frozen", follows
    )
