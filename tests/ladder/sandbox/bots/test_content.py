from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.bots.content import Content, archive, content_hash


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "data").mkdir(parents=True)
    (folder / "bot.py").write_text("print()")
    (folder / "data" / "table").write_bytes(b"\0\1")
    return folder


def test_the_same_tree_in_another_place_has_the_same_hash(folder: Path, tmp_path: Path) -> None:
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


def test_the_hash_is_the_one_by_which_ladders_know_their_folders(folder: Path) -> None:
    (folder / "data.txt").write_text("after what is in data, though a dot comes before a slash")
    (folder / "bot.py").chmod(0o755)
    (folder / "link").symlink_to("data/table")
    assert content_hash(folder) == "43f23b84844eaa59422e42c8ba6d8100c7694972e55f5fac1d59719fec0ee7b7"


def test_the_archive_is_readable_by_all_and_the_same_each_time(folder: Path) -> None:
    (folder / "bot.py").chmod(0o600)
    (folder / "link").symlink_to("bot.py")
    first = archive(folder).read()
    os.utime(folder / "bot.py", (0, 0))
    assert first == archive(folder).read()
    with tarfile.open(fileobj=archive(folder)) as tar:
        modes = {info.name: info.mode for info in tar}
        assert modes == {"bot.py": 0o644, "data": 0o755, "data/table": 0o644, "link": 0o755}
        assert tar.getmember("link").linkname == "bot.py"


def test_what_is_hashed_is_what_is_packed_whatever_becomes_of_the_folder(folder: Path, tmp_path: Path) -> None:
    content = Content.read(folder)
    before = content_hash(folder)
    (folder / "bot.py").write_text("print('changed')")
    with tarfile.open(fileobj=content.archive()) as tar:
        packed = tar.extractfile("bot.py")
        assert packed is not None
        assert packed.read() == b"print()"
    content.write(tmp_path / "copy")
    assert content.hash == before == content_hash(tmp_path / "copy")


def test_a_copy_holds_what_counts(folder: Path, tmp_path: Path) -> None:
    (folder / "bot.py").chmod(0o700)
    (folder / "node_modules").mkdir()
    (folder / "data" / "link").symlink_to("table")
    content = Content.read(folder)
    content.write(tmp_path / "copy")
    assert Content.read(tmp_path / "copy") == content
    assert not (tmp_path / "copy" / "node_modules").exists()
    assert os.access(tmp_path / "copy" / "bot.py", os.X_OK)
    assert content.size == len("print()") + 2 + len("table")


def test_no_room_for_a_copy_is_the_platforms_failure(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="nowhere/copy cannot be made"):
        Content.read(folder).write(tmp_path / "nowhere" / "copy")


def test_what_is_left_out_leaves_the_folders_of_the_rest(folder: Path) -> None:
    content = Content.read(folder)
    assert [member.name for member in content.without(lambda member: member.name != "data/table").members] == [
        "data",
        "data/table",
    ]
    assert content.without(lambda member: member.name.startswith("data")).by_name.keys() == {"bot.py"}


def test_added_files_count_as_if_they_had_been_there(folder: Path) -> None:
    more = Content.read(folder).with_files({"vendor/numpy/core.py": b"1", "bot.py": b"2"})
    (folder / "vendor" / "numpy").mkdir(parents=True)
    (folder / "vendor" / "numpy" / "core.py").write_text("1")
    (folder / "bot.py").write_text("2")
    assert more == Content.read(folder)


@pytest.mark.parametrize("name", ["bot.py/core.py", "data", "link/core.py"])
def test_added_files_do_not_go_through_what_is_there(folder: Path, name: str) -> None:
    (folder / "link").symlink_to("data")
    with pytest.raises(BotRejected, match="a name that Pigpen needs"):
        Content.read(folder).with_files({name: b""})


def test_a_file_is_found_by_its_name_and_through_a_link(folder: Path) -> None:
    (folder / "link").symlink_to("data/table")
    (folder / "nowhere").symlink_to("gone")
    content = Content.read(folder)
    assert (content.file("bot.py"), content.file("link")) == (b"print()", b"\0\1")
    assert {content.file("data"), content.file("none"), content.file("nowhere")} == {None}
