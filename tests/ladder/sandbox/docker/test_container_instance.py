"""The engine's report of a container's end, without an engine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from ladder.sandbox.base import Exit
from ladder.sandbox.docker.container_instance import BY_SIGKILL, KILLED, LAUNCHER_BY_SIGKILL, LOST, how_it_ended

if TYPE_CHECKING:
    from docker import DockerClient


ENDED = 1795617984
"""Unix time at which the container of these tests ended: 2026-11-25T14:46:24Z."""


def engine(*states: tuple[int, bool], killed_after: float | None = 0.0) -> DockerClient:
    """
    Make one that reports these exit codes, and whether memory ran out, one after the other; the last one repeatedly.

    Args:
        states: Exit code, and whether memory ran out; a code below 0: it runs.
        killed_after: When the engine reports that it was told to kill, in seconds after `ENDED`; None: never.
    """
    left = list(states)

    def inspect_container(name: str) -> dict[str, Any]:
        assert name == "pigpen-x"
        code, oom = left.pop(0) if len(left) > 1 else left[0]
        state: dict[str, Any] = {"Running": code < 0, "ExitCode": code, "OOMKilled": oom}
        state["FinishedAt"] = "2026-11-25T14:46:24.999456789Z"
        return {"Id": "x", "Created": "2026-11-25T14:46:20Z", "State": state, "HostConfig": {"Runtime": "runc"}}

    def events(since: float, until: float, **options: Any) -> list[dict[str, Any]]:
        is_reported = killed_after is not None and since <= ENDED + killed_after < until
        return [{"Action": "kill"}] if is_reported else []

    api = SimpleNamespace(inspect_container=inspect_container, events=events)
    return cast("DockerClient", SimpleNamespace(api=api))


@pytest.mark.parametrize(
    ("states", "end"),
    [
        ([(-1, False)], None),
        ([(3, False)], Exit(3)),
        ([(LAUNCHER_BY_SIGKILL, True)], Exit(137, oom=True)),
        (
            [(LAUNCHER_BY_SIGKILL, False), (LAUNCHER_BY_SIGKILL, False), (LAUNCHER_BY_SIGKILL, True)],
            Exit(137, oom=True),
        ),
        ([(LAUNCHER_BY_SIGKILL, False)], Exit(137)),
        ([(BY_SIGKILL, False), (BY_SIGKILL, True)], KILLED),
    ],
)
def test_a_lack_of_memory_may_be_told_later_than_the_end(states: list[tuple[int, bool]], end: Exit | None) -> None:
    assert how_it_ended(engine(*states), "pigpen-x") == end


def test_a_container_that_was_killed_is_lost_unless_the_engine_was_told_to() -> None:
    killed = (BY_SIGKILL, False)
    assert how_it_ended(engine(killed), "pigpen-x") is KILLED
    assert how_it_ended(engine(killed, killed_after=None), "pigpen-x") is LOST


def test_an_order_to_kill_may_be_told_in_a_later_second_than_the_end() -> None:
    assert how_it_ended(engine((BY_SIGKILL, False), killed_after=1.5), "pigpen-x") is KILLED
