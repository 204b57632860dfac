"""
The front page: what is kept of it, and for how long; that it says so when the bots of the ladder share a kernel.

The record of the newest match tells which kernel that was.
"""

from __future__ import annotations

import datetime
import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event

from ladder.app import overview
from ladder.people.boards import daily_board
from ladder.people.review.puzzles import puzzle_page
from ladder.people.tables.table_opening import open_table
from ladder.results.files import MatchFiles
from ladder.settings.settings import load_settings
from ladder.site.rendering import cache
from ladder.site.rendering.faces import avatar
from ladder.site.rendering.templates import Pages, bot_link
from ladder.store.commands.people_tables import finish_table
from ladder.store.leases import Lease
from ladder.store.queries.people_tables import table_by_name
from ladder.values.people import TableOrder, TablePurpose, TableStatus, TableVisitor
from tests.ladder.ladders import new_ladder, played, recorded_match, seem_to_play_tables
from tests.ladder.puzzles import add_puzzles
from tests.ladder.site.visitor import Visitor, small_site
from tests.referee.recorded import SEED, faulty_seats, match_lines

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from referee.records.lines import ImageFiles

SENTENCES = {"en": "not against a determined bot", "zh": "防不住蓄意传递信息的机器人"}


@pytest.mark.parametrize(
    ("image_files", "shares"), [("locked", True), ("read", True), ("isolated", False), (None, False)]
)
def test_it_says_whether_the_bots_of_the_newest_match_shared_a_kernel(
    image_files: ImageFiles | None, shares: bool, tmp_path: Path
) -> None:
    first, *rest = match_lines("hearts", "boards:1", faulty_seats)
    lines = [first.model_copy(update={"image_files": image_files}), *rest]
    made = new_ladder(load_settings(data_dir=tmp_path))
    try:
        assert SENTENCES["en"] not in Visitor(made).page("/")
        match = recorded_match(made, lines, SEED.hex())
        for language, sentence in SENTENCES.items():
            text = Visitor(made).page("/", **{"Accept-Language": language})
            assert (sentence in text) is shares, language
        assert "asks for runc" not in text
        MatchFiles(tmp_path).remove(match, 1)
        assert SENTENCES["en"] not in Visitor(made).page("/")
    finally:
        made.database.close()


@pytest.mark.parametrize(("runtime", "is_asked_for"), [("runc", True), ("auto", False), ("runsc", False)])
def test_it_says_so_if_the_settings_ask_for_the_shared_kernel(runtime: str, is_asked_for: bool, tmp_path: Path) -> None:
    first, *rest = match_lines("hearts", "boards:1", faulty_seats)
    lines = [first.model_copy(update={"image_files": "locked"}), *rest]
    made = new_ladder(load_settings(data_dir=tmp_path, sandbox="docker", runtime=runtime))
    try:
        recorded_match(made, lines, SEED.hex())
        text = Visitor(made).page("/")
        assert SENTENCES["en"] in text
        assert ("asks for runc; with" in text) is is_asked_for
        assert ("The organiser can give" in text) is not is_asked_for
    finally:
        made.database.close()


@dataclass
class Clock:
    """Stands in for the module `time` where answers are kept."""

    now: float = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(cache, "time", made)
    return made


def test_a_front_page_that_is_kept_asks_nothing_and_renders_nothing(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    rendered: list[str] = []
    text = Pages.text
    monkeypatch.setattr(Pages, "text", lambda *given: rendered.append(given[3]) or text(*given))  # type: ignore[func-returns-value]
    last = int(time.time()) - 100_000
    with small_site(tmp_path) as site:
        event.listen(site.ladder.database.engine, "before_cursor_execute", lambda *found: asked.append(found[2]))
        for headers in ({}, {"cookie": f"pigpen_visit={last - 10}-{last}"}):
            first = site.page("/", **headers)
            assert asked
            assert rendered == ["home.html"]
            asked.clear()
            rendered.clear()
            assert site.page("/", **headers) == first
            assert (asked, rendered) == ([], [])
            clock.now += 1.0


def play_today(ladder: Ladder, who: TableVisitor) -> None:
    """Let a visitor have played today's board to its end."""
    today = daily_board.todays_board(ladder, "gongzhu").day
    seed = daily_board.seed_of_day(daily_board.day_secret(ladder.settings.data_dir), today, "gongzhu")
    order = TableOrder(variant="gongzhu", format="board:0:0", purpose=TablePurpose.TODAY, board=today.isoformat())
    opened = open_table(ladder, order, who, seed)
    with ladder.database.write() as session:
        row = table_by_name(session, opened.name)
        assert row is not None
        row.status, row.attempt = TableStatus.PLAYING, 1
        assert finish_table(session, Lease(row.id, 1), [0, 0, 0, 0], [1, 1, 1, 1], 1.0)


def test_a_front_page_is_as_old_as_any_page_may_be_and_of_its_day(tmp_path: Path, clock: Clock) -> None:
    with small_site(tmp_path) as small:
        now = [datetime.datetime(2026, 11, 23, 23, 59, tzinfo=datetime.UTC).timestamp()]
        ladder = replace(small.ladder, clock=lambda: now[0])
        site = Visitor(ladder)
        assert "ada" not in site.page("/")
        play_today(ladder, TableVisitor(account="ada"))
        assert "ada" not in site.page("/"), "what is kept is read again half a second later"
        clock.now += cache.REVISION_SECONDS + 0.1
        assert "ada" in site.page("/")
        now[0] += 120.0
        assert "ada" not in site.page("/"), "it is another day"


def test_who_has_played_here_sees_what_is_so_now(tmp_path: Path, clock: Clock) -> None:
    with small_site(tmp_path) as site:
        cookie = "pigpen_guest=secret"
        before = site.page("/", cookie=cookie)
        assert site.page("/", cookie=cookie) == before
        play_today(site.ladder, TableVisitor(guest="secret", shown="Bo"))
        assert site.page("/", cookie=cookie) != before


def test_the_best_bots_have_faces_and_a_rating_from_few_matches_is_marked(tmp_path: Path) -> None:
    with small_site(tmp_path) as site:
        best = site.page("/").partition("The best bots")[2].partition("</ol>")[0]
        (shown,) = overview.variants(site.ladder)
        assert len(shown.top) == 5
        for row in shown.top:
            assert f"{avatar(row.bot)} {bot_link(row.bot)}" in best
            mark = '<span title="provisional">?</span>' if row.provisional else "<"
            assert f"{round(row.elo)}{mark}" in best
        assert any(row.provisional for row in shown.top)


def test_the_newest_puzzle_is_drawn_with_the_cards_that_lie_there_and_the_hand(tmp_path: Path) -> None:
    with small_site(tmp_path) as site:
        assert 'class="position' not in site.page("/")
        add_puzzles(site.ladder, recorded_match(site.ladder, played("gongzhu")), 1)
        site = Visitor(site.ladder)
        drawn = site.page("/").partition('class="position')[2].partition("</a>")[0]
        (number,) = re.findall(r'href="/puzzle/(\d+)"', drawn)
        position = puzzle_page(site.ladder, int(number), TableVisitor()).position
        lying = [seat.played for seat in position.seats if seat.played]
        assert re.findall(r"face suit-(.)", drawn)[: len(lying)] == [card[1] for card in lying]
        assert drawn.count('class="face') == len(lying) + len(position.hand)
        assert drawn.count('class="dim"') == len(position.hand) - len(position.legal)


def test_today_s_board_is_offered_while_tables_are_played(tmp_path: Path) -> None:
    made = new_ladder(load_settings(data_dir=tmp_path))
    site = Visitor(made)
    offered = 'action="/play/today/gongzhu"'
    assert offered not in site.page("/")
    assert "pigpen ladder tables" in site.page("/")
    seem_to_play_tables(made)
    assert offered in site.page("/"), "the page that was kept says something else"
    assert "pigpen ladder tables" not in site.page("/")
    made.database.close()
