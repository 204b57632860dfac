"""Another runtime: gVisor's, whose kernel is a program of its own between the bot and the host's."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import docker
import pytest

from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.docker import containers
from ladder.sandbox.docker.containers import discard
from ladder.sandbox.docker.control_group import GROUPS
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.limits import KERNEL_THREAD, Limits
from ladder.sandbox.host.machine import MIB
from ladder.values.sandbox_kind import AUTO
from pigpen.rules import PRESETS, Rules, seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine
from tests.for_two import FOR_TWO
from tests.ladder import containers as warm
from tests.ladder.containers import run, running
from tests.waiting import PATIENT

pytestmark = [pytest.mark.docker, pytest.mark.runsc, pytest.mark.usefixtures("no_leftovers")]


async def test_it_is_another_kernel_and_output_and_exit_code_come_through(
    program: BotSource, mount: Callable[[str], SeatMount]
) -> None:
    source = "print(open('/proc/version').read()); raise SystemExit(3)"
    end, output = await run(program, mount(source), runtime="runsc")
    assert output.startswith("Linux version")
    assert output.strip() != Path("/proc/version").read_text().strip()
    assert end == Exit(3)


@pytest.mark.parametrize("memory", [96 * MIB, 256 * MIB])
async def test_gvisor_has_room_for_threads_of_its_own_beside_the_bots(
    program: BotSource, mount: Callable[[str], SeatMount], client: docker.DockerClient, memory: int
) -> None:
    limits = Limits(memory=memory)
    for runtime, pids in {"runc": limits.pids, "runsc": limits.pids + memory // KERNEL_THREAD}.items():
        async with running(program, mount("print('up')"), limits, runtime=runtime) as instance:
            config = client.api.inspect_container(instance.name)["HostConfig"]
            nproc = [(each["Soft"], each["Hard"]) for each in config["Ulimits"] if each["Name"] == "nproc"]
            assert (config["PidsLimit"], nproc) == (pids, [(limits.pids,) * 2] if runtime == "runsc" else [])


COUNTS = """
import errno, os, threading, time
def children():
    while True:
        os.posix_spawnp("sleep", ["sleep", "1000"], os.environ)
        yield
def threads():
    while True:
        threading.Thread(target=time.sleep, args=[1000], daemon=True).start()
        yield
count = 1
try:
    for _ in {}(): count += 1
except (OSError, RuntimeError) as error:
    print(count, "limit" if getattr(error, "errno", errno.EAGAIN) == errno.EAGAIN else error, flush=True)
    os._exit(0)
"""


@pytest.mark.parametrize("kind", ["children", "threads"])
@pytest.mark.parametrize("processes", [32, 33])
async def test_the_bots_own_processes_are_counted_inside(
    program: BotSource, mount: Callable[[str], SeatMount], kind: str, processes: int
) -> None:
    """The host's kernel sees gVisor's threads alone. Its own limit is one of the user, who may have one more there."""
    limits = Limits(pids=processes)
    end, output = await run(program, mount(COUNTS.replace("{}", kind)), limits, runtime="runsc")
    assert (end, output) == (Exit(0), f"{processes + 1} limit\n")


async def test_no_bot_raises_that_limit(program: BotSource, mount: Callable[[str], SeatMount]) -> None:
    source = """
import resource
for number in (resource.prlimit(0, resource.RLIMIT_NPROC)[1] + 1, resource.RLIM_INFINITY):
    try:
        resource.setrlimit(resource.RLIMIT_NPROC, (number, number))
        print("raised")
    except (ValueError, PermissionError):
        print("refused")
"""
    assert await run(program, mount(source), runtime="runsc") == (Exit(0), "refused\n" * 2)


async def test_a_fork_bomb_ends_by_itself(program: BotSource, mount: Callable[[str], SeatMount]) -> None:
    """Children of an interpreter take the container's memory before there are too many; either limit ends it."""
    source = """
import os
try:
    while True: os.fork()
except OSError:
    os._exit(0)
"""
    end, _ = await run(program, mount(source), runtime="runsc")
    assert end.code in (0, 137)


async def test_auto_is_gvisor_where_the_engine_knows_it_and_else_runc(program: BotSource) -> None:
    for gvisor, runtime in {"runsc": "runsc", "nonesuch": "runc"}.items():
        sandbox = DockerSandbox(AUTO, gvisor=gvisor, instances="warm")
        try:
            loaded = await sandbox.load(program)
            assert (loaded.runtime, loaded.image_files == "isolated") == (runtime, runtime == "runsc")
        finally:
            await sandbox.close()


async def test_instances_are_forked_and_two_of_the_same_deals_never_share_a_container(
    client: docker.DockerClient, python_image: str, mount: Callable[[str], SeatMount]
) -> None:
    sandbox = warm.warm_sandbox(runtime="runsc")
    try:
        forked = warm.Forked(await sandbox.load(warm.build(client, python_image)), mount)
        (first, *begun), (second, *after), (third, *_) = [
            await forked.run("import os; print(os.getpid() != 1)", deals) for deals in ("a", "b", "a")
        ]
        assert begun == after == [Exit(0), "True\n"]
        assert (first == second, first == third) == (True, False)
    finally:
        await sandbox.close()


async def test_a_program_that_ends_its_whole_container_has_ended_itself(
    client: docker.DockerClient, python_image: str, mount: Callable[[str], SeatMount]
) -> None:
    """Gvisor's kernel takes its memory from the container: no bot may make a match void by using it up."""
    sandbox = warm.warm_sandbox(Limits(memory=96 * MIB), runtime="runsc")
    try:
        forked = warm.Forked(await sandbox.load(warm.build(client, python_image)), mount)
        name, end, _ = await forked.run("hog = []\nwhile True: hog.append(b'x' * (1 << 20))")
        # By its platform, gVisor kills the program, or lets it see that there is no more.
        assert end.code == 137 or end == Exit(1, oom=True)
        assert (await forked.run(""))[0] != name
    finally:
        await sandbox.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root freezes containers")
async def test_a_frozen_container_is_thawed_before_the_engine_is_to_remove_it(
    client: docker.DockerClient, python_image: str, mount: Callable[[str], SeatMount], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frozen container in gVisor is removed only after ten seconds; a sweep waits for five."""
    states: list[str] = []

    def note_and_remove(engine: docker.DockerClient, identifier: str) -> None:
        states.append(freezer_state(identifier))
        discard(engine, identifier)

    sandbox = warm.warm_sandbox(runtime="runsc")
    try:
        forked = warm.Forked(await sandbox.load(warm.build(client, python_image)), mount)
        instance = await forked.start("input()")
        instance.controller.freeze()
        found = client.api.inspect_container(instance.name)
        assert freezer_state(found["Id"]) == "frozen"
        monkeypatch.setattr(containers, "discard", note_and_remove)
        await asyncio.to_thread(containers.remove_sandbox, client, found["Config"]["Labels"][containers.SANDBOX])
        await instance.stop()
    finally:
        await sandbox.close()
    assert states[0] == "thawed"  # further ones: it was still there, and the engine was asked again


def freezer_state(identifier: str) -> str:
    """Read whether the control group of a container is frozen, in either version of them; empty: it is gone."""
    words = {"FROZEN": "frozen", "FREEZING": "frozen", "1": "frozen", "THAWED": "thawed", "0": "thawed"}
    files = [
        Path(folder, name)
        for folder, _, names in os.walk(GROUPS)
        for name in ("freezer.state", "cgroup.freeze")
        if identifier in os.path.basename(folder) and name in names
    ]
    return words[files[0].read_text().strip()] if files else ""


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        (FOR_TWO, ("cautious", "counting")),
        pytest.param(PRESETS["hearts"], ("random", "cautious", "counting", "random"), marks=pytest.mark.long),
    ],
    ids=["two", "four"],
)
async def test_a_match_is_played_without_fault(rules: Rules, names: tuple[str, ...]) -> None:
    spec = MatchSpec(rules, names, Format(1), PATIENT, seed_from("runsc"))
    lines: list[AnyLine] = []
    sandbox = DockerSandbox("runsc")
    try:
        played = await play_sandboxed(spec, [await sandbox.load(find_bot(name)) for name in names], lines.append)
    finally:
        await sandbox.close()
    assert [result.faults for result in played.result.results] == [0] * len(names), played.logs
