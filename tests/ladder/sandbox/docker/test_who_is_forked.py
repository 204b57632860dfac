"""Folders that become images from which instances are forked: those to which we have added files, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from tests.ladder import containers

COPIES = 'FROM pigpen/bot\nCOPY . .\nCMD ["python", "bot.py"]\n'
CLAIMS = 'FROM pigpen/bot\nCOPY . .\nRUN true\nLABEL pigpen.recipe=files\nCMD ["python", "bot.py"]\n'

LATER = pytest.mark.long
pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("no_leftovers")]


@pytest.fixture
async def forking(name: str) -> AsyncIterator[DockerSandbox]:
    """A sandbox that forks, closed before what was built for it is removed."""
    sandbox = containers.warm_sandbox()
    yield sandbox
    await sandbox.close()


@pytest.mark.parametrize(
    ("dockerfile", "link", "kind"),
    [
        pytest.param(None, False, "warm", id="bot.py"),
        pytest.param(None, True, "warm", id="bot.py and a link", marks=LATER),
        pytest.param(COPIES, False, "warm", id="copies"),
        pytest.param(COPIES, True, "fresh", id="copies a link"),
        pytest.param(COPIES.replace("COPY", "ENV A=b\nCOPY"), False, "fresh", id="sets a variable", marks=LATER),
        pytest.param(CLAIMS, False, "fresh", id="runs, and claims to copy"),
    ],
)
async def test_a_folder_is_forked_if_its_image_is_a_base_of_ours_and_files(
    forking: DockerSandbox,
    write: Callable[[str, dict[str, str]], Path],
    name: str,
    dockerfile: str | None,
    link: bool,
    kind: str,
) -> None:
    folder = write(name, {"bot.py": "pass", **({"Dockerfile": dockerfile} if dockerfile else {})})
    if link:
        (folder / "same.py").symlink_to("bot.py")
    program = await forking.load(BotSource(name, folder=folder))
    assert (program.instance_kind, program.can_fork) == (kind, kind == "warm")
    by_id = await forking.load(BotSource(name, image=program.identity))
    assert by_id.instance_kind == kind
