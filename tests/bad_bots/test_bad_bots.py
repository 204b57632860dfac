"""Bad bots come to what the table declares, and hurt nobody but themselves."""

from __future__ import annotations

import ast
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

import docker
import pytest
import pytest_asyncio

from ladder.sandbox.base import Program
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.base_image import ensure_base_image
from ladder.sandbox.docker.containers import OWNER
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.host.scratch import this_process
from ladder.values.sandbox_kind import GVISOR, SHARED
from referee.records.lines import Instances
from referee.seats.verdict import TAKEOVER_AT, Verdict
from tests.bad_bots.matches import PROGRAMS, RULES, TAG, WARM_TAG, build, play
from tests.bad_bots.replay import scores_of
from tests.bad_bots.table import BAD_BOTS

Images = Mapping[tuple[str, Instances], Program]
"""By runtime, and kind of instances."""
INSTANCES: tuple[Instances, ...] = ("warm", "fresh")
FRESH_TOO = {"kills_everybody", "kills_the_first_process", "reads_secrets", "tampers_with_its_seat"}
"""In each push in both kinds of containers; the others in fresh ones in `make test-long`."""
IN_GVISOR = {"busy_children", "thread_bomb", "zombies"}
"""Under gVisor, too, whose kernel takes its threads from the container."""
POSSIBLE = [name for name in BAD_BOTS if os.geteuid() == 0 or not BAD_BOTS[name].needs_root]
PAIRS = [
    *(pytest.param(SHARED, "warm", name) for name in POSSIBLE),
    *(pytest.param(SHARED, "fresh", name, marks=() if name in FRESH_TOO else pytest.mark.long) for name in POSSIBLE),
    *(pytest.param(GVISOR, "warm", name, marks=pytest.mark.runsc) for name in POSSIBLE if name in IN_GVISOR),
    *(
        pytest.param(GVISOR, "fresh", name, marks=(pytest.mark.runsc, pytest.mark.long))
        for name in POSSIBLE
        if name in IN_GVISOR
    ),
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[docker.DockerClient]:
    """The engine, with the image of all bad bots."""
    client = connect()
    ensure_base_image(client, print)
    for instances in INSTANCES:
        build(client, tmp_path_factory.mktemp("image"), instances)
    yield client
    client.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def images(client: docker.DockerClient) -> AsyncIterator[Images]:
    """The image of all bad bots, loaded for all kinds of containers. In the end nothing is left of their matches."""
    runtimes = [runtime for runtime in (SHARED, GVISOR) if runtime in client.api.info()["Runtimes"]]
    sandboxes = {(runtime, kind): DockerSandbox(runtime, instances=kind) for runtime in runtimes for kind in INSTANCES}
    tags = {"warm": WARM_TAG, "fresh": TAG}
    programs = {key: await each.load(BotSource("bad", image=tags[key[1]])) for key, each in sandboxes.items()}
    assert {key: (program.runtime, program.instance_kind) for key, program in programs.items()} == {
        key: key for key in sandboxes
    }
    yield programs
    mine = f"{OWNER}={this_process()}"
    seats = client.api.containers(all=True, filters={"label": [mine, "seat"]})
    for sandbox in sandboxes.values():
        await sandbox.close()
    others = client.api.containers(all=True, filters={"label": mine})
    assert [found["Names"] for found in (*seats, *others)] == []


@pytest.mark.docker
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("runtime", "instances", "name"), PAIRS)
async def test_a_bad_bot_hurts_nobody_but_itself(name: str, runtime: str, instances: Instances, images: Images) -> None:
    """The suite's other workers play at the same time: floods keep only the process of their own referee busy."""
    outcome, declared = await play(name, BAD_BOTS[name], images[runtime, instances]), BAD_BOTS[name]
    assert [seat.log for seat in outcome.honest if seat.result.faults or seat.result.taken_over] == []
    assert {step.by for seat in outcome.honest for step in seat.steps} == {"bot", "forced"}
    for seat in outcome.bad:
        assert seat.faults in declared.verdicts, (seat.why, seat.log)
        assert seat.result.taken_over == is_taken_over(seat.faults)
        assert declared.why in seat.why
        assert declared.end in (None, seat.end)
        assert seat.unasked_ms >= declared.unasked_ms
    assert outcome.observed == declared.observed
    assert len(outcome.deals) == declared.deals
    assert [scores_of(RULES[declared.rules], deal) for deal in outcome.deals] == [deal.scores for deal in outcome.deals]


def is_taken_over(faults: Sequence[Verdict]) -> bool:
    return len(faults) >= TAKEOVER_AT or any(fault.is_final for fault in faults)


def test_every_program_confesses_its_sin_and_stands_in_the_table() -> None:
    sins = {path.stem: ast.get_docstring(ast.parse(path.read_text())) for path in PROGRAMS.glob("*.py")}
    assert set(BAD_BOTS) == set(sins)
    assert [name for name, sin in sins.items() if not sin] == []
