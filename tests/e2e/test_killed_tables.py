"""The process that plays tables with people is killed in mid-deal: each time the table resumes at the very card."""

from __future__ import annotations

import asyncio
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.people.tables.chairs import table_page
from ladder.people.tables.table_opening import open_table
from ladder.results.files import TableFiles
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.settings.settings import load_settings
from ladder.store.lookup import find_stored_bot
from ladder.values.people import ChairKind, ChairOrder, OpenedTable, TableOrder, TableStatus, TableVisitor
from referee.records.file import read_record
from referee.records.lines import DealLine
from referee.replay.verify import verify
from tests.e2e.command import PIGPEN, environment
from tests.e2e.small_ladder import enter_quick
from tests.for_two import FOR_TWO
from tests.ladder.ladders import NOW
from tests.ladder.people.playing.at_tables import in_loop, play_chair
from tests.ladder.people.seat.listeners import BotListener
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.people.seat.seat_client import Question

BOT = ChairOrder(kind=ChairKind.BOT, name="Trotter")
HOUSE = ChairOrder(kind=ChairKind.HOUSE, name="counting")
ADA = TableVisitor(account="ada")


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    (tmp_path / "scratch").mkdir()
    with Ladder.open(load_settings(data_dir=tmp_path / "data", sandbox="process"), create=True) as ladder:
        yield ladder


def let_people_play(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        find_stored_bot(session, "Trotter").tables = True


def of_process(ladder: Ladder, folder: Path) -> TableOrder:
    enter_quick(ladder.database, ladder.settings, folder, "Trotter", [FOR_TWO.name])
    let_people_play(ladder)
    return TableOrder(variant=FOR_TWO.name, chairs=(ChairOrder(), BOT), format="deals:3")


def of_docker(ladder: Ladder, folder: Path) -> TableOrder:
    async def build() -> str:
        sandbox = DockerSandbox()
        try:
            return (await sandbox.load(find_bot("random"))).identity
        finally:
            await sandbox.close()

    bot = Fit("Trotter", "ada", asyncio.run(build()), "docker", "Trotter", 1000)
    with ladder.database.write() as session:
        bot.enter(session, [FOR_TWO], NOW)
    let_people_play(ladder)
    return TableOrder(variant=FOR_TWO.name, chairs=(ChairOrder(), BOT), format="deals:3")


def of_house_bots(ladder: Ladder, folder: Path) -> TableOrder:
    return TableOrder(variant="gongzhu", chairs=(HOUSE, ChairOrder(), HOUSE, HOUSE), format="deals:3")


class SlowListener(BotListener):
    """Thinks a little, so that there is time to kill."""

    def asked(self, question: Question) -> None:
        asyncio.get_running_loop().call_later(0.02, super().asked, question)


@contextmanager
def tables(ladder: Ladder, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`pigpen ladder tables` while it runs; killed at the end."""
    where = {"PIGPEN_DATA_DIR": str(ladder.settings.data_dir), "TMPDIR": str(folder / "scratch")}
    with (folder / "tables.err").open("ab") as errors, subprocess.Popen(
        [PIGPEN, "ladder", "tables"], cwd=folder, env=environment(**where), stderr=errors
    ) as program:  # fmt: skip
        try:
            yield program
        finally:
            program.kill()


async def killed_again_and_again(
    ladder: Ladder, folder: Path, opened: OpenedTable, chair: int, kills: int
) -> SlowListener:
    """Play the table to its end, while its process is killed."""
    listener = SlowListener()
    playing = asyncio.ensure_future(play_chair(ladder, opened, chair, listener))
    for _ in range(kills):
        with tables(ladder, folder):
            before = len(listener.questions)
            while len(listener.questions) < before + 4 and not playing.done():
                await asyncio.sleep(0.01)
    with tables(ladder, folder):
        await playing
        while table_page(ladder, opened.name).status != TableStatus.OVER:
            await asyncio.sleep(0.02)
    return listener


LATER = pytest.mark.long


@pytest.mark.parametrize(
    ("order_of", "kills"),
    [
        pytest.param(of_house_bots, 1, id="house bots"),
        pytest.param(of_house_bots, 8, id="house bots, often", marks=LATER),
        pytest.param(of_process, 8, id="a bot of the ladder", marks=LATER),
        pytest.param(of_docker, 8, id="a bot of the ladder in Docker", marks=[LATER, pytest.mark.docker]),
    ],
)
def test_a_killed_process_loses_no_card(  # type: ignore[no-untyped-def]
    order_of, kills: int, ladder: Ladder, tmp_path: Path
) -> None:
    order = order_of(ladder, tmp_path)
    opened = open_table(ladder, order, ADA)
    (chair,) = opened.secrets

    async def play() -> None:
        listener = await killed_again_and_again(ladder, tmp_path, opened, chair, kills)
        decisions = [question.view.decision for question in listener.questions]
        assert decisions == sorted(decisions), "no decision that was taken is asked for again"

    in_loop(play())
    page = table_page(ladder, opened.name)
    assert (page.status, page.reason) == (TableStatus.OVER, "")
    record = TableFiles(ladder.settings.data_dir).record(page.id)
    found = verify(record)
    assert found.holds, found.difference
    deals = [line for line in read_record(record) if isinstance(line, DealLine)]
    assert len(deals) == 3
    assert {step.by for line in deals for step in line.steps} <= {"bot", "forced"}, "nobody was blamed"
    assert all(each.points == deals[-1].totals[number] for number, each in enumerate(page.chairs))
