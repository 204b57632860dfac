"""
An executor whose tasks are played on other machines.

A thread with an event loop speaks with the scheduler process, which carries tasks to workers; the worker for each task
is chosen here (`Fleet`).

Those machines have nothing of the ladder's disk, so `play_remotely` sends the folders of bots where they are missing.
Its callers need not know about folders.
"""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladder.cluster.scheduler_process import InvalidAnswer
from ladder.errors import BotRejected, SandboxError
from ladder.runner.executor import LocalExecutor
from ladder.sandbox.bots.content import MAX_PACKED, Content, TooLarge, keep_folder, pack
from ladder.sandbox.wheels.packages import with_lock
from ladder.trials.trial import NOWHERE
from ladder.trials.trial_tasks import SubmissionOutcome, SubmissionTask
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker.match_tasks import FolderTask, MatchOutcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from concurrent.futures import Future

    from ladder.pairing.suspension import Reporter
    from ladder.runner.cluster_dispatch import ClusterDispatch
    from ladder.runner.executor import Judgement
    from ladder.store.commands.queue import MachineLoad

    Play = Callable[[str], Awaitable[str]]
    """Plays a task on one machine, and gives its outcome, both as JSON."""

MAX_ROUNDS = 3
"""Times that a machine is sent what it says it lacks, at most: it may remove one folder to have room for another."""
SHORT = 64 * 1024
"""An outcome that names missing folders has fewer characters."""


async def play_remotely(task: str, play: Play, data_dir: Path, max_packed: int = MAX_PACKED) -> str:
    """
    Play a task on another machine: without the paths of this one, and with the folders that are missing there.

    Args:
        task: A `MatchTask`, or a `SubmissionTask`, as JSON.
        play: Plays it there.
        data_dir: The ladder's folder, where folders are kept that are entered.
        max_packed: Bytes of a folder that is sent, packed.

    Returns:
        The outcome. If a bot was tried in the process sandbox and is fit, its folder is kept here by now.

    Raises:
        InvalidAnswer: If the answer about a folder cannot be true.
        SandboxError: If a folder cannot be sent, or kept; whatever *play* raises.
    """
    plain = json.loads(task)
    if plain["kind"] == "submission":
        return await _try(SubmissionTask.model_validate(plain), play, max_packed)
    folders = {bot["identity"]: Path(bot["folder"]) for bot in plain.get("bots", ()) if bot["folder"]}
    if not folders:
        return await play(task)
    bots = [bot | {"folder": None} for bot in plain["bots"]]
    try:
        return await _play(json.dumps(plain | {"bots": bots}), play, folders, max_packed)
    except _FolderLost as error:
        lost = MatchOutcome(match=plain["match"], attempt=plain["attempt"], void=str(error), lost=error.identity)
        return lost.model_dump_json()


async def _try(task: SubmissionTask, play: Play, max_packed: int) -> str:
    if task.folder is None:
        return await play(task.model_copy(update={"data_dir": None}).model_dump_json())
    if task.sandbox == SandboxKind.DOCKER and task.place is None:
        raise SandboxError(NOWHERE)
    folder, data_dir = Path(task.folder), Path(task.data_dir or "")
    try:
        content = await asyncio.to_thread(Content.read, folder, task.most_bytes)
        identity = f"sha256:{content.hash}"
        sent = task.model_copy(update={"folder": None, "data_dir": None, "content": identity})
        answer = await _play(sent.model_dump_json(), play, {identity: folder}, max_packed)
    except (BotRejected, _FolderLost) as error:
        reason = str(error).replace(task.folder, task.source)
        refused = SubmissionOutcome(submission=task.submission, attempt=task.attempt, refused=reason)
        return refused.model_dump_json()
    if task.sandbox == SandboxKind.PROCESS:
        await asyncio.to_thread(_keep, content, answer, data_dir)
    return answer


async def _play(task: str, play: Play, folders: Mapping[str, Path], max_packed: int) -> str:
    for _ in range(MAX_ROUNDS):
        answer = await play(task)
        missing = _missing(answer)
        if not missing:
            return answer
        for identity in missing:
            if identity not in folders:
                raise InvalidAnswer(f"It asked for a folder that the task does not name: {identity[:80]}.")
            await play(await asyncio.to_thread(_packed, identity, folders[identity], max_packed))
    raise SandboxError(
        "The machine that is to play this match does not keep the folders of its bots. Make room on its disk."
    )


def _missing(answer: str) -> list[str]:
    """Give the folders that a machine lacks; none if the answer is unreadable, which the caller finds by itself."""
    if len(answer) > SHORT:
        return []
    try:
        plain: Any = json.loads(answer)
        return [str(identity) for identity in plain["missing"]] if plain["void"] else []
    except (ValueError, TypeError, LookupError, RecursionError):
        return []


def _packed(identity: str, folder: Path, max_packed: int) -> str:
    try:
        content = Content.read(folder)
        packed = pack(content, max_packed)
    except (BotRejected, TooLarge) as error:
        raise _FolderLost(str(error), identity) from error
    if f"sha256:{content.hash}" != identity:
        raise _FolderLost(
            f"{folder} is not what was entered: it is sha256:{content.hash}, and not {identity}. Put back what was "
            "there, or submit the bot again.",
            identity,
        )
    return FolderTask(identity=identity, packed=packed).model_dump_json()


def _keep(submitted: Content, answer: str, data_dir: Path) -> None:
    """Keep what has passed: the folder that was submitted, and which packages it got, if that is what was tried."""
    try:
        outcome = SubmissionOutcome.model_validate_json(answer)
    except ValueError:  # the caller reports that
        return
    if outcome.program is None or outcome.failures:
        return
    content = with_lock(submitted, outcome.program.lock)
    if f"sha256:{content.hash}" != outcome.program.identity:
        raise InvalidAnswer(f"It tried another bot than the one that was submitted: {outcome.program.identity[:80]}.")
    keep_folder(content, data_dir)


class _FolderLost(SandboxError):
    def __init__(self, message: str, identity: str) -> None:
        super().__init__(message)
        self.identity = identity


class ClusterExecutor(LocalExecutor):
    """Gives tasks to a cluster; its slots are those of the workers that have been let in."""

    def __init__(self, dispatch: ClusterDispatch, max_at_once: int | None = None) -> None:
        """
        Begin to wait for workers.

        Args:
            dispatch: Carries tasks to them; only this executor's thread uses it from now on.
            max_at_once: The most tasks at once; None: as many as the workers take.

        Raises:
            UserError: If the settings do not let it begin.
            SandboxError: If it cannot begin.
            StoreError: If the database does not answer.
        """
        super().__init__(dispatch, 0)
        self._dispatch = dispatch
        self._max_at_once = max_at_once
        try:
            asyncio.run_coroutine_threadsafe(dispatch.begin(), self._loop).result()
        except BaseException:
            self.close()
            raise

    @property
    def slots(self) -> int:
        """Number of tasks that the workers play at once."""
        slots = self._dispatch.fleet.slots
        return slots if self._max_at_once is None else min(slots, self._max_at_once)

    def machines(self) -> list[MachineLoad] | None:
        """Give what each machine has room for just now."""
        return asyncio.run_coroutine_threadsafe(self._dispatch.machines(), self._loop).result()

    def submit(self, task: str, key: str) -> Future[str]:
        """Let a worker play *task*."""
        return self._begin(partial(self._dispatch.play_as, task, key))

    def judge(self, key: str, judgement: Judgement, reason: str = "") -> bool:
        """Count it for, or against, the worker that had the task."""
        self._loop.call_soon_threadsafe(self._dispatch.judge, key, judgement, reason)
        return True

    def reporter(self, key: str) -> Reporter | None:
        """Give the worker that has played a task."""
        return self._dispatch.fleet.reporter(key)
