"""The cache of fetched things: kept by their request, and not for ever."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ladder.sandbox.wheels import packages

if TYPE_CHECKING:
    from collections.abc import Iterator


def kept(store: packages.Store, key: str, size: int = 1) -> Path:
    """Keep a folder with one file."""
    with store.new_folder() as scratch:
        (scratch / "new").mkdir()
        (scratch / "new" / "file").write_bytes(bytes(size))
        return store.keep(scratch / "new", key)


def used(folder: Path, seconds_ago: float) -> None:
    """Let a folder be one that was used some time ago."""
    then = os.stat(folder).st_mtime - seconds_ago
    os.utime(folder, (then, then))


def test_an_answer_is_remembered(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    store.keep_answer("a", "3.11")
    assert (store.answer("a"), store.answer("b")) == (b"3.11", None)


def test_the_oldest_answers_go(tmp_path: Path) -> None:
    store = packages.Store(tmp_path, max_answers=3)
    for number in range(5):
        store.keep_answer(str(number), "x")
        os.utime(tmp_path / "answers" / str(number), (number, number))
    assert [name for name in "01234" if store.answer(name)] == ["2", "3", "4"]


def test_a_folder_is_kept_and_nothing_else(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    folder = kept(store, "a")
    assert (store.find("a"), store.find("b")) == (folder, None)
    assert [path.name for path in (tmp_path / "unpacked").iterdir()] == ["a"]


def test_the_first_of_two_processes_keeps_its_folder(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    first = kept(store, "a", 1)
    assert kept(store, "a", 2) == first
    assert (first / "file").stat().st_size == 1


def test_folders_that_were_not_used_for_longest_go_when_there_are_too_many(tmp_path: Path) -> None:
    store = packages.Store(tmp_path, max_bytes=13_000)
    for number, name in enumerate("abc"):
        used(kept(store, name, 4000), 1000 - number)
    assert store.find("a")  # which is a use
    kept(store, "d", 4000)
    assert [name for name in "abcd" if store.find(name)] == ["a", "c", "d"]


def test_folders_that_were_not_used_for_a_month_go(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    used(kept(store, "a"), packages.UNUSED_SECONDS + 1)
    (tmp_path / "unpacked" / f"{packages.NEW}left").mkdir()
    used(tmp_path / "unpacked" / f"{packages.NEW}left", packages.UNUSED_SECONDS + 1)
    kept(store, "b")
    assert [path.name for path in (tmp_path / "unpacked").iterdir()] == ["b"]


@pytest.fixture
def vanished(monkeypatch: pytest.MonkeyPatch) -> None:
    """All folders list a name of another process that is not there any more."""
    iterdir, rglob = Path.iterdir, Path.rglob

    def listed(folder: Path) -> Iterator[Path]:
        yield folder / f"{packages.NEW}other"
        yield from iterdir(folder)

    def found(folder: Path, pattern: str) -> Iterator[Path]:
        yield from rglob(folder, pattern)
        yield folder / "other"

    monkeypatch.setattr(Path, "iterdir", listed)
    monkeypatch.setattr(Path, "rglob", found)


@pytest.mark.usefixtures("vanished")
def test_what_other_processes_remove_meanwhile_disturbs_no_answer(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    store.keep_answer("a", "3.11")
    assert store.answer("a") == b"3.11"


@pytest.mark.usefixtures("vanished")
def test_what_other_processes_remove_meanwhile_disturbs_no_folder(tmp_path: Path) -> None:
    store = packages.Store(tmp_path)
    assert [kept(store, name) for name in "ab"] == [store.find("a"), store.find("b")]


def test_a_folder_that_is_being_removed_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, found = packages.Store(tmp_path), list[Path | None]()
    kept(store, "a")
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", lambda *_, **__: found.append(store.find("a")))
        store.remove("a")
    assert found == [None]


def test_a_folder_that_is_used_while_another_process_looks_for_old_ones_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, rglob = packages.Store(tmp_path), Path.rglob

    def meanwhile(folder: Path, pattern: str) -> Iterator[Path]:
        store.find("a")
        return rglob(folder, pattern)

    used(kept(store, "a"), packages.UNUSED_SECONDS + 1)
    monkeypatch.setattr(Path, "rglob", meanwhile)
    kept(store, "b")
    assert store.find("a")


def test_a_folder_that_another_process_is_making_stays_when_there_are_too_many(tmp_path: Path) -> None:
    store = packages.Store(tmp_path, max_bytes=1)
    with store.new_folder() as scratch:
        used(scratch, packages.IN_USE_SECONDS + 1)
        kept(store, "a", 4000)
        assert scratch.is_dir()
