"""`pigpen cluster` and `pigpen worker` in a terminal. What the tables should look like lies in `seen/`."""

from __future__ import annotations

import doctest
import io
import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from rich.cells import cell_len
from rich.console import Console
from sqlalchemy import update

from ladder.app.cluster import certs, remarks
from ladder.app.cluster.worker_states import drain, workers
from ladder.app.ladder import Ladder
from ladder.app.schema import api_schema
from ladder.cli.organise import cluster
from ladder.cli.organise.cluster import print_workers, since
from ladder.cluster.certificates import CERTIFICATE_DAYS, SCHEDULER, certificates_folder, make_authority, make_worker
from ladder.settings.settings import load_settings
from ladder.store.cluster_models import StoredWorker
from ladder.store.commands.coordinators import database_time, note_alive
from ladder.values.accounts import LOCAL
from ladder.values.cluster import WorkerState
from ladder.values.value import time_of
from tests.e2e.command import ROOT, pigpen
from tests.ladder.cluster_rows import add_workers, seen
from tests.ladder.ladders import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator

SEEN = Path(__file__).parent / "seen"
DAY = 86_400


@pytest.fixture
def ladder(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ladder]:
    """A ladder with a worker in each kind of trouble."""
    monkeypatch.setenv("PIGPEN_DATA_DIR", str(tmp_path))
    shutil.copy(sqlite_template, tmp_path / "ladder.db")
    with Ladder.open(load_settings()) as opened:
        ladder = Ladder(opened.settings, opened.database, lambda: NOW)
        arm = {"machine": {"architecture": "aarch64", "processor": "", "cores": 8}}
        untrue = "3 of its answers cannot be true."
        old = "It has version 0.16.2; this ladder has 0.17.0."
        add_workers(
            ladder,
            seen("sty", {"certificate_ends": NOW + 12 * DAY}, busy=3, tasks=640, voids=1, speed=2199, last_match=10410),
            seen("barn", busy=4, tasks=812, speed=2210.4, last_match=10412),
            seen("byre", arm, state=WorkerState.FAILING, reason="The Docker engine does not answer.", voids=3),
            seen("w" * 64, state=WorkerState.DRAINED, reason=untrue, lies=3, clock_skew=-3600),
            seen("coop", {"version": "0.16.2"}, state=WorkerState.TURNED_AWAY, reason=old),
            seen("shed", state=WorkerState.CALIBRATING, busy=1, seen=NOW - 2),
            seen("old", seen=NOW - 3 * DAY, tasks=99_999, last_match=8000),
        )
        drain(ladder, LOCAL, "w" * 64, untrue)
        drain(ladder, LOCAL, "barn", "It gets a new disk.")
        yield ladder


@pytest.fixture
def connected(ladder: Ladder) -> Ladder:
    """The same, and all of them were seen by the clock of the command, whenever that is."""
    with ladder.database.write() as session:
        session.execute(update(StoredWorker).values(seen=2.0**33))
    return ladder


def shown(ladder: Ladder, columns: int, encoding: str = "utf-8", runtime: str | None = "auto") -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace")
    print_workers(workers(ladder, LOCAL), time_of(NOW), runtime, Console(file=file, width=columns))
    file.seek(0)
    return file.read()


def test_the_examples_are_true() -> None:
    assert doctest.testmod(cluster).failed == doctest.testmod(remarks).failed == 0


@pytest.mark.parametrize("columns", [60, 80, 120, 160])
def test_the_workers_fit_the_terminal_and_read_like_this(ladder: Ladder, columns: int) -> None:
    printed = shown(ladder, columns)
    assert printed == (SEEN / f"workers_{columns}.txt").read_text()
    table = [line for line in printed.splitlines() if line.startswith((" ", "─"))]
    assert max(map(cell_len, table)) <= columns


def test_the_coordinators_are_named_if_there_are_several(ladder: Ladder) -> None:
    assert "coordinator 1" not in shown(ladder, 200)
    add_workers(ladder, seen("loft", coordinator="spare boot pid:[1] 4711 2"))
    assert "spare 4711" in shown(ladder, 200)


def test_a_worker_whose_bots_share_a_kernel_is_named_with_the_reason(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_workers(ladder, seen("loft", {"runtimes": ("runc",)}))
    assert "Install gVisor there" in output("status", "loft")
    assert "kernel" not in output("status", "shed")
    monkeypatch.setenv("PIGPEN_RUNTIME", "runc")
    why = " ".join(output("status", "shed").split())
    assert "the setting runtime" in why
    assert "nstall" not in why
    monkeypatch.setenv("PIGPEN_SANDBOX", "process")
    assert "kernel" not in output("status", "loft")


def test_a_terminal_without_chinese_letters_gets_a_table_too(ladder: Ladder) -> None:
    assert "to drain" in shown(ladder, 80, "ascii")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-5, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (3 * DAY, "3 d")],
)
def test_how_long_ago_a_worker_was_seen_is_given_in_one_unit(seconds: float, text: str) -> None:
    assert since(time_of(NOW - seconds), time_of(NOW)) == text


def test_status_says_which_coordinators_run(ladder: Ladder) -> None:
    assert re.search("^Coordinators: none .*--cluster", output("status"), re.MULTILINE)
    with ladder.database.write() as session:
        for name, seconds in (("sty", 600), ("barn", 3)):
            note_alive(session, f"{name} boot pid:[1] 4711 9", "folder", database_time(session) - seconds)
    assert re.search(
        r"^Coordinators: barn 4711 \(.* \d+ s .*\), sty 4711 \(.* 1[01] min .*\)$", output("status"), re.MULTILINE
    )


def output(*words: str, code: int = 0, folder: Path = ROOT) -> str:
    done = pigpen("cluster", *words, folder=folder)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def as_json(*words: str) -> Any:
    schema, found = api_schema(), json.loads(output(*words, "--json"))
    wanted = schema["properties"][f"cluster {words[0]}"]
    Draft202012Validator({"$defs": schema["$defs"], **wanted}).validate(found)
    return found


def test_a_worker_is_drained_resumed_and_forgotten_without_a_coordinator(connected: Ladder) -> None:
    assert output("drain", "sty", "--reason", "Heat.").startswith("sty gets no more ")
    assert "sty: Heat." in output("status").splitlines()
    assert output("resume", "sty") == "sty plays again.\n"
    add_workers(connected, seen("old", state=WorkerState.GONE, seen=2**33))
    assert output("forget", "old") == "old is forgotten.\n"
    assert "old" not in [row["name"] for row in as_json("status")]


def test_the_same_is_told_as_json(ladder: Ladder) -> None:
    assert as_json("drain", "sty", "--reason", "Heat.")["wanted"] == "drained"
    assert as_json("resume", "sty")["wanted"] == "active"
    rows = {row["name"]: row for row in as_json("status")}
    assert len(rows) == 7
    assert (rows["sty"]["busy"], rows["sty"]["slots"], rows["sty"]["last_match"]) == (3, 4, 10410)
    assert rows["sty"]["machine"] == {"architecture": "x86_64", "processor": "Ryzen 9 7950X", "cores": 16}


def test_one_worker_is_shown_with_all_that_is_known_of_it(connected: Ladder) -> None:
    printed = output("status", "byre")
    assert "8× aarch64, aarch64, 64.0 GiB" in printed
    assert "tasks        0, 3 void, 0 untrue" in printed
    assert "Docker engine does not" in printed
    assert [row["name"] for row in as_json("status", "byre")] == ["byre"]


@pytest.mark.parametrize("command", ["status", "drain", "resume", "forget"])
def test_an_unknown_name_is_one_sentence_with_the_names_there_are(ladder: Ladder, command: str) -> None:
    there = f"barn, byre, coop, old, shed, sty, {'w' * 64}"
    assert output(command, "Sty", code=2).endswith(f" 'Sty'. There is {there}.\n")


def test_a_worker_that_is_connected_is_not_forgotten(ladder: Ladder) -> None:
    add_workers(ladder, seen("sty", seen=2**33))
    assert "worker sty is connected" in output("forget", "sty", code=2)


def test_a_ladder_that_has_had_no_workers_says_how_one_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIGPEN_DATA_DIR", str(tmp_path))
    with Ladder.open(load_settings(), create=True):
        assert output("status").partition("pigpen worker")[1]
    assert as_json("status") == []


def test_what_a_worker_says_cannot_make_a_terminal_do_things(ladder: Ladder) -> None:
    nasty = "\x1b[31mred\x07\x9b2J\u202e[bold]"
    sent = seen("sty", {"version": nasty, "engine": nasty}, address=nasty, reason=nasty, busy=1, seen=2**33)
    add_workers(ladder, sent)
    for words in (["status"], ["status", "sty"], ["status", "--json"], ["drain", "sty"]):
        printed = output(*words)
        assert all(letter.isprintable() or letter == "\n" for letter in printed), words
        assert "[31mred" in printed or words == ["drain", "sty"]


def test_certificates_are_made_once_and_only_their_user_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIGPEN_DATA_DIR", str(tmp_path / "data"))
    made = output("certs")
    assert made.startswith(f"{tmp_path}/data/cluster/scheduler.pem: the certificate of ")
    assert output("certs") == made
    assert output("certs", "sty", folder=tmp_path).startswith("sty.pem: the certificate of ")
    other = as_json("certs", "sty", "--out", str(tmp_path / "other.pem"))
    assert (other["name"], other["file"]) == ("sty", str(tmp_path / "other.pem"))
    private = [*(tmp_path / "data" / "cluster").iterdir(), tmp_path / "sty.pem", tmp_path / "other.pem"]
    assert {file.stat().st_mode & 0o777 for file in private} == {0o600}
    assert "sty.pem" in output("certs", "sty", code=2, folder=tmp_path)
    assert output("certs", "../sty", code=2).startswith("pigpen: '../sty' ")


def test_status_says_when_the_scheduler_s_certificate_is_about_to_expire(ladder: Ladder) -> None:
    assert "Scheduler" not in output("status")
    certs.make_scheduler_certificate(ladder.settings)
    assert "Scheduler" not in output("status")
    folder = certificates_folder(ladder.settings.data_dir)
    for days, sentence in ((12, "Scheduler: Its certificate expires in 12 days"), (-1, "has expired: it was good")):
        (folder / SCHEDULER).unlink()
        make_authority(folder, datetime.now(UTC) - timedelta(days=CERTIFICATE_DAYS - days, seconds=-60))
        assert sentence in output("status")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("10.0.0.1:8786", "--certificate", "x"), "'10.0.0.1:8786' is not the address of a coordinator"),
        (("tls://10.0.0.1:99999", "--certificate", "x"), "write it as tls://10.0.0.1:8786."),
        (("tls://10.0.0.1:1", "--certificate", "missing.pem"), "The certificate missing.pem cannot be read"),
        (("tls://10.0.0.1:1", "--certificate", "x", "--name", "a b"), "'a b' is no name for a worker"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = pigpen("worker", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("pigpen: ")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_folder_below_which_no_socket_fits_is_refused_at_once(tmp_path: Path) -> None:
    make_worker(tmp_path / "cluster", "mars", tmp_path / "mars.pem")
    folder = "/tmp/" + 60 * "x"
    done = pigpen("worker", "tls://127.0.0.1:1", "--certificate", str(tmp_path / "mars.pem"), "--data-dir", folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--data-dir {folder} is too long" in done.stderr
    assert "58 bytes" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not Path(folder).exists()
