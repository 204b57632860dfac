"""Submitting a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.submit.entering import enter
from ladder.app.submit.result import result_of
from ladder.errors import UserError
from ladder.matches.kinds import SandboxKind
from ladder.settings.file import FILE
from ladder.settings.settings import source_of
from ladder.store.submission_look import look_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.ladder import Ladder
    from ladder.app.local.progress import Progress
    from ladder.app.submit.entering import Request
    from ladder.sandbox.base import Sandbox
    from ladder.settings.settings import Settings
    from ladder.values.submission import SubmissionResult


async def submit(
    ladder: Ladder, request: Request, open_sandbox: Callable[[SandboxKind], Sandbox], progress: Progress
) -> SubmissionResult:
    """
    Enter a bot in the ladder, once it has been tried.

    Args:
        ladder: The ladder.
        request: What is asked for.
        open_sandbox: Opens the sandbox in which the bot is to be tried.
        progress: Shows how the trial goes.

    Raises:
        BotRejected: If the ladder does not even try it.
        LadderError: If a name cannot be, or the image, or the folder, is somebody else's.
        RulesFileError: If a variant cannot be.
        SandboxError: If the platform failed; that says nothing about the bot.
        UserError: If nobody has said that the ladder's sandbox may be a weak one.
    """
    with ladder.database.read() as session:
        look = look_at(session, request.name)
    kind = request.sandbox or _usual_sandbox(ladder.settings, look.sandbox)
    sandbox = open_sandbox(kind)
    try:
        outcome = await enter(ladder, sandbox, request, look, progress)
    finally:
        await sandbox.close()
    return result_of(request, outcome, kind)


def _usual_sandbox(settings: Settings, usual: str | None) -> SandboxKind:
    """Where the ladder's bots run already, or else what the settings say."""
    if usual is None and settings.sandbox == "process" and source_of("sandbox") == "file":
        raise UserError(
            f"{FILE} alone does not begin a ladder of processes, from which nothing keeps your files. If its bots are "
            "your own, say --sandbox process."
        )
    return SandboxKind(usual or settings.sandbox)
