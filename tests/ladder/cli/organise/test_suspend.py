"""`pigpen suspend` and `pigpen resume-bot`, as an organiser types them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.opening import open_ladder
from tests.e2e.command import pigpen
from tests.ladder.ladders import enter, enter_version

if TYPE_CHECKING:
    from pathlib import Path
    from subprocess import CompletedProcess


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data of a ladder with one bot in two variants."""
    database = open_ladder(load_settings(data_dir=tmp_path), create=True)
    with database.write() as session:
        enter_version(session, enter(session, "Trotter"), "gongzhu")
    database.close()
    return tmp_path


def command(folder: Path, *words: str) -> CompletedProcess[str]:
    return pigpen(*words, PIGPEN_DATA_DIR=str(folder))


def states(folder: Path) -> dict[str, tuple[str, str]]:
    database = open_ladder(load_settings(data_dir=folder))
    with database.read() as session:
        found = {entry.variant: (entry.state, entry.reason) for entry in session.query(models.Rating)}
    database.close()
    return found


def test_a_bot_is_suspended_with_a_reason_and_plays_again(folder: Path) -> None:
    one = command(folder, "suspend", "Trotter@1", "--variant", "gongzhu", "--reason", "Too noisy.")
    assert (one.returncode, one.stdout) == (0, "Trotter@1 is suspended in gongzhu.\n")
    assert states(folder) == {"gongzhu": ("suspended", "Too noisy."), "hearts": ("active", "")}
    both = command(folder, "suspend", "Trotter", "--reason", "Still too noisy.")
    assert both.stdout == "Trotter is suspended in gongzhu, hearts.\n"
    assert states(folder)["hearts"] == ("suspended", "Still too noisy.")
    back = command(folder, "resume-bot", "Trotter")
    assert (back.returncode, back.stdout) == (0, "Trotter plays again in gongzhu, hearts.\n")
    assert set(states(folder).values()) == {("active", "")}


@pytest.mark.sqlite
def test_mistakes_are_one_sentence(folder: Path) -> None:
    for words, sentence in {
        ("suspend", "Trotter", "--reason", " "): "A reason is needed, for the bot's owner: --reason TEXT",
    }.items():
        done = command(folder, *words)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"pigpen: {sentence}\n")
    nowhere = command(folder / "nowhere", "resume-bot", "Trotter")
    assert nowhere.returncode == 2
    assert "There is no ladder" in nowhere.stderr
    assert not (folder / "nowhere").exists()
