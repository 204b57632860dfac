"""`pigpen submit` and `pigpen retire`, as an owner types them."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app.submit.local_submission import NO_ISOLATION
from ladder.sandbox.bots.content import Content, keep_folder
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.opening import open_ladder
from pigpen.rules import PRESETS
from tests.e2e.command import pigpen
from tests.for_two import FOR_TWO, write_for_two
from tests.ladder.bad_checks import GOOD, RUN
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

PATIENT = {"PIGPEN_CLOCK": "600+1", "PIGPEN_LIMIT": "60", "PIGPEN_PREFLIGHT_DEALS": "1"}
TIRES_IN_MATCHES = """
    def match_started(self, welcome):
        self.in_match = welcome.format == "deals:1"  # the cases are more

    def play(self, view):
        if self.in_match and len(view.tricks) >= 5:
            raise SystemExit("I \\x1b[31mam tired")
        return view.legal[0]
"""


def command(folder: Path, *words: str, **extra: str) -> CompletedProcess[str]:
    return pigpen(*words, folder=folder, PIGPEN_DATA_DIR=str(folder / "ladder"), **PATIENT, **extra)


def submit(folder: Path, *words: str) -> CompletedProcess[str]:
    return command(folder, "submit", *words, "--owner", "ada", "--sandbox", "process")


def write_bot(folder: Path, name: str = "mybot", program: str = GOOD + RUN) -> None:
    (folder / name).mkdir()
    (folder / name / "bot.py").write_text(program)


def enter(folder: Path, name: str) -> Path:
    """Enter ``mybot`` as a process, without the trial, which would take longer than the test; where it is kept."""
    settings, content = load_settings(data_dir=folder / "ladder"), Content.read(folder / "mybot")
    database = open_ladder(settings, create=True)
    with database.write() as session:
        Fit(name, "ada", f"sha256:{content.hash}", "process", "mybot", content.size).enter(session, [FOR_TWO])
    database.close()
    return keep_folder(content, settings.data_dir)


def states(folder: Path) -> dict[str, str]:
    """The state of each version that is on the ladder."""
    wanted = select(models.StoredBot.name, models.Version.number, models.Rating.state)
    wanted = wanted.join(models.Version, models.Version.bot_id == models.StoredBot.id).join(
        models.Rating, models.Rating.version_id == models.Version.id
    )
    database = open_ladder(load_settings(data_dir=folder / "ladder"))
    with database.read() as session:
        found = {f"{row.name}@{row.number}": row.state for row in session.execute(wanted)}
    database.close()
    return found


WAITS = "  It waits for 1 more owner before it can play for-two.\n"


def test_a_bot_is_entered_replaced_and_brought_back(tmp_path: Path) -> None:
    write_bot(tmp_path)
    first = submit(tmp_path, "./mybot", "--name", "Trotter", "--variant", write_for_two(tmp_path))
    assert first.returncode == 0, first.stderr
    assert re.match(r"Trotter@1 of ada: sha256:[0-9a-f]{64}\n", first.stdout)
    assert "\n  for-two: entered, Elo 1500\n" in first.stdout
    assert first.stdout.endswith(f"\n{WAITS}")
    assert NO_ISOLATION in first.stderr
    again = submit(tmp_path, "./mybot", "--name", "Trotter")
    assert again.stdout.startswith("Trotter@1 is this already; ")
    assert again.stdout.endswith("there already, Elo 1500\n" + WAITS)
    (tmp_path / "mybot" / "bot.py").write_text(f"# better\n{GOOD}{RUN}")
    second = json.loads(submit(tmp_path, "./mybot", "--name", "Trotter", "--json").stdout)
    assert (second["accepted"], second["version"], second["new"], second["reasons"]) == (True, "Trotter@2", True, [])
    assert second["variants"] == [
        {
            "variant": "for-two",
            "state": "active",
            "news": "entered",
            "elo": 1500.0,
            "retired": ["Trotter@1"],
            "missing_owners": 1,
        }
    ]
    (tmp_path / "mybot" / "bot.py").write_text(GOOD + RUN)
    back = submit(tmp_path, "./mybot", "--name", "Trotter")
    assert back.stdout.endswith(" Trotter@2\n" + WAITS)
    assert "  for-two: back again, Elo 1500, " in back.stdout
    gone = command(tmp_path, "retire", "Trotter", "--reason", "enough")
    assert (gone.returncode, gone.stdout.split()[0]) == (0, "Trotter@1")
    assert states(tmp_path) == {"Trotter@1": "retired", "Trotter@2": "retired"}


def test_a_bot_that_fails_against_itself_is_shown_why_and_how_to_see_it_again(tmp_path: Path) -> None:
    write_bot(tmp_path, program=GOOD + TIRES_IN_MATCHES + RUN)
    done = submit(tmp_path, "./mybot", "--variant", "hearts-short")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("mybot is refused.")
    found = re.fullmatch(
        r"✗ hearts-short, deals:1 against itself: deal 1, decision (\d+): gone: its program ended with exit "
        "code 1",
        lines[1],
    )
    assert found
    assert lines[4] == "  … and 1 more."
    assert [line for line in lines if re.fullmatch(r"    \[[56]\] I \ufffd\[31mam tired", line)]
    assert "Traceback" not in done.stderr
    assert states(tmp_path) == {}
    hint, _, again = lines[-1].partition(": pigpen ")
    assert hint == "To reproduce it"
    shown = command(tmp_path, *shlex.split(again))
    assert f"deal 1, decision {found[1]}: gone: " in shown.stdout


def test_a_bot_that_fails_a_case_is_shown_why_and_how_to_see_it_again(tmp_path: Path) -> None:
    write_bot(tmp_path, program="raise SystemExit('I will not')")
    done = submit(tmp_path, "./mybot", "--variant", "hearts-short")
    assert done.returncode == 1
    reason = "✗ wire: takes its seat and answers: absent: its program ended with exit code 1\n"
    assert reason in done.stdout
    assert "    I will not\n" in done.stdout
    assert states(tmp_path) == {}
    again = done.stdout.splitlines()[-1].partition(": pigpen ")[2]
    shown = command(tmp_path, *shlex.split(again))
    assert (shown.returncode, reason in shown.stdout) == (1, True)


def test_json_tells_scripts_why_a_bot_is_not_taken(tmp_path: Path) -> None:
    write_bot(tmp_path, program="raise SystemExit('I will not')")
    done = submit(tmp_path, "./mybot", "--variant", "hearts-short", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["accepted"], found["version"], found["variants"]) == (1, False, None, [])
    assert found["reasons"] == [
        {
            "variant": "wire",
            "where": "takes its seat and answers",
            "verdict": "absent",
            "why": "its program ended with exit code 1",
            "output": "I will not",
            "format": None,
            "rotation": None,
            "decision": None,
        }
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a bot in it, and a ladder where ada has entered Trotter as a process."""
    write_bot(tmp_path)
    database = open_ladder(load_settings(data_dir=tmp_path / "ladder"), create=True)
    with database.write() as session:
        Fit("Trotter", "ada", "sha256:1", "process", "mybot", 1).enter(session, [PRESETS["hearts"]])
    database.close()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("submit", "./nothing"), "There is no bot './nothing'"),
        (
            ("submit", "./mybot", "--name", "a@2"),
            "'a@2' cannot be the name of a bot (--name): it takes 1 to 64 letters",
        ),
        (("submit", "./mybot", "--name", "\x1b[31m"), "'\\x1b[31m' cannot be the name of a bot"),
        (("submit", "./mybot", "--owner", "a b"), "'a b' cannot be the name of an owner (--owner): it takes"),
        (
            ("submit", "./mybot", "--name", "Tr\u043etter", "--owner", "ben"),
            "The name 'Tr\u043etter' looks like 'Trotter'",
        ),
        (("submit", "./mybot", "--name", "Trotter", "--owner", "ben"), "The name 'Trotter' belongs to a bot of ada's"),
        (
            ("submit", "./mybot", "--name", "trotter", "--owner", "ada"),
            "The name 'trotter' looks like 'Trotter', which is taken. Write --name Trotter",
        ),
        (("submit", "./mybot", "--variant", "herats"), "There are no rules called 'herats'"),
        (("submit", "./mybot", "--sandbox", "docker"), "The bots of this ladder run in the process sandbox"),
        (("submit", "mybot:latest"), "mybot:latest is an image, and the process sandbox runs folders only"),
        (("retire", "Troter"), "There is no bot 'Troter' on this ladder. Did you mean Trotter?"),
    ],
)
def test_a_mistake_is_one_sentence_and_changes_nothing(folder: Path, words: tuple[str, ...], sentence: str) -> None:
    done = command(folder, *words)
    assert (done.returncode, done.stdout) == (2, "")
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"pigpen: {sentence}")
    assert states(folder) == {"Trotter@1": "active"}


def test_without_an_engine_the_platform_failed_and_nobody_is_rejected(tmp_path: Path) -> None:
    done = command(tmp_path, "submit", "random", DOCKER_HOST="unix:///nonexistent/docker.sock")
    assert done.returncode == 3
    assert done.stderr.startswith("pigpen: No Docker engine answers.")
    assert states(tmp_path) == {}


HOSTILE = "from pathlib import Path\nPath(__file__).with_name('it-ran').touch()\n"
"""A bot that says when it has run on the host."""


@pytest.mark.parametrize("where", [".", "conf"])
def test_a_strangers_folder_does_not_choose_the_sandbox(tmp_path: Path, where: str) -> None:
    write_bot(tmp_path, "stranger", HOSTILE + GOOD + RUN)
    here = tmp_path / "stranger" / where
    here.mkdir(exist_ok=True)
    (here / "pigpen.toml").write_text('sandbox = "process"\n')
    words = ("submit", "." if where == "." else "..", "--owner", "ada")
    done = pigpen(*words, folder=here, PIGPEN_DATA_DIR=str(tmp_path / "ladder"), DOCKER_HOST="unix:///nowhere")
    assert done.returncode == 3
    assert done.stderr.splitlines()[0].startswith(f"'{here}/pigpen.toml' is not read: ")
    assert "No Docker engine answers" in done.stderr
    assert not list(tmp_path.rglob("it-ran"))


def test_a_file_alone_does_not_begin_a_ladder_of_processes(tmp_path: Path) -> None:
    write_bot(tmp_path, "stranger", HOSTILE + GOOD + RUN)
    (tmp_path / "pigpen.toml").write_text('sandbox = "process"\n')
    refused = command(tmp_path, "submit", "./stranger", "--owner", "ada")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("pigpen: pigpen.toml alone ")
    assert "--sandbox process" in refused.stderr
    assert not list(tmp_path.rglob("it-ran"))
    write_bot(tmp_path)
    enter(tmp_path, "Trotter")
    assert (
        command(tmp_path, "submit", "./mybot", "--name", "Snout", "--owner", "ada", "--variant", "for-two").returncode
        == 0
    )
    assert states(tmp_path) == {"Trotter@1": "active", "Snout@1": "active"}


def test_a_folder_that_the_ladder_keeps_cannot_be_entered_again(tmp_path: Path) -> None:
    write_bot(tmp_path)
    kept = enter(tmp_path, "Trotter")
    taken = command(tmp_path, "submit", str(kept), "--name", "Thief", "--owner", "eve")
    assert taken.returncode == 2
    assert "Submit your own folder" in taken.stderr


def test_the_same_folder_may_be_entered_by_two_owners(tmp_path: Path) -> None:
    write_bot(tmp_path)
    enter(tmp_path, "Trotter")
    again = command(tmp_path, "submit", "./mybot", "--name", "Snout", "--owner", "ben", "--variant", "for-two")
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda bot: (bot / "out").symlink_to("/etc/passwd"), "is a link that leads out of the bot's folder"),
        (lambda bot: os.truncate(bot / "weights", 64 << 30), "holds more than 536,870,912 bytes"),
        (lambda bot: os.close(os.open(bytes(bot) + b"/\xff", os.O_CREAT)), "has a name that is not UTF-8"),
    ],
)
def test_a_bad_folder_is_one_sentence(tmp_path: Path, made: Callable[[Path], None], why: str) -> None:
    write_bot(tmp_path)
    (tmp_path / "mybot" / "weights").touch()
    made(tmp_path / "mybot")
    for words in (["submit", "./mybot", "--owner", "ada"], ["check", "./mybot"], ["play", *["./mybot"] * 4]):
        done = command(tmp_path, *words, "--sandbox", "process")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines()[-1].startswith("pigpen: ")
        assert why in done.stderr.splitlines()[-1]
