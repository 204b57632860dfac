"""Findings of `pigpen doctor`: what this machine offers to a ladder, and the protections between bots, as tried."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladder.app.machine_findings import RUNTIME_SETTING, grpc_threads, machine, no_engine, shared_kernel
from ladder.app.protections import Probed, protections, stands
from ladder.errors import SandboxError
from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.control_group import GroupFiles, files_of
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect, engine_errors
from ladder.sandbox.docker.reclaim import reclaim_memory
from ladder.sandbox.host.scratch import scratch_folder
from ladder.values.reports import DoctorReport, Finding
from ladder.values.sandbox_kind import LOCKED_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.sandbox.base import Instance

PROBE = Path(__file__).with_name("doctor_probe")
"""A bot's folder: it tries what the sandbox is to prevent."""

PROBE_SECONDS = 30.0
"""Limit, in seconds, until the probe reports."""


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
            has_clock = group is not None and os.access(group.cpu, os.R_OK)
            can_hold = group is not None and os.access(group.freezer, os.W_OK)
            return Probed(probed, program.image_files, has_clock, can_hold, program.runtime, shared_kernel)
    finally:
        await sandbox.close()


async def _last_words(instance: Instance) -> str:
    deadline = time.monotonic() + PROBE_SECONDS
    while time.monotonic() < deadline:
        output = await instance.log_tail()
        if output.endswith("}\n"):
            return output
        await asyncio.sleep(0.02)
    raise SandboxError(f"A container that was started to try the protections printed only this: {output!r}")


def _group_of(name: str) -> GroupFiles | None:
    client = connect()
    try:
        with engine_errors("look at a container"):
            found = client.api.inspect_container(name)
        return files_of(found["State"]["Pid"], found["Id"])
    finally:
        client.close()


def examine(
    runtime: str, report: Callable[[str], None], locked_bytes: int = LOCKED_BYTES, asked_by: str = RUNTIME_SETTING
) -> DoctorReport:
    """
    Look at everything: the machine, and then the protections.

    Args:
        runtime: The OCI runtime under which bots play; auto: gVisor where the engine knows it.
        report: Called with one line before each step that takes seconds.
        locked_bytes: The largest image that is kept in memory.
        asked_by: What asks for that runtime, as a sentence begins.
    """
    findings = _examined(runtime, report, locked_bytes, asked_by)
    return DoctorReport(stands=stands(findings), findings=tuple(findings))


def _examined(runtime: str, report: Callable[[str], None], locked_bytes: int, asked_by: str) -> list[Finding]:
    try:
        engine = engine_facts()
    except SandboxError as error:
        return no_engine(error)
    found = machine(engine)
    try:
        follows = shared_kernel(runtime, engine.get("Runtimes") or (), asked_by)
        probed = asyncio.run(probe(runtime, report, locked_bytes, follows))
    except SandboxError as error:
        return [
            *found,
            Finding("A container like a bot's", False, "could not be started", str(error), is_protection=True),
        ]
    found.append(grpc_threads("gRPC in containers", probed.output["grpc"]))
    return [*found, *protections(probed, reclaim_memory(str(engine.get("CgroupDriver"))))]
