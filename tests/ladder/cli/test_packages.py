"""A contestant uses packages: numpy, from the package index that pip is set to on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.command import pigpen

BOT = """
import os

import numpy

import pigpen


class Numeric(pigpen.Bot):
    def play(self, view):
        # Not the one that this Python may have installed, and compiled ahead.
        assert "site-packages" not in numpy.__file__, numpy.__file__
        assert os.path.exists(numpy.__cached__), numpy.__cached__
        return view.legal[int(numpy.argmin(numpy.array([card.rank for card in view.legal])))]


if __name__ == "__main__":
    pigpen.run(Numeric())
"""
LAVISH = ("--rules", "hearts", "--limit", "100")
PATIENT = {"PIGPEN_CLOCK": "600+1", "PIGPEN_LIMIT": "60", "PIGPEN_PREFLIGHT_DEALS": "1"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache folder for all of these tests: what is fetched once is not fetched again."""
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder as `pigpen new` makes it, whose bot uses numpy."""
    done = pigpen("new", "mybot", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "mybot" / "bot.py").write_text(BOT)
    (tmp_path / "mybot" / "requirements.txt").write_text("numpy>=1.26\n")
    return tmp_path


@pytest.mark.docker
def test_a_bot_with_numpy_is_made_checked_locked_played_and_entered(bot: Path, cache: str) -> None:
    there = {"XDG_CACHE_HOME": cache, "PIGPEN_DATA_DIR": str(bot / "ladder"), **PATIENT}
    locking = pigpen("lock", "./mybot", folder=bot, **there)
    assert locking.returncode == 0, locking.stderr
    lock = (bot / "mybot/requirements.lock").read_text()
    assert lock.startswith("numpy==")
    words = ("--deals", "1", "--sandbox", "process", "--clock", "600+1", "--limit", "60")
    done = pigpen("play", "./mybot", "random", "random", "random", *words, folder=bot, **there)
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = [line.split("│") for line in done.stdout.splitlines() if "mybot" in line]
    assert row[5].strip() == "0"
    done = pigpen("submit", "./mybot", "--owner", "ada", "--variant", "hearts", folder=bot, **there)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = pigpen("show", "mybot", "--json", folder=bot, **there)
    assert [version["lock"] for version in json.loads(shown.stdout)["versions"]] == [lock]
    assert (
        f"packages of version 1: numpy {lock.partition(' ')[0].partition('==')[2]}\n"
        in pigpen("show", "mybot", folder=bot, **there).stdout
    )


def test_a_requirement_that_is_none_is_one_sentence(bot: Path, cache: str) -> None:
    (bot / "mybot/requirements.txt").write_text("numpy\n--extra-index-url http://127.0.0.1/\n")
    for words in (("check", "./mybot"), ("lock", "./mybot"), ("play", *("./mybot",) * 4)):
        done = pigpen(*words, "--sandbox", "process", folder=bot, XDG_CACHE_HOME=cache)
        assert done.returncode == 2
        assert "Line 2 of requirements.txt: '--extra-index-url " in done.stderr
        assert "Traceback" not in done.stderr


def test_there_is_nothing_to_lock_in_a_folder_without_requirements(bot: Path) -> None:
    (bot / "mybot/requirements.txt").unlink()
    done = pigpen("lock", "./mybot", folder=bot)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Nothing was written" in done.stderr
    done = pigpen("lock", "pigpen/bot:latest", folder=bot)
    assert (done.returncode, "is an image" in done.stderr) == (2, True)
