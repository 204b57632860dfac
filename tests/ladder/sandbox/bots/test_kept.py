"""Copies of folders that were entered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import Content, is_kept, keep_folder, kept_folder


@pytest.fixture
def content(tmp_path: Path) -> Content:
    folder = tmp_path / "bot"
    (folder / "data").mkdir(parents=True)
    (folder / "bot.py").write_text("print()")
    (folder / "bot.py").chmod(0o700)
    (folder / "data" / "table").write_bytes(b"\0\1")
    (folder / "data" / "link").symlink_to("table")
    return Content.read(folder)


def test_a_folder_is_kept_under_its_hash_and_once(content: Content, tmp_path: Path) -> None:
    identity = f"sha256:{content.hash}"
    kept = keep_folder(content, tmp_path / "ladder")
    assert kept == kept_folder(tmp_path / "ladder", identity)
    assert kept.name == content.hash
    assert is_kept(kept, identity)
    assert os.access(kept / "bot.py", os.X_OK)
    inode = kept.stat().st_ino
    assert keep_folder(content, tmp_path / "ladder").stat().st_ino == inode
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


def test_a_kept_folder_that_was_changed_is_restored(content: Content, tmp_path: Path) -> None:
    kept = keep_folder(content, tmp_path)
    (kept / "notes").write_text("mine")
    assert not is_kept(kept, f"sha256:{content.hash}")
    assert is_kept(keep_folder(content, tmp_path), f"sha256:{content.hash}")
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


def test_a_kept_folder_that_cannot_be_read_any_more_is_not_what_was_kept(content: Content, tmp_path: Path) -> None:
    kept = keep_folder(content, tmp_path)
    (kept / "out").symlink_to("/etc/passwd")
    assert not is_kept(kept, f"sha256:{content.hash}")


def test_no_place_for_the_copies_is_the_platforms_failure(content: Content, tmp_path: Path) -> None:
    (tmp_path / "folders").write_text("in the way")
    with pytest.raises(SandboxError, match=r"folders/\w+ .*: File exists"):
        keep_folder(content, tmp_path)
