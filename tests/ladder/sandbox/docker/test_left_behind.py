"""Nothing of an instance in a warm container survives it: one test for each way to leave something."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import docker
import pytest
import pytest_asyncio

from ladder.sandbox.base import Program, SeatMount
from tests.ladder import warm
from tests.ladder.sandbox.docker.left_behind import CHANNELS, PREAMBLE
from tests.ladder.warm import Forked

LATER = (pytest.mark.long, pytest.mark.only_long)
CONTROLS = [name if not number % 5 else pytest.param(name, marks=LATER) for number, name in enumerate(CHANNELS)]
"""For each push every fifth shows that its program can find something; the long form has all."""

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def program(client: docker.DockerClient, python_image: str) -> AsyncIterator[Program]:
    """The image, loaded in a sandbox that forks."""
    sandbox = warm.warm_sandbox()
    yield await sandbox.load(warm.build(client, python_image))
    await sandbox.close()


@pytest.fixture
def forked(program: Program, mount: Callable[[str], SeatMount]) -> Forked:
    """Runs instances of it, in containers that other tests have used."""
    return Forked(program, mount)


@pytest.mark.parametrize("name", CHANNELS)
async def test_the_next_instance_finds_nothing(forked: Forked, name: str) -> None:
    channel = CHANNELS[name]
    container, end, log = await forked.run(f"{PREAMBLE}{channel.leave}\nprint('left')")
    assert (end.code, log.splitlines()[-1:]) == (0, ["left"]), log
    next_container, end, log = await forked.run(f"{PREAMBLE}{channel.find}\nprint('looked')")
    assert (end.code, log.splitlines()) == (0, ["looked"]), log
    assert channel.is_thrown_away in (None, next_container != container)


@pytest.mark.parametrize("name", CONTROLS)
async def test_the_one_that_left_it_would_find_it(forked: Forked, name: str) -> None:
    """So the test above can fail."""
    channel = CHANNELS[name]
    _, _, log = await forked.run(f"{PREAMBLE}{channel.leave}\n{channel.find}\nprint('looked')")
    assert ("found" in log) != channel.is_closed_to_itself, log
