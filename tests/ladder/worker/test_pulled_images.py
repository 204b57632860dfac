"""Images on a worker's engine: pulled once, what was entered or nothing, and no more of them than it may keep."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from ladder.registry.login import RegistryLogin
from ladder.sandbox.docker.bot_images import find_image, pull_image
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker import pulled_images
from ladder.worker.match_tasks import ProgramLost, TaskBot
from ladder.worker.pulled_images import MARKS, PulledImages
from tests.ladder.registries import running_registry
from tests.ladder.trials.tiny import load_tiny, push

pytestmark = [pytest.mark.docker, pytest.mark.registry]


class Arena:
    """A registry with tiny images, and an engine that lacks them."""

    def __init__(self, client: docker.DockerClient, address: str, name: str) -> None:
        self.client = client
        self._address = address
        self._name = name

    def bot(self, mark: str) -> TaskBot:
        """Push an image of its own, and forget it."""
        tag = f"{self._address}/ada/{self._name}:{mark}"
        identity = load_tiny(self.client, tag, mark=f"{self._name} {mark}", size=1000)
        pinned = f"{self._address}/ada/{self._name}@{push(self.client, tag)}"
        self.client.api.remove_image(identity, force=True)
        return TaskBot(name=mark, identity=identity, sandbox=SandboxKind.DOCKER, pinned=pinned)

    def has(self, bot: TaskBot) -> bool:
        return find_image(self.client, bot.identity) is not None


@pytest.fixture
def arena(client: docker.DockerClient, name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arena]:
    """Give pulled images a tag of the test's own: others on this engine keep those that they have pulled."""
    pulled = f"pigpen-test/pulled-{name}"
    monkeypatch.setattr(pulled_images, "PULLED", pulled)
    with running_registry() as address:
        yield Arena(client, address, name)
    for image in client.api.images(filters={"reference": f"{pulled}:*"}):
        client.api.remove_image(image["Id"], force=True)


@pytest.fixture
def pulls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List the images that are pulled."""
    pulled: list[str] = []

    def count(client: docker.DockerClient, reference: str) -> object:
        pulled.append(reference)
        return pull_image(client, reference)

    monkeypatch.setattr(pulled_images, "pull_image", count)
    return pulled


async def use(images: PulledImages, bot: TaskBot) -> None:
    async with images.using(bot):
        pass


async def test_an_image_is_pulled_once_however_many_want_it(arena: Arena, tmp_path: Path, pulls: list[str]) -> None:
    bot = arena.bot("one")
    images = [PulledImages(tmp_path, 10**9) for _ in range(3)]
    await asyncio.gather(*(use(each, bot) for each in images * 2))
    assert pulls == [bot.pinned]
    assert arena.has(bot)
    assert images[0].counts()[0] >= 1
    for each in images:
        each.close()


async def test_another_image_than_was_entered_is_not_played(arena: Arena, tmp_path: Path) -> None:
    bot, other = arena.bot("one"), arena.bot("two")
    images = PulledImages(tmp_path, 10**9)
    with pytest.raises(ProgramLost, match="was entered as one"):
        await use(images, bot.model_copy(update={"pinned": other.pinned}))
    images.close()
    assert not arena.has(other)


async def test_what_no_registry_has_is_named(arena: Arena, tmp_path: Path) -> None:
    bot = arena.bot("one")
    images = PulledImages(tmp_path, 10**9)
    with pytest.raises(ProgramLost, match="is in no registry"):
        await use(images, bot.model_copy(update={"pinned": None}))
    with pytest.raises(ProgramLost, match="cannot be loaded"):
        await use(images, bot.model_copy(update={"pinned": f"{str(bot.pinned)[:-64]}{'0' * 64}"}))
    login = RegistryLogin(address=str(bot.pinned).partition("/")[0], plain=True, token="any")
    await use(images, bot.model_copy(update={"registry": login}))
    images.close()
    assert arena.has(bot)


async def test_the_least_recently_used_go_and_none_that_is_in_use_or_has_another_name(
    arena: Arena, tmp_path: Path
) -> None:
    bots = [arena.bot(mark) for mark in ("old", "used", "named", "new")]
    images = PulledImages(tmp_path, 10**12)
    for age, bot in zip((100, 1000, 500, 10), bots, strict=True):
        await use(images, bot)
        mark = tmp_path / MARKS / bot.identity[7:]
        os.utime(mark, (1e9 - age, 1e9 - age))
    arena.client.api.tag(bots[2].identity, "pigpen-test/mine", bots[2].identity[7:])
    try:
        async with images.using(bots[1]):
            PulledImages(tmp_path, 1).make_room(spared=bots[3].identity)
        assert [arena.has(bot) for bot in bots] == [False, True, True, True]
        assert "pigpen-test/mine" in str(arena.client.images.get(bots[2].identity).tags)
        PulledImages(tmp_path, 1).make_room()
        assert [arena.has(bot) for bot in bots] == [False, False, True, False]
    finally:
        images.close()
        arena.client.api.remove_image(f"pigpen-test/mine:{bots[2].identity[7:]}")
