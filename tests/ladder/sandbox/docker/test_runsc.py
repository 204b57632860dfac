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
from ladder.sandbox.docker.limits import Limits
from ladder.sandbox.host.memory import MIB
from ladder.values.runtimes import AUTO
from pigpen.rules import PRESETS, Rules, seed_from
from referee.match.formats import Format
from referee.match.spec import MatchSpec
from referee.records.lines import AnyLine
from tests.for_two import FOR_TWO
from tests.ladder import warm
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


async def test_gvisor_has_room_for_threads_of_its_own(
    program: BotSource, mount: Callable[[str], SeatMount], client: docker.DockerClient
) -> None:
    for runtime, pids in {"runc": Limits().pids, "runsc": Limits().pids + 192}.items():
        async with running(program, mount("print('up')"), runtime=runtime) as instance:
            assert client.api.inspect_container(instance.name)["HostConfig"]["PidsLimit"] == pids


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
        assert end.code == 137
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
