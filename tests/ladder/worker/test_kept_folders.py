"""Folders that a remote worker was sent: their names, and the limit of what is kept."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import Content, pack
from ladder.sandbox.bots.members import FolderMember, Kind
from ladder.worker.kept_folders import MARKS, FolderMissing, KeptFolders


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
