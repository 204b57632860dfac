"""Temporary folders among those of others: in a shared folder any user can make anything under a name of ours."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.errors import SandboxError, UnfitFolder
from ladder.sandbox.host import scratch
from ladder.sandbox.host.scratch import MARK_SECONDS, MAX_FOLDER_BYTES, OWNER, PREFIX, disk_errors, scratch_folder

OTHER = 65534
"""Another user's number."""


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder that all users may write to."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def folder_with(shared: Path, mark: Callable[[Path], object]) -> Path:
    """A folder of our kind, made long ago, whose mark *mark* makes."""
    folder = shared / f"{PREFIX}x"
    folder.mkdir(mode=0o700)
    mark(folder / OWNER)
    os.utime(folder, (0, 0))
    return folder


def ended() -> str:
    machine, _, *others = scratch.this_process().split(" ")
    return " ".join([machine, "an-earlier-boot", *others])


def sweep() -> None:
    with scratch_folder():
        pass


def huge(path: Path) -> None:
    with path.open("w") as file:
        file.write(ended())
        file.truncate(64 * 1024**3)


@pytest.mark.parametrize(
    "mark",
    [
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to(path.parent.parent / "outside"),
        Path.mkdir,
        huge,
    ],
    ids=["pipe", "link to zero", "link to a mark", "folder", "huge file"],
)
def test_a_mark_that_is_none_holds_up_no_start_and_is_left_alone(shared: Path, mark: Callable[[Path], object]) -> None:
    (shared / "outside").write_text(ended())
    folder = folder_with(shared, mark)
    sweep()
    assert os.path.lexists(folder / OWNER)


@pytest.mark.parametrize("text", ["", "x", "\0", "é", "a b pid:[1] 99999999 1", f"{'9' * 900}"])
def test_what_names_no_process_is_removed_only_if_it_is_old_and_empty(shared: Path, text: str) -> None:
    folder = folder_with(shared, lambda path: path.write_text(text, "latin-1"))
    (folder / "more").touch()
    os.utime(folder, (0, 0))
    sweep()
    assert folder.exists()
    (folder / "more").unlink()
    sweep()
    assert folder.exists()
    os.utime(folder, (time.time() - MARK_SECONDS - 1,) * 2)
    sweep()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("what", "number", "way_out"),
    [
        ("A temporary folder", errno.ENOSPC, "Make room, or set TMPDIR to a folder on another disk."),
        (Path(f"/tmp/{PREFIX}x/0"), errno.ENOSPC, "Make room, or set TMPDIR to a folder on another disk."),
        (Path("/tmp/data/submissions"), errno.ENOSPC, "Make room on that disk."),
        (Path("/var/lib/pigpen/tables/1"), errno.EDQUOT, "Make room on that disk."),
        (Path("/var/lib/pigpen/tables/1"), errno.EROFS, "Let this user write there."),
    ],
)
def test_only_what_is_temporary_is_moved_by_tmpdir(what: Path | str, number: int, way_out: str) -> None:
    with pytest.raises(SandboxError) as caught, disk_errors(what):
        raise OSError(number, os.strerror(number))
    assert str(caught.value) == f"{what} cannot be made: {os.strerror(number)}. {way_out}"


def test_what_a_killed_process_left_is_removed(shared: Path) -> None:
    folder = folder_with(shared, lambda path: path.write_text(ended()))
    (folder / "seat").mkdir()
    sweep()
    assert not folder.exists()


def test_what_a_living_process_has_stays(shared: Path) -> None:
    folder = folder_with(shared, lambda path: path.write_text(scratch.this_process()))
    sweep()
    assert folder.exists()


def test_a_link_to_a_folder_is_not_followed(shared: Path) -> None:
    kept = shared / "kept"
    kept.mkdir()
    (kept / OWNER).write_text(ended())
    (kept / "mine").touch()
    (shared / f"{PREFIX}link").symlink_to(kept)
    sweep()
    assert (kept / "mine").exists()


@pytest.mark.root
@pytest.mark.parametrize("given", ["folder", "mark"])
def test_what_another_user_made_is_neither_read_nor_removed(shared: Path, given: str) -> None:
    folder = folder_with(shared, lambda path: path.write_text(ended()))
    os.chown(folder if given == "folder" else folder / OWNER, OTHER, OTHER)
    sweep()
    assert folder.exists()


def test_a_folder_whose_path_is_too_long_for_sockets_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes count, and not characters."""
    monkeypatch.setattr("tempfile.tempdir", "/" + "x" * MAX_FOLDER_BYTES)
    with pytest.raises(UnfitFolder, match=f" {MAX_FOLDER_BYTES} bytes .* {MAX_FOLDER_BYTES + 1}: .* TMPDIR "):
        sweep()
    monkeypatch.setattr("tempfile.tempdir", "/" + "é" * (MAX_FOLDER_BYTES // 2))
    with pytest.raises(UnfitFolder, match="and has 63"):
        sweep()


def test_an_error_without_a_number_is_told_in_its_own_words() -> None:
    with (
        pytest.raises(SandboxError, match=r"^a socket .*: AF_UNIX path .*\."),
        disk_errors("a socket"),
    ):
        raise OSError("AF_UNIX path too long")
