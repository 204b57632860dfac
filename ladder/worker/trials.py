"""Trials of submitted bots, each in a sandbox of its own, with reports of their progress."""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from ladder.errors import BotRejected, ContainerLost, SandboxError
from ladder.trials.trial_tasks import SubmissionOutcome, TrialProgress
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker.bot_store import FoldersMissing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.sandbox.base import Sandbox
    from ladder.trials.trial_tasks import SubmissionTask
    from ladder.values.sandbox_kind import SandboxSetup
    from ladder.worker.bot_store import BotStore

    Tell = Callable[[str], object]
    """Takes a `TrialProgress` as JSON."""

REPORT_SECONDS = 0.5
"""Least seconds between two reports of a trial's progress."""

log = structlog.get_logger()


async def try_task(
    task: SubmissionTask, open_sandbox: Callable[[SandboxSetup], Sandbox], tell: Tell, store: BotStore | None = None
) -> SubmissionOutcome:
    """
    Try what a task says, and give the outcome, whatever happens.

    Args:
        task: What was submitted.
        open_sandbox: Opens a sandbox; it is closed in the end, so that no image stays in memory.
        tell: Takes its progress.
        store: Keeps bots of a ladder on another machine; None: the ladder is on this one.
    """
    from ladder.trials.trial import try_submission
    from ladder.trials.trial_images import fetched  # most processes of workers never try one

    def void(reason: str) -> SubmissionOutcome:
        return SubmissionOutcome(submission=task.submission, attempt=task.attempt, void=reason)

    try:
        async with asyncio.timeout(task.seconds) as limit:
            async with store.submitted(task) if store else nullcontext(task) as found, fetched(found) as here:
                sandbox = open_sandbox(task.setup())
                try:
                    return await try_submission(sandbox, here, ProgressReporter(task, tell))
                finally:
                    await sandbox.close()
                    if store is not None:
                        await _forget(here)
    except BotRejected as error:
        return SubmissionOutcome(submission=task.submission, attempt=task.attempt, refused=str(error))
    except FoldersMissing as error:
        return void(str(error)).model_copy(update={"missing": error.identities})
    except ContainerLost as error:
        return void(str(error)).model_copy(update={"lost_container": True})
    except SandboxError as error:
        return void(str(error))
    except Exception as error:  # one trial has failed, the ladder continues
        if isinstance(error, TimeoutError) and limit.expired():
            return void(f"Its trial was not over after {task.seconds:g} seconds.")
        log.exception("worker.failed", submission=task.submission, attempt=task.attempt)
        return void(f"The platform has a mistake: {type(error).__name__}: {error}")


async def _forget(task: SubmissionTask) -> None:
    """Forget what was built: the sandbox has used it until now, and workers that play it pull it."""
    if task.sandbox == SandboxKind.DOCKER and task.folder is not None:
        from ladder.trials.trial_images import forget  # trials of processes need no Docker

        with suppress(SandboxError):
            await asyncio.to_thread(forget, Path(task.folder))


class ProgressReporter:
    """Reports the progress of a trial, at most every `REPORT_SECONDS` seconds."""

    def __init__(self, task: SubmissionTask, tell: Tell, tick: Callable[[], float] = time.monotonic) -> None:
        self._task = task
        self._tell = tell
        self._tick = tick
        self._reported = float("-inf")
        self._done = 0

    @contextmanager
    def __call__(self, what: str, total: int) -> Iterator[Callable[[str], None]]:
        """Begin to report; give what to call after each step."""

        def advance(doing: str) -> None:
            self._done += 1
            if self._tick() - self._reported >= REPORT_SECONDS or self._done == total:
                self._say(total)

        self._say(total)
        yield advance

    def _say(self, total: int) -> None:
        self._reported = self._tick()
        progress = TrialProgress(
            submission=self._task.submission,
            attempt=self._task.attempt,
            phase="trying",
            done=self._done,
            steps=total,
        )
        self._tell(progress.model_dump_json())
