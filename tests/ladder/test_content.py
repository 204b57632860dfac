from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from ladder.content import archive, content_hash


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "data").mkdir(parents=True)
    (folder / "bot.py").write_text("print()")
    (folder / "data" / "table").write_bytes(b"\0\1")
    return folder


def test_the_same_tree_elsewhere_has_the_same_hash(folder: Path, tmp_path: Path) -> None:
    before = content_hash(folder)
    os.utime(folder / "bot.py", (0, 0))
    (folder / "bot.py").chmod(0o600)
    assert before == content_hash(folder.rename(tmp_path / "other"))


def test_caches_and_installed_packages_do_not_count(folder: Path) -> None:
    before = content_hash(folder)
    (folder / "data" / "__pycache__").mkdir()
    (folder / "data" / "__pycache__" / "x.pyc").write_bytes(b"x")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "x.js").write_text("")
    assert before == content_hash(folder)


def test_a_byte_a_name_the_x_bit_an_empty_folder_and_a_link_count(folder: Path) -> None:
    hashes = [content_hash(folder)]
    (folder / "bot.py").write_text("print(1)")
    hashes.append(content_hash(folder))
    (folder / "bot.py").rename(folder / "main.py")
    hashes.append(content_hash(folder))
    (folder / "main.py").chmod(0o755)
    hashes.append(content_hash(folder))
    (folder / "empty").mkdir()
    hashes.append(content_hash(folder))
    (folder / "link").symlink_to("main.py")
    hashes.append(content_hash(folder))
    (folder / "link").unlink()
    (folder / "link").symlink_to("nowhere")
    hashes.append(content_hash(folder))
    assert len(hashes) == len(set(hashes))


def test_a_pipe_is_no_content_and_does_not_block(folder: Path) -> None:
    before = content_hash(folder)
    os.mkfifo(folder / "pipe")
    assert before == content_hash(folder)


def test_the_archive_is_readable_by_all_and_the_same_each_time(folder: Path) -> None:
    (folder / "bot.py").chmod(0o600)
    first = archive(folder).read()
    os.utime(folder / "bot.py", (0, 0))
    assert first == archive(folder).read()
    with tarfile.open(fileobj=archive(folder)) as tar:
        assert {info.name: info.mode for info in tar} == {"bot.py": 0o644, "data": 0o755, "data/table": 0o644}


def test_the_archive_holds_only_what_is_kept(folder: Path) -> None:
    with tarfile.open(fileobj=archive(folder, {"bot.py"})) as tar:
        assert tar.getnames() == ["bot.py"]
