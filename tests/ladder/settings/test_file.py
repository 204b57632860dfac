"""A bot's folder brings no settings: neither its sandbox nor its ladder is its own choice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ladder.settings.settings import load_settings, source_of
from ladder.settings.settings_file import why_not_read
from ladder.values.sandbox_kind import SandboxKind


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A stranger's folder, with settings in it."""
    bot = tmp_path / "bots" / "stranger"
    (bot / "data" / "deep").mkdir(parents=True)
    (bot / "bot.py").write_text("")
    for folder in (bot, bot / "data", bot / "data" / "deep", bot.parent):
        (folder / "pigpen.toml").write_text('sandbox = "process"\n')
    return bot


@pytest.mark.parametrize("where", [".", "data", "data/deep"])
def test_settings_in_or_below_a_bots_folder_are_not_read(
    bot: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bot / where)
    assert (load_settings().sandbox, source_of("sandbox")) == ("docker", "default")
    why = why_not_read()
    assert why is not None
    assert why.startswith(f"'{Path.cwd()}/pigpen.toml' is not read: ")
    assert f"'{bot}'" in why


@pytest.mark.parametrize(
    "name",
    [
        "bot.py",
        "bot.js",
        "bot.go",
        "bot.cpp",
        "Bot.java",
        "go.mod",
        "CMakeLists.txt",
        "package.json",
        "Cargo.toml",
        "Dockerfile",
    ],
)
def test_each_file_that_makes_a_folder_a_bot_does_so(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pigpen.toml").write_text("boards = 2\n")
    monkeypatch.chdir(tmp_path)
    assert load_settings().boards == 2
    (tmp_path / name).write_text("")
    assert load_settings().boards == "auto"


def test_a_folder_that_is_named_brings_no_settings_whatever_it_holds(
    bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bot / "bot.py").rename(bot / "main.py")
    monkeypatch.chdir(bot / "data")
    assert load_settings().sandbox == SandboxKind.PROCESS
    assert load_settings([bot]).sandbox == SandboxKind.DOCKER
    assert why_not_read([bot]) is not None


def test_settings_beside_or_above_the_bots_are_the_organisers(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bot.parent)
    assert load_settings([bot]).sandbox == SandboxKind.PROCESS
    assert why_not_read([bot]) is None


def test_a_link_to_the_folder_is_the_folder(bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bot / "bot.py").rename(bot / "main.py")
    (tmp_path / "link").symlink_to(bot)
    monkeypatch.chdir(tmp_path / "link")
    assert load_settings([tmp_path / "link"]).sandbox == SandboxKind.DOCKER


def test_the_environment_counts_in_a_bots_folder_too(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bot)
    monkeypatch.setenv("PIGPEN_BOARDS", "8")
    assert (load_settings().boards, source_of("boards")) == (8, "environment")


def test_without_the_file_there_is_nothing_to_say(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bot / "pigpen.toml").unlink()
    monkeypatch.chdir(bot)
    assert why_not_read([bot]) is None


def test_a_current_folder_that_is_gone_has_no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    os.rmdir(tmp_path / "gone")
    assert why_not_read() is None
    assert load_settings(data_dir=tmp_path).sandbox == SandboxKind.DOCKER
