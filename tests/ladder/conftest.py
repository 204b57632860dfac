"""Containers for the sandbox tests: an image that runs whatever program lies in its seat's folder."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import docker
import pytest
import pytest_asyncio

from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.base_image import find_base
from ladder.sandbox.docker.built_images import FOLDER_LABEL
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.docker.image_build import build_image
from tests.ladder.bad_checks import GOOD, RUN
from tests.ladder.containers import new_mount, nothing_left
from tests.ladder.databases import (
    backend,
    database,
    database_url,
    empty_databases,
    other_url,
    postgres,
    postgres_ladders,
    settings,
    sqlite_template,
)

__all__ = [
    "backend",
    "database",
    "database_url",
    "empty_databases",
    "other_url",
    "postgres",
    "postgres_ladders",
    "settings",
    "sqlite_template",
]

PROGRAM_TAG = "pigpen/test:program"
PROGRAM_DOCKERFILE = """
ARG BASE
FROM ${BASE}
USER root
HEALTHCHECK --interval=1s CMD touch /run/pigpen/healthy
CMD ["python", "-u", "/run/pigpen/program.py"]
"""


@pytest.fixture(scope="session")
def client() -> Iterator[docker.DockerClient]:
    """The engine."""
    client = connect()
    yield client
    client.close()


@pytest.fixture(scope="session")
def python_image(client: docker.DockerClient) -> str:
    """Tag of a plain Python image: the tests of the sandbox need no SDK."""
    return find_base(client, print)


@pytest.fixture(scope="session")
def program(client: docker.DockerClient, python_image: str) -> BotSource:
    """An image that runs `program.py` from its seat's folder, and would like to be root and have a health check."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "Dockerfile").write_text(PROGRAM_DOCKERFILE)
        build_image(client, archive(Path(name)), tag=PROGRAM_TAG, labels={}, arguments={"BASE": python_image})
    return BotSource("program", image=PROGRAM_TAG)


@pytest.fixture
def no_leftovers(client: docker.DockerClient) -> Iterator[None]:
    """Whatever a test does, it leaves no container of this process."""
    with nothing_left(client):
        yield


@pytest.fixture
def name(client: docker.DockerClient) -> Iterator[str]:
    """A folder's name that no other test has; what was built from it is removed."""
    name = f"bot-{uuid.uuid4().hex[:12]}"
    yield name
    for image in client.images.list(filters={"label": f"{FOLDER_LABEL}={name}"}):
        client.images.remove(str(image.id), force=True)


@pytest.fixture
async def sandbox(no_leftovers: None, name: str) -> AsyncIterator[DockerSandbox]:
    """A docker sandbox with the usual limits, closed before what was built for it is removed."""
    sandbox = DockerSandbox()
    yield sandbox
    await sandbox.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_sandbox(client: docker.DockerClient) -> AsyncIterator[DockerSandbox]:
    """A docker sandbox with the usual limits for all tests of a module that are marked with `SHARED_LOOP`."""
    sandbox = DockerSandbox()
    with nothing_left(client):
        yield sandbox
        await sandbox.close()


@pytest.fixture
def mount(tmp_path: Path) -> Callable[[str], SeatMount]:
    """Make a seat mount whose folder holds the given program."""
    count = iter(range(1000))

    def make(source: str) -> SeatMount:
        return new_mount(tmp_path / f"seat-{next(count)}", source)

    return make


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, dict[str, str]], Path]:
    """Write a bot's folder: `write("name", {"bot.py": "…"})`."""

    def make(name: str, files: dict[str, str]) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        return folder

    return make


@pytest.fixture
def bot(write: Callable[[str, dict[str, str]], Path]) -> Callable[..., Path]:
    """Write a bot that plays the first legal card, with a method of another kind if one is given."""

    def make(name: str = "mybot", method: str = "", run: str = RUN) -> Path:
        return write(name, {"bot.py": GOOD + method + run})

    return make
