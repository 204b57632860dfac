"""Nothing of an instance in a warm container survives it: one test for each way to leave something."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from itertools import pairwise

import docker
import pytest
import pytest_asyncio

from ladder.sandbox.base import Program, SeatMount
from ladder.sandbox.fork_server import FEW_FILES, FEW_PROCESSES, MAX_STEPS
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


def making(files: int = 0, renamings: int = 0, processes: int = 0) -> str:
    """Write a program that prints the numbers that it finds, with a file in each folder, and makes more of them."""
    return (
        f"{PREAMBLE}{NUMBERS}"
        f"for _ in range({files}): open('/tmp/y', 'w').close(); os.unlink('/tmp/y')\n"
        f"for n in range({renamings}): os.rename('/tmp/x', '/tmp/z'); os.rename('/tmp/z', '/tmp/x')\n"
        f"for _ in range({processes}):\n    if not (pid := os.fork()): os._exit(0)\n    os.waitpid(pid, 0)\n"
    )


OWN_FILES = OWN_PROCESSES = 2
"""Numbers that count for an instance that only prints them: with that of the server's look at them."""
FEW = [
    *[making(), making(files=FEW_FILES - OWN_FILES), making(renamings=1)],
    *[making(processes=1), making(processes=FEW_PROCESSES - OWN_PROCESSES), making()],
]
MANY = [
    *[making(files=FEW_FILES - OWN_FILES + 1), making(files=MAX_STEPS - OWN_FILES)],
    *[making(processes=FEW_PROCESSES - OWN_PROCESSES + 1), making(processes=MAX_STEPS - OWN_PROCESSES)],
]
"""Programs that make few numbers, up to the limit, and those that make more, up to what a container may have."""


async def steps_after(forked: Forked, programs: Sequence[str]) -> set[tuple[int, ...]]:
    """Run them one after the other in one container; by how much each number has moved from one to the next."""
    runs = [await forked.run(program) for program in (*programs, making())]
    assert len({container for container, _, _ in runs}) == 1
    counted = [[int(word) for word in log.split()[1:]] for _, _, log in runs]
    return {tuple(after - before for before, after in zip(*pair, strict=True)) for pair in pairwise(counted)}


async def test_the_next_instance_sees_how_many_numbers_one_has_made_in_two_steps_only(forked: Forked) -> None:
    few, many = await steps_after(forked, FEW), await steps_after(forked, MANY)
    assert (len(few), len(many)) == (1, 1), (few, many)
    assert few != many


@pytest.mark.runsc
async def test_the_next_instance_in_gvisor_sees_them_in_two_steps_only(
    in_gvisor: Program, mount: Callable[[str], SeatMount]
) -> None:
    forked = Forked(in_gvisor, mount)
    few, many = await steps_after(forked, FEW), await steps_after(forked, MANY)
    assert (len(few), len(many)) == (1, 1), (few, many)
    assert few != many


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
