"""Submitting a bot on the ladder's own machine: queued, leased by this process, tried here, and recorded."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import TYPE_CHECKING

from ladder.app.event_log import event_log
from ladder.entry.variants import check_order
from ladder.errors import BotRejected, SandboxError, StoreError, UserError
from ladder.matches.kinds import open_sandbox
from ladder.runner.submission_coordinator import SubmissionCoordinator
from ladder.sandbox.bots.content import Content, check_not_kept
from ladder.sandbox.host.scratch import disk_errors
from ladder.settings.settings import source_of
from ladder.settings.settings_file import FILE
from ladder.store.account_models import SubmissionStatus
from ladder.store.submission_look import look_at
from ladder.trials.trial import try_submission
from ladder.trials.trial_images import fetched
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.app.local.progress import Progress, SubmissionObserver
    from ladder.sandbox.base import Sandbox
    from ladder.settings.settings import Settings
    from ladder.trials.trial_tasks import SubmissionTask
    from ladder.values.submission import SubmissionOrder, SubmissionRow

NO_ISOLATION = (
    "The process sandbox does not keep bots from your files. Use it only for bots that you trust. "
    "A ladder of processes is for your own machine and your own bots."
)


async def submit(
    ladder: Ladder,
    order: SubmissionOrder,
    folder: Path | None,
    observer: SubmissionObserver,
    *,
    owner: str,
    sandbox: SandboxKind | None = None,
) -> SubmissionRow:
    """
    Try a bot in this process, and enter it in the ladder if it is fit.

    If this process is killed, the ladder's runner tries the submission again.

    Args:
        ladder: The ladder.
        order: What is submitted; an image is one of this machine's engine, or one that it can pull.
        folder: The bot's folder; None: it is an image.
        observer: Shows how the trial goes, and receives sentences about the sandbox and about long steps.
        owner: The owner of the bot.
        sandbox: Where it is tried and plays; None: where the ladder's bots do.

    Returns:
        The submission as it has ended; `ladder.app.submit.ended.result_of` reads it.

    Raises:
        BotRejected: If its folder cannot be read.
        LadderError: If the ladder does not take such a bot; nothing has been queued.
        RulesFileError: If a variant cannot be; nothing has been queued.
        SandboxError: If the platform failed; that says nothing about the bot.
        StoreError: If another process has taken the submission over.
        UserError: If the ladder's first bot would play in the process sandbox, which no option asked for.
    """
    with ladder.database.read() as session:
        look = look_at(session, order.name, ladder.clock())
    kind = sandbox or _usual_sandbox(ladder.settings, look.sandbox)
    check_order(look, order, owner, kind)
    if kind is SandboxKind.PROCESS:
        observer.say(NO_ISOLATION)
    its = ladder.settings
    setup = SandboxSetup(kind, its.runtime, its.locked_bytes, its.instances, its.warm_bytes)
    opened = open_sandbox(setup, observer.say)
    try:
        submissions = SubmissionCoordinator(ladder.database, ladder.settings, ladder.clock)
        with event_log(ladder, "submit") if ladder.settings.registry else nullcontext():  # whether it answers
            name = _copied(submissions, ladder.settings, folder, order.source) if folder else None
            task = submissions.begin(order, look, owner=owner, sandbox=kind, folder=name)
            row = await _tried(submissions, task, opened, observer.progress)
    finally:
        await opened.close()
    if row is None:
        raise StoreError("Another process has taken this submission over, because it took too long here.")
    return row


async def _tried(
    submissions: SubmissionCoordinator, task: SubmissionTask, sandbox: Sandbox, progress: Progress
) -> SubmissionRow | None:
    """Try the submission, and give it as it has ended; None: another process has taken it over."""
    try:
        async with fetched(task) as here:
            outcome = await try_submission(sandbox, here, progress)
    except BotRejected as error:
        return submissions.end(task, SubmissionStatus.REFUSED, str(error))
    except SandboxError as error:
        submissions.end(task, SubmissionStatus.FAILED, str(error))
        raise
    except asyncio.CancelledError:
        submissions.end(task, SubmissionStatus.WITHDRAWN, "Its owner ended the command that tried it.")
        raise
    return submissions.record(outcome)


def _copied(submissions: SubmissionCoordinator, settings: Settings, folder: Path, source: str) -> str:
    """Copy the folder to where the ladder's runner finds it; gives its name there."""
    check_not_kept(folder, settings.data_dir)
    content = Content.read(folder, settings.image_bytes)
    with disk_errors(submissions.folders.root):
        name = submissions.folders.make()
    content.write(submissions.folders.bot(name, source))
    return name


def _usual_sandbox(settings: Settings, usual: str | None) -> SandboxKind:
    """Say where the ladder's bots run already, or else what the settings say."""
    if usual is None and settings.sandbox == SandboxKind.PROCESS and source_of("sandbox") == "file":
        raise UserError(
            f"{FILE} alone does not begin a ladder of processes, because its bots can read your files. If all its "
            f"bots are your own, add --sandbox process."
        )
    return SandboxKind(usual or settings.sandbox)
