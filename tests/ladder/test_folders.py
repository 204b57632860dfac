"""Copies of folders that were entered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ladder.content import content_hash
from ladder.folders import copy_folder, folder_size, is_kept, keep_folder, kept_folder
from ladder.sandbox.base import BotRejected, SandboxError
from tests.ladder.locked import locked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "data").mkdir(parents=True)
    (folder / "bot.py").write_text("print()")
    (folder / "bot.py").chmod(0o700)
    (folder / "data" / "table").write_bytes(b"\0\1")
    (folder / "data" / "link").symlink_to("table")
    (folder / "node_modules").mkdir()
    return folder


def test_a_copy_holds_what_counts_and_has_the_same_hash(folder: Path, tmp_path: Path) -> None:
    copy_folder(folder, tmp_path / "copy")
    assert content_hash(tmp_path / "copy") == content_hash(folder)
    assert not (tmp_path / "copy" / "node_modules").exists()
    assert os.access(tmp_path / "copy" / "bot.py", os.X_OK)
    assert folder_size(folder) == len("print()") + 2 + len("table")


@pytest.mark.parametrize("target", ["../elsewhere", "/etc/passwd", "data/../../elsewhere"])
def test_a_link_out_of_the_folder_would_not_be_pinned(folder: Path, tmp_path: Path, target: str) -> None:
    (folder / "out").symlink_to(target)
    with pytest.raises(BotRejected, match=r"bot/out is a link that leads out of the bot's folder"):
        copy_folder(folder, tmp_path / "copy")


def test_a_link_to_the_folder_by_its_whole_path_would_lead_back_to_the_original(folder: Path, tmp_path: Path) -> None:
    (folder / "whole").symlink_to(folder / "bot.py")
    with pytest.raises(BotRejected, match="leads out"):
        copy_folder(folder, tmp_path / "copy")


@pytest.mark.parametrize("name", [".", "data", "bot.py"])
def test_what_cannot_be_read_is_told_to_the_owner(folder: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with locked(folder / name), pytest.raises(BotRejected, match=r"cannot be read: \S+: Permission denied"):
        copy_folder(folder, tmp_path / "open" / "copy")


def test_a_folder_is_kept_under_its_hash_and_once(folder: Path, tmp_path: Path) -> None:
    identity = f"sha256:{content_hash(folder)}"
    kept = keep_folder(folder, tmp_path / "ladder", identity)
    assert kept == kept_folder(tmp_path / "ladder", identity)
    assert kept.name == content_hash(folder)
    assert is_kept(kept, identity)
    inode = kept.stat().st_ino
    assert keep_folder(folder, tmp_path / "ladder", identity).stat().st_ino == inode
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


def test_a_kept_folder_that_somebody_changed_is_put_right(folder: Path, tmp_path: Path) -> None:
    identity = f"sha256:{content_hash(folder)}"
    kept = keep_folder(folder, tmp_path, identity)
    (kept / "notes").write_text("mine")
    assert not is_kept(kept, identity)
    assert is_kept(keep_folder(folder, tmp_path, identity), identity)
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


def test_no_place_for_the_copies_is_the_platforms_failure(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "folders").write_text("in the way")
    with pytest.raises(SandboxError, match=r"folders/\w+ cannot be made: File exists"):
        keep_folder(folder, tmp_path, f"sha256:{content_hash(folder)}")
