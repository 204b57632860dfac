"""An event of 16 bots in containers: held by commands, and verified from what the site offers for download alone."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from ladder.app.event import reading
from ladder.app.ladder import Ladder
from ladder.entry.house_bots import HOUSE
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from ladder.values.accounts import LOCAL
from ladder.values.held_events import EventState
from pigpen.rules import PRESETS
from tests.e2e.command import pigpen_process
from tests.e2e.judging import assert_each_result_has_its_record
from tests.e2e.runners import playing, runner
from tests.e2e.small_ladder import SmallLadder
from tests.ladder.ladders import NOW
from tests.ladder.site.visitor import Visitor
from tests.ladder.store.submitted import Fit
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.docker
FILE = """
[event]
name = "Cup in containers"
variant = "hearts-short"
entrants = [4, 16]
stand_in = "counting"

[[stage]]
name = "Swiss"
kind = "swiss"
rounds = 2
format = "boards:1"
standings = "performance"

[[stage]]
name = "Final"
take = 4
kind = "final"
format = "boards:1"
play_off = "boards:1"
"""
BOTS = {f"Bot-{number}": ("counting", "random")[number % 2] for number in range(1, 17)}


@dataclass(frozen=True)
class Image:
    """A sample bot as the engine has it."""

    identity: str
    can_fork: bool


@pytest.fixture(scope="module")
def images() -> dict[str, Image]:
    async def build() -> dict[str, Image]:
        sandbox = DockerSandbox()
        try:
            loaded = {name: await sandbox.load(find_bot(name)) for name in set(BOTS.values())}
            return {name: Image(each.identity, each.can_fork) for name, each in loaded.items()}
        finally:
            await sandbox.close()

    return asyncio.run(build())


@pytest.fixture
def ladder(tmp_path: Path, images: dict[str, Image]) -> Iterator[SmallLadder]:
    """The bots of the event, each of its own owner, and the house bot that would stand in."""
    settings = load_settings(data_dir=tmp_path / "data", boards=1)
    (tmp_path / "scratch").mkdir()
    database = open_ladder(settings, create=True)
    with database.write() as session:
        for name, sample in (BOTS | {"house-counting": "counting"}).items():
            image = images[sample]
            owner = name if name.startswith(HOUSE) else f"owner-of-{name}"
            bot = Fit(name, owner, image.identity, "docker", name, 1000, can_fork=image.can_fork)
            bot.enter(session, [PRESETS["hearts-short"]], NOW)
    yield SmallLadder(settings, database, tmp_path / "scratch")
    database.close()


@pytest.mark.parametrize(
    ("runtime", "kills"),
    [
        ("runc", 0),
        pytest.param("runsc", 2, marks=[pytest.mark.runsc, pytest.mark.long, pytest.mark.timeout(1800)], id="gVisor"),
    ],
)
def test_its_download_verifies(ladder: SmallLadder, tmp_path: Path, runtime: str, kills: int) -> None:
    """Also where the runner is killed while matches are played, with its bots still in their containers."""
    (tmp_path / "cup.toml").write_text(FILE)
    words: list[tuple[str, ...]] = [("open", str(tmp_path / "cup.toml"))]
    words += [("enter", "cup", bot) for bot in BOTS]
    words += [("freeze", "cup"), ("start", "cup")]
    for each in words:
        done = ladder.pigpen("event", *each, "--local")
        assert done.returncode == 0, done.stderr
    with Ladder.open(ladder.settings) as opened:

        def seen() -> tuple[EventState, int]:
            """Read the state and the number of results: they come one by one, and each is waited for."""
            found = reading.event(opened, LOCAL, "cup", everything=True)
            return found.state, sum(bool(each.boards) for one in found.round_list for each in one.tables)

        for turn in range(kills + 1):
            with runner(ladder, PIGPEN_SANDBOX="docker", PIGPEN_RUNTIME=runtime) as program:
                while (before := seen())[0] is not EventState.OVER and (turn == kills or before[1] < 3 * turn + 2):
                    until(lambda: program.poll() is not None or seen() != before, "the result of a table")
                    assert program.poll() is None
                if turn == kills:
                    program.terminate()
                else:
                    until(lambda: program.pid in playing(ladder), "a match that is played")
                    assert before[0] is EventState.RUNNING
                    program.kill()
                program.wait()
        page = reading.event(opened, LOCAL, "cup")
        download = Visitor(opened).get("/api/v1/events/cup/export").content
    assert sorted(one.name for one in page.standings) == sorted(BOTS)
    tables = [table for one in page.round_list for table in one.tables]
    assert len(tables) >= 9
    assert {each.turn for each in tables} == {0}
    assert all(each.status == "done" for each in tables)
    again = [match for match, attempt, _ in ladder.attempts() if attempt > 1]
    assert bool(again) == bool(kills)
    assert_each_result_has_its_record(ladder)

    away = tmp_path / "away"
    away.mkdir()
    (away / "cup.zip").write_bytes(download)
    there = {"PIGPEN_DATA_DIR": str(away / "data"), "DOCKER_HOST": "unix:///nowhere.sock"}
    verified = pigpen_process("event", "verify", "cup.zip", "--json", folder=away, **there)
    assert verified.returncode == 0, verified.stderr
    assert json.loads(verified.stdout)["holds"]
    assert not (away / "data").exists()

    for start in (len(download) * part // 4 for part in (1, 2, 3)):
        altered = download[:start] + bytes(255 - byte for byte in download[start : start + 64]) + download[start + 64 :]
        (away / "cup.zip").write_bytes(altered)
        assert pigpen_process("event", "verify", "cup.zip", folder=away, **there).returncode != 0
