"""
Protections between bots and of the host, tried by what a hostile program in a bot's container could do.

Each of them is a finding of `pigpen doctor`.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladder.errors import SandboxError
from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.control_group import GroupFiles, files_of
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect, engine_errors
from ladder.sandbox.host.scratch import scratch_folder
from ladder.values.reports import Finding
from ladder.values.sandbox_kind import has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.sandbox.base import Instance

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
    """True if the engine named want of memory as the cause of its end."""
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


PROBE = Path(__file__).with_name("protections_probe")
"""A bot's folder: it tries what the sandbox is to prevent."""

PROBE_SECONDS = 30.0
"""Limit, in seconds, until the probe reports, and until it has ended for want of memory."""
FILL_MEMORY = "fill-memory"
"""A file in the probe's seat folder: when it is there, the probe takes memory without end."""


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
