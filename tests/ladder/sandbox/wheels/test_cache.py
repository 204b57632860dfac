"""What was fetched once: kept by what was asked, and not for ever."""

from __future__ import annotations

import os
from pathlib import Path

from ladder.sandbox.wheels import cache


def kept(store: cache.Store, key: str, size: int = 1) -> Path:
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
    store = cache.Store(tmp_path)
    store.keep_answer("a", "3.11")
    assert (store.answer("a"), store.answer("b")) == (b"3.11", None)


def test_the_oldest_answers_go(tmp_path: Path) -> None:
    store = cache.Store(tmp_path, max_answers=3)
    for number in range(5):
        store.keep_answer(str(number), "x")
        os.utime(tmp_path / "answers" / str(number), (number, number))
    assert [name for name in "01234" if store.answer(name)] == ["2", "3", "4"]


def test_a_folder_is_kept_and_nothing_else(tmp_path: Path) -> None:
    store = cache.Store(tmp_path)
    folder = kept(store, "a")
    assert (store.find("a"), store.find("b")) == (folder, None)
    assert [path.name for path in (tmp_path / "unpacked").iterdir()] == ["a"]


def test_the_first_of_two_processes_keeps_its_folder(tmp_path: Path) -> None:
    store = cache.Store(tmp_path)
    first = kept(store, "a", 1)
    assert kept(store, "a", 2) == first
    assert (first / "file").stat().st_size == 1


def test_folders_that_were_not_used_for_longest_go_when_there_are_too_many(tmp_path: Path) -> None:
    store = cache.Store(tmp_path, max_bytes=13_000)
    for number, name in enumerate("abc"):
        used(kept(store, name, 4000), 1000 - number)
    assert store.find("a")  # which is a use
    kept(store, "d", 4000)
    assert [name for name in "abcd" if store.find(name)] == ["a", "c", "d"]


def test_folders_that_were_not_used_for_a_month_go(tmp_path: Path) -> None:
    store = cache.Store(tmp_path)
    used(kept(store, "a"), cache.UNUSED_SECONDS + 1)
    (tmp_path / "unpacked" / f"{cache.NEW}left").mkdir()
    used(tmp_path / "unpacked" / f"{cache.NEW}left", cache.UNUSED_SECONDS + 1)
    kept(store, "b")
    assert [path.name for path in (tmp_path / "unpacked").iterdir()] == ["b"]
