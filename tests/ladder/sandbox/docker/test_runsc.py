"""Another runtime: gVisor's, whose kernel is a program of its own between the bot and the host's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import docker
import pytest

from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.limits import Limits
from pigpen import ClockSetting
from pigpen.rules import PRESETS, seed_from
from referee.match.formats import Format
from referee.match.spec import MatchSpec
from referee.records.lines import AnyLine
from tests.counts import LONG
from tests.for_two import FOR_TWO
from tests.ladder.containers import run, running

pytestmark = [pytest.mark.docker, pytest.mark.runsc, pytest.mark.usefixtures("no_leftovers")]

PATIENT = ClockSetting(bank=600.0, increment=1.0, limit=30.0, start_up=60.0)


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


@pytest.mark.long
async def test_a_match_is_played_without_fault() -> None:
    names = ("random", "cautious", "counting", "random") if LONG else ("cautious", "counting")
    spec = MatchSpec(PRESETS["hearts"] if LONG else FOR_TWO, names, Format(1), PATIENT, seed_from("runsc"))
    lines: list[AnyLine] = []
    sandbox = DockerSandbox("runsc")
    try:
        played = await play_sandboxed(spec, [await sandbox.load(find_bot(name)) for name in names], lines.append)
    finally:
        await sandbox.close()
    assert [result.faults for result in played.result.results] == [0] * len(names), played.logs
