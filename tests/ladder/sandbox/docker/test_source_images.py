"""Images of bots that are submitted as source: what is in them, and when they are built anew."""

from __future__ import annotations

import io
import tarfile
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from ladder.errors import BotRejected
from ladder.sandbox.bots import languages
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.languages import Language
from ladder.sandbox.docker import bot_images, source_build
from ladder.sandbox.docker.bot_images import image_of_folder
from ladder.sandbox.docker.built_images import FILES_ONLY, FOLDER_LABEL, RECIPE_LABEL, TOOLCHAIN_LABEL
from ladder.sandbox.docker.package_images import PackageImages
from ladder.sandbox.docker.source_build import SourceBuild, SourceRejected
from ladder.sandbox.wheels.packages import Packages

pytestmark = pytest.mark.docker

SHELL = Language("go", "Shell", ("build.sh",), Path("nowhere"), build="sh ./build.sh")
"""Stands for Go: its compiler is a script of the folder."""
LINES = replace(SHELL, speaks_lines=True, command=("./bot", "-v"))
"""The same, and its bots read and write lines."""
SCRIPT = f"mkdir -p build; printf 'the program' > build/bot; chmod +x build/bot # {uuid.uuid4().hex}"
"""Another one in each run, else the engine has an image that an earlier run has built."""
Images = Callable[[Path], str]


@pytest.fixture
def reported() -> list[str]:
    return []


@pytest.fixture(params=[SHELL, replace(SHELL, build="", command=("sh", "run.sh"))], ids=["compiled", "as it is"])
def language(request: pytest.FixtureRequest) -> Language:
    found: Language = request.param
    return found


@pytest.fixture
def image_of(
    client: docker.DockerClient,
    python_image: str,
    language: Language,
    reported: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Images:
    toolchain = str(client.images.get(python_image).id)
    monkeypatch.setattr(source_build, "ensure_toolchain", lambda client, language, report: toolchain)
    monkeypatch.setattr(bot_images, "base_image_id", lambda client, base: toolchain)
    monkeypatch.setitem(languages.LANGUAGES, "go", language)

    def image(folder: Path) -> str:
        source = BotSource(folder.name, folder=folder, builds="base")
        build = SourceBuild("runc", "t", reported.append)
        return image_of_folder(client, source, "none", PackageImages(Packages()), build=build).image

    return image


def folder_of(tmp_path: Path, name: str = "mybot", **files: str) -> Path:
    folder = tmp_path / name
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "weights").write_text("1 2 3")
    for each, text in {"build.sh": SCRIPT, **{key.replace("_", "."): text for key, text in files.items()}}.items():
        (folder / each).write_text(text)
    return folder


def files_in(client: docker.DockerClient, image: str, path: str = "/bot") -> dict[str, bytes]:
    """Read a file of an image, or those in a folder."""
    container = client.api.create_container(image, command=["x"])["Id"]
    try:
        stream, _ = client.api.get_archive(container, path)
        with tarfile.open(fileobj=io.BytesIO(b"".join(stream))) as tar:
            return {info.name: file.read() for info in tar if (file := tar.extractfile(info))}
    finally:
        client.api.remove_container(container)


def test_the_image_holds_what_was_built_or_the_source_as_it_is(
    client: docker.DockerClient, image_of: Images, language: Language, tmp_path: Path
) -> None:
    image = client.images.get(image_of(folder_of(tmp_path)))
    assert image.labels[TOOLCHAIN_LABEL].startswith("go.")
    assert (image.attrs["Config"]["Cmd"], image.attrs["Config"]["WorkingDir"]) == ([*language.command], "/bot")
    found = files_in(client, str(image.id))
    assert found.pop("bot/data/weights") == b"1 2 3"
    assert found == ({"bot/bot": b"the program"} if language.build else {"bot/build.sh": SCRIPT.encode()})
    assert (len(image.attrs["RootFS"]["Layers"]) == 1) == bool(language.build)


def test_the_same_source_is_built_once_and_is_the_same_image_in_another_folder(
    image_of: Images, language: Language, reported: list[str], tmp_path: Path
) -> None:
    new = uuid.uuid4().hex
    first = folder_of(tmp_path, data_x=new)
    image = image_of(first)
    (first / "build").mkdir()
    (first / "build" / "left").write_text("what a build here has left")
    assert image_of(first) == image
    assert image_of(folder_of(tmp_path, "other", data_x=new)) == image
    assert len(reported) == bool(language.build)
    assert image_of(folder_of(tmp_path, "changed", data_x="1")) != image


@pytest.mark.parametrize("language", [LINES], indirect=True)
def test_a_build_puts_a_program_beside_the_bridge_and_nothing_of_its_own_into_the_interpreter(
    client: docker.DockerClient, image_of: Images, python_image: str, tmp_path: Path
) -> None:
    """The image can be forked, so its interpreter is one that runs before any bot confines itself."""
    result = "/tmp/result"
    attack = (
        f"mkdir -p {result}/usr/bin {result}/lib; echo mine > {result}/usr/bin/env; echo mine > {result}/lib/x;"
        f"mkdir -p {result}/bot; echo mine > {result}/bot/bot.py; echo mine > {result}/bin"
    )
    image = client.images.get(image_of(folder_of(tmp_path, build_sh=f"{attack}; {SCRIPT}")))
    assert image.labels[RECIPE_LABEL] == FILES_ONLY
    assert image.attrs["Config"]["Cmd"] == ["python", "bot.py"]
    expected = {"bot/bot": b"the program", "bot/bot.py": LINES.main, "bot/data/weights": b"1 2 3"}
    assert files_in(client, str(image.id)) == expected
    layers, below = (client.images.get(each).attrs["RootFS"]["Layers"] for each in (str(image.id), python_image))
    assert layers[:-1] == below
    (program,) = files_in(client, str(image.id), "/usr/bin/env").values()
    assert program == files_in(client, python_image, "/usr/bin/env")["env"]


@pytest.mark.parametrize("language", [SHELL], indirect=True)
def test_what_does_not_compile_leaves_no_image(client: docker.DockerClient, image_of: Images, tmp_path: Path) -> None:
    name = f"bot{uuid.uuid4().hex}"
    with pytest.raises(SourceRejected) as caught:
        image_of(folder_of(tmp_path, name, build_sh="echo a mistake; exit 1"))
    assert isinstance(caught.value, BotRejected)
    assert str(caught.value).endswith("a mistake")
    assert client.api.images(all=True, filters={"label": f"{FOLDER_LABEL}={name}"}) == []
    image_of(folder_of(tmp_path / "right", name, data_x=name))
    assert client.api.images(all=True, filters={"label": f"{FOLDER_LABEL}={name}"}) != []
