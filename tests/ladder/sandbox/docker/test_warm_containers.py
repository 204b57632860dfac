"""Instances that are forked in warm containers: each is fresh, and none finds anything of an earlier one."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import docker
import pytest
import pytest_asyncio

from ladder.errors import ContainerLost, SandboxError
from ladder.sandbox.base import Exit, Program, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker import container_plan, containers
from ladder.sandbox.docker.container_instance import DockerInstance
from ladder.sandbox.docker.control_group import GroupFiles
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.limits import Limits
from ladder.sandbox.docker.programs import FORK_SERVER
from ladder.sandbox.docker.warm_container import ControlSocket
from ladder.sandbox.host.machine import MIB
from ladder.sandbox.host.scratch import make_visible_folder
from tests.ladder import containers as warm
from tests.ladder.containers import (
    ROOT,
    SHARED_LOOP,
    Forked,
    has_written,
    kill_without_the_engine,
    nothing_left,
    run_in,
    write_visible,
)
from tests.waiting import comes

MakeMount = Callable[[str], SeatMount]
FOREVER = "import time\nwhile True: time.sleep(1)"
CONNECTS = (
    "import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ['PIGPEN_ADDRESS'].removeprefix('unix:'))"
)

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def image(client: docker.DockerClient, python_image: str) -> BotSource:
    """The image; packages lie beside the program."""
    return warm.build(client, python_image, f"{warm.TAG}-path", f"{warm.DOCKERFILE}\nENV PYTHONPATH=/bot/vendor")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def loaded(client: docker.DockerClient, image: BotSource) -> AsyncIterator[Program]:
    """The image, loaded in a sandbox that forks, for all tests that are marked with `SHARED_LOOP`."""
    sandbox = warm.warm_sandbox()
    with nothing_left(client):
        yield await sandbox.load(image)
        await sandbox.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def alone(loaded: Program) -> AsyncIterator[DockerSandbox]:
    """A sandbox in which each instance has a container of its own."""
    sandbox = DockerSandbox()
    yield sandbox
    await sandbox.close()


@pytest.fixture
def forked(loaded: Program, mount: MakeMount) -> Forked:
    """Runs instances in that sandbox."""
    return Forked(loaded, mount)


@SHARED_LOOP
async def test_instances_of_different_deals_are_forked_in_one_container(forked: Forked) -> None:
    first, second = [await forked.run("import os; print(os.getpid() != 1)") for _ in range(2)]
    assert first == second == (first[0], Exit(0), "True\n")


@SHARED_LOOP
async def test_two_instances_that_see_the_same_deals_never_share_a_container(forked: Forked) -> None:
    names = [(await forked.run("", deals))[0] for deals in ("a", "a", "b", "a", "b", "c")]
    of_a, of_b = {names[0], names[1], names[3]}, {names[2], names[4]}
    assert (len(of_a), len(of_b)) == (3, 2)
    assert set(names) == of_a  # b and c found room in them


@SHARED_LOOP
async def test_instances_at_one_time_are_in_containers_of_their_own(forked: Forked) -> None:
    instances = await asyncio.gather(*(forked.start(FOREVER) for _ in range(3)))
    assert len({instance.name for instance in instances}) == 3
    await asyncio.gather(*(instance.stop() for instance in instances))


ENDS = [
    ("raise SystemExit(3)", Exit(3), ""),
    ("import sys; sys.exit('no')", Exit(1), "no"),
    ("import os; os._exit(7)", Exit(7), ""),
    ("1 / 0", Exit(1), "ZeroDivisionError"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", Exit(137), ""),
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", Exit(139), ""),
    ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", Exit(130), "KeyboardInterrupt"),
    ("import atexit; atexit.register(print, 'last')", Exit(0), "last"),
    ("import threading; threading.Timer(0.1, print, ['later']).start()", Exit(0), "later"),
    ("bytes(1 << 40)", Exit(1), "MemoryError"),
    ("def", Exit(1), "SyntaxError"),
]
"""Programs, how each of them ends, and what it says."""


@SHARED_LOOP
@pytest.mark.parametrize("ends", [ENDS[::4], pytest.param(ENDS, marks=pytest.mark.long)], ids=["some", "all"])
async def test_it_ends_as_a_program_in_a_container_of_its_own_does(
    forked: Forked, alone: DockerSandbox, program: BotSource, mount: MakeMount, ends: Sequence[tuple[str, Exit, str]]
) -> None:
    for source, end, words in ENDS:
        _, found, log = await forked.run(source)
        assert (found, words in log) == (end, True), source
        assert "fork_server" not in log
    for source, end, words in ends:
        fresh_end, fresh_log = await run_in(alone, program, mount(source))
        assert (fresh_end, words in fresh_log) == (end, True), source


@SHARED_LOOP
async def test_its_threads_share_the_heap_and_no_codec_was_imported_for_its_start(forked: Forked) -> None:
    """Both would cost system calls and page faults in each instance, which are dear in gVisor."""
    source = """
import ctypes, sys, threading
malloc = ctypes.CDLL(None).malloc
malloc.restype = ctypes.c_void_p
places = []
thread = threading.Thread(target=lambda: places.append(malloc(100)))
thread.start()
thread.join()
with open('/proc/self/maps', 'rb') as file:
    heaps = [line.split()[0].split(b'-') for line in file if b'[heap]' in line]
print([any(int(first, 16) <= place < int(end, 16) for first, end in heaps) for place in places])
print('encodings.ascii' in sys.modules)
"""
    _, _, log = await forked.run(source)
    assert log.split() == ["[True]", "False"]


@SHARED_LOOP
async def test_it_is_run_as_python_runs_its_main_file(forked: Forked) -> None:
    """A program sees its own name, its folder first on the path, and nothing of the server."""
    source = """
import os, pickle, sys
class Named: pass
print(__name__, __file__, sys.argv, sys.path[0], type(pickle.loads(pickle.dumps(Named()))).__name__)
found = [name for name in os.listdir('/proc/self/fd') if os.path.lexists(f'/proc/self/fd/{name}')]
kept = [name for name in found if os.readlink(f'/proc/self/fd/{name}').startswith('/proc/')]
print(sorted({*found} - {*kept}), [name for name in os.environ if name.startswith('PIGPEN')])
print(os.environ['PIGPEN_TOKEN'], os.environ['PIGPEN_ADDRESS'])
"""
    _, _, log = await forked.run(source)
    named, open_files, seat = log.splitlines()
    assert named == "__main__ /run/pigpen/seat/program.py ['/run/pigpen/seat/program.py'] /run/pigpen/seat Named"
    # Without the list's own, and its own files in /proc, which are kept open so that Landlock knows them.
    assert open_files == "['0', '1', '2'] ['PIGPEN_ADDRESS', 'PIGPEN_TOKEN']"
    assert seat == "secret unix:/run/pigpen/seat/seat.sock"


@SHARED_LOOP
async def test_a_frozen_instance_is_stopped(forked: Forked) -> None:
    instance = await forked.start(f"print('up')\n{FOREVER}")
    await has_written(instance, "up")
    instance.controller.freeze()
    await instance.stop()
    assert await instance.wait() == Exit(137)
    assert (await forked.run(""))[0] == instance.name


@SHARED_LOOP
async def test_waiting_ends_when_it_is_stopped(forked: Forked) -> None:
    instance = await forked.start(FOREVER)
    waiting = asyncio.ensure_future(instance.wait())
    await asyncio.sleep(0)
    await instance.stop()
    assert await waiting == Exit(137)


@pytest.mark.usefixtures("no_leftovers")
async def test_after_a_lack_of_memory_the_container_goes_and_that_of_a_child_is_told_too(
    image: BotSource, mount: MakeMount
) -> None:
    sandbox = warm.warm_sandbox(Limits(memory=64 * MIB))
    child = (
        "import os\nif os.fork():\n    os.wait()\nelse:\n    hog = []\n    while True: hog.append(bytearray(1 << 20))"
    )
    try:
        forked = Forked(await sandbox.load(image), mount)
        name, end, _ = await forked.run("hog = []\nwhile True: hog.append(bytearray(1 << 20))")
        assert end == Exit(137, oom=True)
        other, end, _ = await forked.run(child)
        assert end == Exit(0, oom=True)
        assert other != name
    finally:
        await sandbox.close()


@SHARED_LOOP
async def test_a_container_that_is_killed_from_outside_is_the_platforms_failure(
    forked: Forked, client: docker.DockerClient
) -> None:
    instance = await forked.start(FOREVER)
    client.api.kill(instance.name)
    with pytest.raises(SandboxError, match="killed from outside") as failure:
        await instance.wait()
    assert not isinstance(failure.value, ContainerLost)
    await instance.stop()
    assert (await forked.run(""))[1] == Exit(0)


@SHARED_LOOP
async def test_a_container_that_is_killed_without_the_engine_is_lost(
    forked: Forked, client: docker.DockerClient, python_image: str
) -> None:
    instance = await forked.start(FOREVER)
    kill_without_the_engine(client, python_image, instance.name)
    with pytest.raises(ContainerLost, match="not through its engine"):
        await instance.wait()
    await instance.stop()


@SHARED_LOOP
async def test_an_idle_container_that_was_killed_is_not_used(forked: Forked, client: docker.DockerClient) -> None:
    instance = await forked.start("")
    await instance.stop()
    client.api.kill(instance.name)
    await instance.container.lost.wait()
    name, end, _ = await forked.run("")
    assert (name != instance.name, end) == (True, Exit(0))


@pytest.mark.usefixtures("no_leftovers")
async def test_a_server_that_ends_before_it_connects_is_noticed_at_once(
    image: BotSource, mount: MakeMount, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message has how it ended, not that it took too long."""
    script = tmp_path / FORK_SERVER.name
    script.write_text("raise SystemExit(7)")
    monkeypatch.setattr(container_plan, "FORK_SERVER", script)
    sandbox = warm.warm_sandbox()
    try:
        forked = Forked(await sandbox.load(image), mount)
        with pytest.raises(SandboxError, match="exit code 7"):
            await forked.start("")
    finally:
        await sandbox.close()


@pytest.mark.usefixtures("no_leftovers")
@pytest.mark.parametrize("is_found", [False, True], ids=["hidepid", "no /sys/fs/cgroup"])
async def test_where_no_control_group_can_be_read_nothing_is_forked_and_that_is_said_once(
    image: BotSource, mount: MakeMount, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_found: bool
) -> None:
    nothing = tmp_path / "nothing"
    files = GroupFiles(nothing, 1.0, nothing, b"", b"", nothing, nothing, nothing, nothing)
    monkeypatch.setattr(containers, "files_of", lambda pid, name: files if is_found else None)
    reports: list[str] = []
    sandbox = DockerSandbox(report=reports.append, instances="warm")
    try:
        program = await sandbox.load(image)
        assert program.instance_kind == "warm"
        mounts = [replace(mount(""), deals=f"{deals}") for deals in range(3)]
        for each in mounts:  # where the image's command finds it in a container of its own
            make_visible_folder(each.folder / "seat")
            write_visible(each.folder / "seat" / "program.py", "print('here')")
        started = [*await asyncio.gather(*map(program.start, mounts[:2])), await program.start(mounts[2])]
        for instance in started:
            assert isinstance(instance, DockerInstance)
            assert await instance.wait() == Exit(0)
            assert await instance.log_tail() == "here\n"
            await instance.stop()
        assert program.instance_kind == (await sandbox.load(image)).instance_kind == "fresh"
    finally:
        await sandbox.close()
    assert [line for line in reports if "no bot is forked" in line] == reports
    assert len(reports) == 1


@pytest.mark.root  # who may stop a process of another user
@pytest.mark.usefixtures("no_leftovers")
async def test_a_server_that_does_not_answer_is_thrown_away(
    image: BotSource, mount: MakeMount, client: docker.DockerClient
) -> None:
    """Its clearing is waited for, but not for long."""
    sandbox = warm.warm_sandbox(clear_seconds=0.1)
    try:
        forked = Forked(await sandbox.load(image), mount)
        instance = await forked.start(FOREVER)
        pid = client.api.inspect_container(instance.name)["State"]["Pid"]
        os.kill(pid, signal.SIGSTOP)
        await instance.stop()
        assert (await forked.run(""))[0] != instance.name
    finally:
        await sandbox.close()


@SHARED_LOOP
async def test_the_folder_of_a_seat_is_where_it_was_afterwards(forked: Forked, mount: MakeMount) -> None:
    instance = await forked.start("open('/tmp/x', 'w')")
    await instance.wait()
    await instance.stop()
    second = await forked.start("import os; print(os.listdir('/run/pigpen/seat'))")
    await second.wait()
    assert "program.py" in await second.log_tail()
    await second.stop()


@pytest.mark.usefixtures("no_leftovers")
async def test_closing_the_sandbox_removes_running_and_idle_ones(image: BotSource, mount: MakeMount) -> None:
    sandbox = warm.warm_sandbox()
    forked = Forked(await sandbox.load(image), mount)
    running = await forked.start(FOREVER)
    await forked.run("")
    await sandbox.close()
    assert await running.wait() == Exit(137)


@pytest.mark.usefixtures("no_leftovers")
async def test_a_start_that_is_cancelled_leaves_nothing(
    image: BotSource, mount: MakeMount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the container is there, and its fork server not yet ready."""
    accept, has_container = ControlSocket.accept, asyncio.Event()

    async def watched(control: ControlSocket) -> asyncio.StreamReader:
        has_container.set()
        return await accept(control)

    monkeypatch.setattr(ControlSocket, "accept", watched)
    sandbox = warm.warm_sandbox()
    starting = asyncio.ensure_future(Forked(await sandbox.load(image), mount).start(FOREVER))
    await has_container.wait()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await sandbox.close()


@pytest.mark.usefixtures("no_leftovers")
async def test_a_strangers_image_is_not_forked(client: docker.DockerClient, python_image: str) -> None:
    """Its label is the same as ours, but it was not built here."""
    dockerfile = f"{warm.DOCKERFILE}\nENV OTHER={uuid.uuid4()}"
    source = warm.build(client, python_image, tag="pigpen/test:not-ours", dockerfile=dockerfile)
    sandbox = warm.warm_sandbox()
    try:
        assert (await sandbox.load(source)).instance_kind == "fresh"
    finally:
        await sandbox.close()
        client.images.remove("pigpen/test:not-ours")


@SHARED_LOOP
async def test_one_that_is_stopped_at_once_is_cleared_too(forked: Forked) -> None:
    """The order to start and the one to clear may arrive together."""
    names = set()
    for _ in range(5):
        instance = await forked.start(FOREVER)
        await instance.stop()
        names.add(instance.name)
    assert len(names) == 1


@SHARED_LOOP
async def test_a_container_is_used_again_when_the_referee_was_slow_to_close_its_ends(
    loaded: Program, mount: MakeMount
) -> None:
    """The kernel counts both ends of a connection where it was made."""
    seat, ends = mount(CONNECTS), list[asyncio.StreamWriter]()
    server = await asyncio.start_unix_server(lambda _, end: ends.append(end), seat.folder / "seat.sock")
    (seat.folder / "seat.sock").chmod(0o666)
    instance = await Forked(loaded, lambda _: seat).start("")
    await instance.wait()
    await comes(lambda: ends)
    asyncio.get_running_loop().call_later(2.5, ends[0].close)
    await instance.stop()
    assert (await Forked(loaded, mount).run(""))[0] == instance.name
    server.close()


@SHARED_LOOP
async def test_sets_are_gone_through_in_one_order_in_every_container(
    forked: Forked, alone: DockerSandbox, program: BotSource, mount: MakeMount
) -> None:
    source = "print(list({str(n) for n in range(50)}))"
    first, second = [(await forked.run(source, "the same deals"))[::2] for _ in range(2)]
    assert first[0] != second[0]
    assert first[1] == second[1] == (await run_in(alone, program, mount(source)))[1]


LEAVER = """
import asyncio, sys
from pathlib import Path
from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from tests.ladder.containers import new_mount

async def main():
    program = await DockerSandbox(instances="warm").load(BotSource("program", image=sys.argv[1]))
    mounts = [new_mount(Path(sys.argv[2]) / str(n), "import time; time.sleep(1000)") for n in range(2)]
    idle, busy = [await program.start(SeatMount(each.folder, "x", deals=each.folder.name)) for each in mounts]
    await idle.stop()
    print(idle.name, busy.name, flush=True)
    await asyncio.sleep(1000)

asyncio.run(main())
"""


@pytest.mark.usefixtures("no_leftovers")
async def test_what_a_killed_process_left_is_removed_idle_or_not(
    image: BotSource, client: docker.DockerClient, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", LEAVER, str(image.image), str(tmp_path)]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    left = (await process.stdout.readline()).decode().split()

    def found() -> list[int]:
        return [len(client.api.containers(all=True, filters={"name": name})) for name in left]

    assert found() == [1, 1]
    process.kill()
    await process.wait()
    sandbox = warm.warm_sandbox()
    try:
        await sandbox.load(image)
        await comes(lambda: found() == [0, 0], "the removal")  # another process may be the one that removes them
    finally:
        await sandbox.close()


@SHARED_LOOP
async def test_what_a_program_started_ends_with_it(forked: Forked, client: docker.DockerClient) -> None:
    """Not only when the container is cleared: meanwhile it would take the others' time."""
    instance = await forked.start("import os, time\nif os.fork() == 0:\n    os.setsid()\n    while True: time.sleep(1)")
    assert await instance.wait() == Exit(0)
    assert len(client.api.top(instance.name)["Processes"]) == 1
    await instance.stop()


@SHARED_LOOP
async def test_a_program_that_it_starts_finds_the_packages_too(forked: Forked) -> None:
    child = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import sys; print(sys.path[1])'])"
    _, _, log = await forked.run(f"import sys; print(sys.path[1])\n{child}")
    assert log.splitlines()[0] == log.splitlines()[1] == "/bot/vendor"
