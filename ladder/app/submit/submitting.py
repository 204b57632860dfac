"""Submitting a bot on the ladder's own machine: handed in, leased by this process, tried here, and recorded."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.event_log import event_log
from ladder.entry.claims import check_claim
from ladder.entry.variants import choices
from ladder.errors import BotRejected, LadderError, SandboxError, StoreError, UserError
from ladder.runner.submission_coordinator import SubmissionCoordinator
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.kept import check_not_kept
from ladder.sandbox.host.scratch import disk_errors
from ladder.settings.file import FILE
from ladder.settings.settings import source_of
from ladder.store.account_models import SubmissionStatus
from ladder.store.commands.submission_queue import NewSubmission
from ladder.store.submission_look import look_at
from ladder.trials.registry_images import fetched
from ladder.trials.trial import try_submission
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.submission import VariantFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.ladder import Ladder
    from ladder.app.local.progress import Progress
    from ladder.entry.look import SubmissionLook
    from ladder.sandbox.base import Sandbox
    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.settings.settings import Settings
    from ladder.values.submission import SubmissionResult


@dataclass(frozen=True)
class SubmissionRequest:
    """What an owner asks for."""

    source: BotSource
    name: str
    """The bot's name on the ladder."""
    owner: str
    variants: tuple[str, ...] = ()
    """Words for variants; none: what is usual (`chosen_variants`)."""
    keep_old: bool = False
    """Whether the bot's other versions play on."""
    sandbox: SandboxKind | None = None
    """Where it is to run; None: where the ladder's bots do."""
    word: str = ""
    """The bot as its owner named it."""


async def submit(
    ladder: Ladder, request: SubmissionRequest, open_sandbox: Callable[[SandboxKind], Sandbox], progress: Progress
) -> SubmissionResult:
    """
    Enter a bot in the ladder, once it has been tried.

    Should this process be killed, the ladder's runner finishes its work.

    Args:
        ladder: The ladder.
        request: What is asked for.
        open_sandbox: Opens the sandbox in which the bot is to be tried.
        progress: Shows how the trial goes.

    Raises:
        BotRejected: If its folder cannot be read.
        LadderError: If the ladder does not take it.
        RulesFileError: If a variant cannot be.
        SandboxError: If the platform failed; that says nothing about the bot.
        UserError: If nobody has said that the ladder's sandbox may be a weak one.
    """
    with ladder.database.read() as session:
        look = look_at(session, request.name)
    kind = request.sandbox or _usual_sandbox(ladder.settings, look.sandbox)
    sandbox = open_sandbox(kind)
    try:
        check_claim(look, request.name, request.owner, kind)
        with event_log(ladder, "submit") if ladder.settings.registry else nullcontext():  # whether it answers
            return await _try(ladder, request, look, kind, sandbox, progress)
    finally:
        await sandbox.close()


async def _try(
    ladder: Ladder,
    request: SubmissionRequest,
    look: SubmissionLook,
    kind: SandboxKind,
    sandbox: Sandbox,
    progress: Progress,
) -> SubmissionResult:
    submissions = SubmissionCoordinator(ladder.database, ladder.settings, ladder.clock)
    task = submissions.begin(_handed_in(submissions, ladder.settings, request, kind), look)
    try:
        async with fetched(task) as here:
            outcome = await try_submission(sandbox, here, progress)
    except BotRejected as error:
        submissions.end(task, SubmissionStatus.REFUSED, str(error))
        raise
    except SandboxError as error:
        submissions.end(task, SubmissionStatus.FAILED, str(error))
        raise
    except asyncio.CancelledError:
        submissions.end(task, SubmissionStatus.WITHDRAWN, "Its owner has broken it off.")
        raise
    row = submissions.record(outcome)
    if row is None:
        raise StoreError("Another process has taken this submission over, because it took too long here.")
    if row.result is None:
        raise LadderError(row.reason)
    return row.result


def _handed_in(
    submissions: SubmissionCoordinator, settings: Settings, request: SubmissionRequest, kind: SandboxKind
) -> NewSubmission:
    """Copy the folder to where the ladder's runner would find it."""
    source, folder = request.source, None
    wanted = choices(request.variants)
    if source.folder is not None:
        check_not_kept(source.folder, settings.data_dir)
        content = Content.read(source.folder, settings.image_bytes)
        with disk_errors(submissions.folders.root):
            folder = submissions.folders.make()
        content.write(submissions.folders.bot(folder, source.name))
    return NewSubmission(
        owner=request.owner,
        remote=False,
        bot=request.name,
        source=source.image or source.name,
        image=source.image,
        folder=folder,
        word=request.word,
        variants=[each.model_dump() if isinstance(each, VariantFile) else each for each in wanted],
        keep_old=request.keep_old,
        sandbox=kind,
    )


def _usual_sandbox(settings: Settings, usual: str | None) -> SandboxKind:
    """Where the ladder's bots run already, or else what the settings say."""
    if usual is None and settings.sandbox == SandboxKind.PROCESS and source_of("sandbox") == "file":
        raise UserError(
            f"{FILE} alone does not begin a ladder of processes, because its bots can read your files. If all its "
            f"bots are your own, add --sandbox process."
        )
    return SandboxKind(usual or settings.sandbox)
