"""From folders and references to image ids, with a real engine."""

from __future__ import annotations

import io
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import docker
import pytest
from docker.errors import APIError

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.base import Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import archive
from ladder.sandbox.bots.recipes import image_to_build
from ladder.sandbox.docker import docker_sandbox, image_build
from ladder.sandbox.docker.bot_images import pull_image
from ladder.sandbox.docker.built_images import prune
from ladder.sandbox.docker.containers import OWNER
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.image_build import NO_TIME, BuildFailed, build_image
from tests.ladder.registries import BROKEN, Registry

if TYPE_CHECKING:
    from requests import Response

pytestmark = pytest.mark.docker

Write = Callable[[str, dict[str, str]], Path]


@pytest.fixture(autouse=True)
def no_base_image(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bots here stand on a plain Python."""
    monkeypatch.setattr(docker_sandbox, "ensure_base_image", lambda client, report: "none")


@pytest.fixture
def dockerfile(python_image: str) -> str:
    return f'FROM {python_image}\nCOPY bot.py /bot.py\nCMD ["python", "/bot.py"]\n'


async def test_a_folder_becomes_a_container_that_can_read_it(
    sandbox: DockerSandbox, write: Write, name: str, dockerfile: str
) -> None:
    folder = write(name, {"Dockerfile": dockerfile, "bot.py": "print(open('/bot.py').read())", "seat/x": ""})
    (folder / "bot.py").chmod(0o600)
    program = await sandbox.load(BotSource(name, folder=folder))
    instance = await program.start(SeatMount(folder / "seat", token=""))
    assert Exit(0) == await instance.wait()
    assert await instance.log_tail() == "print(open('/bot.py').read())\n"


async def test_an_unchanged_folder_is_built_once_and_its_image_asked_for_by_name_and_a_changed_one_is_another_program(
    sandbox: DockerSandbox, write: Write, name: str, dockerfile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(name, {"Dockerfile": dockerfile, "bot.py": f"# {name}"})
    first = await sandbox.load(BotSource(name, folder=folder))
    with monkeypatch.context() as patched:
        patched.setattr("ladder.sandbox.docker.bot_images.build_image", None)
        patched.setattr(docker.APIClient, "images", None)  # a list of all takes the longer, the more there are
        assert first.identity == (await sandbox.load(BotSource("other", folder=folder))).identity
    assert first.identity.startswith("sha256:")
    (folder / "bot.py").write_text(f"# {name}, better")
    assert first.identity != (await sandbox.load(BotSource(name, folder=folder))).identity


async def test_what_dockerignore_names_stays_out(
    sandbox: DockerSandbox, write: Write, name: str, dockerfile: str
) -> None:
    folder = write(name, {"Dockerfile": dockerfile, "bot.py": "", ".dockerignore": "# mine\n\nbot.py\n"})
    with pytest.raises(BotRejected, match="does not build"):
        await sandbox.load(BotSource(name, folder=folder))


async def test_a_failed_build_is_told_with_its_last_lines(
    sandbox: DockerSandbox, write: Write, name: str, python_image: str
) -> None:
    folder = write(name, {"Dockerfile": f"FROM {python_image}\nRUN echo this is why; exit 7\n"})
    by_hand = f"To build it yourself: docker build -t {image_to_build(name)} {folder}."
    with pytest.raises(BotRejected, match=rf"^.*{name} (?s:.*)this is why\n(?s:.*)code: 7\n.*{by_hand}"):
        await sandbox.load(BotSource(name, folder=folder))


@pytest.mark.parametrize(
    ("folder", "image"), [("mygo", "mygo:1"), ("Trotter_2", "trotter-2:1"), ("拱猪", "bot:1"), ("-x-", "x:1")]
)
def test_an_image_is_named_as_engines_want_it(folder: str, image: str) -> None:
    assert image_to_build(folder) == image


async def test_a_build_has_no_network(sandbox: DockerSandbox, write: Write, name: str, python_image: str) -> None:
    dockerfile = f'FROM {python_image}\nRUN test "$(ls /sys/class/net)" = lo\nCMD ["true"]\n'
    await sandbox.load(BotSource(name, folder=write(name, {"Dockerfile": dockerfile, "x": name})))


@pytest.mark.parametrize("text", ["", "FRM x\n", "RUN true\n"])
async def test_a_dockerfile_that_is_none_is_the_bots_fault(
    sandbox: DockerSandbox, write: Write, name: str, text: str
) -> None:
    with pytest.raises(BotRejected, match="does not build"):
        await sandbox.load(BotSource(name, folder=write(name, {"Dockerfile": text})))


async def test_a_folder_with_neither_a_dockerfile_nor_a_bot_py_is_told_what_it_needs(
    sandbox: DockerSandbox, write: Write, name: str
) -> None:
    with pytest.raises(BotRejected, match=r"no bot\.py, no "):
        await sandbox.load(BotSource(name, folder=write(name, {"bot.rb": ""})))


async def test_ones_own_folder_without_a_dockerfile_plays(
    sandbox: DockerSandbox, write: Write, name: str, python_image: str, client: docker.DockerClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    base = f"pigpen/test:{name}"
    build_image(
        client, archive(write("base", {"Dockerfile": f"FROM {python_image}\nWORKDIR /bot\n"})), tag=base, labels={}
    )
    monkeypatch.setattr("ladder.sandbox.docker.bot_images.base_image_id", lambda client, content: base)
    folder = write(name, {"bot.py": f"# {name}\nprint('hello')", "seat/x": ""})
    program = await sandbox.load(BotSource(name, folder=folder))
    assert client.images.get(program.identity).attrs["Config"]["Cmd"] == ["python", "bot.py"]
    instance = await program.start(SeatMount(folder / "seat", token=""))
    assert Exit(0) == await instance.wait()
    assert await instance.log_tail() == "hello\n"
    client.images.remove(base)


async def test_a_volume_is_rejected(sandbox: DockerSandbox, write: Write, name: str, python_image: str) -> None:
    folder = write(name, {"Dockerfile": f"FROM {python_image}\nVOLUME /data\n"})
    with pytest.raises(BotRejected, match="VOLUME"):
        await sandbox.load(BotSource(name, folder=folder))


async def test_an_image_that_runs_nothing_is_rejected(
    sandbox: DockerSandbox, write: Write, name: str, python_image: str
) -> None:
    folder = write(name, {"Dockerfile": f"FROM {python_image}\nCMD []\n"})
    with pytest.raises(BotRejected, match="what to run"):
        await sandbox.load(BotSource(name, folder=folder))


async def test_a_command_that_is_not_there_is_the_bots_end(
    sandbox: DockerSandbox, write: Write, name: str, python_image: str
) -> None:
    folder = write(name, {"Dockerfile": f'FROM {python_image}\nCMD ["pythn"]\n', "seat/x": ""})
    instance = await (await sandbox.load(BotSource(name, folder=folder))).start(SeatMount(folder / "seat", token=""))
    assert Exit(127) == await instance.wait()
    assert "pythn" in await instance.log_tail()


async def test_a_reference_is_pinned_to_its_id(
    sandbox: DockerSandbox, program: BotSource, client: docker.DockerClient
) -> None:
    assert program.image is not None
    loaded = await sandbox.load(program)
    assert client.images.get(program.image).id == loaded.identity
    assert loaded.identity == (await sandbox.load(BotSource("same", image=loaded.identity))).identity


@pytest.fixture
def registry() -> Iterator[str]:
    """Address of a registry that the engine reaches."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    serving.join()
    server.server_close()


@pytest.mark.parametrize(
    "reference", ["{registry}/nonesuch:1", "{registry}/terse/nonesuch:1", f"sha256:{'0' * 64}", "A B"]
)
async def test_a_missing_image_is_the_bots_fault(sandbox: DockerSandbox, registry: str, reference: str) -> None:
    with pytest.raises(BotRejected, match="could not be pulled"):
        await sandbox.load(BotSource("bot", image=reference.format(registry=registry)))


async def test_a_registry_that_cannot_be_reached_is_the_platforms_failure(sandbox: DockerSandbox) -> None:
    with pytest.raises(SandboxError, match=r"not be pulled: .*refused\."):
        await sandbox.load(BotSource("bot", image="127.0.0.1:9/bot:1"))


async def test_an_image_that_breaks_on_its_way_is_the_platforms_failure(sandbox: DockerSandbox, registry: str) -> None:
    with pytest.raises(SandboxError, match="pulled: unknown blob"):
        await sandbox.load(BotSource("bot", image=f"{registry}/{BROKEN}:1"))


def test_a_registry_that_never_finishes_is_given_up_after_a_limit(
    client: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()

    def pull(*_: object, **__: object) -> Iterator[dict[str, str]]:
        yield {"status": "pulling"}
        released.wait()

    monkeypatch.setattr("docker.api.image.ImageApiMixin.pull", pull)
    with pytest.raises(SandboxError, match=r"pulled: .* 0\.01 s"):
        pull_image(client, "127.0.0.1:9/bot:1", seconds=0.01)
    released.set()


SLOW = re.escape(image_build.TOO_SLOW.partition("{")[0])


def test_a_refusal_of_the_files_as_a_whole_is_the_builds_failure(
    client: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine sends it in another form than the failure of a step."""
    refusal = "Error processing tar file: file name too long"
    monkeypatch.setattr(client.api, "build", lambda **options: iter([{"message": refusal}]))
    with pytest.raises(BuildFailed, match=refusal):
        build_image(client, io.BytesIO(), tag="pigpen/test:refused", labels={})


@pytest.mark.parametrize("words", image_build.LAYER_IS_GONE)
def test_a_build_whose_layer_is_removed_begins_again(
    client: docker.DockerClient, write: Write, name: str, python_image: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine says it once of a build that it was given whole, and it makes the image of the next one."""
    build, messages = client.api.build, [{"error": f"{words} sha256:{'0' * 64}"}]
    sent: list[bytes] = []

    def first_without_success(fileobj: BinaryIO, **options: Any) -> Any:
        sent.append(fileobj.read())
        fileobj.seek(0)
        return build(fileobj=fileobj, **options) if len(sent) > 1 else iter(messages)

    monkeypatch.setattr(client.api, "build", first_without_success)
    tag = f"pigpen/test:{name}"
    build_image(client, archive(write(name, {"Dockerfile": f"FROM {python_image}\n"})), tag=tag, labels={})
    client.images.remove(tag)
    assert sent[0] == sent[1] != b""
    monkeypatch.setattr(client.api, "build", lambda **options: iter(messages))
    with pytest.raises(BuildFailed, match=words):
        build_image(client, archive(write("again", {"Dockerfile": "FROM x\n"})), tag=tag, labels={})


class WithoutLayers:
    """Answers of engines that load no image without the layers' files."""

    @staticmethod
    def refuses(data: bytes) -> Any:
        raise APIError("no layers", response=cast("Response", SimpleNamespace(status_code=500, reason="no", url="")))

    @staticmethod
    def says_so(data: bytes) -> Any:
        return iter([{"errorDetail": {"message": "layer not found"}, "error": "layer not found"}])


@pytest.mark.parametrize("load", [WithoutLayers.refuses, WithoutLayers.says_so])
def test_an_engine_that_loads_no_image_without_its_layers_keeps_the_one_it_built(
    client: docker.DockerClient,
    write: Write,
    name: str,
    python_image: str,
    load: Callable[[bytes], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client.api, "load_image", load)
    tag, dockerfile = f"pigpen/test:{name}", f"FROM {python_image}\nENV MARK={name}\n"
    build_image(client, archive(write(name, {"Dockerfile": dockerfile})), tag=tag, labels={})
    image = client.images.get(tag)
    assert f"MARK={name}" in image.attrs["Config"]["Env"]
    assert not image.attrs["Created"].startswith(NO_TIME[:4])
    client.images.remove(tag)


def test_a_built_image_keeps_all_settings_and_nothing_of_its_build_stays(
    client: docker.DockerClient, write: Write, name: str, python_image: str
) -> None:
    """An image that has another name stays, under its own id."""
    settings = (
        'USER 7:8\nWORKDIR /tmp\nENV A=b\nENTRYPOINT ["python"]\nCMD ["-c", ""]\nEXPOSE 80\nSTOPSIGNAL SIGINT\n'
        'HEALTHCHECK --interval=7s CMD true\nSHELL ["/bin/sh", "-ec"]\nVOLUME /v\nONBUILD USER 9\n'
    )
    tag, labels = f"pigpen/test:{name}", {"pigpen.test": name}
    folder = write(name, {"Dockerfile": f"FROM {python_image}\n{settings}"})
    built = client.images.build(
        fileobj=archive(folder), custom_context=True, tag=f"{tag}-built", labels=labels, nocache=True, rm=True
    )[0]
    build_image(client, archive(folder), tag=tag, labels=labels)
    made = client.images.get(tag)
    differing = {each for each, value in built.attrs["Config"].items() if made.attrs["Config"].get(each) != value}
    assert differing <= {*image_build.OF_ONE_BUILD}
    assert (made.attrs["Created"], made.attrs["Parent"]) == (NO_TIME, "")
    assert built.attrs["RootFS"] == made.attrs["RootFS"]
    image_build.tag_without_times(client, f"{tag}-built", f"{tag}-again")
    assert client.images.get(f"{tag}-again").id == made.id
    assert client.images.get(f"{tag}-built").id == built.id
    for each in (tag, f"{tag}-again", f"{tag}-built"):
        client.images.remove(each)
    assert client.api.images(filters={"label": f"pigpen.test={name}"}) == []


SPINS = "while true; do :; done"
ECHOES = "while true; do echo on and on; sleep 0.1; done"


@pytest.mark.parametrize(
    ("command", "seconds", "wall_seconds", "error", "message"),
    [
        pytest.param(SPINS, 2.0, 1e4, BuildFailed, image_build.TOO_LONG, id="works"),
        pytest.param(SPINS, 1e4, 2.0, SandboxError, SLOW, id="works on a slow machine"),
        pytest.param(ECHOES, 1e4, 2.0, SandboxError, SLOW, id="talks on a slow machine"),
        pytest.param("sleep 1000", 2.0, 1e4, SandboxError, SLOW, id="sleeps"),
        pytest.param("echo ' ---> Running in 0123456789ab'; sleep 1000", 2.0, 1e4, SandboxError, SLOW, id="lies"),
    ],
)
def test_a_build_that_takes_too_long_is_ended_and_only_its_cpu_time_is_its_own(
    client: docker.DockerClient,
    write: Write,
    name: str,
    python_image: str,
    command: str,
    seconds: float,
    wall_seconds: float,
    error: type[Exception],
    message: str,
) -> None:
    folder = write(name, {"Dockerfile": f"FROM {python_image}\nLABEL endless={name}\nRUN {command}\n"})
    tag = f"pigpen/test:{name}"
    with pytest.raises(error, match=message):
        build_image(client, archive(folder), tag=tag, labels={}, seconds=seconds, wall_seconds=wall_seconds)
    while client.api.containers(filters={"label": f"endless={name}"}):
        time.sleep(0.01)
    prune(client, label=f"endless={name}")


def test_a_step_that_names_a_bots_container_does_not_end_it(
    client: docker.DockerClient, write: Write, name: str, python_image: str
) -> None:
    """The words of a step stand among those of the engine."""
    bots = client.containers.run(python_image, "sleep 1000", labels={OWNER: name}, detach=True, network_mode="none")
    try:
        command = f"echo ' ---> Running in {bots.short_id}'; sleep 1000"
        folder = write(name, {"Dockerfile": f"FROM {python_image}\nRUN {command}\n"})
        with pytest.raises(SandboxError, match=SLOW):
            build_image(client, archive(folder), tag=f"pigpen/test:{name}", labels={}, seconds=2.0)
        bots.reload()
        assert bots.status == "running"
    finally:
        bots.remove(force=True)
