"""The same board: sealed until it is played, then beside everybody who sat in that chair, decision by decision."""

from __future__ import annotations

import re
import stat
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app.accounts import managing
from ladder.app.computing.asking import BeingComputed
from ladder.app.ladder import Ladder
from ladder.app.matches import public_match
from ladder.errors import Conflict, Forbidden, LadderError, UserError
from ladder.people.boards import board_comparison, daily_board
from ladder.people.boards.daily_board import (
    FILE,
    FOLDER,
    HOUSE,
    OPPONENT,
    BegunToday,
    BoardChair,
    day_secret,
    match_board,
    open_match_board,
    open_today,
    todays_board,
)
from ladder.people.boards.played_boards import ITS_OWN, YOU, board_of
from ladder.people.boards.table_orders import OWN_CHAIRS, open_ordered
from ladder.people.review import table_replays
from ladder.people.review.own_games import forget, own_games
from ladder.people.review.table_replays import first_place
from ladder.people.tables.chairs import table_page
from ladder.people.tables.table_opening import AT_IT, open_table
from ladder.results.files import TableFiles
from ladder.settings.settings import load_settings
from ladder.store.models import StoredBot
from ladder.store.table_models import PeopleTable
from ladder.values.accounts import LOCAL, Role
from ladder.values.matches import DealPlace
from ladder.values.people import ChairKind, TableOrder, TablePurpose, TableStatus, TableVisitor
from pigpen.rules import seed_from
from pigpen.rules.shuffle import commitment
from referee.records.lines import DealLine
from referee.replay.verify import verify
from tests.ladder.computing_here import compute_all, computed
from tests.ladder.ladders import NOW, new_ladder, played, recorded_match
from tests.ladder.people.boards.finished import finished, given_up
from tests.ladder.site.person import PASSWORD, quick_passwords
from tests.ladder.site.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.values.matches import DealReplayed
    from ladder.values.people import DayResults, OpenedTable, PlayBeside, SameBoard
    from ladder.values.why import Costliest, Why

pytestmark = pytest.mark.usefixtures("few_playouts")
ADA = TableVisitor(guest="192.0.2.7", shown="Ada")
BEN = TableVisitor(guest="192.0.2.8", shown="Ben")
DAY = 24 * 3600.0
FIRST = DealPlace(board=1, rotation=1)


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    """Its days' boards are the same in each run: in some deals of others a person takes no card that counts."""
    (tmp_path / FOLDER).mkdir(mode=0o700)
    (tmp_path / FOLDER / FILE).write_text(bytes([2] * 32).hex())
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


def compare(ladder: Ladder, name: str, secret: str) -> SameBoard:
    """The comparison when all house bots have played."""
    found = board_comparison.compare(ladder, name, secret)
    if found.computing:
        assert compute_all(ladder)
        found = board_comparison.compare(ladder, name, secret)
    assert (found.computing, found.absent) == (None, ())
    return found


def results_of_yesterday(ladder: Ladder, variant: str) -> DayResults:
    if board_comparison.results_of_yesterday(ladder, variant).computing:
        assert compute_all(ladder)
    return board_comparison.results_of_yesterday(ladder, variant)


def beside(ladder: Ladder, name: str, secret: str, key: str) -> PlayBeside:
    return computed(ladder, lambda: board_comparison.beside(ladder, name, secret, key))


def table_replayed(
    ladder: Ladder, name: str, secret: str, key: str, place: DealPlace, seat: int | None = None
) -> DealReplayed:
    return computed(ladder, lambda: table_replays.table_replayed(ladder, name, secret, key, place, seat))


def table_why(ladder: Ladder, name: str, secret: str, key: str, place: DealPlace, step: int) -> Why:
    return computed(ladder, lambda: table_replays.table_why(ladder, name, secret, key, place, step))


def costliest_of_deal(ladder: Ladder, name: str, secret: str, deal: int) -> Costliest:
    return computed(ladder, lambda: table_replays.costliest_of_deal(ladder, name, secret, deal))


def costliest_of_game(ladder: Ladder, name: str, secret: str) -> Costliest:
    return computed(ladder, lambda: table_replays.costliest_of_game(ladder, name, secret))


def tomorrow(ladder: Ladder) -> Ladder:
    return replace(ladder, clock=lambda: NOW + DAY)


def test_the_secret_of_the_days_is_made_once_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    first = day_secret(tmp_path)
    assert (len(first), day_secret(tmp_path)) == (32, first)
    (file,) = (tmp_path / "tables").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("nothing")
    with pytest.raises(LadderError, match="cannot be read"):
        day_secret(tmp_path)


def test_todays_board_is_committed_to_and_its_seed_is_told_when_the_day_is_over(ladder: Ladder) -> None:
    today = todays_board(ladder, "hearts")
    assert today.seed is None
    assert today.commitment != todays_board(ladder, "gongzhu").commitment
    then = todays_board(tomorrow(ladder), "hearts", days_ago=1)
    assert (then.day, then.commitment) == (today.day, today.commitment)
    assert then.seed is not None
    assert commitment(bytes.fromhex(then.seed)) == today.commitment


def test_of_those_who_have_played_accounts_are_named_the_latest_first_and_guests_are_not(ladder: Ladder) -> None:
    managing.add_with_password(ladder, quick_passwords(), LOCAL, "cora", Role.CONTESTANT, PASSWORD)
    managing.add_with_password(ladder, quick_passwords(), LOCAL, "dan", Role.CONTESTANT, PASSWORD)
    given_up(ladder, open_today(ladder, "hearts", TableVisitor("dan")))  # and does not play it
    for who in (TableVisitor("cora"), ADA, TableVisitor("dan"), TableVisitor("dan")):
        finished(ladder, open_today(ladder, "hearts", who))
    today = todays_board(ladder, "hearts")
    assert (today.names, today.played) == (("dan", "cora"), 3), "people, not tables"
    assert todays_board(ladder, "gongzhu").names == ()
    pages = [Visitor(ladder).page(path) for path in ("/play/today/hearts", "/")]
    assert "The latest: dan, cora." in pages[0]
    assert "The latest" not in pages[1], "that is about another variant"
    assert "Ada" not in pages[0]


def test_when_the_day_is_over_everybody_may_see_how_it_was_played(ladder: Ladder) -> None:
    finished(ladder, open_today(ladder, "hearts", ADA))
    assert {each.name for each in results_of_yesterday(ladder, "hearts").plays} == {*HOUSE}, "today is sealed"
    then = results_of_yesterday(tomorrow(ladder), "hearts")
    assert {each.name for each in then.plays} == {"Ada", *HOUSE}
    assert commitment(bytes.fromhex(then.board.seed or "")) == todays_board(ladder, "hearts").commitment


LATER = [pytest.param(each, marks=pytest.mark.long) for each in ("gongzhu-sale",)]


@pytest.mark.parametrize("rules", ["hearts", "gongzhu-partners", "gongzhu-five", *LATER])
def test_everybody_gets_the_same_cards_in_the_same_chair(ladder: Ladder, rules: str) -> None:
    one, other = open_today(ladder, rules, ADA), open_today(ladder, rules, BEN)
    finished(ladder, one)
    finished(ladder, other, "random")
    first, second = (compare(ladder, each.name, each.secrets[0]) for each in (one, other))
    assert first.hand == second.hand
    assert (first.chair, first.board, first.rotation, first.match) == (0, 1, 1, None)
    assert {each.name for each in first.plays} == {"Ada", "Ben", *HOUSE}
    assert [each.name for each in first.plays if each.you] == ["Ada"]
    points = {each.name: each.points for each in first.plays}
    assert points["Ada"] == points["cautious"] == first.points, "who plays like a house bot has its points"
    assert todays_board(ladder, rules).played == 2
    assert first.percentile is not None


@pytest.mark.parametrize("variant", ["gongzhu", "hearts", "gongzhu-five"])
def test_marks_add_up_to_the_points_and_rows_have_all_players_of_the_table(ladder: Ladder, variant: str) -> None:
    opened = open_today(ladder, variant, ADA)
    today = todays_board(ladder, variant)
    before = daily_board.rows_of_today(ladder, today)
    assert [(row.is_you, row.points) for row in before] == [(True, None)] + [(False, None)] * (today.players - 1)
    finished(ladder, opened)
    found = compare(ladder, opened.name, opened.secrets[0])
    rows = daily_board.rows_of_today(ladder, today, opened.name)
    assert [row.points for row in rows if row.is_you] == [found.points]
    assert [row.place for row in rows] == sorted(row.place or 0 for row in rows)
    assert {row.player.name for row in rows if not row.is_you} == {row.player.name for row in before[1:]}
    board = board_of(ladder, opened.name, opened.secrets[0], "")
    shown = table_replayed(ladder, opened.name, opened.secrets[0], YOU, FIRST)
    sign = -1 if board.rules.low_is_better else 1
    gains = [
        sign * (now.seats[found.chair].points - then.seats[found.chair].points)
        for then, now in pairwise([shown.moments[0], *(shown.moments[trick.ends] for trick in shown.tricks)])
    ]
    assert list(found.marks) == [(gain > 0) - (gain < 0) for gain in gains]
    assert any(found.marks)


def test_nothing_is_told_before_the_board_is_played(ladder: Ladder) -> None:
    opened = open_today(ladder, "hearts", ADA)
    secret = opened.secrets[0]
    for ask in (
        lambda: compare(ladder, opened.name, secret),
        lambda: beside(ladder, opened.name, secret, "house-counting"),
        lambda: table_replayed(ladder, opened.name, secret, "house-counting", FIRST),
        lambda: first_place(ladder, opened.name, secret),
        lambda: table_why(ladder, opened.name, secret, "house-counting", FIRST, 1),
    ):
        with pytest.raises(Conflict, match=r"sealed until|when the table"):
            ask()
    finished(ladder, opened)
    with pytest.raises(Forbidden):
        compare(ladder, opened.name, "another")
    assert table_page(ladder, opened.name, secret).seed is None, "others are still to play it"


def test_a_table_that_only_says_that_it_plays_the_board_is_not_compared(ladder: Ladder) -> None:
    opened = open_today(ladder, "hearts", ADA)
    finished(ladder, opened)
    order = TableOrder(variant="hearts", format="board:0:0", purpose=TablePurpose.TODAY,
                       board=todays_board(ladder, "hearts").day.isoformat())  # fmt: skip
    finished(ladder, open_table(ladder, order, BEN, seed_from("easy")))
    assert {each.name for each in compare(ladder, opened.name, opened.secrets[0]).plays} == {"Ada", *HOUSE}


def test_the_first_time_counts_and_only_without_help(ladder: Ladder) -> None:
    tables, numbers = [], []
    for visitor in (ADA, ADA, BEN):
        tables.append(open_today(ladder, "hearts", visitor))
        numbers.append(finished(ladder, tables[-1], "random"))
    with ladder.database.write() as session:
        helped = session.get(PeopleTable, numbers[2])
        assert helped is not None
        helped.assisted = True
    found = compare(ladder, tables[1].name, tables[1].secrets[0])
    assert {each.key: each.counts for each in found.plays if each.kind is ChairKind.PERSON} == {
        f"person-{numbers[0]}": True, f"person-{numbers[1]}": False, f"person-{numbers[2]}": False
    }  # fmt: skip
    house = [each.points for each in found.plays if each.kind is ChairKind.HOUSE]
    assert found.percentile == sum(100 * (found.points < each) + 50 * (found.points == each) for each in house) // len(
        house
    )


def counted(found: SameBoard | DayResults) -> dict[str, bool]:
    return {each.key: each.counts for each in found.plays if each.kind is ChairKind.PERSON}


@pytest.mark.parametrize("who", [ADA, TableVisitor("cora")])
def test_a_board_is_played_at_one_table_at_a_time(ladder: Ladder, who: TableVisitor) -> None:
    """A person who plays it at two tables knows the cards of both."""
    first = open_today(ladder, "hearts", who)
    for _ in range(2):
        with pytest.raises(Conflict, match=AT_IT):
            open_today(ladder, "hearts", who)
    open_today(ladder, "gongzhu", who)
    open_today(ladder, "hearts", BEN)
    for _ in range(2):
        open_today(ladder, "hearts", TableVisitor())  # of a person on the ladder's machine nothing is known
    finished(ladder, first)
    open_today(ladder, "hearts", who)


@pytest.mark.parametrize("who", [ADA, TableVisitor("cora")])
@pytest.mark.parametrize("begun", [True, False])
def test_the_play_that_was_opened_first_counts_also_if_it_was_given_up(
    ladder: Ladder, who: TableVisitor, begun: bool
) -> None:
    """A person who has seen ten tricks knows the cards; one who has decided nothing has not begun."""
    given_up(ladder, open_today(ladder, "hearts", who), begun=begun)
    tables = [(each, finished(ladder, each)) for each in (open_today(ladder, "hearts", who),)]
    tables += [(each, finished(ladder, each, "random")) for each in (open_today(ladder, "hearts", who),)]
    expected = {f"person-{tables[0][1]}": not begun, f"person-{tables[1][1]}": False}
    for opened, _ in tables:
        assert counted(compare(ladder, opened.name, opened.secrets[0])) == expected
    assert counted(results_of_yesterday(tomorrow(ladder), "hearts")) == expected
    assert todays_board(ladder, "hearts").played == 1


def test_a_board_of_a_match_is_opened_first_from_one_of_its_chairs(ladder: Ladder) -> None:
    match = recorded_match(ladder, played("hearts", form="boards:11"), "1")
    first = open_match_board(ladder, BoardChair(match, 1, 1, 0), ADA)
    with pytest.raises(Conflict, match=AT_IT):
        open_match_board(ladder, BoardChair(match, 1, 3, 2), ADA)
    with pytest.raises(Conflict, match=AT_IT):
        open_ordered(ladder, TableOrder(purpose=TablePurpose.BOARD, board=f"{match}/1/2/0"), ADA)
    other = open_match_board(ladder, BoardChair(match, 11, 1, 0), ADA)
    for opened in (first, other):
        number = finished(ladder, opened)
        (secret,) = opened.secrets.values()
        assert counted(compare(ladder, opened.name, secret)) == {f"person-{number}": True}
    again = open_match_board(ladder, BoardChair(match, 1, 3, 2), ADA)
    number = finished(ladder, again)
    (secret,) = again.secrets.values()
    assert counted(compare(ladder, again.name, secret)) == {f"person-{number}": False}


@pytest.mark.parametrize("is_today", [True, False])
def test_to_forget_ones_games_makes_no_second_play_of_today_the_first(ladder: Ladder, is_today: bool) -> None:
    match = recorded_match(ladder, played("hearts"), "1")

    def opened() -> OpenedTable:
        chair = BoardChair(match, 1, 1, 0)
        return open_today(ladder, "hearts", ADA) if is_today else open_match_board(ladder, chair, ADA)

    finished(ladder, opened())
    forget(ladder, ADA)
    again = opened()
    number = finished(ladder, again)
    (secret,) = again.secrets.values()
    is_first = not is_today  # its cards are on the page of the match
    assert counted(compare(ladder, again.name, secret))[f"person-{number}"] == is_first


def test_the_page_leads_back_to_the_game_that_was_begun(ladder: Ladder) -> None:
    assert daily_board.first_today(ladder, "hearts", ADA) is None
    opened = open_today(ladder, "hearts", ADA)
    assert daily_board.first_today(ladder, "hearts", ADA) == BegunToday(opened.name, TableStatus.READY, has_begun=False)
    finished(ladder, opened)
    finished(ladder, open_today(ladder, "hearts", ADA))
    assert daily_board.first_today(ladder, "hearts", ADA) == BegunToday(opened.name, TableStatus.OVER, has_begun=True)
    assert daily_board.first_today(ladder, "hearts", TableVisitor()) is None


def test_the_first_decision_that_differs_leads_into_both_deals(ladder: Ladder) -> None:
    opened = open_today(ladder, "hearts", ADA)
    finished(ladder, opened, "random")
    name, secret = opened.name, opened.secrets[0]
    assert first_place(ladder, name, secret) == FIRST
    mine = table_replayed(ladder, name, secret, YOU, FIRST)
    assert (mine.match, mine.bots[0]) == (None, "Ada")
    for key in (f"house-{each}" for each in HOUSE if each != "random"):
        found = beside(ladder, name, secret, key)
        assert found.yours == found.other == FIRST
        theirs = table_replayed(ladder, name, secret, key, found.other)
        assert theirs.hands == mine.hands
        first = found.differences[0]
        done = {step.number: step for shown in (mine,) for moment in shown.moments for step in moment.steps}
        assert (done[first.step].seat, done[first.step].action) == (0, first.yours)
        done = {step.number: step for moment in theirs.moments for step in moment.steps}
        assert (done[first.other_step].seat, done[first.other_step].action) == (0, first.other)
    with pytest.raises(LadderError, match="No one called 'person-999'"):
        beside(ladder, name, secret, "person-999")
    with pytest.raises(LadderError, match="There is no seat 7"):
        table_replayed(ladder, name, secret, YOU, FIRST, 7)


def test_a_board_of_a_match_is_played_once_more_in_the_place_of_a_bot(ladder: Ladder) -> None:
    lines = played("gongzhu", form="boards:2")
    match = recorded_match(ladder, lines, "1")
    deals = [line for line in lines if isinstance(line, DealLine)]
    (line,) = [each for each in deals if (each.board, each.rotation) == (1, 2)]
    found = match_board(ladder, match, 2, 3)
    assert line.seats is not None
    assert [chair.bot for chair in found.chairs] == [lines[0].bots[bot] for bot in line.seats]  # type: ignore[union-attr]
    tables = [
        open_match_board(ladder, BoardChair(match, 2, rotation, 3), who) for rotation, who in ((3, ADA), (1, BEN))
    ]
    numbers = [finished(ladder, each) for each in tables]
    person = line.seats[3]
    assert [*tables[0].secrets] == [person]
    result = compare(ladder, tables[0].name, tables[0].secrets[person])
    assert (result.match, result.board, result.rotation, result.chair, result.hand) == (match, 2, 3, 3, line.hands[3])
    bots = {each.key: each.points for each in result.plays if each.kind is ChairKind.BOT}
    assert bots == {f"bot-{(each.rotation or 0) + 1}": each.scores[3] for each in deals if each.board == 1}
    assert {each.name for each in result.plays if each.kind is ChairKind.PERSON} == {"Ada", "Ben"}
    record = TableFiles(ladder.settings.data_dir).record(numbers[0])
    checked = verify(record)
    assert checked.finished
    assert checked.match is not None
    assert checked.match.commitment == found.commitment == lines[0].commitment  # type: ignore[union-attr]
    assert beside(ladder, tables[0].name, tables[0].secrets[person], "bot-3").play.points == line.scores[3]


def test_the_same_bots_sit_there_if_their_owners_allow_it_and_the_person_has_an_account(ladder: Ladder) -> None:
    lines = played("gongzhu")
    match = recorded_match(ladder, lines, "1")
    with ladder.database.write() as session:
        for bot in session.scalars(select(StoredBot).where(StoredBot.name.in_(["Snout", "Truffle"]))):
            bot.tables = True
    chair = BoardChair(match, 1, 1, 0)
    names = [seat.bot for seat in public_match(ladder, match).seats]
    mine = next(iter(open_match_board(ladder, chair, BEN).secrets))
    for visitor, allowed in ((TableVisitor(account="ada"), {"Snout", "Truffle"}), (ADA, set[str]())):
        page = table_page(ladder, open_match_board(ladder, chair, visitor).name)
        for number, (name, sits) in enumerate(zip(names, page.chairs, strict=True)):
            if number != mine:
                wanted = (ChairKind.BOT, name) if name in allowed else (ChairKind.HOUSE, OPPONENT)
                assert (sits.kind, sits.name) == wanted


def test_what_is_no_board_of_a_match_is_named(ladder: Ladder) -> None:
    match = recorded_match(ladder, played("hearts"), "1")
    for board, rotation in ((2, 1), (1, 5), (0, 1), (1, 0)):
        with pytest.raises(UserError, match=f"Match {match} .* no board {board}, rotation {rotation}"):
            match_board(ladder, match, board, rotation)
    with pytest.raises(UserError, match="has no seat 7"):
        open_match_board(ladder, BoardChair(match, 1, 1, 7), ADA)
    with pytest.raises(LadderError, match="There is no match 99"):
        match_board(ladder, 99, 1, 1)
    opened = open_table(ladder, TableOrder(variant="hearts", format="deals:1"), ADA)
    finished(ladder, opened)
    with pytest.raises(LadderError, match=re.escape(ITS_OWN)):
        compare(ladder, opened.name, opened.secrets[0])


def test_the_costliest_decisions_of_a_game_are_those_of_all_its_deals(ladder: Ladder) -> None:
    opened = open_table(ladder, TableOrder(variant="hearts", format="deals:2"), ADA)
    with pytest.raises(Conflict):
        costliest_of_game(ladder, opened.name, opened.secrets[0])
    finished(ladder, opened, "random")
    with pytest.raises(BeingComputed) as first:
        table_replays.costliest_of_game(ladder, opened.name, opened.secrets[0])
    assert (first.value.computing.done, first.value.computing.steps) == (0, 2)
    deals = [costliest_of_deal(ladder, opened.name, opened.secrets[0], deal) for deal in range(2)]
    found = costliest_of_game(ladder, opened.name, opened.secrets[0])
    every = sorted((why for deal in deals for why in deal.costliest), key=lambda why: -why.cost)
    assert found.costliest == tuple(every[:3])
    assert found.decisions == sum(deal.decisions for deal in deals)
    with pytest.raises(Forbidden):
        costliest_of_game(ladder, opened.name, "another")


def test_my_costliest_decisions_of_a_deal_are_mine(ladder: Ladder) -> None:
    opened = open_table(ladder, TableOrder(variant="hearts", format="deals:2"), ADA)
    with pytest.raises(UserError, match="Deal 1 of"):
        costliest_of_deal(ladder, opened.name, opened.secrets[0], 0)
    finished(ladder, opened, "random")
    found = costliest_of_deal(ladder, opened.name, opened.secrets[0], 1)
    assert 0 < len(found.costliest) <= 3
    assert {(each.bot, each.seat, each.deal) for each in found.costliest} == {("Ada", 0, 2)}
    costs = [each.cost for each in found.costliest]
    who = TableVisitor(guest=ADA.guest)
    assert [game.cost for game in own_games(ladder, who)] == [max(costs)], "it is listed once it is known"
    assert costs == sorted(costs, reverse=True)
    place = DealPlace(board=2, rotation=1)
    step = found.costliest[0].step
    assert table_why(ladder, opened.name, opened.secrets[0], YOU, place, step) == found.costliest[0]
    with pytest.raises(UserError, match="Deal 3 of"):
        costliest_of_deal(ladder, opened.name, opened.secrets[0], 2)
    with pytest.raises(Forbidden):
        costliest_of_deal(ladder, opened.name, "another", 0)


def test_boards_are_ordered_by_numbers_from_1(ladder: Ladder) -> None:
    match = recorded_match(ladder, played("hearts"), "1")
    today = TableOrder(variant="hearts", purpose=TablePurpose.TODAY, shown="Ada", board="1999-01-01", format="game")
    page = table_page(ladder, open_ordered(ladder, today, TableVisitor()).name)
    assert (page.commitment, page.format) == (todays_board(ladder, "hearts").commitment, "board:0:0")
    assert (page.board, page.chairs[0].name) == (todays_board(ladder, "hearts").day.isoformat(), "Ada")
    board = TableOrder(purpose=TablePurpose.BOARD, board=f"{match}/1/2/2")
    page = table_page(ladder, open_ordered(ladder, board, TableVisitor()).name)
    assert (page.purpose, page.board, page.format) == (TablePurpose.BOARD, f"{match}/1/2/2", "board:0:1")
    free = TableOrder(variant="hearts", board=f"{match}/1/2/2")
    assert table_page(ladder, open_ordered(ladder, free, TableVisitor()).name).board == ""
    for order in (today, board):
        with pytest.raises(UserError, match=re.escape(OWN_CHAIRS)):
            open_ordered(ladder, order.model_copy(update={"practice": True}), TableVisitor())
    for words in ("", "x", "17/3/1", "-1/1/1/0", "1/1/1/0/0", f"{match}/0/1/0", f"{match}/1/0/0"):
        with pytest.raises(UserError, match=r"no board of .* 17/3/1/0\."):
            open_ordered(ladder, board.model_copy(update={"board": words}), TableVisitor())
