"""Bots that are no containers find the packages of their requirements.txt, and are other bots with other packages."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import Content
from ladder.sandbox.inline import load_bot_class
from ladder.sandbox.process.process_sandbox import ProcessProgram, ProcessSandbox
from ladder.sandbox.wheels.packages import Packages, Store
from ladder.trials.trial import candidate
from ladder.values.names import LOCK
from tests.ladder.sandbox.wheels.made import new_wheel, uv_of

PROGRAM = "import os, shelved, grpc; print(shelved.VERSION, os.path.dirname(shelved.__file__) != os.getcwd())"
MAX_BYTES = 1 << 20


@pytest.fixture
async def sandbox(packages: Packages) -> AsyncIterator[ProcessSandbox]:
    sandbox = ProcessSandbox(packages)
    yield sandbox
    await sandbox.close()


@pytest.fixture
def bot(tmp_path: Path, shelf: Path) -> BotSource:
    """A folder that asks for a package, which is available in one version."""
    new_wheel(shelf, "shelved")
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text(PROGRAM)
    (folder / "requirements.txt").write_text("shelved\n")
    return BotSource("bot", folder=folder)


async def test_a_process_finds_the_packages_of_its_folder(sandbox: ProcessSandbox, bot: BotSource) -> None:
    assert bot.folder is not None
    program = await sandbox.load(bot)
    instance = await program.start(SeatMount(bot.folder, token=""))
    await instance.wait()
    assert await instance.log_tail() == "1.0 True\n"


async def printed(program: ProcessProgram, folder: Path) -> str:
    """Give the output of an instance."""
    instance = await program.start(SeatMount(folder, token=""))
    await instance.wait()
    return await instance.log_tail()


async def test_the_start_of_an_instance_is_a_use_of_its_packages(
    sandbox: ProcessSandbox, bot: BotSource, tmp_path: Path
) -> None:
    program = await sandbox.load(bot)
    (packages,) = (tmp_path / "store" / "unpacked").iterdir()
    os.utime(packages, (0, 0))
    assert await printed(program, tmp_path) == "1.0 True\n"
    assert packages.stat().st_mtime > 0


async def test_packages_that_were_removed_since_it_was_loaded_are_fetched_again_and_are_the_same(
    sandbox: ProcessSandbox, bot: BotSource, shelf: Path, tmp_path: Path
) -> None:
    program = await sandbox.load(bot)
    shutil.rmtree(tmp_path / "store")
    new_wheel(shelf, "shelved", "2.0")
    both = [*await asyncio.gather(printed(program, tmp_path), printed(program, tmp_path))]
    assert both == ["1.0 True\n"] * 2


async def test_packages_that_were_removed_and_are_not_available_any_more_are_no_fault_of_the_bot(
    sandbox: ProcessSandbox, bot: BotSource, shelf: Path, tmp_path: Path
) -> None:
    program = await sandbox.load(bot)
    for folder in (tmp_path / "store", shelf):
        shutil.rmtree(folder)
    shelf.mkdir()
    with pytest.raises(SandboxError, match=r"^Packages .* not available "):
        await program.start(SeatMount(tmp_path, token=""))


async def test_other_packages_make_it_another_bot(
    sandbox: ProcessSandbox, bot: BotSource, shelf: Path, tmp_path: Path
) -> None:
    first = await sandbox.load(bot)
    assert first.lock is not None
    assert first.lock.startswith("shelved==1.0 --hash=sha256:")
    assert first.identity == (await sandbox.load(bot)).identity
    new_wheel(shelf, "shelved", "2.0")
    other = await ProcessSandbox(Packages(Store(tmp_path / "other"), uv_of(shelf))).load(bot)
    assert other.lock != first.lock
    assert other.identity != first.identity


async def test_with_its_lock_it_is_the_same_bot_everywhere(
    sandbox: ProcessSandbox, bot: BotSource, shelf: Path, tmp_path: Path
) -> None:
    assert bot.folder is not None
    first = await sandbox.load(bot)
    assert first.lock is not None
    (bot.folder / LOCK).write_text(first.lock)
    new_wheel(shelf, "shelved", "2.0")
    other = await ProcessSandbox(Packages(Store(tmp_path / "other"), uv_of(shelf))).load(bot)
    assert (other.lock, other.identity) == (first.lock, first.identity)


async def test_what_is_entered_holds_its_lock(sandbox: ProcessSandbox, bot: BotSource, tmp_path: Path) -> None:
    async with candidate(sandbox, bot, MAX_BYTES) as found:
        await found.keep(tmp_path / "data")
    assert found.program.lock is not None
    (kept,) = (tmp_path / "data" / "folders").iterdir()
    assert (kept / LOCK).read_text() == found.program.lock
    assert found.program.identity == f"sha256:{Content.read(kept).hash}"
    assert (await sandbox.load(BotSource("bot", folder=kept))).identity == found.program.identity


async def test_without_requirements_there_is_no_lock(sandbox: ProcessSandbox, bot: BotSource) -> None:
    assert bot.folder is not None
    (bot.folder / "requirements.txt").unlink()
    program = await sandbox.load(bot)
    assert program.lock is None
    assert program.identity == f"sha256:{Content.read(bot.folder).hash}"


async def test_bad_requirements_are_the_bots_fault(sandbox: ProcessSandbox, bot: BotSource) -> None:
    assert bot.folder is not None
    (bot.folder / "requirements.txt").write_text("shelved\n--index-url http://127.0.0.1/\n")
    with pytest.raises(BotRejected, match=r"Line 2 of requirements\.txt"):
        await sandbox.load(bot)


def test_a_bot_in_this_process_finds_them_after_what_is_installed_here(
    bot: BotSource, packages: Packages, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bot.folder is not None
    monkeypatch.setattr(sys, "path", [*sys.path])
    text = "import pigpen, shelved\nclass Mine(pigpen.Bot):\n    version = shelved.VERSION\n"
    (bot.folder / "bot.py").write_text(text)
    before = list(sys.path)
    for _ in range(2):
        assert vars(load_bot_class(bot, packages))["version"] == "1.0"
        assert sys.path[:-1] == before
    sys.modules.pop("shelved")
