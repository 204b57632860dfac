"""Ways that messages name are open here: for this installation, this log-in and this folder."""

from __future__ import annotations

import contextlib
import json
import socket
import sqlite3
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from ladder.app.accounts.links import NO_SITE, note_address
from ladder.app.remote.login import NOT_LOGGED_IN, Login, write_login
from ladder.app.supervisor import STOPPING, Supervisor
from ladder.cli.failures import EXTRAS, how_to_install
from ladder.cli.organise.run import ASKED
from ladder.errors import NoLadder
from ladder.people.commands.table import OPENED
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import REFUSALS, open_ladder
from ladder.store.driver_failures import place
from ladder.store.schema import REVISION, Age
from ladder.terminal import ladder as terminal
from tests.e2e.command import every_command
from tests.referee.recorded import match_lines, write_record
from tests.typed import typed

if TYPE_CHECKING:
    from pathlib import Path

ASKING = (
    "standings", "bots", "show Trotter", "matches", "explain 1", "logs 1 Trotter", "replay 1", "verify 1", "why 1 0",
    "rerun 1 0 random", "submissions", "retire Trotter", "allow-people Trotter", "table", "event list",
    "event show cup", "event enter cup Trotter", "event freeze cup", "event export cup", "submit ./mybot",
)  # fmt: skip
"""Commands for the remote ladder to which one has logged in, or else the one on this machine."""


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a log-in, who has a bot."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    typed("new", "mybot", folder=tmp_path)


@pytest.mark.parametrize("words", ASKING)
def test_a_contestant_without_a_log_in_is_told_to_log_in_and_not_to_install_a_ladder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setattr(terminal, "find_spec", lambda _: None)
    done = typed(*words.split(), folder=tmp_path)
    assert (done.code, done.out, done.err) == (2, "", f"pigpen: {NOT_LOGGED_IN}\n")


@pytest.mark.sqlite
def test_a_ladder_is_begun_here_also_by_who_has_logged_in_elsewhere(tmp_path: Path) -> None:
    sentence = str(NoLadder(f"There is no ladder in {str(tmp_path / 'data')!r}"))
    assert typed("bots", folder=tmp_path).err == f"pigpen: {sentence}\n"
    write_login(Login("https://arena.example", "ada", "t" * 40))
    assert typed("bots", "--local", folder=tmp_path).err == f"pigpen: {sentence} --local\n"


WITHOUT_LADDER = (
    "new", "play", "check", "lock", "compare", "duel", "rules", "login", "logout", "whoami", "push", "worker", "doctor",
    "config", "event new", "event check", "event draw", "event simulate", "event verify", "cluster certs", "db backup",
    "ladder monitoring", "ladder units", "ladder image", "ladder compose",
)  # fmt: skip
"""Commands that open no ladder, or one of any schema."""
NEEDS = {"requeue": ("1",), "webhook add": ("https://hooks.example/a",), "webhook remove": ("1",),
         "webhook test": ("1",), "webhook rotate": ("1",), "announcement add": ("Late", "--text", "Later."),
         "announcement remove": ("1",), "deadline set": ("now",), "mail test": ("ada@mail.example",)}  # fmt: skip
"""Arguments that commands of a ladder need, by their names."""
BEGINNING = ("ladder announcement add", "ladder deadline set")
"""Commands by which an organiser may begin a ladder: before anyone is there."""
OF_A_LADDER = [
    name.removeprefix("ladder ")
    for name, _ in every_command()
    if name.startswith("ladder ") and name not in WITHOUT_LADDER + BEGINNING
]


@pytest.mark.sqlite
@pytest.mark.parametrize("name", OF_A_LADDER)
def test_no_command_of_a_ladder_begins_one_or_waits_for_it(tmp_path: Path, name: str) -> None:
    done = typed("ladder", *name.split(), *NEEDS.get(name, ()), folder=tmp_path)
    sentence = NoLadder(f"There is no ladder in {str(tmp_path / 'data')!r}")
    assert done.is_one_sentence, done
    assert done.err == f"pigpen: {sentence}\n"
    assert not (tmp_path / "data").exists()


WORDS = {
    **{words.partition(" ")[0]: words.partition(" ")[2] for words in ASKING if not words.startswith("event ")},
    **{f"ladder {name}": " ".join(words) for name, words in NEEDS.items()},
    "account group": "ada course", "account group-quota": "course",
    "account team": "ada badgers",
    **{f"cluster {name}": "barn" for name in ("drain", "resume", "forget")},
    **{f"event {name}": "cup" for name in ("freeze", "start", "pause", "release", "show", "export", "reveal")},
    **{f"event {name}": "cup Trotter" for name in ("enter", "check-in", "withdraw")},
    **{f"account {name}": "ada" for name in ("add", "enable", "password", "sessions", "revoke")},
    "suspend": "Trotter --reason slow", "resume-bot": "Trotter", "ladder export": "data", "event open": "cup.toml",
    "event hold": "cup --reason late", "event beacon": "cup cup.toml",
    "ladder season new": "--variant hearts", "event redo": "cup --round 1 --table 1 --reason late",
    "event rule": "cup --round 1 --table 1 --last Trotter --reason late", "account disable": "ada --reason late",
    "account role": "ada organiser", "account quota": "ada 5", "account uninvite": "1", "db copy": "sqlite:///other.db",
    "account grades": "hearts", "account export": "ada", "account rename": "ada bea", "account delete": "ada --yes",
    "account mail": "ada ada@mail.example",
}  # fmt: skip
"""Arguments of the others, by their names."""


@pytest.mark.sqlite
@pytest.mark.parametrize("name", [name for name, _ in every_command() if name not in WITHOUT_LADDER])
def test_every_command_leaves_a_ladder_of_an_earlier_build_alone(tmp_path: Path, name: str) -> None:
    """Builds before the first release wrote 0001 under many schemas: this one cannot tell which it has."""
    settings = load_settings(data_dir=tmp_path / "data")
    open_ladder(settings, create=True).close()
    file = tmp_path / "data" / "ladder.db"
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.execute("ALTER TABLE matches DROP COLUMN worker")
    before = file.read_bytes()
    if name in ("event open", "event beacon"):
        typed("event", "new", "cup.toml", folder=tmp_path)
    done = typed(*name.split(), *WORDS.get(name, "").split(), folder=tmp_path)
    sentence = REFUSALS[Age.UNRELEASED].format(where=place(settings.url), revision="0001", here=REVISION)
    assert done.is_one_sentence, done
    assert done.err == f"pigpen: {sentence}\n"
    assert file.read_bytes() == before
    assert sorted(each.name for each in file.parent.iterdir()) == ["ladder.db"]


@pytest.mark.parametrize(
    ("name", "loop", "what"),
    [
        ("tables", "ladder.people.playing.table_work.play_tables", OPENED),
        ("compute", "ladder.app.computing.computing_run.run_computing", ASKED),
    ],
)
def test_a_process_that_serves_a_site_says_that_none_is_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, loop: str, what: str
) -> None:
    runs = mock.AsyncMock()
    monkeypatch.setattr(loop, runs)
    settings = load_settings(data_dir=tmp_path / "data")
    open_ladder(settings, create=True).close()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        note_address(settings, f"http://127.0.0.1:{listener.getsockname()[1]}/")
        assert typed("ladder", name, folder=tmp_path).err == ""
    done = typed("ladder", name, folder=tmp_path)
    assert (done.code, done.err) == (0, f"{NO_SITE.format(what=what)}\n")
    assert runs.await_count == 2


def test_the_packages_for_workers_are_advised_to_workers_alone() -> None:
    beginnings = {name: sentence.partition("{}")[0] for name, sentence in EXTRAS.items()}
    for command, extra in (("worker", "worker"), ("cluster", "ladder"), ("up", "ladder")):
        sentence = how_to_install("cryptography", command)
        assert sentence is not None
        assert sentence.startswith(beginnings[extra])


def test_why_names_the_folder_of_a_bot_only_where_it_is(tmp_path: Path) -> None:
    first, *others = match_lines("hearts", "deals:2")
    names = ("mybot", "random", "bot2", "Trotter")
    record = write_record(tmp_path / "match.jsonl", [first.model_copy(update={"bots": names}), *others])
    for bot, word in (("mybot", "./mybot"), ("random", "random"), ("Trotter", "FOLDER")):
        done = typed("why", "match.jsonl", bot, "--worst", "1", "--json", folder=tmp_path)
        assert done.code == 0, done.err
        for one in json.loads(done.out)["costliest"]:
            assert one["rerun"].startswith(f"pigpen rerun match.jsonl {bot} {word} --deal ")
    assert record.exists()


def test_a_finished_match_is_not_resumed_but_can_be_seen(tmp_path: Path) -> None:
    write_record(tmp_path / "match.jsonl", match_lines("hearts", "deals:1"))
    done = typed("play", *["random"] * 4, "--resume", "match.jsonl", folder=tmp_path)
    assert done.is_one_sentence
    _, _, command = done.err.strip().rpartition(": pigpen ")
    assert typed(*command.split(), "--plain", folder=tmp_path).code == 0


@pytest.mark.parametrize("times", [1, 2, 3])
def test_who_presses_ctrl_c_at_a_ladder_is_told_what_happens(times: int) -> None:
    sentences: list[str] = []
    supervisor = Supervisor([], sentences.append)
    for _ in range(times):
        supervisor.stop()
    supervisor.run()
    assert sentences == [*STOPPING[:times]]
