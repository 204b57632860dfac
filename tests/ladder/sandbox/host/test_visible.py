"""Modes of what containers reach do not depend on the umask."""

from __future__ import annotations

import os
import socket
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import Content
from ladder.sandbox.docker.limits import FOLDER, put_processor_files
from ladder.sandbox.docker.programs import FORK_SERVER, put_script
from ladder.sandbox.docker.warm_container import ControlSocket
from ladder.sandbox.host.scratch import bind_visible, make_visible_folder


@pytest.fixture(params=[0o022, 0o027, 0o077], ids=["022", "027", "077"], autouse=True)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_user_may_look_into_a_folder(tmp_path: Path) -> None:
    make_visible_folder(tmp_path / "folder")
    assert mode(tmp_path / "folder") == 0o755


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="nowhere/folder cannot be made"):
        make_visible_folder(tmp_path / "nowhere" / "folder")


def test_every_user_may_connect_to_a_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        bind_visible(listener, tmp_path / "a.sock")
        assert mode(tmp_path / "a.sock") == 0o666


def test_the_folder_and_the_socket_of_a_warm_container_are_reached_by_every_user() -> None:
    control = ControlSocket()
    assert [mode(control.folder), *(mode(path) for path in control.folder.iterdir())] == [0o755, 0o666]
    control.close()


def test_programs_and_copies_are_read_by_every_user(tmp_path: Path) -> None:
    put_script(FORK_SERVER, tmp_path)
    put_processor_files(tmp_path)
    below = [tmp_path / FOLDER, *(tmp_path / FOLDER).rglob("*")]
    assert mode(tmp_path / FORK_SERVER.name) == 0o755
    assert {mode(path) for path in below if path.is_dir()} == {0o755}
    assert {mode(path) for path in below if path.is_file()} == {0o444}


def test_files_of_an_image_are_read_by_every_user(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text("")
    (tmp_path / "bot" / "part").mkdir()
    with tarfile.open(fileobj=Content.read(tmp_path / "bot").archive()) as packed:
        assert {member.name: member.mode for member in packed} == {"bot.py": 0o644, "part": 0o755}
