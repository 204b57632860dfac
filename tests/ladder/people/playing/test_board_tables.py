"""Tables of boards that others play, too, with the process that plays tables."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from ladder.people.boards.board_comparison import compare
from ladder.people.boards.daily_board import BoardChair, open_match_board, open_today
from ladder.people.tables.chairs import table_page
from ladder.results.files import TableFiles
from ladder.settings.settings import load_settings
from ladder.values.people import TableStatus, TableVisitor
from referee.records.lines import DealLine
from referee.replay.verify import verify
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.people.playing.at_tables import ended, in_loop, play_chair, tables_process, until
from tests.ladder.people.playing.test_tables_service import Halting
from tests.ladder.people.seat.listeners import BotListener

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

GUEST = TableVisitor(guest="192.0.2.7", shown="Ada")
OTHER = TableVisitor(guest="192.0.2.8", shown="Ben")


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


def test_a_board_of_a_match_goes_on_at_the_very_card(ladder: Ladder) -> None:
    lines = played("hearts", form="boards:2")
    match = recorded_match(ladder, lines)
    (line,) = [each for each in lines if isinstance(each, DealLine) and (each.board, each.rotation) == (1, 2)]
    opened = open_match_board(ladder, BoardChair(match, 2, 3, 3), GUEST)
    ((chair, secret),) = opened.secrets.items()

    async def play() -> None:
        first, second = Halting(4), BotListener()
        async with tables_process(ladder):
            playing = asyncio.ensure_future(play_chair(ladder, opened, chair, first))
            await until(lambda: table_page(ladder, opened.name), lambda _: len(first.questions) == 5)
        playing.cancel()
        async with tables_process(ladder):
            await play_chair(ladder, opened, chair, second)
            assert (await ended(ladder, opened)).status == TableStatus.OVER
        assert second.questions[0].view == first.questions[-1].view
        assert {question.view.seat for question in first.questions} == {3}

    in_loop(play())
    record = TableFiles(ladder.settings.data_dir).record(table_page(ladder, opened.name).id)
    assert verify(record).finished
    deal = json.loads(record.read_text().splitlines()[1])
    assert (deal["board"], deal["rotation"], tuple(deal["hands"])) == (1, 2, line.hands)
    assert {step["by"] for step in deal["steps"] if step["seat"] == 3} <= {"bot", "forced"}
    assert compare(ladder, opened.name, secret).points == deal["scores"][3]


def test_todays_opponents_do_the_same_for_everybody_who_does_the_same(ladder: Ladder) -> None:
    tables = [open_today(ladder, "gongzhu-sale", who) for who in (GUEST, OTHER)]

    async def play() -> None:
        async with tables_process(ladder):
            for opened in tables:
                await play_chair(ladder, opened, 0, BotListener())
                assert (await ended(ladder, opened)).status == TableStatus.OVER

    in_loop(play())
    files = TableFiles(ladder.settings.data_dir)
    deals = [
        json.loads(files.record(table_page(ladder, opened.name).id).read_text().splitlines()[1]) for opened in tables
    ]
    assert [(deal["hands"], deal["steps"], deal["scores"]) for deal in deals[:1]] == [
        (deal["hands"], deal["steps"], deal["scores"]) for deal in deals[1:]
    ]
