"""A remote ladder asked whether it plays."""

from __future__ import annotations

import json

import pytest

from ladder.app.missing_runner import START_THERE
from ladder.app.remote.connection import Connection
from ladder.app.remote.remote_ladder import RemoteLadder
from ladder.values.reports import LadderHealth
from ladder.values.value import time_of
from tests.ladder.app.remote.conftest import Reply, telling

DOWN = LadderHealth(
    oldest_computation_seconds=0.0,
    runners=0,
    seen=time_of(0.0),
    silent_seconds=500.0,
    waiting=3,
    oldest_seconds=400.0,
    free_bytes=None,
)
SENTENCE = f"Nothing plays: no runner has been seen since 1970-01-01 00:00 UTC. {START_THERE}"


def value(found: LadderHealth) -> Reply:
    return 200, {"Content-Type": "application/json"}, found.model_dump_json().encode()


def problem(status: int) -> Reply:
    return status, {"Content-Type": "application/problem+json"}, json.dumps({"detail": "Not here."}).encode()


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (value(DOWN), SENTENCE),
        (value(DOWN.model_copy(update={"runners": 1})), ""),
        (value(DOWN.model_copy(update={"waiting": 0})), ""),
        (problem(404), ""),
        ((404, {"Content-Type": "text/html"}, b"<html>"), ""),
        ((200, {"Content-Type": "text/html"}, b"<html>"), ""),
    ],
    ids=["down", "up", "nothing waits", "older ladder", "another site", "no value"],
)
def test_a_remote_ladder_says_that_nothing_plays_and_an_older_one_says_nothing(reply: Reply, sentence: str) -> None:
    with telling(reply) as server, Connection(server.address) as connection:
        assert RemoteLadder(connection).why_nothing_plays() == sentence
    ((method, path, _, _),) = server.asked
    assert (method, path) == ("GET", "/api/v1/health")
