"""Folders that want more of the engine than to be copied: each is refused before the engine hears of it."""

from __future__ import annotations

import tarfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO

import docker
import pytest

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.dockerfile_lines import REQUIREMENTS, Instruction
from ladder.sandbox.bots.recipes import FORMER_PATH, image_to_build
from ladder.sandbox.docker import bot_images, built_images, image_build
from ladder.sandbox.docker.base_image import base_image_id
from ladder.sandbox.docker.bot_images import image_of_folder, pull_image
from ladder.sandbox.docker.built_images import FOLDER_LABEL, KEY_LABEL, RECIPE_LABEL
from ladder.sandbox.docker.package_images import PackageImages
from ladder.sandbox.wheels.packages import Packages

pytestmark = pytest.mark.docker

Write = Callable[[str, dict[str, str]], Path]
KEPT = 2
"""Images of a folder that stay: each is a build."""
SAMPLE = 'FROM pigpen/bot\nCOPY bot.py .\nCMD ["python", "bot.py"]\n'


@pytest.fixture(autouse=True)
def base(client: docker.DockerClient, python_image: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a plain Python, which stands for the bot base image."""
    found = str(client.images.get(python_image).id)
    monkeypatch.setattr(bot_images, "base_image_id", lambda client, content: found)
    return found


def build(client: docker.DockerClient, folder: Path) -> str:
    """Build what was submitted."""
    source = BotSource(folder.name, folder=folder, builds="base")
    return image_of_folder(client, source, "none", PackageImages(Packages()), KEPT).image


@pytest.fixture
def requests() -> Iterator[list[str]]:
    """List the requests to a server on the host's loopback; the first is its address."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_error(404)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            pass

        def log_error(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    requests.append(f"127.0.0.1:{server.server_port}")
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    yield requests
    server.shutdown()
    serving.join()
    server.server_close()


@pytest.mark.parametrize(
    "attack",
    [
        "ADD http://{host}/secret .",
        "COPY --from={host}/x /a /b",
        "COPY --from={entered} / /",
        "COPY --from=pigpen/entered:x / /",
        "RUN truncate -s 8G x",
        "ONBUILD RUN true",
        "FROM {host}/x",
        "FROM pigpen/entered:x",
    ],
)
def test_what_would_run_or_fetch_something_does_not_reach_the_engine(
    client: docker.DockerClient,
    write: Write,
    name: str,
    requests: list[str],
    base: str,
    attack: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bot_images, "build_image", None)
    line = attack.format(host=requests[0], entered=base.removeprefix("sha256:")[:12])
    folder = write(name, {"Dockerfile": f"{SAMPLE}{line}\n", "bot.py": ""})
    with pytest.raises(BotRejected) as caught:
        build(client, folder)
    sentence = str(caught.value)
    assert sentence.startswith(f"{name} is not built here: ")
    assert f"line 4 of its Dockerfile, {line!r}, " in sentence
    image = image_to_build(name)
    assert f" && pigpen submit {image} --name {name}. " in sentence
    assert "submit the digest: registry/name@sha256:…" in sentence
    assert sentence.endswith('the setting builds = "allowed".')
    assert requests[1:] == []


@pytest.mark.parametrize(
    "dockerfile", ["FROM {host}/x\n", "FROM pigpen/entered:x\n", "# syntax={host}/x\nFROM pigpen/bot\n"]
)
def test_no_other_image_and_no_other_program_begins_a_build(
    client: docker.DockerClient,
    write: Write,
    name: str,
    requests: list[str],
    dockerfile: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bot_images, "build_image", None)
    with pytest.raises(BotRejected, match="not built here: line 1"):
        build(client, write(name, {"Dockerfile": dockerfile.format(host=requests[0])}))
    assert requests[1:] == []


def test_a_dockerfile_that_is_a_link_is_not_built(client: docker.DockerClient, write: Write, name: str) -> None:
    folder = write(name, {"real": SAMPLE, "bot.py": ""})
    (folder / "Dockerfile").symlink_to("real")
    with pytest.raises(BotRejected, match=r"line 1 of its Dockerfile "):
        build(client, folder)
    (folder / "Dockerfile").unlink()
    (folder / "Dockerfile").symlink_to("/etc/hostname")
    with pytest.raises(BotRejected, match="Dockerfile is a link "):
        build(client, folder)


@pytest.mark.parametrize("files", [{"bot.py": "pass"}, {"bot.py": "pass", "Dockerfile": SAMPLE}])
def test_a_folder_is_built_on_our_base_by_its_id(
    client: docker.DockerClient,
    write: Write,
    name: str,
    base: str,
    files: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[str] = []

    def pack(client: docker.DockerClient, context: BinaryIO, *, tag: str, labels: dict[str, str]) -> None:
        with tarfile.open(fileobj=context) as tar:
            file = tar.extractfile("Dockerfile")
            assert file is not None
            sent.extend(file.read().decode().splitlines())
        context.seek(0)
        built(client, context, tag=tag, labels=labels)

    built = image_build.build_image
    monkeypatch.setattr(bot_images, "build_image", pack)
    image = client.images.get(build(client, write(name, files)))
    assert image.attrs["Config"]["Cmd"] == ["python", "bot.py"]
    below = client.images.get(base).attrs["RootFS"]["Layers"]
    assert image.attrs["RootFS"]["Layers"][:-1] == below
    assert image.labels["pigpen.folder"] == name
    assert sum(line.startswith("LABEL") for line in sent) == 1, sent  # each takes the engine a fifth of a second


EVERY_HARMLESS_LINE = """FROM --platform=linux/amd64 docker.io/pigpen/bot AS final
MAINTAINER Ada
LABEL version=1 description="of ours"
EXPOSE 80
STOPSIGNAL SIGINT
HEALTHCHECK NONE
ENV PATH=$PATH:/bot/bin
COPY --chown=0:0 --link bot.py .
CMD ["python", "bot.py"]
"""


def test_lines_that_change_nothing_are_named_and_not_built(
    client: docker.DockerClient, write: Write, name: str, base: str
) -> None:
    printed: list[str] = []
    folder = write(name, {"bot.py": "pass", "Dockerfile": EVERY_HARMLESS_LINE})
    source = BotSource(name, folder=folder, builds="base")
    packages = PackageImages(Packages())
    image = client.images.get(image_of_folder(client, source, "none", packages, report=printed.append).image)
    numbers = enumerate(EVERY_HARMLESS_LINE.splitlines(), 1)
    lines = [Instruction(number, line.split()[0], "") for number, line in numbers if 2 <= number <= 6]
    assert printed == [bot_images.left_out(name, lines)]
    config, of_base = image.attrs["Config"], client.images.get(base).attrs["Config"]
    assert set(image.labels) - set(of_base["Labels"] or {}) <= {FOLDER_LABEL, KEY_LABEL, RECIPE_LABEL}
    assert not any(config.get(each) for each in ("ExposedPorts", "StopSignal", "Healthcheck"))
    assert of_base["Env"] is None  # so the builder knows no PATH
    assert config["Env"] == [f"PATH={FORMER_PATH.removeprefix('${PATH:-').removesuffix('}')}:/bot/bin"]


def test_a_list_of_packages_that_is_not_there_is_not_installed_anyway(
    client: docker.DockerClient, write: Write, name: str
) -> None:
    folder = write(name, {"bot.py": "", "Dockerfile": f"{SAMPLE}RUN pip install -r {REQUIREMENTS}\n"})
    with pytest.raises(BotRejected, match=f"line 4 .* would install {REQUIREMENTS}, which"):
        build(client, folder)


def test_another_image_under_the_name_of_the_base_image_is_not_built_on(
    client: docker.DockerClient, python_image: str, name: str
) -> None:
    client.api.tag(python_image, name, "of-0123456789ab")
    try:
        with pytest.raises(SandboxError, match="The bot base image"):
            base_image_id(client, "0123456789ab", name)
    finally:
        client.api.remove_image(f"{name}:of-0123456789ab")


@pytest.mark.parametrize("reference", ["pigpen/bot:none", "docker.io/pigpen/built:none", "pigpen/entered:none"])
def test_no_registry_can_give_an_image_one_of_our_names(client: docker.DockerClient, reference: str) -> None:
    with pytest.raises(BotRejected, match="that begin with pigpen/"):
        pull_image(client, reference)


def test_a_folder_that_changes_between_hashing_and_packing_is_built_as_it_was_hashed(
    client: docker.DockerClient, write: Write, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the image of the changed folder would be found by everybody who has the folder as it was."""
    folder = write(name, {"bot.py": "print('honest')"})
    packed: list[bytes] = []

    def change(*arguments: object) -> None:
        (folder / "bot.py").write_text("print('another bot')")

    def pack(client: docker.DockerClient, context: BinaryIO, *, tag: str, labels: dict[str, str]) -> None:
        with tarfile.open(fileobj=context) as tar:
            file = tar.extractfile("files/bot/bot.py")
            assert file is not None
            packed.append(file.read())
        context.seek(0)
        built(client, context, tag=tag, labels=labels)

    built = image_build.build_image
    monkeypatch.setattr(bot_images, "find_built", change)
    monkeypatch.setattr(bot_images, "build_image", pack)
    build(client, folder)
    assert packed == [b"print('honest')"]


def tags(client: docker.DockerClient, folder: Path) -> set[str]:
    begin = f"pigpen/built:{built_images._place(folder)}-"
    found = client.api.images("pigpen/built")
    return {tag for image in found for tag in image["RepoTags"] or () if tag.startswith(begin)}


def there(client: docker.DockerClient) -> set[str]:
    """The ids of all images."""
    return {image["Id"] for image in client.api.images()}


def edit(client: docker.DockerClient, folder: Path, count: int) -> str:
    (folder / "bot.py").write_text(f"# {folder} {count}")
    return build(client, folder)


def test_the_newest_few_images_of_a_folder_stay_and_those_that_are_needed(
    client: docker.DockerClient, write: Write, name: str, tmp_path: Path
) -> None:
    folder = write(name, {"bot.py": ""})
    namesake = tmp_path / "other" / name
    namesake.mkdir(parents=True)
    other = edit(client, namesake, 0)
    entered = edit(client, folder, 0)
    client.api.tag(entered, "pigpen/entered", f"test-{name}")
    running = edit(client, folder, 1)
    container = client.api.create_container(running)
    forgotten, *newest = [edit(client, folder, number) for number in range(2, 3 + KEPT)]
    left = there(client)
    tagged = tags(client, folder)
    client.api.remove_container(container)
    assert {entered, running, other, *newest} <= left
    assert forgotten not in left
    assert len(tagged) == KEPT + 2
    assert len(tags(client, namesake)) == 1


def test_using_an_image_again_makes_it_one_of_the_newest(client: docker.DockerClient, write: Write, name: str) -> None:
    folder = write(name, {"bot.py": ""})
    first = edit(client, folder, 0)
    for number in range(1, KEPT):
        edit(client, folder, number)
    assert edit(client, folder, 0) == first
    edit(client, folder, KEPT)
    assert first in there(client)
    assert len(tags(client, folder)) == KEPT


def test_the_same_content_elsewhere_is_the_same_image_and_outlives_the_first_folder(
    client: docker.DockerClient, write: Write, name: str, tmp_path: Path
) -> None:
    folder = write(name, {"bot.py": f"# {name}"})
    twin = tmp_path / "other" / f"{name}-twin"
    twin.mkdir(parents=True)
    (twin / "bot.py").write_text(f"# {name}")
    first = build(client, folder)
    assert build(client, twin) == first
    for number in range(KEPT):
        edit(client, folder, number)
    assert len(tags(client, twin)) == 1
    assert build(client, twin) == first


def test_a_build_that_fails_leaves_no_layers(client: docker.DockerClient, write: Write, name: str) -> None:
    folder = write(name, {"Dockerfile": f"{SAMPLE}COPY missing .\n", "bot.py": f"# {name}"})
    with pytest.raises(BotRejected, match=f"{name} does not build:(?s:.*)missing"):
        build(client, folder)
    mine = {"label": f"pigpen.folder={name}"}
    assert client.api.images(all=True, filters=mine) == []
