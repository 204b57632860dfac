"""Trials: facts of a bot that are checked before it runs, and the command that shows a failure again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import docker
import pytest

from ladder.errors import BotRejected
from ladder.matches.check import Report
from ladder.matches.preflight import Preflight
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import is_kept, kept_folder
from ladder.sandbox.docker import docker_sandbox
from ladder.sandbox.docker.built_images import ENTERED
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.trials.trial import Candidate, again, candidate
from ladder.values.sandbox_kind import AUTO, GVISOR, SHARED, SandboxKind
from pigpen.check import Outcome
from tests.ladder.runner.test_returned import trial
from tests.ladder.trials.tiny import load_tiny

FAILED = Preflight(Report((Outcome(group="hearts", name="follow suit", verdict="illegal", reason="It did not."),)))


@pytest.mark.parametrize(
    ("sandbox", "runtime", "more"),
    [
        (SandboxKind.DOCKER, GVISOR, " --runtime auto"),
        (SandboxKind.DOCKER, AUTO, " --runtime auto"),
        (SandboxKind.DOCKER, SHARED, ""),
        (SandboxKind.PROCESS, AUTO, ""),
    ],
)
def test_it_runs_where_the_ladder_has_tried_the_bot(sandbox: SandboxKind, runtime: str, more: str) -> None:
    task = trial(sandbox=sandbox, runtime=runtime)
    assert again(task, FAILED) == f"pigpen check trotter --rules hearts --sandbox {sandbox}{more}"


Write = Callable[[str, dict[str, str]], Path]
ROOM = 1 << 40
LATER = pytest.mark.long


async def test_a_folder_is_loaded_from_a_copy_and_kept(bot: Callable[..., Path], tmp_path: Path) -> None:
    folder = bot()
    async with candidate(ProcessSandbox(), BotSource("mybot", folder=folder), ROOM) as found:
        assert found.copy not in (None, folder)
        (folder / "bot.py").write_text("changed meanwhile")
        await found.keep(tmp_path)
    assert is_kept(kept_folder(tmp_path, found.program.identity), found.program.identity)
    assert not Path(str(found.copy)).exists()


async def test_a_bot_that_writes_into_its_own_folder_is_not_what_was_pinned(
    bot: Callable[..., Path], tmp_path: Path
) -> None:
    async with candidate(ProcessSandbox(), BotSource("mybot", folder=bot()), ROOM) as found:
        (Path(str(found.copy)) / "notes.txt").write_text("I was here")
        with pytest.raises(BotRejected, match=r"into its own folder .* \$HOME"):
            await found.keep(tmp_path)
    assert not (tmp_path / "folders").exists()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, python_image: str) -> str:
    """The beginning of a Dockerfile for a bot that needs no SDK."""
    monkeypatch.setattr(docker_sandbox, "ensure_base_image", lambda client, report: "none")
    return f'FROM {python_image}\nCMD ["python"]\n'


async def look(sandbox: DockerSandbox, folder: Path, room: int = ROOM) -> Candidate:
    async with candidate(sandbox, BotSource(folder.name, folder=folder), room, "allowed") as found:
        return found


@pytest.mark.docker
async def test_an_image_is_known_by_its_id_its_size_and_what_it_offers(
    sandbox: DockerSandbox, client: docker.DockerClient, write: Write, name: str, small: str, tmp_path: Path
) -> None:
    folder = write(name, {"Dockerfile": f'{small}LABEL pigpen.variants="hearts, gongzhu" mark={name}\n'})
    found = await look(sandbox, folder)
    image = client.images.get(found.program.identity)
    assert (found.size, found.pinned, found.copy) == (image.attrs["Size"], None, None)
    assert found.offered == ("hearts", "gongzhu")
    await found.keep(tmp_path)
    image.reload()
    assert f"{ENTERED}:{found.program.identity[7:47]}" in image.tags


@pytest.mark.docker
@pytest.mark.parametrize(
    "label", ["pigpen", *(pytest.param(label, marks=LATER) for label in ("pigpen.owner", "pigpen.sandbox"))]
)
async def test_an_image_cannot_pass_for_a_container_of_the_ladders(
    sandbox: DockerSandbox, write: Write, name: str, small: str, label: str
) -> None:
    folder = write(name, {"Dockerfile": f"{small}LABEL {label}=1 mark={name}\n"})
    with pytest.raises(BotRejected, match=f"{name} has the label {label}, "):
        await look(sandbox, folder)


@pytest.mark.docker
async def test_an_image_that_is_too_large_is_refused(
    sandbox: DockerSandbox, write: Write, name: str, small: str
) -> None:
    folder = write(name, {"Dockerfile": f"{small}LABEL mark={name}\n"})
    with pytest.raises(BotRejected, match=rf"{name} has [\d,]+ bytes, .* 1,000,000"):
        await look(sandbox, folder, room=1_000_000)


@pytest.mark.docker
async def test_a_folder_that_is_too_large_is_not_even_built(
    sandbox: DockerSandbox, write: Write, name: str, client: docker.DockerClient
) -> None:
    folder = write(name, {"Dockerfile": "FROM nothing\n", "weights": "x" * 1000})
    with pytest.raises(BotRejected, match="holds more than 900 bytes"):
        await look(sandbox, folder, room=900)


@pytest.mark.docker
async def test_an_image_for_another_processor_is_refused(sandbox: DockerSandbox, client: docker.DockerClient) -> None:
    foreign = "pigpen/test:foreign"
    load_tiny(client, foreign, machine="s390x")
    with pytest.raises(BotRejected, match=r"pigpen/test:foreign .* 'linux/s390x', .* linux/\w+"):
        async with candidate(sandbox, BotSource("foreign", image=foreign), ROOM):
            pass
    await sandbox.close()  # a container of the image keeps its files in memory
    client.images.remove(foreign)
