"""Bad bots come to what the table declares, and hurt nobody."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

import docker
from ladder.bots import BotSource
from ladder.engine import connect
from ladder.images import ensure_base_image
from ladder.sandbox import owners
from ladder.sandbox.docker import DockerSandbox
from tests.bad_bots.matches import PROGRAMS, TAG, Outcome, build, play
from tests.bad_bots.table import BAD_BOTS, GONE

TABLES = 4
"""Matches at one time."""

Matches = Mapping[str, "asyncio.Task[Outcome]"]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> docker.DockerClient:
    """The engine, with the image of all bad bots."""
    client = connect()
    ensure_base_image(client, print)
    build(client, tmp_path_factory.mktemp("image"))
    return client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def matches(client: docker.DockerClient, request: pytest.FixtureRequest) -> AsyncIterator[Matches]:
    """The matches of the tests that were picked; all are under way, a few at a time."""
    sandbox = DockerSandbox()
    image = await sandbox.load(BotSource("bad", image=TAG))
    tables = asyncio.Semaphore(TABLES)

    async def play_at_a_table(name: str) -> Outcome:
        async with tables:
            return await play(name, BAD_BOTS[name], image)

    picked = {item.callspec.params["name"] for item in request.session.items if _is_match(item)}
    yield {name: asyncio.create_task(play_at_a_table(name), name=name) for name in BAD_BOTS if name in picked}
    await sandbox.close()
    mine = {"label": f"{owners}={owners.this_process()}"}
    assert client.api.containers(all=True, filters=mine) == []


@pytest.mark.docker
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", BAD_BOTS)
async def test_a_bad_bot_hurts_nobody_but_itself(name: str, matches: Matches) -> None:
    outcome, declared = await matches[name], BAD_BOTS[name]
    for sat in outcome.honest:
        assert {step.by for step in sat.steps} == {"bot"}, sat.log
        assert not sat.result.taken_over
    for sat in outcome.bad:
        lost = declared.or_lost and sat.faults[-1:] == (GONE,)
        assert lost or sat.faults == declared.faults, (sat.faults, sat.why, sat.log)
        assert lost or declared.why in sat.why
        assert sat.result.taken_over == (lost or len(sat.faults) > 2 or sat.faults[-1:] in ((GONE,), (ABSENT,)))
        assert declared.end in (None, sat.end)
    observed = {key: value for sat in outcome.bad for key, value in sat.observed.items()}
    assert observed == declared.observed
    assert len(outcome.deals) == declared.deals
