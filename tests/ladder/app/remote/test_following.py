"""Progress of a submission: by a stream, and without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.remote.connection import Connection
from ladder.app.remote.submitting import FOLLOW_TRIES as TRIES
from ladder.app.remote.submitting import follow
from ladder.app.submit.ended import result_of
from ladder.errors import LadderError, RemoteError, SandboxError
from ladder.values.submission import SubmissionResult, SubmissionRow
from ladder.values.value import time_of
from tests.ladder.app.remote.conftest import Reply, telling

if TYPE_CHECKING:
    from collections.abc import Callable

EVENTS = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
WAITING = SubmissionRow(
    id=7, owner="ada", bot="Trotter", source="mybot", status="queued", phase="received", place=2, done=0, steps=0,
    attempt=0, added=time_of(1), started=None, finished=None, reason="", result=None,
)  # fmt: skip
TRYING = WAITING.model_copy(update={"status": "leased", "phase": "trying", "place": None, "done": 3, "steps": 9})
RESULT = SubmissionResult(
    accepted=True, bot="Trotter", owner="ada", identity="x", pinned=None, version="Trotter@1", new=True, changed=True,
    moved_from=None, outdated=(), variants=(), reasons=(), again=None,
)  # fmt: skip
ENDED = TRYING.model_copy(update={"status": "entered", "phase": "ended", "finished": time_of(9), "result": RESULT})


def stream(*rows: SubmissionRow, stop: bool = False) -> Reply:
    text = "".join(f"data: {row.model_dump_json()}\n\n: still here\n\n" for row in rows)
    return 200, EVENTS, (text + ("event: stop\ndata: {}\n\n" if stop else "")).encode()


def row(now: SubmissionRow) -> Reply:
    return 200, {"Content-Type": "application/json"}, now.model_dump_json().encode()


REFUSED: Reply = (503, {"Content-Type": "application/problem+json"}, b'{"detail": "too many streams"}')


@pytest.mark.parametrize(
    ("replies", "seen"),
    [
        ([stream(WAITING, TRYING, ENDED, stop=True)], [WAITING, TRYING, ENDED]),
        ([stream(WAITING), row(TRYING), stream(TRYING, ENDED)], [WAITING, TRYING, TRYING, ENDED]),
        ([stream(WAITING, stop=True), row(ENDED)], [WAITING, ENDED]),
        ([REFUSED, row(TRYING), REFUSED, row(ENDED)], [TRYING, ENDED]),
        ([None, row(TRYING), stream(ENDED)], [TRYING, ENDED]),
        ([(200, {"Content-Type": "text/html"}, b"<h1>"), row(ENDED)], [ENDED]),
        ([(200, EVENTS, b"data: {}\n\n"), row(ENDED)], [ENDED]),
        ([(200, {**EVENTS, "Content-Length": "99999"}, stream(TRYING)[2]), row(ENDED)], [TRYING, ENDED]),
    ],
    ids=["a stream", "a stream that breaks", "a site that restarts", "none", "no answer", "a page", "nonsense", "half"],
)
def test_each_step_is_told_until_the_end(
    replies: list[Reply | None], seen: list[SubmissionRow], wait: Callable[[float], None]
) -> None:
    with telling(*replies) as server, Connection(server.address, "pgp_x", wait) as connection:
        assert list(follow(connection, 7, wait)) == seen


def test_a_ladder_that_does_not_come_back_ends_it_with_how_to_look_later(
    waits: list[float], wait: Callable[[float], None]
) -> None:
    with (
        telling(None) as server,
        Connection(server.address, "pgp_x", wait) as connection,
        pytest.raises(RemoteError, match="It continues there"),
    ):
        list(follow(connection, 7, wait))
    assert len(waits) > TRIES


def test_what_is_not_shown_any_more_ends_it(wait: Callable[[float], None]) -> None:
    gone: Reply = (401, {"Content-Type": "application/problem+json"}, b'{"detail": "Log in again"}')
    with (
        telling(gone) as server,
        Connection(server.address, "pgp_x", wait) as connection,
        pytest.raises(LadderError, match="Log in again"),
    ):
        list(follow(connection, 7, wait))


def test_an_end_without_a_trial_is_an_error_as_on_this_machine() -> None:
    def ended(status: str, reason: str) -> SubmissionRow:
        return ENDED.model_copy(update={"status": status, "reason": reason, "result": None})

    assert result_of(ENDED) == RESULT
    with pytest.raises(LadderError, match="another owner's"):
        result_of(ended("refused", "It is another owner's."))
    with pytest.raises(SandboxError, match="no engine"):
        result_of(ended("failed", "There is no engine."))
    with pytest.raises(LadderError, match=r"^Submission 7 was withdrawn\.$"):
        result_of(ended("withdrawn", ""))
