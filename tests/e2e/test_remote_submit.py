"""`pigpen submit` and `pigpen submissions` with a remote ladder: a real site, a worker that does as told."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from sqlalchemy import select

from ladder.app.ladder import Ladder
from ladder.app.submit import ordering
from ladder.results.files import SubmissionFolders
from ladder.sandbox.bots.content import Content
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.store.account_models import StoredSubmission
from ladder.values.submission import EnteredVariant, Failure, SubmissionResult, VariantFile
from pigpen.rules import PRESETS
from tests.e2e.command import PIGPEN, environment
from tests.ladder.accounts import add_person, token_of
from tests.ladder.remote_site import log_in, served_app
from tests.typed import Typed, typed
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ladder.values.submission import SubmissionRow

ENTERED = SubmissionResult(
    accepted=True, bot="Trotter", owner="ada", identity="sha256:1", pinned=None, version="Trotter@1", new=True,
    changed=True, moved_from=None, outdated=(), reasons=(), again=None,
    variants=(EnteredVariant(variant="gongzhu", state="active", news="entered", elo=1500.0, retired=()),),
)  # fmt: skip
FAILED = ENTERED.model_copy(
    update={
        "accepted": False, "version": None, "variants": (), "again": "pigpen check ./trotter --rules gongzhu",
        "reasons": (Failure(variant="gongzhu", where="a lead", verdict="timeout", why="too slow", output="[1] hm\n"),),
    }
)  # fmt: skip
STEPS: list[dict[str, Any]] = [
    {"status": "leased", "phase": "building", "attempt": 1, "started": 2.0},
    {"phase": "trying", "done": 0, "steps": 40},
    {"done": 39},
]


@dataclass
class RemoteLadder:
    """A remote ladder, and a contestant who has logged in to it."""

    ladder: Ladder
    folder: Path
    login: dict[str, str]

    def __call__(self, *words: str) -> Typed:
        """Run ``pigpen WORDS`` in the contestant's folder, where there is no ladder."""
        return typed(*words, folder=self.folder, **self.login)

    def rows(self) -> list[StoredSubmission]:
        with self.ladder.database.read() as session:
            return list(session.scalars(select(StoredSubmission).order_by(StoredSubmission.id)))


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[RemoteLadder]:
    home = tmp_path / "contestant"
    bot = home / "trotter"
    bot.mkdir(parents=True)
    (bot / "bot.py").write_text("import pigpen\n")
    (bot / "model.bin").write_bytes(random.Random(1).randbytes(3_000_000))
    with Ladder.open(load_settings(data_dir=tmp_path / "data"), create=True) as ladder:
        add_person(ladder, "ada")
        with served_app(make_app(ladder, look_seconds=0.02)) as address:
            yield RemoteLadder(ladder, home, log_in(home / "config", address, "ada", token_of(ladder, "ada")))


@pytest.fixture
def worker(remote: RemoteLadder) -> Iterator[Worker]:
    worker = Worker(remote)
    with mock.patch.object(ordering, "submission", worker.counted(ordering.submission)):
        yield worker
        worker.over.set()
        worker.join()


class Worker(threading.Thread):
    """Takes each submission through `STEPS` to an end; each step is sent to the waiting command before the next."""

    def __init__(self, remote: RemoteLadder) -> None:
        super().__init__()
        self.remote = remote
        self.over = threading.Event()
        self.looks = 0
        self.last: dict[str, Any] = {}
        self.content = ""
        self.error = ""

    def ends(self, status: str, result: SubmissionResult | None = None, reason: str = "") -> None:
        """Begin, and let each submission end so."""
        dumped = None if result is None else result.model_dump(mode="json")
        self.last = {"status": status, "phase": "ended", "finished": 9.0, "result": dumped, "reason": reason}
        self.start()

    def counted(self, look: Callable[..., SubmissionRow]) -> Callable[..., SubmissionRow]:
        """Count how often the site looks how far a submission has come."""

        def looking(*words: Any) -> SubmissionRow:
            self.looks += 1
            return look(*words)

        return looking

    def run(self) -> None:
        while not self.over.wait(0.02):
            for row in self.remote.rows():
                if row.status == "queued":
                    self._take(row)

    def _take(self, row: StoredSubmission) -> None:
        assert row.folder is not None
        folders = SubmissionFolders(self.remote.ladder.settings.data_dir)
        self.content = Content.read(folders.bot(row.folder, row.source)).hash
        for step in [*STEPS, self.last]:
            with self.remote.ladder.database.write() as session:
                for name, value in step.items():
                    setattr(session.get_one(StoredSubmission, row.id), name, value)
            seen = self.looks + 1
            while self.looks <= seen and step is not self.last:  # it looks again when it has sent what it saw
                if self.over.wait(0.005):
                    return


def test_a_folder_is_sent_and_what_becomes_of_it_is_told_as_on_this_machine(
    remote: RemoteLadder, worker: Worker
) -> None:
    worker.ends("entered", ENTERED)
    done = remote("submit", "./trotter", "--name", "Trotter", "--keep-old")
    assert done.code == 0
    assert done.out.splitlines() == ["Trotter@1 of ada: sha256:1", "  gongzhu: entered, Elo 1500"]
    dumped = [line.partition(": ")[2] for line in done.err.splitlines()]
    assert dumped[-1] == "entered"
    assert {"building", "trying, 0 of 40 cases"} <= set(dumped)
    assert worker.content == Content.read(remote.folder / "trotter").hash
    (row,) = remote.rows()
    assert (row.owner, row.bot, row.source, row.order.word) == ("ada", "Trotter", "trotter", "./trotter")
    assert (row.order.keep_old, row.remote, row.order.variants) == (True, True, ())
    assert json.loads(remote("submit", "./trotter", "--json").out) == ENTERED.model_dump(mode="json")
    assert not (remote.folder / "data").exists()


def test_why_a_bot_is_not_taken_is_told_as_on_this_machine(remote: RemoteLadder, worker: Worker) -> None:
    worker.ends("refused", FAILED)
    done = remote("submit", "./trotter", "--name", "Trotter")
    assert done.code == 1
    assert done.out.startswith("Trotter is refused. ")
    assert f"gongzhu: {FAILED.reasons[0].where}: timeout: {FAILED.reasons[0].why}" in done.out
    assert done.out.endswith(f" {FAILED.again}\n")
    assert json.loads(remote("submit", "./trotter", "--json").out)["accepted"] is False


@pytest.mark.parametrize(
    ("status", "reason", "code", "ending"),
    [
        ("refused", "Trotter is another owner's.", 2, "pigpen: Trotter is another owner's.\n"),
        ("failed", "No engine answers.", 3, "pigpen: No engine answers.\n"),
        ("withdrawn", "", 2, "pigpen: Submission 1 was withdrawn.\n"),
    ],
)
def test_an_end_without_a_trial_has_its_sentence_and_exit_code(
    remote: RemoteLadder, worker: Worker, status: str, reason: str, code: int, ending: str
) -> None:
    worker.ends(status, reason=reason)
    done = remote("submit", "./trotter")
    assert (done.code, done.out) == (code, "")
    assert done.err.endswith(ending)


def test_rules_of_a_file_are_read_here_and_sent(remote: RemoteLadder, worker: Worker) -> None:
    worker.ends("entered", ENTERED)
    remote.folder.joinpath("mine.toml").write_text(
        remote("rules", "hearts", "--toml").out.replace('"hearts"', '"mine"', 1)
    )
    assert remote("submit", "./trotter", "--variant", "mine.toml", "--variant", "gongzhu").code == 0
    (row,) = remote.rows()
    first, second = row.order.variants
    assert isinstance(first, VariantFile)
    assert (first.file, second) == ("mine.toml", "gongzhu")
    assert first.rules == PRESETS["hearts"].to_plain() | {"name": "mine"}


def test_what_makes_no_sense_for_a_remote_ladder_is_refused_in_a_sentence(remote: RemoteLadder) -> None:
    for words, ending in (
        (("--owner", "ben"), "You are ada on http://127.0.0.1:"),
        (("--sandbox", "docker"), "decides where its bots run. Leave --sandbox out"),
        (("--variant", "bridge"), "bridge"),
        (("--name", "no spaces please"), "'no spaces please'"),
        (("--name", "n" * 65), repr("n" * 65)),
        (("--variant", "hearts") * 51, "variants: Tuple should have at most 50 items"),
    ):
        done = remote("submit", "./trotter", *words)
        assert done.is_one_sentence, done
        assert ending in done.err
    assert remote("submit", "some/image:1").is_one_sentence
    assert remote.rows() == []
    assert not (remote.ladder.settings.data_dir / "uploads").exists()  # nor was anything sent


def test_submissions_are_listed_shown_and_taken_back(remote: RemoteLadder, worker: Worker) -> None:
    assert remote("submissions").out == "There are no submissions.\n"
    worker.ends("refused", FAILED)
    remote("submit", "./trotter", "--owner", "ada", "--name", "Trotter")
    worker.over.set()
    listed = remote("submissions").out.splitlines()
    assert listed[-1].split()[:3] == ["1", "Trotter", "ada"]
    assert listed[-1].rstrip().endswith("refused")
    shown = remote("submissions", "1").out
    assert shown.startswith("Submission 1: Trotter of ada, ")
    assert "Trotter is refused" in shown
    (row,) = json.loads(remote("submissions", "--json").out)["submissions"]
    assert row == json.loads(remote("submissions", "1", "--json").out)
    done = remote("submissions", "1", "--withdraw")
    assert done.is_one_sentence
    assert "Submission 1 has ended" in done.err
    assert "submission to withdraw" in remote("submissions", "--withdraw").err


def test_ctrl_c_says_that_it_goes_on_and_again_ends_only_the_command(remote: RemoteLadder) -> None:
    with subprocess.Popen(
        [PIGPEN, "submit", "./trotter", "--name", "Trotter"], cwd=remote.folder, env=environment(**remote.login),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        try:
            assert program.stderr is not None
            assert program.stderr.readline().startswith("Submission 1: waiting, number 1 ")
            program.send_signal(signal.SIGINT)
            continues = program.stderr.readline()
            assert "Submission 1 continues " in continues
            assert "pigpen submissions 1. " in continues
            assert "pigpen submissions 1 --withdraw. " in continues
            assert "Ctrl-C again " in continues
            assert program.poll() is None
            program.send_signal(signal.SIGINT)
            out, err = program.communicate(timeout=PATIENCE)
        finally:
            program.kill()
    assert (program.returncode, out, err) == (130, "", "pigpen: Interrupted.\n")
    assert [row.status for row in remote.rows()] == ["queued"]
    assert "withdrawn" in remote("submissions", "1", "--withdraw").out
    assert [row.status for row in remote.rows()] == ["withdrawn"]
