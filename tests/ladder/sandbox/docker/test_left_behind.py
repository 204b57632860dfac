"""Nothing of an instance in a warm container survives it: one test for each way to leave something."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from itertools import pairwise

import docker
import pytest
import pytest_asyncio

from ladder.sandbox.base import Program, SeatMount
from tests.ladder import containers
from tests.ladder.containers import Forked
from tests.ladder.sandbox.docker.left_behind import CHANNELS, NO_SUCH_WAY, NUMBERS, PREAMBLE

LATER = pytest.mark.long
CONTROLS = [name if not number % 5 else pytest.param(name, marks=LATER) for number, name in enumerate(CHANNELS)]
"""Every fifth shows in each push that its program can find something; the others are long."""

UNLIKE_GVISOR = {
    "a file in /dev/mqueue": "there is no such folder",
    "the server's signals": "they end the container, and that is the bot's end",
    "the server's memory": "what /proc/1/maps says of it can be read; the memory itself cannot",
}
"""Ways that gVisor's kernel does not have, or treats otherwise, and how."""
IN_GVISOR = [name for name in CHANNELS if name not in UNLIKE_GVISOR]
KEPT = {"System V's", "a message queue in no folder", "a port of the network"}
"""Things that gVisor's kernel would keep: in each push these, and every fourth of the others; the rest are long."""
GVISOR_CASES = [
    name if not number % 4 or name.startswith(tuple(KEPT)) else pytest.param(name, marks=LATER)
    for number, name in enumerate(IN_GVISOR)
]

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def program(client: docker.DockerClient, python_image: str) -> AsyncIterator[Program]:
    """The image, loaded in a sandbox that forks."""
    sandbox = containers.warm_sandbox()
    yield await sandbox.load(containers.build(client, python_image))
    await sandbox.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def in_gvisor(client: docker.DockerClient, python_image: str) -> AsyncIterator[Program]:
    """The same in gVisor."""
    sandbox = containers.warm_sandbox(runtime="runsc")
    yield await sandbox.load(containers.build(client, python_image))
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
    is_thrown_away = channel.is_thrown_away and NO_SUCH_WAY not in log
    next_container, end, log = await forked.run(f"{PREAMBLE}{channel.find}\nprint('looked')")
    assert (end.code, log.splitlines()) == (0, ["looked"]), log
    assert is_thrown_away in (None, next_container != container)


async def test_a_random_count_of_numbers_is_taken_between_two_instances(forked: Forked) -> None:
    runs = [await forked.run(f"{PREAMBLE}{NUMBERS}") for _ in range(7)]
    assert len({container for container, _, _ in runs}) == 1
    counted = zip(*([int(word) for word in log.split()[1:]] for _, _, log in runs), strict=True)
    steps = [[after - before for before, after in pairwise(numbers)] for numbers in counted]
    assert len(steps) == 4
    assert all(len(set(each)) > 1 for each in steps), steps


@pytest.mark.parametrize("name", CONTROLS)
async def test_the_one_that_left_it_would_find_it(forked: Forked, name: str) -> None:
    """So the test above can fail."""
    channel = CHANNELS[name]
    _, _, log = await forked.run(f"{PREAMBLE}{channel.leave}\n{channel.find}\nprint('looked')")
    assert ("found" in log) != (channel.is_closed_to_itself or NO_SUCH_WAY in log), log


@pytest.mark.runsc
@pytest.mark.parametrize("name", GVISOR_CASES)
async def test_the_next_instance_in_gvisor_finds_nothing(
    in_gvisor: Program, mount: Callable[[str], SeatMount], name: str
) -> None:
    """Its kernel lives on in the container: what it keeps must not reach the next instance."""
    channel, forked = CHANNELS[name], Forked(in_gvisor, mount)
    _, end, log = await forked.run(f"{PREAMBLE}{channel.leave}\nprint('left')")
    assert (end.code, log.splitlines()[-1:]) == (0, ["left"]), log
    _, end, log = await forked.run(f"{PREAMBLE}{channel.find}\nprint('looked')")
    assert (end.code, log.splitlines()) == (0, ["looked"]), log
