"""Bots in containers find the packages of their requirements.txt; they are put there by us, outside any build."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import docker
import pytest

from ladder.errors import BotRejected
from ladder.sandbox.base import Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.base_image import ensure_base_image
from ladder.sandbox.docker.bot_images import image_of_folder
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.package_images import DOCKERFILE, PackageImages, target_of
from ladder.sandbox.wheels.packages import Packages, Store
from tests.ladder.sandbox.wheels.made import new_wheel, uv_of

pytestmark = pytest.mark.docker
Write = Callable[[str, dict[str, str]], Path]

PROGRAM = """
import os, shelved, grpc
print(shelved.VERSION, shelved.__file__, os.path.exists(shelved.__cached__), os.stat(shelved.__file__).st_uid)
print(os.environ["OPENBLAS_NUM_THREADS"], os.getuid() > 0)
"""


@pytest.fixture
def packages(shelf: Path, tmp_path: Path, name: str) -> Packages:
    """Packages from the shelf, which has one whose bytes no other test has."""
    files = {"shelved.py": f"VERSION = '1.0'  # {name}\n".encode(), "shelved.pth": b"import os; os._exit(7)\n"}
    new_wheel(shelf, "shelved", files=files)
    return Packages(Store(tmp_path / "store"), uv_of(shelf))


@pytest.fixture
def images(packages: Packages, client: docker.DockerClient, name: str) -> Iterator[PackageImages]:
    """Images with a name of their own: others may make some meanwhile."""
    images = PackageImages(packages, f"pigpen/packages-of-{name}")
    yield images
    for tag in tags(client, images):
        client.images.remove(tag)


@pytest.fixture
async def sandbox(images: PackageImages, no_leftovers: None) -> AsyncIterator[DockerSandbox]:
    sandbox = DockerSandbox(packages=images)
    yield sandbox
    await sandbox.close()


def tags(client: docker.DockerClient, images: PackageImages) -> set[str]:
    return {tag for image in client.images.list(images.repository) for tag in image.tags}


async def output(sandbox: DockerSandbox, folder: Path) -> str:
    """Give the output of a bot of that folder until it ends."""
    instance = await (await sandbox.load(BotSource(folder.name, folder=folder))).start(
        SeatMount(folder / "seat", token="")
    )
    assert Exit(0) == await instance.wait()
    return await instance.log_tail()


@pytest.mark.parametrize("dockerfile", [None, 'FROM pigpen/bot:latest\nCOPY bot.py .\nCMD ["python", "bot.py"]\n'])
async def test_a_bot_finds_its_packages_compiled_and_not_its_own(
    sandbox: DockerSandbox, write: Write, name: str, dockerfile: str | None
) -> None:
    files = {"bot.py": PROGRAM, "requirements.txt": "shelved\n", "seat/x": ""}
    folder = write(name, files if dockerfile is None else {**files, "Dockerfile": dockerfile})
    assert await output(sandbox, folder) == "1.0 /bot/vendor/shelved.py True 0\n1 True\n"


async def test_an_edited_bot_stands_on_the_same_packages_and_other_packages_make_another_bot(
    sandbox: DockerSandbox, write: Write, name: str, shelf: Path, client: docker.DockerClient, images: PackageImages
) -> None:
    folder = write(name, {"bot.py": "", "requirements.txt": "shelved\n"})
    source = BotSource(name, folder=folder)
    first = await sandbox.load(source)
    assert first.lock is not None
    assert (await sandbox.load(source)).identity == first.identity
    built = tags(client, images)
    assert len(built) == 1
    (folder / "bot.py").write_text("# edited")
    edited = await sandbox.load(source)
    assert (edited.lock, tags(client, images)) == (first.lock, built)
    new_wheel(shelf, "shelved", "2.0")
    (folder / "requirements.txt").write_text("shelved>1\n")
    other = await sandbox.load(source)
    assert len({first.identity, edited.identity, other.identity}) == 3
    assert other.lock is not None
    assert other.lock.startswith("shelved==2.0 --hash=sha256:")


async def test_a_bad_requirement_is_the_bots_fault_and_nothing_is_built(
    sandbox: DockerSandbox, write: Write, name: str, client: docker.DockerClient, images: PackageImages
) -> None:
    folder = write(name, {"bot.py": "", "requirements.txt": "-e .\n"})
    with pytest.raises(BotRejected, match=r"Line 1 of requirements\.txt"):
        await sandbox.load(BotSource(name, folder=folder))
    assert tags(client, images) == set()


async def test_the_python_in_the_base_image_says_what_it_is_and_what_it_brings(
    sandbox: DockerSandbox, client: docker.DockerClient, packages: Packages
) -> None:
    await sandbox.load(BotSource("random", folder=Path("sample_bots/random").absolute()))
    base = str(client.images.get("pigpen/bot:latest").id)
    target = target_of(client, packages, base)
    assert {"pigpen-sdk", "grpcio", "protobuf"} <= set(target.provided)
    assert target == target_of(client, packages, base)
    assert target.arguments[0] == f"--python-version={target.python['version']}"
    assert "-manylinux_2_" in target.arguments[1]


def test_the_build_of_packages_runs_the_compiler_and_nothing_else() -> None:
    (run,) = re.findall(r"^RUN (.*)", DOCKERFILE.replace("\\\n", ""), flags=re.MULTILINE)
    assert (run.count("python"), run.count("(python3 -I -m compileall ")) == (1, 1)
    programs = [each.split()[0] for each in re.split(r"&&|\|\||[;(]", run) if each.strip()]
    assert programs == ["touch", "python3", "true)", "find", "rm", "touch"]


WORDS = """
import random
WORDS = random.choice("ab") in {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
"""
"""A module whose .pyc holds a set, whose order hangs on the hashes of its words until Python writes it."""


def test_a_folder_with_packages_that_is_built_twice_is_one_bot(
    client: docker.DockerClient,
    shelf: Path,
    packages: Packages,
    write: Write,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second build takes nothing from the first, and both stand on the bot base image."""
    base, begin = ensure_base_image(client, print), client.api.build
    new_wheel(shelf, "shelved", files={"shelved/__init__.py": f"# {name}{WORDS}".encode(), "shelved/deep/x.txt": b""})
    folder = write(name, {"bot.py": "import shelved\n", "requirements.txt": "shelved\n", "deep/er/x": ""})
    monkeypatch.setattr(client.api, "build", lambda **options: begin(**options, nocache=True))
    found: list[tuple[list[str], str]] = []
    for number in "12":
        images = PackageImages(packages, f"pigpen/packages-of-{name}-{number}")
        image = client.images.get(image_of_folder(client, BotSource(name, folder=folder), base, images).image)
        found.append((image.attrs["RootFS"]["Layers"], str(image.id)))
        for tag in (*image.tags, *tags(client, images)):
            client.api.remove_image(tag)
    assert found[0] == found[1]
