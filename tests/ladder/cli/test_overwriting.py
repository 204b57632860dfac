"""No command writes over what a user has: each refuses in a sentence, and what was there stays as it is."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from ladder.app.new_file import THERE, write_new
from ladder.cluster.private_files import write_private
from ladder.errors import UserError
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from ladder.values.new_name import NO_LINKS, give_new_name
from tests.e2e.command import every_command
from tests.referee.recorded import match_lines, write_record
from tests.typed import typed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READ = {
    "account invite": {"listed"},
    "ladder announcement add": {"file"},
    "event beacon": {"file"},
    "event check": {"file"},
    "event draw": {"entrants", "results"},
    "event open": {"file"},
    "event simulate": {"file", "compare"},
    "event verify": {"file"},
    "play": {"resume"},
    "replay": {"record"},
    "rerun": {"record"},
    "ladder compose": {"data_dir"},
    "ladder registry": {"tls"},
    "serve": {"tls", "descriptor"},
    "up": {"tls"},
    "verify": {"records"},
    "why": {"record"},
    "worker": {"certificate", "data_dir"},
}
"""Files and folders that commands read; a worker's folder holds what it may remove again."""
WRITTEN = {
    "account export": {"output"},
    "cluster certs": {"out"},
    "db backup": {"file"},
    "event export": {"output"},
    "event new": {"file"},
    "ladder export": {"folder"},
    "ladder monitoring": {"folder"},
    "ladder compose": {"folder"},
    "ladder units": {"folder"},
    "new": {"folder"},
    "play": {"record"},
    "replay": {"html"},
}
"""Those that commands make; below each is tried, and in tests/ladder/cli/event/test_event.py `event export`."""
PLAY = ("play", *["random"] * 4, "--deals", "1", "--sandbox", "inline")
TYPED = {
    "an account's data": ("account", "export", "ada", "--output", "mine"),
    "a certificate": ("cluster", "certs", "barn"),
    "a certificate's file": ("cluster", "certs", "barn", "--out", "mine"),
    "a backup": ("db", "backup", "mine"),
    "an event": ("event", "new", "mine"),
    "a data set": ("ladder", "export", "folder"),
    "the board beside rules of alarms": ("ladder", "monitoring", "folder"),
    "files of a ladder in containers": ("ladder", "compose", "arena.example", "folder"),
    "a unit": ("ladder", "units", "folder"),
    "a bot": ("new", "folder"),
    "a record": (*PLAY, "--record", "mine"),
    "the seed beside a record": (*PLAY, "--record", "other"),
    "a page": ("replay", "match.jsonl", "--html", "mine"),
}
MINE = "a diary"


def test_each_file_that_a_command_is_given_is_read_or_tried_here() -> None:
    found: dict[str, set[str]] = {}
    for name, command in every_command():
        if given := {each.name for each in command.params if "Path" in repr(vars(each)) or "File" in repr(vars(each))}:
            found[name] = given
    assert found == {name: READ.get(name, set()) | WRITTEN.get(name, set()) for name in {**READ, **WRITTEN}}


@pytest.mark.sqlite
@pytest.mark.parametrize("words", TYPED.values(), ids=TYPED)
def test_what_is_there_stays(tmp_path: Path, words: tuple[str, ...]) -> None:
    open_ladder(load_settings(data_dir=tmp_path / "data"), create=True).close()
    write_record(tmp_path / "match.jsonl", match_lines("hearts", "deals:1"))
    typed("account", "add", "ada", folder=tmp_path)
    (tmp_path / "folder").mkdir()
    mine = [tmp_path / name for name in ("mine", "other.seed", "barn.pem", "folder/bot.py", "folder/pigpen-board.json",
                                            "folder/pigpen-compute.service")]  # fmt: skip
    for file in mine:
        file.write_text(MINE)
    before = {path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "data")}
    done = typed(*words, folder=tmp_path)
    assert done.is_one_sentence, done
    assert [file.read_text() for file in mine] == [MINE] * len(mine)
    assert {path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "data")} == before


def test_the_seed_that_a_killed_match_has_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "match.jsonl.seed").write_text("0" * 64)
    done = typed(*PLAY, "--record", "match.jsonl", folder=tmp_path)
    assert done.code == 0, done.err
    assert [path.name for path in tmp_path.iterdir()] == ["match.jsonl"]


def test_a_new_file_does_not_replace_one_that_came_meanwhile(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"new"
        (tmp_path / "cup").write_text(MINE)

    with pytest.raises(UserError) as refused:
        write_new(tmp_path / "cup", chunks())
    assert str(refused.value) == THERE.format(repr(str(tmp_path / "cup")))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"cup": MINE}


def test_a_new_file_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "cup.partial").write_text(MINE)

    def chunks() -> Iterator[bytes]:
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_new(tmp_path / "cup", chunks())
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"cup.partial": MINE}


@pytest.mark.parametrize("number", NO_LINKS, ids=errno.errorcode.get)
def test_a_disk_without_hard_links_takes_new_files_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", refuse)
    write_new(tmp_path / "cup", [b"new"])
    write_private(tmp_path / "key", "secret")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"cup": "new", "key": "secret"}
    (tmp_path / "draft").write_text("other")
    with pytest.raises(FileExistsError):
        give_new_name(tmp_path / "draft", tmp_path / "cup")
    assert (tmp_path / "cup").read_text() == "new"
