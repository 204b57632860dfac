"""Containers without an engine: operations on them, their log socket, and the engine's report of their end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from docker.errors import APIError

from ladder.errors import SandboxError
from ladder.sandbox.base import STDERR_HEAD, STDERR_TAIL, Exit
from ladder.sandbox.docker.container_instance import (
    BY_SIGKILL,
    CHUNK,
    KILLED,
    LAUNCHER_BY_SIGKILL,
    LOST,
    NAME,
    Output,
    how_it_ended,
)
from ladder.sandbox.docker.containers import container_name, remove_sandbox

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


@pytest.fixture
def bot() -> Iterator[socket.socket]:
    """Yield the socket with which a launcher connects."""
    with socket.socket(socket.AF_UNIX) as end:
        yield end


def fill(bot: socket.socket) -> int:
    """Write until there is no more room; how many bytes."""
    bot.setblocking(False)
    written = 0
    try:
        while True:
            written += bot.send(bytes(4096))
    except BlockingIOError:
        return written


async def let_it_run() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_what_is_written_can_be_read_at_once_and_after_the_end(tmp_path: Path, bot: socket.socket) -> None:
    kept = Output(tmp_path)
    assert not kept.has_connected()
    bot.connect(str(tmp_path / NAME))
    bot.sendall(b"one\n")
    assert str(kept) == "one\n"
    assert kept.has_connected()
    bot.sendall(b"two\n")
    kept.close()
    kept.close()
    assert str(kept) == "one\ntwo\n"


async def test_a_long_output_is_read_to_its_end_and_only_its_ends_are_kept(tmp_path: Path, bot: socket.socket) -> None:
    kept = Output(tmp_path)
    bot.connect(str(tmp_path / NAME))
    await asyncio.to_thread(bot.sendall, b"x" * (1 << 20) + b"the end")
    cut = f"\n… {(1 << 20) + 7 - STDERR_HEAD - STDERR_TAIL:,} bytes left out …\n"
    assert str(kept) == "x" * STDERR_HEAD + cut + "x" * (STDERR_TAIL - 7) + "the end"
    kept.close()


async def test_a_flood_gets_one_chunk_and_then_waits(tmp_path: Path, bot: socket.socket) -> None:
    kept = Output(tmp_path, pause=1e6)
    bot.connect(str(tmp_path / NAME))
    fill(bot)
    await let_it_run()
    assert 0 < fill(bot) <= CHUNK
    await let_it_run()
    assert fill(bot) == 0
    kept.close()


async def test_the_socket_is_gone_once_the_container_has_connected(tmp_path: Path, bot: socket.socket) -> None:
    kept = Output(tmp_path)
    bot.connect(str(tmp_path / NAME))
    await let_it_run()
    assert list(tmp_path.iterdir()) == []
    kept.close()


async def test_nothing_is_left_when_no_container_comes(tmp_path: Path) -> None:
    kept = Output(tmp_path)
    kept.close()
    assert list(tmp_path.iterdir()) == []
    assert not kept.has_connected()


async def test_files_that_a_bot_sends_along_are_not_taken(tmp_path: Path, bot: socket.socket) -> None:
    kept = Output(tmp_path)
    bot.connect(str(tmp_path / NAME))
    with (tmp_path / "file").open("w") as file:
        socket.send_fds(bot, [b"hello"], [file.fileno()])
    before = len(list(Path("/proc/self/fd").iterdir()))
    assert str(kept) == "hello"
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    kept.close()


async def test_a_folder_that_is_not_there_is_the_sandboxs_failure(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="nowhere"):
        Output(tmp_path / "nowhere")


async def test_what_came_before_a_decision_is_not_labelled_with_it(tmp_path: Path, bot: socket.socket) -> None:
    kept = Output(tmp_path)
    bot.connect(str(tmp_path / NAME))
    bot.sendall(b"before\n")
    kept.mark(1)
    bot.sendall(b"one\n")
    kept.mark(2)  # the answer to the last decision may be read before what was printed before it
    bot.sendall(b"two\n")
    assert str(kept) == "before\n[1] one\n[2] two\n"
    kept.close()


async def test_what_a_flood_held_up_is_not_labelled_with_the_next_decision(tmp_path: Path, bot: socket.socket) -> None:
    kept = Output(tmp_path, pause=1e6)
    bot.connect(str(tmp_path / NAME))
    kept.mark(1)
    bot.sendall(b"read\n")
    await let_it_run()
    bot.sendall(b"held up\n")
    await let_it_run()
    kept.mark(2)
    assert str(kept) == "[1] read\n[1] held up\n"
    kept.close()


def test_what_the_engine_does_not_remove_at_first_is_removed_again() -> None:
    left = {container_name(): refusals for refusals in (0, 2, 1)}

    def containers(**_: object) -> list[dict[str, Any]]:
        return [{"Id": name, "Names": [f"/{name}"], "Labels": {}} for name in left]

    def remove_container(name: str, **_: object) -> None:
        if left[name]:
            left[name] -= 1
            raise APIError("it is busy")
        del left[name]

    api = SimpleNamespace(containers=containers, remove_container=remove_container)
    remove_sandbox(cast("DockerClient", SimpleNamespace(api=api)), "0" * 16)
    assert left == {}
