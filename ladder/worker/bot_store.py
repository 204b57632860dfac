"""The bots that a worker of another machine keeps: their images on its engine, their folders on its disk."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import PositiveInt

from ladder.errors import SandboxError
from ladder.results.files import folder_name
from ladder.sandbox.bots.content import Content
from ladder.sandbox.host.scratch import scratch_folder
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.value import Message
from ladder.worker.kept_folders import FolderMissing, KeptFolders

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from ladder.trials.trial_tasks import SubmissionTask
    from ladder.worker.match_tasks import FolderTask, TaskBot
    from ladder.worker.pulled_images import PulledImages

IMAGE_BYTES = 20 * 1024**3
FOLDER_BYTES = 2 * 1024**3
"""Bytes that a worker keeps of each by default."""


class StorePlan(Message):
    """The folder in which a worker keeps bots, and limits of their bytes."""

    data_dir: Path
    """The worker's data folder."""
    image_bytes: PositiveInt = IMAGE_BYTES
    """Limit of the images on its engine together, in bytes."""
    folder_bytes: PositiveInt = FOLDER_BYTES
    """Limit of the folders on its disk together, in bytes."""


class FoldersMissing(SandboxError):
    """Folders are not here, and have to be sent."""

    def __init__(self, identities: Iterable[str]) -> None:
        self.identities = tuple(identities)
        super().__init__(f"Folders of bots are not on this machine yet: {', '.join(self.identities)}.")


class BotStore:
    """The bots of a remote ladder that this machine keeps; all processes of its worker share it."""

    def __init__(self, plan: StorePlan) -> None:
        self._folders = KeptFolders(plan.data_dir, plan.folder_bytes)
        self._plan = plan

    @asynccontextmanager
    async def using(self, bots: Iterable[TaskBot]) -> AsyncIterator[tuple[TaskBot, ...]]:
        """
        Keep all these versions here until the end of the block; give them with the paths of their folders.

        Raises:
            FoldersMissing: If folders are not here.
            ProgramLost: If an image does not exist any more, or is another one.
            SandboxError: If the engine or the registry fails.
        """
        async with AsyncExitStack() as stack:
            here, missing = [], []
            for bot in bots:
                try:
                    here.append(await stack.enter_async_context(self._bot(bot)))
                except FolderMissing as error:
                    missing.append(error.identity)
            if missing:
                raise FoldersMissing(dict.fromkeys(missing))
            yield tuple(here)

    @asynccontextmanager
    async def submitted(self, task: SubmissionTask) -> AsyncIterator[SubmissionTask]:
        """
        Have a copy of the folder that was submitted, for one trial; gives the task with its path.

        Raises:
            FoldersMissing: If the folder is not here.
            SandboxError: If there is no room.
        """
        if task.content is None:
            yield task
            return
        try:
            async with self._folders.using(task.content) as kept:
                content = Content.read(kept)
        except FolderMissing as error:
            raise FoldersMissing([error.identity]) from None
        with scratch_folder() as scratch:
            folder = scratch / folder_name(task.source)
            content.write(folder)
            yield task.model_copy(update={"folder": str(folder), "content": None})

    async def take(self, task: FolderTask) -> None:
        """
        Keep a folder that was sent.

        Raises:
            SandboxError: If it is not what was asked for, or there is no room.
        """
        await self._folders.take(task.identity, task.packed)

    def counts(self) -> tuple[int, int]:
        """Count images and folders, and their bytes."""
        (images, image_bytes), (folders, folder_bytes) = self._images.counts(), self._folders.counts()
        return images + folders, image_bytes + folder_bytes

    def close(self) -> None:
        """Disconnect from the engine."""
        if "_images" in vars(self):
            self._images.close()

    @cached_property
    def _images(self) -> PulledImages:
        from ladder.worker.pulled_images import PulledImages  # matches in processes need no Docker

        return PulledImages(self._plan.data_dir, self._plan.image_bytes)

    @asynccontextmanager
    async def _bot(self, bot: TaskBot) -> AsyncIterator[TaskBot]:
        if bot.folder is not None:
            yield bot
            return
        if bot.sandbox == SandboxKind.PROCESS:
            async with self._folders.using(bot.identity) as folder:
                yield bot.model_copy(update={"folder": str(folder)})
            return
        async with self._images.using(bot):
            yield bot
