"""Folders that a worker was sent and keeps, and marks by which no process removes what another one uses."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import pytest

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import Content, pack
from ladder.sandbox.bots.members import FolderMember, Kind
from ladder.worker import kept_folders
from ladder.worker.kept_folders import MARKS, FolderMissing, KeptFolders, UseMarks


def a_bot(number: int, size: int = 1000) -> tuple[str, bytes]:
    """The identity of a folder, and the folder packed."""
    content = Content((FolderMember("bot.py", Kind.FILE, f"{number}".encode() * size),))
    return f"sha256:{content.hash}", pack(content)


async def is_here(folders: KeptFolders, identity: str) -> bool:
    with suppress(FolderMissing):
        async with folders.using(identity):
            return True
    return False


def age(data_dir: Path, identity: str, seconds: float) -> None:
    """Let a folder have been used last *seconds* seconds ago."""
    mark = data_dir / MARKS / identity[7:]
    now = mark.stat().st_mtime
    os.utime(mark, (now - seconds, now - seconds))


async def test_a_folder_that_was_sent_is_there_for_every_process_and_after_a_restart(tmp_path: Path) -> None:
    identity, packed = a_bot(1)
    folders = KeptFolders(tmp_path, 10**9)
    assert not await is_here(folders, identity)
    await folders.take(identity, packed)
    async with KeptFolders(tmp_path, 10**9).using(identity) as folder:
        assert (folder / "bot.py").read_bytes() == b"1" * 1000
    assert folders.counts() == (1, 1000)


async def test_what_is_another_folder_is_not_kept(tmp_path: Path) -> None:
    folders = KeptFolders(tmp_path, 10**9)
    with pytest.raises(SandboxError, match="came as another one"):
        await folders.take(a_bot(1)[0], a_bot(2)[1])
    assert not await is_here(folders, a_bot(1)[0])
    assert folders.counts() == (0, 0)


async def test_a_changed_folder_is_missing_until_it_is_sent_again(tmp_path: Path) -> None:
    identity, packed = a_bot(1)
    await KeptFolders(tmp_path, 10**9).take(identity, packed)
    (tmp_path / "folders" / identity[7:] / "bot.py").write_text("I am another one")
    folders = KeptFolders(tmp_path, 10**9)
    assert not await is_here(folders, identity)
    await folders.take(identity, packed)
    assert await is_here(KeptFolders(tmp_path, 10**9), identity)


async def test_those_go_that_were_used_least_recently_and_are_in_no_use(tmp_path: Path) -> None:
    folders = KeptFolders(tmp_path, 3000)
    sent = [a_bot(number) for number in range(5)]
    for number, (identity, packed) in enumerate(sent[:3]):
        await folders.take(identity, packed)
        age(tmp_path, identity, 100 - number)
    async with folders.using(sent[0][0]):
        age(tmp_path, sent[0][0], 1000)
        for identity, packed in sent[3:]:
            await folders.take(identity, packed)
        assert [await is_here(folders, identity) for identity, _ in sent] == [True, False, False, True, True]
    assert folders.counts() == (3, 3000)
    assert len(list((tmp_path / "folders").iterdir())) == 3


class Shelf:
    """A place where one thing is, or is not."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_full = False
        self.got = 0
        self.used = asyncio.Event()
        """Set as soon as the thing is used."""

    async def is_there(self) -> bool:
        await asyncio.sleep(0)
        return self.is_full

    async def get(self) -> str:
        self.got += 1
        await asyncio.sleep(0)
        self.is_full = True
        return "a note"

    async def use(self, held: asyncio.Event | None = None) -> None:
        async with UseMarks(self.folder).using("thing", self.is_there, self.get):
            assert self.is_full
            self.used.set()
            if held is not None:
                await held.wait()

    def remove(self) -> bool:
        with UseMarks(self.folder).sole("thing") as is_free:
            self.is_full = self.is_full and not is_free
            return is_free


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "marks")


async def test_what_several_want_at_once_is_got_once(shelf: Shelf) -> None:
    await asyncio.gather(*(shelf.use() for _ in range(8)))
    assert shelf.got == 1
    assert [(mark.name, mark.note) for mark in UseMarks(shelf.folder).all()] == [("thing", "a note")]


async def test_what_is_used_is_not_removed_and_what_was_removed_is_got_again(shelf: Shelf) -> None:
    done = asyncio.Event()
    using = asyncio.create_task(shelf.use(done))
    await shelf.used.wait()
    assert not shelf.remove()
    done.set()
    await using
    assert shelf.remove()
    assert UseMarks(shelf.folder).all() == []
    assert not shelf.remove()
    await shelf.use()
    assert shelf.got == 2


async def test_a_user_that_is_cancelled_holds_nothing(shelf: Shelf) -> None:
    using = asyncio.create_task(shelf.use(asyncio.Event()))
    await shelf.used.wait()
    using.cancel()
    with pytest.raises(asyncio.CancelledError):
        await using
    assert shelf.remove()


async def test_a_user_that_is_cancelled_while_it_waits_for_another_holds_nothing(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, refused, gets = kept_folders._take, asyncio.Event(), asyncio.Event()

    def watched(file: BinaryIO, how: int) -> bool:
        if not (is_ours := take(file, how)):
            refused.set()
        return is_ours

    async def get() -> str:
        await gets.wait()
        shelf.is_full = True
        return "a note"

    async def use() -> None:
        async with UseMarks(shelf.folder).using("thing", shelf.is_there, get):
            pass

    monkeypatch.setattr(kept_folders, "_take", watched)
    getting = asyncio.create_task(use())
    waiting = asyncio.create_task(shelf.use())
    await refused.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gets.set()
    await getting
    assert shelf.remove()


async def test_what_cannot_be_got_is_tried_by_the_next_one(shelf: Shelf) -> None:
    async def fails() -> str:
        raise SandboxError("The registry does not answer.")

    with pytest.raises(SandboxError, match="does not answer"):
        async with UseMarks(shelf.folder).using("thing", shelf.is_there, fails):
            pass
    await shelf.use()
    assert shelf.got == 1


async def test_what_never_stays_is_given_up_with_a_sentence(shelf: Shelf) -> None:
    async def get() -> str:
        return ""

    with pytest.raises(SandboxError, match="no room for all"):
        async with UseMarks(shelf.folder).using("thing", shelf.is_there, get):
            pass
