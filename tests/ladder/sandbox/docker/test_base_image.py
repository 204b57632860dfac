"""The bot base image, made from a small stand-in for the SDK under a repository name of its own."""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import docker
import pytest

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker import base_image as images
from ladder.sandbox.docker.base_image import BaseImage, base_image_id, ensure_base_image, has_base_image
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.docker.installed_sdk import Sdk

pytestmark = pytest.mark.docker

REPOSITORY = f"pigpen/test-bot-{secrets.token_hex(4)}"
"""Of this run: another one, or one that was killed, may have an image of the same stand-in."""
ABOUT = """Metadata-Version: 2.4
Name: pigpen-sdk
Version: 0.0.7
Requires-Dist: grpcio>=1.80
Requires-Dist: protobuf>=6.33
"""
FACTS = """
import os, sys, grpc, pigpen, google.protobuf, subprocess
print(os.getuid(), os.getcwd(), pigpen.MARK, all(os.path.exists(m.__cached__) for m in (grpc, pigpen)))
print(subprocess.run(["pip", "--version"], capture_output=True, text=True).stdout.split()[0])
"""


@pytest.fixture(scope="module")
def small(
    tmp_path_factory: pytest.TempPathFactory, client: docker.DockerClient, python_image: str
) -> Iterator[BaseImage]:
    package = tmp_path_factory.mktemp("sdk") / "pigpen"
    package.mkdir()
    (package / "__init__.py").write_text("MARK = 'first'")
    yield BaseImage(Sdk(package, ABOUT, "0.0.7"), REPOSITORY)
    for image in client.images.list(REPOSITORY):
        client.images.remove(str(image.id), force=True)


class Keeper:
    """Downloads the wheels as the module does, and gives them again when the SDK alone has changed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.download = folder, images._pip

    def __call__(self, *arguments: str) -> None:
        to = Path(arguments[arguments.index("--dest") + 1])
        if self.folder.exists():
            shutil.copytree(self.folder, to, dirs_exist_ok=True)
            return
        self.download(*arguments)
        shutil.copytree(to, self.folder, ignore=shutil.ignore_patterns("pigpen_sdk*"))


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Keeper:
    return Keeper(tmp_path_factory.mktemp("kept") / "wheels")


@pytest.fixture(scope="module")
def built(client: docker.DockerClient, small: BaseImage, keeper: Keeper) -> list[str]:
    """Build the image, and give the messages that were reported meanwhile."""
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(images, "_pip", keeper)
        ensure_base_image(client, lines.append, small)
    return lines


def test_a_bot_finds_python_the_sdk_and_pip_and_is_nobody(built: list[str], client: docker.DockerClient) -> None:
    output = client.containers.run(f"{REPOSITORY}:latest", ["python", "-c", FACTS], network_mode="none", remove=True)
    assert output.decode().splitlines() == ["65532 /bot first True", "pip"]


def test_its_version_and_its_content_name_it(built: list[str], client: docker.DockerClient, small: BaseImage) -> None:
    own = images.name_of(small.content(), REPOSITORY)
    assert {small.latest, f"{REPOSITORY}:0.0.7", own} == set(client.images.get(small.latest).tags)


def test_each_slow_step_is_told(built: list[str]) -> None:
    assert built[-1].startswith(f"building {REPOSITORY}:of-")


def test_a_second_time_there_is_nothing_to_do(built: list[str], client: docker.DockerClient, small: BaseImage) -> None:
    lines: list[str] = []
    ensure_base_image(client, lines.append, small)
    assert lines == []


def test_the_command_says_that_it_is_ready(
    built: list[str],
    small: BaseImage,
    client: docker.DockerClient,
    python_image: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert images.main(small) == 0
    digest = images.layers_digest(client, small.tag)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{REPOSITORY}:0.0.7 ")
    assert {client.images.get(small.tag).id, f"sha256:{digest}"} == set(re.findall(r"sha256:[0-9a-f]+", first))
    assert images.base_identity(client, python_image) in second


def test_its_labels_say_the_debian_packages_as_dpkg_does(built: list[str], client: docker.DockerClient) -> None:
    command = ["dpkg-query", "--show", "--showformat=${Package}=${Version}\\n"]
    dpkg = client.containers.run(f"{REPOSITORY}:latest", command, network_mode="none", remove=True)
    labels = client.images.get(f"{REPOSITORY}:latest").labels
    assert labels[images.DEBIAN_LABEL].split() == sorted(dpkg.decode().split())


class Pulled:
    """Engine with one image, which has these digests in registries."""

    def __init__(self, *digests: str) -> None:
        self.images = self
        self.attrs = {"RepoDigests": list(digests), "RootFS": {"Layers": ["sha256:1"]}}

    def get(self, name: str) -> Pulled:
        return self


def test_a_base_that_was_pulled_is_named_by_its_digest() -> None:
    client = cast("docker.DockerClient", Pulled("python@sha256:ab"))
    assert images.base_identity(client, "python:3.12-slim") == "python:3.12-slim@sha256:ab"


def test_a_base_of_no_registry_is_named_by_its_layers() -> None:
    client = cast("docker.DockerClient", Pulled())
    layers = images.layers_digest(client, "pigpen/python:1")
    assert images.base_identity(client, "pigpen/python:1") == f"pigpen/python:1, layers sha256:{layers}"


def test_two_builds_of_the_same_are_the_same_image(
    built: list[str], client: docker.DockerClient, small: BaseImage, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one takes nothing from the first. The id is a hash of the layers, all labels and all settings."""
    again, begin = BaseImage(small.sdk, f"{REPOSITORY}-again"), client.api.build
    monkeypatch.setattr(images, "_pip", keeper)
    monkeypatch.setattr(client.api, "build", lambda **options: begin(**options, nocache=True))
    try:
        ensure_base_image(client, lambda line: None, again)
        found, first = client.images.get(again.latest), client.images.get(small.latest)
        assert (found.attrs["RootFS"], found.labels, found.id) == (first.attrs["RootFS"], first.labels, first.id)
    finally:
        for tag in (again.tag, again.latest):
            client.api.remove_image(tag)


@pytest.mark.long
@pytest.mark.bare
def test_a_python_image_that_is_made_twice_from_debians_packages_is_one_image(
    client: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No log, cache, number of the machine or time stays in it; what the packages are is the day's."""
    made: list[tuple[object, str | None]] = []
    for number in "12":
        tag = f"{REPOSITORY}-debian:{number}"
        monkeypatch.setattr(images, "debian_base_tag", lambda tag=tag: tag)
        assert images.make_debian_base(client, print) == tag
        made.append((client.images.get(tag).attrs["RootFS"], client.images.get(tag).id))
    client.api.remove_image(f"{REPOSITORY}-debian:1")
    client.api.remove_image(f"{REPOSITORY}-debian:2")
    assert made[0] == made[1]


def dangling(client: docker.DockerClient, content: str) -> list[str | None]:
    """List the images that a build of that content has left; others may be building bots meanwhile."""
    found = client.api.images(filters={"dangling": True, "label": f"{images.CONTENT_LABEL}={content}"})
    return [str(image["Id"]) for image in found]


def test_a_change_of_the_sdk_makes_it_anew_and_who_needs_the_old_one_still_has_it(
    built: list[str], client: docker.DockerClient, small: BaseImage, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ladder that runs keeps its base image although another version of Pigpen plays on the same engine."""
    mark, texts = small.sdk.package / "__init__.py", [f"MARK = '{name}'" for name in ("first", "second")]
    monkeypatch.setattr(images, "_pip", keeper)
    contents: list[str] = []
    found: list[str] = []
    lines: list[str] = []
    for text in (*texts, *texts):
        mark.write_text(text)
        contents.append(ensure_base_image(client, lines.append, small))
        found.append(str(client.images.get(small.latest).id))
        assert [base_image_id(client, content, REPOSITORY) for content in contents] == found
    assert found[:2] == found[2:]
    assert found[0] != found[1]
    assert len([line for line in lines if line.startswith("building ")]) == 1
    output = client.containers.run(small.latest, ["python", "-c", FACTS], network_mode="none", remove=True)
    assert b"second" in output
    assert dangling(client, contents[0]) == dangling(client, contents[1]) == []


def test_few_old_ones_stay(
    client: docker.DockerClient,
    small: BaseImage,
    built: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the Python image with other labels: what stays is told by when each was named last."""
    repository = f"{REPOSITORY}-old"

    def label(client: docker.DockerClient, tag: str, base: str, *others: object) -> None:
        (tmp_path / "Dockerfile").write_text(f"FROM {base}\n")
        build_image(client, archive(tmp_path), tag=tag, labels=cast("dict[str, str]", others[3]))

    monkeypatch.setattr(images, "build_with_wheels", label)
    contents = []
    try:
        for number in range(images.KEPT + 3):
            (small.sdk.package / "__init__.py").write_text(f"MARK = 'old {number}'")
            contents.append(ensure_base_image(client, lambda line: None, BaseImage(small.sdk, repository)))
        for content in contents[:2]:
            with pytest.raises(SandboxError, match="has been removed"):
                base_image_id(client, content, repository)
        for content in contents[2:]:
            assert base_image_id(client, content, repository)
        assert not has_base_image(client, contents[0], repository)
        assert has_base_image(client, contents[2], repository)
        for number in range(images.KEPT):
            (small.sdk.package / "__init__.py").write_text(f"MARK = 'new {number}'")
            ensure_base_image(client, lambda line: None, BaseImage(small.sdk, repository))
        assert [has_base_image(client, content, repository) for content in contents[2:]] == [True] + [False] * 3
    finally:
        for image in client.images.list(repository):
            client.images.remove(str(image.id), force=True)


class TestWithoutABase:
    @pytest.fixture(autouse=True)
    def none_was_made(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(images, "debian_base_tag", lambda: "pigpen/nonesuch:2")

    def test_the_way_out_is_told(self, monkeypatch: pytest.MonkeyPatch, client: docker.DockerClient) -> None:
        monkeypatch.setattr(images, "can_make_debian_base", lambda: False)
        with pytest.raises(SandboxError, match=r"not be pulled(?s:.*)process sandbox"):
            images.find_base(client, lambda line: None, official="pigpen/nonesuch:1")

    def test_a_debian_base_is_made_where_that_is_allowed(
        self, monkeypatch: pytest.MonkeyPatch, client: docker.DockerClient
    ) -> None:
        monkeypatch.setattr(images, "can_make_debian_base", lambda: True)
        monkeypatch.setattr(images, "make_debian_base", lambda client, report: "pigpen/made:1")
        assert images.find_base(client, lambda line: None, official="pigpen/nonesuch:1") == "pigpen/made:1"


def test_the_command_says_why_it_is_not_ready(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    assert images.main() == 1
    assert "--sandbox process" in capsys.readouterr().err
