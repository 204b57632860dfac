"""The folder for what can be made or fetched again, where this user may not use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ladder.errors import UnfitFolder
from ladder.sandbox.host.whole_file import cache_folder, usable_cache_folder
from tests.e2e.command import pigpen
from tests.ladder.locked import locked


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def test_it_is_made() -> None:
    assert usable_cache_folder() == cache_folder()
    assert cache_folder().is_dir()


def test_one_that_this_user_may_not_use_is_named_with_the_way_out(home: Path) -> None:
    (home / "pigpen").mkdir()
    for unusable in (home, home / "pigpen"):
        with (
            locked(unusable),
            pytest.raises(UnfitFolder, match=r": Permission denied\. .*XDG_CACHE_HOME"),
        ):
            usable_cache_folder()


def test_a_file_in_its_place_is_told(home: Path) -> None:
    (home / "pigpen").touch()
    with pytest.raises(UnfitFolder, match=": File exists"):
        usable_cache_folder()


def test_the_command_says_so_in_one_sentence_before_it_needs_an_engine(home: Path, tmp_path: Path) -> None:
    (home / "pigpen").touch()
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.py").touch()
    (bot / "requirements.txt").write_text("packaging")
    done = pigpen("lock", str(bot), XDG_CACHE_HOME=str(home), DOCKER_HOST=f"unix://{tmp_path}/none")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "XDG_CACHE_HOME" in done.stderr
