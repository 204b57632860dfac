from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from ladder.errors import BotRejected
from ladder.sandbox.base import STDERR_HEAD, STDERR_TAIL, Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import content_hash
from ladder.sandbox.process.process_sandbox import ProcessInstance, ProcessSandbox
from tests.ladder.containers import ROOT, has_written
from tests.ladder.locked import locked

FOREVER = "import time; time.sleep(1000)"
Start = Callable[[str], "asyncio.Future[ProcessInstance]"]


@pytest.fixture
async def sandbox() -> AsyncIterator[ProcessSandbox]:
    sandbox = ProcessSandbox()
    yield sandbox
    await sandbox.close()


def starting(sandbox: ProcessSandbox, folder: Path, deals: str | None) -> Start:
    """Give the start of a bot whose `bot.py` is the given program: forked, if its deals have a name."""

    async def begin(source: str) -> ProcessInstance:
        file, text = folder / "bot.py", textwrap.dedent(source)
        if not file.exists() or file.read_text() != text:  # one that starts may be about to read the same
            file.write_text(text)
        program = await sandbox.load(BotSource("bot", folder=folder))
        return await program.start(SeatMount(folder, token="secret", deals=deals))

    return lambda source: asyncio.ensure_future(begin(source))


@pytest.fixture(params=[None, "deals"], ids=["fresh", "forked"])
def start(request: pytest.FixtureRequest, sandbox: ProcessSandbox, tmp_path: Path) -> Start:
    """Start a bot afresh, or forked."""
    return starting(sandbox, tmp_path, request.param)


def lives(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def exists(path: str) -> bool:
    return Path(path).exists()


async def gone(pid: int) -> None:
    """Return when no process has that *pid*; the test's time limit is the only one."""
    while lives(pid):
        await asyncio.sleep(0.01)


async def first_line(instance: ProcessInstance) -> str:
    await has_written(instance, "\n")
    return (await instance.log_tail()).splitlines()[0]


async def test_the_exit_code_is_told_every_time(start: Start) -> None:
    instance = await start("raise SystemExit(3)")
    assert [Exit(3)] * 2 == [await instance.wait(), await instance.wait()]


async def test_what_it_writes_last_is_there_when_it_has_ended(start: Start) -> None:
    instance = await start("import sys; print('out', flush=True); sys.exit('err')")
    await instance.wait()
    assert await instance.log_tail() == "out\nerr\n"


async def test_a_file_that_may_not_be_read_is_told_to_the_owner(sandbox: ProcessSandbox, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(FOREVER)
    with (
        locked(tmp_path / "bot.py"),
        pytest.raises(BotRejected, match=r": \S+bot\.py: Permission denied"),
    ):
        await sandbox.load(BotSource("bot", folder=tmp_path))


async def test_it_knows_its_seat_and_nothing_else_of_us(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "of the platform")
    instance = await start("""
        import os
        print(os.environ["PIGPEN_ADDRESS"], os.environ["PIGPEN_TOKEN"], os.getcwd(), os.environ.get("SECRET_KEY"))
        print(os.getsid(0) == os.getpid(), os.path.isdir(os.environ["HOME"]), os.environ["HOME"])
    """)
    await instance.wait()
    first, second = (await instance.log_tail()).splitlines()
    assert f"unix:{tmp_path}/seat.sock secret {tmp_path} None" == first
    assert second.startswith("True True ")
    assert not exists(second.split()[-1])


async def test_it_can_import_what_is_installed_here(start: Start) -> None:
    assert Exit(0) == await (await start("import grpc")).wait()


async def test_a_flood_neither_blocks_it_nor_grows(start: Start) -> None:
    instance = await start("""
        for _ in range(200):
            print("x" * 65536)
        print("the end")
    """)
    assert Exit(0) == await instance.wait()
    tail = await instance.log_tail()
    assert len(re.sub("\n?… .* bytes left out …\n", "", tail)) <= STDERR_HEAD + STDERR_TAIL
    assert tail.endswith("xxx\nthe end\n")


async def test_stop_kills_once_and_then_does_nothing(start: Start) -> None:
    instance = await start(FOREVER)
    await asyncio.gather(instance.stop(), instance.stop())
    await instance.stop()
    assert Exit(128 + signal.SIGKILL) == await instance.wait()


async def test_stop_kills_what_it_started_too(start: Start) -> None:
    instance = await start(f"""
        import subprocess, sys, time
        print(subprocess.Popen([sys.executable, "-c", "{FOREVER}"]).pid, flush=True)
        {FOREVER}
    """)
    child = int(await first_line(instance))
    await instance.stop()
    await gone(child)


async def test_what_it_started_ends_with_it(start: Start) -> None:
    instance = await start(f"""
        import subprocess, sys
        print(subprocess.Popen([sys.executable, "-c", "{FOREVER}"]).pid, flush=True)
    """)
    assert Exit(0) == await instance.wait()
    await gone(int(await first_line(instance)))


async def test_a_child_that_left_the_group_holds_nothing_up(start: Start) -> None:
    instance = await start(f"""
        import subprocess, sys
        print(subprocess.Popen([sys.executable, "-c", "{FOREVER}"], start_new_session=True).pid, flush=True)
    """)
    assert Exit(0) == await instance.wait()
    os.kill(int(await first_line(instance)), signal.SIGKILL)


async def test_a_bot_that_closes_its_output_plays_on(start: Start) -> None:
    instance = await start("""
        import os
        os.write(1, b"bye"), os.close(1), os.close(2)
        os._exit(5)
    """)
    assert Exit(5) == await instance.wait()
    assert await instance.log_tail() == "bye"


async def test_close_kills_all(sandbox: ProcessSandbox, start: Start) -> None:
    instances = [await start(FOREVER) for _ in range(3)]
    await sandbox.close()
    assert [Exit(137)] * 3 == [await instance.wait() for instance in instances]


async def test_a_cancelled_wait_leaves_the_bot_alone(start: Start) -> None:
    instance = await start("input()")
    waiting = asyncio.ensure_future(instance.wait())
    await asyncio.sleep(0)
    waiting.cancel()
    assert Exit(1) == await instance.wait()


@pytest.mark.parametrize("deals", ["", "deals"], ids=["fresh", "forked"])
async def test_a_bot_dies_with_its_parent_even_of_kill_9(tmp_path: Path, deals: str) -> None:
    (tmp_path / "bot.py").write_text(FOREVER)
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(tmp_path), deals, cwd=ROOT, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    bot = int(await parent.stdout.readline())
    assert lives(bot)
    parent.kill()
    await parent.communicate()
    await gone(bot)


async def test_identity_is_the_content(sandbox: ProcessSandbox, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("1")
    bot = BotSource("bot", folder=tmp_path)
    first = (await sandbox.load(bot)).identity
    assert f"sha256:{content_hash(tmp_path)}" == first
    (tmp_path / "bot.py").write_text("2")
    assert first != (await sandbox.load(bot)).identity


async def test_an_image_is_rejected(sandbox: ProcessSandbox) -> None:
    with pytest.raises(BotRejected, match="folders only"):
        await sandbox.load(BotSource("team/bot", image="team/bot"))


async def test_a_folder_without_a_main_file_is_rejected(sandbox: ProcessSandbox, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM scratch")
    with pytest.raises(BotRejected, match=r"neither a bot\.py nor a bot\.js"):
        await sandbox.load(BotSource("bot", folder=tmp_path))


async def test_without_node_a_javascript_bot_is_rejected(
    sandbox: ProcessSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.js").write_text("")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BotRejected, match=r"Node\.js"):
        await sandbox.load(BotSource("bot", folder=tmp_path))


@pytest.mark.node
async def test_without_its_packages_a_javascript_bot_is_rejected(sandbox: ProcessSandbox, tmp_path: Path) -> None:
    (tmp_path / "bot.js").write_text("")
    (tmp_path / "package.json").write_text('{"dependencies": {"long": "^5.0.0"}}')
    with pytest.raises(BotRejected, match=": npm ci"):
        await sandbox.load(BotSource("bot", folder=tmp_path))
    (tmp_path / "node_modules").mkdir()
    await sandbox.load(BotSource("bot", folder=tmp_path))


@pytest.mark.node
async def test_a_javascript_bot_runs(sandbox: ProcessSandbox, tmp_path: Path) -> None:
    (tmp_path / "bot.js").write_text("console.log(process.env.PIGPEN_TOKEN); process.exitCode = 4")
    program = await sandbox.load(BotSource("bot", folder=tmp_path))
    instance = await program.start(SeatMount(tmp_path, token="secret"))
    assert Exit(4) == await instance.wait()
    assert await instance.log_tail() == "secret\n"


PARENT = """
import asyncio, sys
from pathlib import Path
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.base import SeatMount
from ladder.sandbox.process.process_sandbox import ProcessSandbox

async def main():
    folder = Path(sys.argv[1])
    program = await ProcessSandbox().load(BotSource("bot", folder=folder))
    instance = await program.start(SeatMount(folder, token="secret", deals=sys.argv[2] or None))
    print(instance.pid, flush=True)
    await instance.wait()

asyncio.run(main())
"""
