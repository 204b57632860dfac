"""The log socket, without a container."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.errors import SandboxError
from ladder.sandbox.base import STDERR_HEAD, STDERR_TAIL
from ladder.sandbox.docker.container_instance import CHUNK, NAME, Output


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
