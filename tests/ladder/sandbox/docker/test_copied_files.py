"""Copies of a Dockerfile that Pigpen makes: the engine makes the same ones, and two builds are one image."""

from __future__ import annotations

import io
import tarfile
import time
from typing import TYPE_CHECKING

import pytest

from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import archive
from ladder.sandbox.bots.recipes import read_recipe
from ladder.sandbox.docker import bot_images
from ladder.sandbox.docker.bot_images import image_of_folder
from ladder.sandbox.docker.built_images import forget_folder
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.docker.package_images import PackageImages
from ladder.sandbox.wheels.packages import Packages
from tests.ladder.sandbox.bots.test_plain_copies import FOLDER, PLAIN_COPIES, RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import docker

    Write = Callable[[str, dict[str, str]], Path]

pytestmark = pytest.mark.docker


@pytest.fixture
def base(
    client: docker.DockerClient, write: Write, name: str, python_image: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """A plain Python with the bot's folder, which stands for the bot base image."""
    tag = f"pigpen/test:{name}"
    build_image(
        client, archive(write("base", {"Dockerfile": f"FROM {python_image}\nWORKDIR /bot\n"})), tag=tag, labels={}
    )
    monkeypatch.setattr(bot_images, "base_image_id", lambda client, content: tag)
    yield tag
    client.images.remove(tag, force=True)


def files_of(client: docker.DockerClient, image: str) -> dict[str, tuple[bytes, int, bytes]]:
    """All that an image has in the bot's folder, but for times."""
    container = client.containers.create(image, network_mode="none")
    try:
        stream, _ = container.get_archive("/bot")
        with tarfile.open(fileobj=io.BytesIO(b"".join(stream))) as tar:
            return {
                each.name: (each.type, each.mode, b"" if each.isdir() else tar.extractfile(each).read())  # type: ignore[union-attr]
                for each in tar
            }
    finally:
        container.remove()


def built(client: docker.DockerClient, folder: Path) -> str:
    source = BotSource(folder.name, folder=folder, builds="base")
    return image_of_folder(client, source, "none", PackageImages(Packages())).image


def test_the_engine_copies_the_same(client: docker.DockerClient, base: str, tmp_path: Path) -> None:
    for number, (lines, _) in enumerate(PLAIN_COPIES):
        folder = tmp_path / f"bot{number}"
        text = f"FROM pigpen/bot\n{lines}\n{RUN}\n".encode()
        (content := FOLDER.with_files({"Dockerfile": text})).write(folder)
        ours = built(client, folder)
        dockerfile = read_recipe(text).dockerfile(base, {"pigpen.test": "x"})
        theirs = f"{base}-{number}"
        build_image(
            client, content.below("files").with_files({"Dockerfile": dockerfile}).archive(), tag=theirs, labels={}
        )
        assert files_of(client, ours) == files_of(client, theirs), lines
        client.images.remove(theirs)
        forget_folder(client, folder)


@pytest.mark.parametrize("text", ["COPY bot.py .", "COPY . .", "COPY net/ /bot/net\nCOPY bot.py ."])
def test_a_folder_that_is_built_again_is_the_same_image(
    client: docker.DockerClient, base: str, name: str, tmp_path: Path, text: str
) -> None:
    """Nothing of the first build is there any more: neither its image nor its layers."""
    folder = tmp_path / name
    FOLDER.with_files({"Dockerfile": f"FROM pigpen/bot\n{text}\n{RUN}\n".encode(), "mark": name.encode()}).write(folder)
    first = built(client, folder)
    client.images.remove(first, force=True)
    began = int(time.time())
    while int(time.time()) == began:  # the engine counts times of folders in seconds
        time.sleep(0.05)
    assert built(client, folder) == first
    client.images.remove(first, force=True)
