"""What contestants need, on a system that is not Linux: as far as one that is can tell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.settings.settings import load_settings
from tests.e2e.command import ROOT, environment
from tests.ladder import shown as shown_ladder
from tests.ladder.accounts import add_person, token_of
from tests.ladder.remote_site import log_in, served
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterable

TABLE = ("random", "cautious", "random", "random")


def pigpen(system: str, *words: str, folder: Path, **extra: str) -> str:
    """Run ``pigpen WORDS`` as on *system* and give what it prints."""
    script = str(ROOT / "tests" / "without_linux.py")
    done = subprocess.run(
        [sys.executable, script, system, *words],
        cwd=folder, env=environment(**extra), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match between processes, played and recorded as on macOS."""
    record = tmp_path_factory.mktemp("macos") / "match.jsonl"
    shown = pigpen("macos", "play", *TABLE, "--deals", "1", "--sandbox", "process", "--record", str(record),
                   folder=record.parent)  # fmt: skip
    assert "cautious" in shown
    return record


def test_processes_play_on_macos(record: Path) -> None:
    assert record.read_text().count("\n") == 3


@pytest.mark.docker
def test_containers_play_on_macos(tmp_path: Path) -> None:
    assert "cautious" in pigpen("macos", "play", *TABLE, "--deals", "1", folder=tmp_path)


COMMANDS = {
    "rules gongzhu": "gongzhu",
    "new mine": "Made mine",
    f"play {' '.join(TABLE)} --boards 1 --sandbox inline": "points/deal",
    "check cautious --rules hearts --sandbox inline": "cases passed",
    "compare random cautious --boards 2 --sandbox inline --elo1 500": "boards",
    "replay RECORD": "Points per deal",
    "verify RECORD": "holds",
    "rerun RECORD cautious random --sandbox inline": "decisions",
}
"""What contestants do without a ladder, and some of what is printed."""


def printed(commands: Iterable[str], folder: Path, **extra: str) -> dict[str, str]:
    """What each command prints, run one after the other in one process where no module is that only Linux has."""
    words = [word for command in commands for word in (*command.split(), ",")]
    return dict(zip(commands, pigpen("nowhere", *words, folder=folder, **extra).split("\f"), strict=False))


@pytest.fixture(scope="module")
def shown(record: Path) -> dict[str, str]:
    """What is printed for `COMMANDS`."""
    folder = record.parent
    given = [command.replace("RECORD", record.name) for command in COMMANDS]
    return dict(zip(COMMANDS, printed(given, folder).values(), strict=False))


@pytest.mark.parametrize("command", COMMANDS)
def test_it_works_where_no_module_is_that_is_not_on_every_platform(shown: dict[str, str], command: str) -> None:
    assert COMMANDS[command] in shown[command]


def test_a_remote_ladder_is_asked_and_sent_a_bot(tmp_path: Path) -> None:
    with Ladder.open(load_settings(data_dir=tmp_path / "data"), create=True) as ladder:
        with ladder.database.write() as session:
            shown_ladder.a_ladder(session, matches=1)
        add_person(ladder, "zoe")
        with served(ladder) as address:
            login = log_in(tmp_path / "config", address, "zoe", token_of(ladder, "zoe"))
            wanted = {
                "new mine": "Made mine",
                "whoami": "You are zoe (contestant)",
                "standings": "Trotter",
                "matches": "gongzhu",
                "submissions": "There are no submissions.",
                "submit ./mine --variant bridge": "",
                "logout": "You are logged out",
            }
            outputs = printed(wanted, tmp_path, **login)
    assert [command for command, words in wanted.items() if words not in outputs[command]] == [], outputs


def test_a_module_that_is_hidden_is_missed(tmp_path: Path) -> None:
    """The test's own test: processes ask the kernel what waits in a pipe."""
    with pytest.raises(AssertionError, match="fcntl, which is hidden"):
        pigpen("nowhere", "play", *TABLE, "--deals", "1", "--sandbox", "process", folder=tmp_path)
