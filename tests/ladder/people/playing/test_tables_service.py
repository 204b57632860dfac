"""The process that plays tables with people."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ladder.app.database_maintenance import check_database
from ladder.app.ladder import Ladder
from ladder.errors import Conflict, Forbidden, LadderError
from ladder.people.playing import table_work
from ladder.people.playing.table_run import UNATTENDED
from ladder.people.playing.table_work import IDLE_SECONDS
from ladder.people.seat.seat_client import PersonClient
from ladder.people.tables.chairs import AT_THE_TABLE, end, join, table_page, take_back
from ladder.people.tables.table_opening import open_table
from ladder.results.files import TableFiles
from ladder.runner import leased_rows
from ladder.settings.settings import load_settings
from ladder.store.lookup import find_stored_bot
from ladder.values.people import GUEST_DAYS, ChairKind, ChairOrder, TableOrder, TableStatus, TableVisitor
from pigpen.rules import PRESETS
from referee.records.file import read_record
from referee.records.lines import BotResult, DealLine, ResultLine
from referee.records.recorded import Recorded
from referee.replay.verify import verify
from referee.seats.fair_wait import loop_time
from tests.ladder.ladders import enter
from tests.ladder.people.playing.at_tables import ENDED, ended, in_loop, place_of, play_chair, tables_process, until
from tests.ladder.people.seat.listeners import BotListener, RecordingListener

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.people.seat.seat_client import Question

GUEST = TableVisitor(guest="192.0.2.7", shown="Ada")
FIVE = next(rules.name for rules in PRESETS.values() if rules.players == 5)
HOUSE = ChairOrder(kind=ChairKind.HOUSE, name="counting")
PAUSED = TableStatus.PAUSED
ONE_DEAL = TableOrder(variant="hearts-short", format="deals:1")


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        yield ladder


class Halting(BotListener):
    """Answers a number of questions, and then no more."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def asked(self, question: Question) -> None:
        if len(self.questions) < self.most:
            super().asked(question)
        else:
            RecordingListener.asked(self, question)


def record_of(ladder: Ladder, name: str) -> Path:
    return TableFiles(ladder.settings.data_dir).record(table_page(ladder, name).id)


def result_of(ladder: Ladder, name: str) -> tuple[BotResult, ...]:
    *_, last = read_record(record_of(ladder, name))
    assert isinstance(last, ResultLine)
    return last.results


@pytest.mark.parametrize("variant", ["hearts-short", "gongzhu-partners"])
def test_a_guest_plays_a_game_with_house_bots_and_the_record_holds(ladder: Ladder, variant: str) -> None:
    async def play() -> None:
        async with tables_process(ladder):
            opened = open_table(ladder, TableOrder(variant=variant, format="deals:2"), GUEST)
            listener = BotListener()
            await play_chair(ladder, opened, 0, listener)
            page = await ended(ladder, opened)
        assert (page.status, page.reason) == (TableStatus.OVER, "")
        record = Recorded.of(read_record(record_of(ladder, opened.name)))
        assert [(each.points, each.place) for each in page.chairs] == [
            (each.total, each.place) for each in result_of(ladder, opened.name)
        ]
        assert record.first.people_numbers == {0}
        assert record.first.bots[0] == "Ada"
        assert len(listener.results) == 2
        assert verify(record_of(ladder, opened.name)).holds
        assert page.seed

    in_loop(play())


def test_two_people_and_all_house_bots_sit_at_one_table(ladder: Ladder) -> None:
    bots = [ChairOrder(kind=ChairKind.HOUSE, name=name) for name in ("random", "sampling", "exact")]
    chairs = (ChairOrder(), bots[0], ChairOrder(), *bots[1:])
    order = TableOrder(variant=FIVE, format="deals:1", chairs=chairs)

    async def play() -> None:
        async with tables_process(ladder):
            opened = open_table(ladder, order, GUEST)
            join(ladder, opened.name, opened.secrets[2], TableVisitor(guest="192.0.2.8", shown="Ada"))
            listeners = [BotListener(), BotListener()]
            await asyncio.gather(*(play_chair(ladder, opened, 2 * each, listeners[each]) for each in range(2)))
            assert (await ended(ladder, opened)).status == TableStatus.OVER
        record = Recorded.of(read_record(record_of(ladder, opened.name)))
        assert record.first.bots == ("Ada", "random", "Ada#2", "sampling", "exact")
        assert all(each.faults == 0 for each in result_of(ladder, opened.name))

    in_loop(play())


def test_a_table_that_is_ended_stops_at_once_and_its_seat_is_gone(ladder: Ladder) -> None:
    async def play() -> None:
        async with tables_process(ladder):
            opened = open_table(ladder, ONE_DEAL, GUEST)
            place = await place_of(ladder, opened, 0)
            assert place is not None
            end(ladder, opened.name, opened.secrets[0])
            listener = BotListener()
            await play_chair(ladder, opened, 0, listener)
            while TableFiles(ladder.settings.data_dir).journal(place.table).is_file() and listener.questions:
                await asyncio.sleep(0.02)
            assert not listener.questions
        assert table_page(ladder, opened.name).reason == AT_THE_TABLE

    in_loop(play())


@pytest.mark.parametrize(("people", "left"), [(2, (TableStatus.ENDED, UNATTENDED)), (1, (PAUSED, ""))])
def test_a_table_at_which_nobody_is_ends_or_waits_for_its_one_person(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch, people: int, left: tuple[TableStatus, str]
) -> None:
    chairs = (*[ChairOrder()] * people, *[HOUSE] * (4 - people))
    later = 0.0

    def clock() -> float:
        """Be ten minutes later at each look, once the person has left."""
        nonlocal later
        later += has_left * (IDLE_SECONDS + 1)
        return loop_time() + later

    has_left = False
    monkeypatch.setattr(table_work, "loop_time", clock)

    async def play() -> None:
        nonlocal has_left
        async with tables_process(ladder):
            opened = open_table(ladder, ONE_DEAL.model_copy(update={"chairs": chairs}), GUEST)
            if people == 2:
                join(ladder, opened.name, opened.secrets[1], TableVisitor(guest="192.0.2.8"))
            clients = list[PersonClient]()
            playing = list[asyncio.Future[None]]()
            for chair in range(people):
                place = await place_of(ladder, opened, chair)
                assert place is not None
                listener = RecordingListener()
                clients.append(PersonClient(listener, place.address, place.token))
                playing.append(asyncio.ensure_future(clients[-1].play_match()))
                await until(lambda: table_page(ladder, opened.name), lambda _, has=listener: bool(has.questions))  # type: ignore[misc]
            for client in clients:
                client.leave()
            has_left = True
            page = await until(lambda: table_page(ladder, opened.name), lambda page: page.status in (*ENDED, PAUSED))
            for each in playing:
                each.cancel()
        assert (page.status, page.reason) == left

    in_loop(play())


def test_a_process_that_is_stopped_gives_its_tables_back_and_the_next_one_goes_on(ladder: Ladder) -> None:
    async def play() -> None:
        first, second = Halting(4), BotListener()
        async with tables_process(ladder):
            opened = open_table(ladder, TableOrder(variant="hearts", format="deals:2"), GUEST)
            playing = asyncio.ensure_future(play_chair(ladder, opened, 0, first))
            await until(lambda: table_page(ladder, opened.name), lambda _: len(first.questions) == 5)
        assert table_page(ladder, opened.name).status == TableStatus.READY
        playing.cancel()
        async with tables_process(ladder):
            await play_chair(ladder, opened, 0, second)
            assert (await ended(ladder, opened)).status == TableStatus.OVER
        assert second.questions[0].view == first.questions[-1].view, "the very card, with the same number"
        assert verify(record_of(ladder, opened.name)).holds
        (*deals, _) = [line for line in read_record(record_of(ladder, opened.name)) if isinstance(line, DealLine)]
        own = [step.by for step in deals[0].steps if step.seat == 0 and step.by != "forced"]
        assert set(own) == {"bot"}

    in_loop(play())


@pytest.mark.parametrize("questions", [1, 4])
def test_a_card_is_taken_back_and_the_same_question_comes_again(ladder: Ladder, questions: int) -> None:
    """The first question is the pass: before it nothing was decided."""
    order = TableOrder(variant="hearts", format="deals:1", practice=True)

    async def play() -> None:
        listener = Halting(questions)
        async with tables_process(ladder):
            opened = open_table(ladder, order, GUEST)
            playing = asyncio.ensure_future(play_chair(ladder, opened, 0, listener))
            await until(lambda: table_page(ladder, opened.name), lambda _: len(listener.questions) == questions + 1)
            page = take_back(ladder, opened.name, opened.secrets[0])
            assert page.assisted
            listener.most = 1000
            await playing
            assert (await ended(ladder, opened)).assisted
        before, after = listener.questions[questions - 1], listener.questions[questions + 1]
        assert before.view == after.view
        assert verify(record_of(ladder, opened.name)).holds

    in_loop(play())


def test_cards_are_taken_back_in_practice_alone(ladder: Ladder) -> None:
    opened = open_table(ladder, ONE_DEAL, GUEST)
    with pytest.raises(Forbidden, match="for practice"):
        take_back(ladder, opened.name, opened.secrets[0])
    opened = open_table(ladder, ONE_DEAL.model_copy(update={"practice": True}), GUEST)
    with pytest.raises(Conflict, match="Nothing is played"):
        take_back(ladder, opened.name, opened.secrets[0])


def test_a_guests_table_that_ended_long_ago_is_removed_with_its_files(ladder: Ladder) -> None:
    opened = open_table(ladder, ONE_DEAL, GUEST)
    kept = open_table(ladder, ONE_DEAL, TableVisitor(account="ada"))
    for each in (opened, kept):
        TableFiles(ladder.settings.data_dir).folder(table_page(ladder, each.name).id)
        end(ladder, each.name, each.secrets[0])
    later = Ladder(ladder.settings, ladder.database, lambda: ladder.clock() + 24 * 3600 * GUEST_DAYS + 1)

    async def play() -> None:
        folder = TableFiles(ladder.settings.data_dir).root
        async with tables_process(later):
            while len([path for path in folder.iterdir() if path.is_dir()]) > 1:
                await asyncio.sleep(0.02)
        with pytest.raises(LadderError, match="no such table"):
            table_page(ladder, opened.name)
        assert table_page(ladder, kept.name).status == TableStatus.ENDED

    in_loop(play())


def test_the_check_of_the_database_misses_the_record_of_a_table_that_is_over(ladder: Ladder) -> None:
    async def play() -> None:
        async with tables_process(ladder):
            opened = open_table(ladder, ONE_DEAL, GUEST)
            await play_chair(ladder, opened, 0, BotListener())
            await ended(ladder, opened)
        assert list(check_database(ladder)) == []
        record_of(ladder, opened.name).unlink()
        (finding,) = check_database(ladder)
        assert finding.startswith("The record of table 1 ")

    in_loop(play())


def test_a_table_whose_bot_is_not_to_be_had_ends_with_the_reason(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        enter(session, "Snout")
        find_stored_bot(session, "Snout").tables = True
    chairs = (ChairOrder(), ChairOrder(kind=ChairKind.BOT, name="Snout"), *[HOUSE] * 2)

    async def play() -> None:
        async with tables_process(ladder, retry_seconds=0.0):
            opened = open_table(ladder, TableOrder(variant="hearts", chairs=chairs), TableVisitor(account="ada"))
            page = await ended(ladder, opened)
        assert page.status == TableStatus.ENDED
        assert "Snout, which was entered" in page.reason
        assert not record_of(ladder, opened.name).is_file()

    in_loop(play())


def test_two_processes_share_the_tables(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RENEW_SECONDS", "LEASE_SECONDS"):  # both are this process, and each would put back the other's tables
        monkeypatch.setattr(leased_rows, name, 3600.0)

    async def play() -> None:
        async with tables_process(ladder), tables_process(ladder):
            opened = [open_table(ladder, ONE_DEAL, TableVisitor(account=name)) for name in "abcdef"]
            await asyncio.gather(*(play_chair(ladder, each, 0, BotListener()) for each in opened))
            pages = [await ended(ladder, each) for each in opened]
        assert {page.status for page in pages} == {TableStatus.OVER}

    in_loop(play())
