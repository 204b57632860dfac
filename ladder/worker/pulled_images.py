"""Images that a worker on another machine has pulled: each once for all its processes, within a limit of bytes."""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from docker.errors import ImageNotFound

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.docker.bot_images import find_image, pull_image
from ladder.sandbox.docker.engine import connect, engine, engine_errors
from ladder.sandbox.host.scratch import disk_errors
from ladder.sandbox.host.whole_file import write_whole
from ladder.trials.trial_images import pull
from ladder.worker.kept_folders import UseMarks
from ladder.worker.match_tasks import ProgramLost

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable
    from pathlib import Path

    from docker import DockerClient

    from ladder.worker.match_tasks import TaskBot

PULLED = "pigpen/pulled"
"""An image that a worker has pulled gets a tag here: no other image is ever removed."""
MARKS = "images-in-use"
COUNTS = "images.json"
COUNT_SECONDS = 60.0
"""Age of a count, in seconds, up to which pulled images are added to it, as if they shared nothing."""


class PulledImages:
    """The images of the ladder's bots on one engine; several processes share them."""

    def __init__(self, data_dir: Path, max_bytes: int) -> None:
        """
        Prepare to pull images.

        Args:
            data_dir: The worker's data folder.
            max_bytes: What they may have together; layers that several of them share count once.
        """
        self._counts = data_dir / COUNTS
        self._max_bytes = max_bytes
        self._marks = UseMarks(data_dir / MARKS)
        self._client: DockerClient | None = None
        """For the look before each match."""

    @asynccontextmanager
    async def using(self, bot: TaskBot) -> AsyncIterator[None]:
        """
        Use the image of a version: it is pulled if this engine lacks it, and is not removed meanwhile.

        Raises:
            ProgramLost: If it does not exist, or is another one.
            SandboxError: If the engine or the registry fails.
        """

        async def is_here() -> bool:
            return await asyncio.to_thread(self._is_here, bot.identity)

        async def get() -> str:
            size = await asyncio.to_thread(_get, bot)
            await asyncio.to_thread(self._count, bot.identity, size)
            return bot.pinned or ""

        async with self._marks.using(_name(bot.identity), is_here, get):
            yield

    def counts(self) -> tuple[int, int]:
        """Count the images, and estimate their bytes together."""
        return self._read()[:2]

    def make_room(self, spared: str = "") -> None:
        """
        Remove what was used least recently and is in no use, until there is room; count what is left.

        Args:
            spared: The id of an image that is about to be used.

        Raises:
            SandboxError: If the engine fails.
        """
        with engine("make room for images") as client:
            tags = _tags(client)
            sizes = _sizes(client, tags)
            for identity in self._oldest_first(tags):
                if _total(sizes.values()) <= self._max_bytes:
                    break
                if identity != spared and self._remove(client, identity, tags[identity]):
                    sizes.pop(identity, None)
        self._write(len(sizes), _total(sizes.values()), time.time())

    def close(self) -> None:
        """Let go of the engine."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _count(self, identity: str, size: int) -> None:
        """Count one more image; ask the engine, which is slow to compute what images share, only now and then."""
        images, taken, counted = self._read()
        if taken + size > self._max_bytes or abs(time.time() - counted) > COUNT_SECONDS:
            self.make_room(identity)
        else:
            self._write(images + 1, taken + size, counted)

    def _read(self) -> tuple[int, int, float]:
        try:
            images, size, counted = json.loads(self._counts.read_bytes())
        except (OSError, ValueError):
            return 0, 0, 0.0
        return int(images), int(size), float(counted)

    def _write(self, images: int, size: int, counted: float) -> None:
        with disk_errors(self._counts):
            write_whole(self._counts, json.dumps([images, size, counted]).encode())

    def _is_here(self, identity: str) -> bool:
        self._client = client = self._client or connect()
        try:
            with engine_errors(f"look up {identity}"):
                return find_image(client, identity) is not None
        except SandboxError:
            self.close()
            raise

    def _oldest_first(self, tags: dict[str, str]) -> list[str]:
        """Sort by last use, those without a mark first: they were not used since the marks were lost."""
        used = {mark.name: mark.used for mark in self._marks.all()}
        return sorted(tags, key=lambda identity: used.get(_name(identity), 0.0))

    def _remove(self, client: DockerClient, identity: str, tag: str) -> bool:
        note = next((mark.note for mark in self._marks.all() if mark.name == _name(identity)), None)
        if note is None:
            return _forget(client, identity, tag)
        with self._marks.sole(_name(identity)) as is_free:
            return is_free and _forget(client, identity, tag)


def _get(bot: TaskBot) -> int:
    """Pull an image by its digest, and see that it is what was entered; gives its bytes."""
    if bot.pinned is None:
        raise ProgramLost(
            f"The image of {bot.name} ({bot.identity}) is in no registry, and only the machine where it was entered "
            "has it. Set registry, and restart the ladder there: it pushes what others lack.",
            bot.identity,
        )
    try:
        if bot.registry is not None:
            pull(bot.registry, bot.pinned)
        with engine(f"pull {bot.pinned}") as client:
            image = find_image(client, bot.pinned) or pull_image(client, bot.pinned)
            if image.id != bot.identity:
                client.api.remove_image(bot.pinned)
                raise ProgramLost(
                    f"{bot.pinned} is not what was entered as {bot.name}: it is {image.id}, and not {bot.identity}. "
                    "Submit the bot again.",
                    bot.identity,
                )
            client.api.tag(bot.identity, PULLED, _name(bot.identity))
            client.api.remove_image(bot.pinned)  # the only name that is left is ours
            return int(image.attrs["Size"])
    except BotRejected as error:
        message = f"{bot.name}, which was entered once, cannot be loaded any more: {error}"
        raise ProgramLost(message, bot.identity) from error


def _tags(client: DockerClient) -> dict[str, str]:
    """Find our tag of each image that was pulled, by its id."""
    found = client.api.images(filters={"reference": f"{PULLED}:*"})
    return {str(each["Id"]): f"{PULLED}:{_name(str(each['Id']))}" for each in found}


class _Size(NamedTuple):
    """The disk space of an image."""

    own: int
    """Bytes of the layers that no other image has."""
    shared: int
    """Bytes of the others."""
    lowest: str
    """Its lowest layer: images that have it in common have the same base, and most of what they share."""


def _sizes(client: DockerClient, images: Iterable[str]) -> dict[str, _Size]:
    """Ask the engine, once because it is slow, for the bytes of each image by its id."""
    listed = {str(each["Id"]): each for each in client.df()["Images"] or ()}
    found = {}
    for identity in filter(listed.__contains__, images):
        shared = max(0, int(listed[identity]["SharedSize"]))
        with suppress(ImageNotFound):
            layers = client.images.get(identity).attrs["RootFS"].get("Layers") or [""]
            found[identity] = _Size(int(listed[identity]["Size"]) - shared, shared, layers[0])
    return found


def _total(sizes: Collection[_Size]) -> int:
    """Count the bytes of images together: what those on one base share counts once."""
    shared = defaultdict[str, int](int)
    for size in sizes:
        shared[size.lowest] = max(shared[size.lowest], size.shared)
    return sum(size.own for size in sizes) + sum(shared.values())


def _forget(client: DockerClient, identity: str, tag: str) -> bool:
    """Remove our tag, and with it the image if it has no other tag; not if a container uses it."""
    if client.api.containers(all=True, filters={"ancestor": identity}):
        return False
    with suppress(ImageNotFound):
        client.api.remove_image(tag)
    return True


def _name(identity: str) -> str:
    return identity.removeprefix("sha256:")
