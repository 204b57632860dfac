"""An image that could hang the engine, or that nothing can start, is refused before anything of it starts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import docker
import pytest

from ladder.errors import BotRejected
from ladder.sandbox.base import Exit, Program, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker import containers, image_inspection
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.docker.image_inspection import UnfitImage, check_config, working_folder
from ladder.sandbox.host import scratch
from tests.bad_bots.images import BAD_IMAGES, BAD_SETTINGS, FIT_IMAGES, FIT_TOGETHER, Image, load_image, settings
from tests.e2e.command import pigpen

pytestmark = pytest.mark.docker
LATER = {
    "passwd_is_a_device", "group_is_a_pipe", "group_is_huge", "passwd_is_a_folder",
    "passwd_leads_up", "passwd_leads_to_zero", "passwd_leads_to_the_seat", "passwd_leads_past_nothing_to_a_pipe",
    "passwd_leads_to_a_long_line",
    "hostname_is_a_folder", "resolv_conf_is_a_folder",
    "seat_is_a_pipe", "seat_leads_to_proc", "seat_leads_to_a_descriptor", "seat_leads_up", "seat_leads_to_itself",
    "run_is_a_file", "run_is_a_pipe", "run_leads_to_sys", "run_leads_to_dev",
    "tmp_is_a_file", "tmp_is_a_pipe", "tmp_leads_to_dev", "tmp_leads_up",
    "works_in_a_descriptor", "works_in_a_descriptor_round_about", "works_in_a_link_to_a_descriptor", "works_in_a_loop",
    "works_in_a_device", "works_in_sys", "works_in_a_pipe",
    *(set(BAD_SETTINGS) - {"has_many_variables"}),
}  # fmt: skip
"""Long: in each push another image has the same at another place, another thing at the same place, or
another test here refuses it; settings are refused without an image."""
BAD = [pytest.param(name, marks=pytest.mark.long if name in LATER else []) for name in BAD_IMAGES]
FIT = [*FIT_TOGETHER, *(pytest.param(name, marks=pytest.mark.long) for name in FIT_IMAGES)]


@pytest.fixture(scope="module")
def client() -> Iterator[docker.DockerClient]:
    """The engine."""
    client = connect()
    yield client
    client.close()


@pytest.fixture(autouse=True)
def no_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of the test's own in which it is remembered which images are fit."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


Load = Callable[[Image], BotSource]


@pytest.fixture
def load(client: docker.DockerClient, tmp_path: Path) -> Iterator[Load]:
    """Have an image on the engine until the test is over."""
    tag = f"pigpen/test:image-{tmp_path.name.strip('_')}-{time.monotonic_ns()}"

    def have(image: Image) -> BotSource:
        load_image(client, tag, image)
        return BotSource("bot", image=tag)

    yield have
    client.images.remove(tag, force=True)


def ours(client: docker.DockerClient) -> list[str]:
    mine = {"label": f"{containers.OWNER}={scratch.this_process()}"}
    return [str(found["Names"]) for found in client.api.containers(all=True, filters=mine)]


@pytest.fixture
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """An image that is not refused fails its test, and does not hang the engine."""

    def start(*_: object, **__: object) -> None:
        pytest.fail("something of the image was to be started")

    monkeypatch.setattr("docker.api.container.ContainerApiMixin.start", start)


@pytest.mark.usefixtures("nothing_starts")
@pytest.mark.parametrize("name", BAD)
async def test_a_bad_image_is_refused_with_the_reason(name: str, load: Load, client: docker.DockerClient) -> None:
    bad = BAD_IMAGES[name]
    source = load(bad)
    sandbox = DockerSandbox()
    try:
        with pytest.raises(BotRejected, match=f"^{source.image} .*{bad.why}"):
            await sandbox.load(source)
    finally:
        await sandbox.close()
    assert ours(client) == []


@pytest.mark.parametrize("name", BAD_SETTINGS)
def test_bad_settings_are_refused_with_the_reason(name: str) -> None:
    with pytest.raises(UnfitImage, match=f"^its? .*{BAD_IMAGES[name].why}"):
        refuse_settings(settings(BAD_IMAGES[name]))


def refuse_settings(config: Mapping[str, object]) -> None:
    check_config(config)
    working_folder(config)


async def starts(program: Program, folder: Path) -> None:
    """Start an image whose program does not exist."""
    folder.mkdir()
    instance = await program.start(SeatMount(folder, token=""))
    assert Exit(127) == await instance.wait()
    assert "cannot run /bot: " in await instance.log_tail()


@pytest.mark.parametrize("name", FIT)
async def test_an_odd_image_that_is_fit_starts(name: str, load: Load, tmp_path: Path) -> None:
    sandbox = DockerSandbox()
    try:
        await starts(await sandbox.load(load({**FIT_TOGETHER, **FIT_IMAGES}[name])), tmp_path / "seat")
    finally:
        await sandbox.close()


async def test_a_fit_image_is_looked_at_once(
    load: Load, monkeypatch: pytest.MonkeyPatch, no_memory: Path, tmp_path: Path
) -> None:
    source = load(FIT_IMAGES["empty"])
    for looked_at in range(2):
        sandbox = DockerSandbox()
        try:
            program = await sandbox.load(source)
            if looked_at:
                await starts(program, tmp_path / "seat")
        finally:
            await sandbox.close()
        monkeypatch.setattr(image_inspection, "create_idle", None)
    (remembered,) = (no_memory / "pigpen").iterdir()
    assert len(remembered.read_text().splitlines()) == 1


@pytest.mark.usefixtures("nothing_starts")
async def test_an_image_without_settings_is_refused(load: Load) -> None:
    sandbox = DockerSandbox()
    with pytest.raises(BotRejected, match="what to run"):
        await sandbox.load(load(Image(config=None)))
    await sandbox.close()


@pytest.mark.usefixtures("nothing_starts")
async def test_a_bad_image_is_looked_at_each_time(load: Load) -> None:
    source = load(BAD_IMAGES["tmp_is_a_file"])
    sandbox = DockerSandbox()
    try:
        for _ in range(2):
            with pytest.raises(BotRejected, match=r"/tmp .* a file"):
                await sandbox.load(source)
    finally:
        await sandbox.close()


def test_the_command_says_whose_fault_it_is(load: Load) -> None:
    source = load(BAD_IMAGES["works_in_a_descriptor"])
    done = pigpen("check", str(source.image))
    assert done.returncode == 2
    assert "WORKDIR /proc/self/fd/9 " in done.stderr
