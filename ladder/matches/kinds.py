"""Opening a sandbox of any kind: the one place that knows them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.values.sandbox_kind import LOCKED_BYTES, SandboxKind, SandboxSetup

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.sandbox.base import Loaded, Sandbox
    from ladder.sandbox.bots.bot_source import BotSource


async def load_program(
    sandbox: Sandbox, source: BotSource, report: Callable[[str], None] = lambda line: None
) -> Loaded:
    """
    Make a bot ready to start: in a sandbox, but for a program of the user's own.

    Args:
        sandbox: Runs all other bots.
        source: The bot.
        report: Takes the sentence that asks the user to start it.

    Raises:
        BotRejected: If the bot is at fault.
        SandboxError: If the sandbox is.
    """
    if source.command is None:
        return await sandbox.load(source)
    from ladder.sandbox.process.own_program import own_program

    return own_program(source, report)


def open_sandbox(setup: SandboxSetup, report: Callable[[str], None] = lambda line: None) -> Sandbox:
    """
    Open a sandbox that starts programs.

    Args:
        setup: Docker or process; bots inline need none.
        report: Takes sentences about long steps.

    Raises:
        ValueError: If the kind is inline.
    """
    # What is imported here takes long, and most commands need none of it.
    if setup.kind is SandboxKind.PROCESS:
        from ladder.sandbox.process.process_sandbox import ProcessSandbox

        return ProcessSandbox(instances=setup.instances)
    if setup.kind is SandboxKind.INLINE:
        raise ValueError("bots inline need no sandbox")
    from ladder.sandbox.docker.docker_sandbox import DockerSandbox
    from ladder.sandbox.docker.image_lock import memory_share

    return DockerSandbox(
        setup.runtime,
        report=report,
        locked_bytes=LOCKED_BYTES if setup.locked_bytes is None else setup.locked_bytes,
        refuses_larger=setup.locked_bytes is not None,
        instances=setup.instances,
        warm_bytes=setup.warm_bytes // setup.processes,
        idle_lock_bytes=memory_share() // setup.processes,
    )
