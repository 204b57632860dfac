"""Any process may be killed while submissions are handed in, built and tried: each ends once, and leaves nothing."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from sqlalchemy import select

from ladder.app.ladder import Ladder
from ladder.results.files import SubmissionFolders
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.account_models import StoredSubmission
from ladder.store.commands.submission_queue import add
from ladder.store.leases import MAX_FAILURES, MAX_LOSSES
from ladder.values.submission import SubmissionOrder
from tests.e2e.command import PIGPEN, ROOT, environment
from tests.e2e.small_ladder import SLOW, SmallLadder, small_ladder
from tests.for_two import FOR_TWO, write_for_two
from tests.ladder.accounts import add_person, token_of
from tests.ladder.app.submit.archives import packed
from tests.ports import free_port
from tests.processes import children, has_ended
from tests.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20261122
QUICK_TRIALS = {"PIGPEN_PREFLIGHT_DEALS": "1", "PIGPEN_CLOCK": "600+1", "PIGPEN_LIMIT": "60"}
QUICK_TRIALS |= {"PIGPEN_WORKERS": "1"}
ENDED = ("entered", "refused", "failed", "withdrawn")
API = "/api/v1"


def is_bad(owner: str) -> bool:
    """True if that owner's bot is to be refused."""
    return owner.endswith("1")


def write_bot(folder: Path, owner: str) -> Path:
    """An honest bot of which there is no second one; or one that ends before it has said a word."""
    shutil.copytree(ROOT / "sample_bots" / "random", folder)
    program = folder / "bot.py"
    program.write_text(f"# {owner}\n" + ("raise SystemExit(1)\n" if is_bad(owner) else "") + program.read_text())
    return folder


def hand_in(ladder: SmallLadder, owner: str) -> None:
    """Put a submission into the queue, as a `pigpen submit` would leave it that was killed."""
    folders = SubmissionFolders(ladder.settings.data_dir)
    name = folders.make()
    write_bot(folders.bot(name, "bot"), owner)
    with ladder.database.write() as session:
        order = SubmissionOrder(name=f"{owner}s", source="bot", word="./bot", variants=(FOR_TWO.name,))
        add(session, order, time.time(), owner=owner, sandbox="process", folder=name)


def submissions(ladder: SmallLadder) -> list[StoredSubmission]:
    with ladder.database.read() as session:
        return list(session.scalars(select(StoredSubmission).order_by(StoredSubmission.id)))


def is_tried_by(ladder: SmallLadder, pid: int) -> bool:
    """True if that process tries one, or there is none left to be tried."""
    waiting = [row for row in submissions(ladder) if row.status not in ENDED]
    return not waiting or any(f" {pid} " in (row.holder or "") for row in waiting)


@contextmanager
def running(ladder: SmallLadder) -> Iterator[subprocess.Popen[bytes]]:
    """``pigpen ladder run`` while it runs; its log is in the ladder's folder, and nobody reads another one."""
    variables = environment(**ladder.variables(**QUICK_TRIALS))
    with subprocess.Popen(
        [PIGPEN, "ladder", "run", "--log-to-stderr", "--concurrency", "8"], cwd=ladder.settings.data_dir, env=variables,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as program:  # fmt: skip
        try:
            yield program
        finally:
            program.kill()


@contextmanager
def submitting(ladder: SmallLadder, folder: Path, owner: str) -> Iterator[subprocess.Popen[str]]:
    """``pigpen submit`` on the ladder's machine, while it runs."""
    words = ["submit", str(write_bot(folder, owner)), "--name", f"{owner}s", "--owner", owner, "--local"]
    command = [str(PIGPEN), *words, "--sandbox", "process", "--variant", FOR_TWO.name]
    variables = environment(**ladder.variables(**QUICK_TRIALS))
    with subprocess.Popen(
        command, cwd=folder.parent, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            yield program
        finally:
            program.kill()


class Chaos:
    """Kills one thing after the other, and counts."""

    def __init__(self, ladder: SmallLadder, folder: Path) -> None:
        self.kills: Counter[str] = Counter()
        self._ladder = ladder
        self._folder = folder
        self._rng = random.Random(SEED)

    def kill_one(self, number: int) -> None:
        """Kill a worker and its runner, a `pigpen submit`, or a runner alone, in turn; at some moment of a trial."""
        if number % 3 == 1:
            self._kill_submit(f"late{number}0")
        else:
            self._kill_runner(worker=number % 3 == 0)

    def _kill_runner(self, *, worker: bool) -> None:
        with running(self._ladder) as runner:
            until(lambda: runner.poll() is not None or is_tried_by(self._ladder, runner.pid))
            time.sleep(self._rng.random() * 3)
            assert runner.poll() is None
            for pid in children(runner.pid)[: 1 if worker else 0]:
                os.kill(pid, signal.SIGKILL)
                self.kills["worker"] += 1
                time.sleep(self._rng.random() * 2)
            self.kills["runner"] += not worker
            workers = children(runner.pid)
            runner.kill()
            runner.wait()
        until(lambda: all(map(has_ended, workers)) and not self._ladder.processes())

    def _kill_submit(self, owner: str) -> None:
        before = len(submissions(self._ladder))
        with submitting(self._ladder, self._folder / owner, owner) as program:
            until(lambda: program.poll() is not None or len(submissions(self._ladder)) > before)
            time.sleep(self._rng.random() * 2)
            self.kills["pigpen submit"] += program.poll() is None
            program.kill()
            program.communicate()


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("waiting", "kills"), [(2, 2), pytest.param(14, 30, marks=pytest.mark.long)])
def test_each_submission_ends_once_whoever_is_killed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], waiting: int, kills: int
) -> None:
    """Submissions that wait from the beginning; others come from commands that are killed."""
    with small_ladder(tmp_path, bots=("Trotter", "Snout"), program=SLOW) as ladder:
        write_for_two(tmp_path)
        for number in range(waiting):
            hand_in(ladder, f"owner{number}")
        chaos = Chaos(ladder, tmp_path)
        for number in range(kills):
            if not any(row.status in ("queued", "leased") for row in submissions(ladder)):
                hand_in(ladder, f"more{number}")
            chaos.kill_one(number)
        with running(ladder) as runner:
            until(lambda: runner.poll() is not None or all(row.status in ENDED for row in submissions(ladder)))
            runner.send_signal(signal.SIGINT)
            assert runner.wait() == 130
        rows = submissions(ladder)
        assert_each_has_ended_once(ladder, rows)
        assert not any((ladder.settings.data_dir / "submissions").iterdir())
        assert ladder.processes() == []
    attempts = sum(row.attempt for row in rows)
    with capsys.disabled():
        print(f"\nkills: {dict(chaos.kills)}; submissions: {len(rows)}, tried {attempts} times:",
              dict(Counter(row.status for row in rows)), "lost: 0, doubled: 0")  # fmt: skip


def endings_of(row: StoredSubmission) -> set[str]:
    """Give the possible endings: on a busy machine a slow trial is begun too often, and the submission is given up."""
    of_itself = "refused" if is_bad(row.owner) else "entered"
    is_at_the_limit = row.failures >= MAX_FAILURES or row.losses >= MAX_LOSSES
    return {of_itself, "failed"} if is_at_the_limit else {of_itself}


def assert_each_has_ended_once(ladder: SmallLadder, rows: list[StoredSubmission]) -> None:
    assert [(row.owner, row.status) for row in rows if row.status not in endings_of(row)] == []
    assert [row.status for row in rows].count("failed") < len(rows) / 2
    assert len({row.owner for row in rows}) == len(rows)
    assert all(row.finished and row.holder is None for row in rows)
    with ladder.database.read() as session:
        bots = session.scalars(select(models.StoredBot.name)).all()
        versions = session.scalars(select(models.Version)).all()
    assert sorted(bots) == sorted(["Trotter", "Snout", *(row.bot for row in rows if row.status == "entered")])
    assert len(versions) == len(bots)


@contextmanager
def serving(data_dir: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """``pigpen serve``, when it answers."""
    variables = environment(PIGPEN_DATA_DIR=str(data_dir), PIGPEN_SITE_PORT=str(port))
    with subprocess.Popen(
        [PIGPEN, "serve"], cwd=data_dir, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline().startswith("The site is at ")
            yield program
        finally:
            program.kill()


def ask(address: str, method: str, path: str, token: str, **more: object) -> httpx.Response | None:
    """Ask the site; None if it is gone."""
    headers = {"Authorization": f"Bearer {token}"} | dict(more.pop("headers", {}))  # type: ignore[call-overload]
    try:
        return httpx.request(method, f"{address}{API}/{path}", headers=headers, timeout=PATIENCE, **more)  # type: ignore[arg-type]
    except httpx.TransportError:
        return None


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("kills", "files"), [(1, 500), pytest.param(30, 2000, marks=pytest.mark.long)])
def test_of_each_upload_one_submission_is_made_whenever_the_site_is_killed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kills: int, files: int
) -> None:
    """The site is killed within about the time that it takes to answer."""
    rng, port, archive = random.Random(SEED), free_port(), packed(**{f"a{n}_txt": str(n) * 20 for n in range(files)})
    seconds = files / 2500
    settings = load_settings(data_dir=tmp_path, submissions_waiting=1000, submissions_a_day=1000)
    address, answered = f"http://127.0.0.1:{port}", 0
    (tmp_path / "pigpen.toml").write_text("submissions_waiting = 1000\nsubmissions_a_day = 1000\n")
    with Ladder.open(settings, create=True) as ladder:
        add_person(ladder, "ada")
        token = token_of(ladder, "ada")
        for number in range(kills):
            with serving(tmp_path, port) as site:
                begun = ask(address, "POST", "uploads", token, json={"bytes": len(archive)})
                assert begun is not None
                assert begun.status_code == 201, begun.text
                upload = begun.json()["id"]
                sent = ask(
                    address, "PATCH", f"uploads/{upload}", token, content=archive, headers={"Upload-Offset": "0"}
                )
                assert sent is not None
                order = {"name": f"Bot{number}", "upload": upload, "source": "mybot"}
                killer = subprocess.Popen(["sh", "-c", f"sleep {rng.random() * seconds}; kill -9 {site.pid}"])
                answer = ask(address, "POST", "submissions", token, json=order)
                answered += answer is not None
                killer.wait()
                site.wait()
            with serving(tmp_path, port):
                again = ask(address, "POST", "submissions", token, json=order)
                assert again is not None
                assert again.status_code == 202, again.text
                assert answer is None or again.json()["id"] == answer.json()["id"]
        with ladder.database.read() as session:
            rows = session.scalars(select(StoredSubmission)).all()
    assert sorted(row.bot for row in rows) == sorted(f"Bot{number}" for number in range(kills))
    folders = {path.name: len(list(path.rglob("*.txt"))) for path in (tmp_path / "submissions").iterdir()}
    assert folders == {row.folder: files for row in rows}
    with capsys.disabled():
        print(f"\nkills of the site: {kills}, answers before: {answered}; submissions: {len(rows)}, doubled: 0")
