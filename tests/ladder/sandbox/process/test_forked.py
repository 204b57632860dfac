"""Bots of the process sandbox that are forked: nothing differs for a bot, and the server may end at any time."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ladder.errors import SandboxError
from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.process import process_sandbox
from ladder.sandbox.process.forked import ProcessLimits
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine
from tests.for_two import FOR_TWO
from tests.ladder.sandbox.process.test_process_sandbox import FOREVER, first_line, gone, starting
from tests.processes import children
from tests.waiting import PATIENT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ladder.sandbox.process.process_sandbox import ProcessInstance

LOOK = """
import gc, os, signal, stat, sys, threading
import ladder

print(sys.argv, __name__, __file__, os.getcwd(), sys.path[0], ladder.OWN)
print(sorted(name for name in sys.modules if name.startswith("ladder")), threading.active_count(), gc.isenabled())
print({name: value for name, value in os.environ.items() if name not in ("HOME", "TMPDIR")}, hash("pig"))
print(sorted(map(int, os.listdir("/proc/self/fd")))[:-1], sys.stdin.read() == "", sys.stdout.encoding)
print(os.getsid(0) == os.getpgid(0) == os.getpid(), signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGCHLD))
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), os.nice(0), stat.S_ISFIFO(os.fstat(1).st_mode), __builtins__)
"""
FAILS = """
import pigpen

def play():
    return 1 / 0

play()
"""
LIMITS = """
import os, resource
print(resource.getrlimit(resource.RLIMIT_DATA), os.nice(0), sep=chr(10))
print(open("/proc/self/oom_score_adj").read().strip())
"""
FAILS_AT_ITS_END = "import threading; threading._register_atexit(lambda: 1 / 0)"
"""As an executor of processes does by chance: Python reports it, and the exit code is 0."""
PARENT = "import os; print(os.getppid(), flush=True)"


@pytest.fixture
async def sandbox() -> AsyncIterator[ProcessSandbox]:
    sandbox = ProcessSandbox()
    yield sandbox
    await sandbox.close()


async def parent(instance: ProcessInstance) -> int:
    return int(await first_line(instance))


async def the_server(sandbox: ProcessSandbox, folder: Path) -> int:
    """The process that forks; it has forked one bot, which has ended."""
    instance = await starting(sandbox, folder, "deals")(PARENT)
    await instance.wait()
    return await parent(instance)


@pytest.mark.parametrize(
    "source",
    [LOOK, FAILS, "import sys; sys.exit('no')", "raise KeyboardInterrupt", FAILS_AT_ITS_END],
    ids=["what it finds", "a traceback", "an exit in words", "an interrupt", "an executor that is closed twice"],
)
async def test_a_forked_bot_is_as_one_that_is_started_afresh(
    sandbox: ProcessSandbox, tmp_path: Path, source: str
) -> None:
    (tmp_path / "ladder.py").write_text("OWN = 'a module of the bot'")
    found = []
    for deals in (None, "deals"):
        instance = await starting(sandbox, tmp_path, deals)(source)
        code = (await instance.wait()).code
        found.append((code, re.sub(rf"\b{instance.pid}\b", "PID", await instance.log_tail())))
    assert found[0] == found[1]


async def test_all_are_forked_by_one_process_unless_they_are_to_be_fresh(tmp_path: Path) -> None:
    sandboxes = ProcessSandbox(), ProcessSandbox(instances="fresh")
    warm, fresh = (starting(sandbox, tmp_path, "deals") for sandbox in sandboxes)
    try:
        first, second, other = [await parent(await start(PARENT)) for start in (warm, warm, fresh)]
    finally:
        await asyncio.gather(*(sandbox.close() for sandbox in sandboxes))
    assert first == second != other == os.getpid()
    await gone(first)


async def test_where_nothing_can_be_forked_each_is_started_afresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_sandbox, "CAN_FORK", False)
    sandbox = ProcessSandbox()
    assert await parent(await starting(sandbox, tmp_path, "deals")(PARENT)) == os.getpid()
    await sandbox.close()


async def test_limits_hold_for_each_forked_bot(tmp_path: Path) -> None:
    sandbox = ProcessSandbox(limits=ProcessLimits(memory_bytes=300 << 20, niceness=3))
    try:
        await sandbox.prepare()
        look = await starting(sandbox, tmp_path, "deals")(LIMITS)
        assert Exit(0) == await look.wait()
        niceness = min(os.nice(0) + 3, 19)  # the tests themselves may run under `nice`
        assert [f"({300 << 20}, {300 << 20})", str(niceness), "500"] == (await look.log_tail()).splitlines()
        eater = await starting(sandbox, tmp_path, "deals")("bytearray(300 << 20)")
        assert Exit(1) == await eater.wait()
        assert "MemoryError" in await eater.log_tail()
    finally:
        await sandbox.close()


async def test_bots_end_with_a_server_that_is_killed_which_is_not_their_doing_and_the_next_has_another(
    sandbox: ProcessSandbox, tmp_path: Path
) -> None:
    server = await the_server(sandbox, tmp_path)
    instances = [await starting(sandbox, tmp_path, "deals")(FOREVER) for _ in range(2)]
    os.kill(server, signal.SIGKILL)
    for instance in instances:
        with pytest.raises(SandboxError, match="killed from outside"):
            await instance.wait()
        await gone(instance.pid)
        await instance.stop()
    assert await the_server(sandbox, tmp_path) != server


async def test_a_server_that_ends_before_it_answers_is_the_sandboxs_failure(
    sandbox: ProcessSandbox, tmp_path: Path
) -> None:
    server = await the_server(sandbox, tmp_path)
    os.kill(server, signal.SIGSTOP)
    begins = starting(sandbox, tmp_path, "deals")(FOREVER)
    forks = sandbox._server
    assert forks is not None
    assert forks._connection is not None
    while not forks._connection._asked:
        assert not begins.done()
        await asyncio.sleep(0.001)
    os.kill(server, signal.SIGKILL)
    with pytest.raises(SandboxError, match="has ended"):
        await begins


async def test_a_start_that_is_given_up_leaves_no_process(sandbox: ProcessSandbox, tmp_path: Path) -> None:
    server = await the_server(sandbox, tmp_path)
    os.kill(server, signal.SIGSTOP)
    begins = starting(sandbox, tmp_path, "deals")(FOREVER)
    while not begins.done():
        await asyncio.wait([begins], timeout=0.05)
        begins.cancel()
    os.kill(server, signal.SIGCONT)
    assert begins.cancelled()
    await the_server(sandbox, tmp_path)  # it answers in order
    while children(server):
        await asyncio.sleep(0.01)


async def test_a_folder_that_is_gone_is_told_in_the_log(sandbox: ProcessSandbox, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text(FOREVER)
    program = await sandbox.load(BotSource("bot", folder=folder))
    shutil.rmtree(folder)
    instance = await program.start(SeatMount(tmp_path, token="secret", deals="deals"))
    assert Exit(1) == await instance.wait()
    assert "No such file or directory" in await instance.log_tail()


async def test_a_system_that_starts_no_server_is_named(
    sandbox: ProcessSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.py").write_text(FOREVER)
    program = await sandbox.load(BotSource("bot", folder=tmp_path))
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(SandboxError, match=r"not be started: .*/nonexistent/python"):
        await program.start(SeatMount(tmp_path, token="secret", deals="deals"))


async def test_a_match_whose_server_is_killed_is_void(sandbox: ProcessSandbox) -> None:
    spec = MatchSpec(FOR_TWO, ("random", "cautious"), Format(100_000), PATIENT, bytes(32))
    programs = [await sandbox.load(find_bot(name)) for name in spec.bots]

    def write(line: AnyLine) -> None:
        if isinstance(line, DealLine) and line.deal == 0:
            for server in forking():
                os.kill(server, signal.SIGKILL)

    with pytest.raises(SandboxError, match=r"killed from outside"):
        await play_sandboxed(spec, programs, write)


def forking() -> list[int]:
    """Processes of ours that fork bots."""
    return [pid for pid in children(os.getpid()) if b"fork_server" in Path(f"/proc/{pid}/cmdline").read_bytes()]
