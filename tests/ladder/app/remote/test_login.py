"""The file in which a log-in is kept."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from ladder.app.remote.login import Login, login_file, read_login, remove_login, write_login
from ladder.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

ADA = Login("https://arena.example", "ada", "pgp_secret")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "pigpen"


def test_a_log_in_is_kept_for_this_user_alone_and_forgotten(home: Path) -> None:
    assert read_login() is None
    assert write_login(ADA) == login_file() == home / "login.json"
    assert read_login() == ADA
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "login.json").stat().st_mode) == 0o600
    assert os.listdir(home) == ["login.json"]
    remove_login()
    remove_login()
    assert read_login() is None


def test_another_log_in_takes_its_place_and_a_wide_folder_becomes_narrow(home: Path) -> None:
    home.mkdir(parents=True, mode=0o755)
    (home / "login.json").write_text("{}")
    (home / "login.json").chmod(0o644)
    write_login(ADA)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "login.json").stat().st_mode) == 0o600
    assert read_login() == ADA


def test_where_there_is_no_room_the_old_log_in_stays(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_login(ADA)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(UserError, match=r"cannot be kept in .*: No"):
        write_login(Login("https://other.example", "ben", "pgp_other"))
    assert read_login() == ADA
    assert os.listdir(home) == ["login.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"address": 1, "name": "", "token": null}',
        "[" * 99999,
        '{"address": "https://arena.example", "name": "ada", "token": "pgp_\\u0007\\nsecret"}',
        '{"address": "https://arena.example", "name": "ada", "token": "short"}',
        '{"address": "arena", "name": "ada", "token": "pgp_secret"}',
        '{"address": "https://arena.example/other", "name": "ada", "token": "pgp_secret"}',
    ],
)
def test_a_file_that_makes_no_sense_is_told_with_the_way_out(home: Path, text: str) -> None:
    home.mkdir(parents=True)
    (home / "login.json").write_text(text)
    with pytest.raises(UserError, match=r"not hold a log-in\."):
        read_login()


def test_a_token_shows_in_no_message() -> None:
    assert "pgp_secret" not in repr(ADA)
