"""Single moments at a person's table: what the hand, the question and the log do."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.ladder.site.browser.at_table import WAITS, by_mouse, next_wanted, played_to_the_end
from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE, intercept
from tests.ladder.site.browser.sitting import address, sit, tables

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.ladder.site.browser.playing import PlayedTable, Tables
    from tests.ladder.site.browser.sitting import Sit

__all__ = ["address", "sit", "tables"]
pytestmark = pytest.mark.chromium


def wanted(page: Page, kind: str) -> Page:
    """Wait for a question of that kind."""
    page.wait_for_function(f"kind => ({WAITS})().startsWith(kind)", arg=kind)
    return page


def table_of(tables: Tables, page: Page) -> PlayedTable:
    return tables.tables[page.url.rpartition("/")[2]]


def prompt(page: Page) -> str:
    return page.inner_text(".prompt")


def log(page: Page) -> list[str]:
    return page.locator("[role=log] p").all_inner_texts()


def lose_two(page: Page, address: str) -> list[str]:
    """Lose the first two requests to an address; gives a list to which each one is added."""
    asked: list[str] = []

    def lose(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) < 3:
            route.abort()
        else:
            route.continue_()

    intercept(page, address, lose)
    return asked


def follow_suit(page: Page) -> Page:
    """Play until some cards may not be played."""
    last = next_wanted(page)
    while not page.locator(".pick.barred").count():
        by_mouse(page, last.split()[0])
        last = next_wanted(page, last)
    return page


def test_a_card_that_may_not_be_played_says_why(sit: Sit, tables: Tables) -> None:
    page = follow_suit(sit("rules=gongzhu&deals=1"))
    card = page.locator(".pick.barred").first
    assert card.get_attribute("aria-disabled") == "true"
    before = len(table_of(tables, page).answers)
    card.click(force=True)
    assert re.fullmatch(r".* follow suit: \w+ were .*", prompt(page))
    assert log(page)[-1] == prompt(page)
    assert len(table_of(tables, page).answers) == before


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_before_the_first_table_one_reads_what_exposing_is_worth_and_no_clock_runs(
    sit: Sit, tables: Tables, size: tuple[int, int]
) -> None:
    page = sit("rules=gongzhu&deals=2&seed=1&people=2", size, knows=False)
    lesson = page.locator(".first-exposing")
    assert lesson.is_visible()
    assert not page.locator(".felt").is_visible()
    assert "exposed face up" in lesson.inner_text()
    assert page.evaluate("document.activeElement.id") == "exposing-title"
    assert findings(page, ".first-exposing") == []
    assert overflow(page) == 0
    page.wait_for_function("() => document.querySelector('person-table').state?.question?.left === null")
    page.keyboard.press("n")
    assert not table_of(tables, page).answers, "keys do nothing meanwhile"
    lesson.locator("[data-lesson=known]").click()
    assert lesson.is_hidden()
    page.wait_for_function("() => document.querySelector('person-table').state.question.left > 0")
    wanted(page, "expose")
    page.reload()
    wanted(page, "expose")
    assert lesson.is_hidden()


def test_a_lesson_that_is_skipped_comes_again_at_the_next_table(sit: Sit) -> None:
    page = sit("rules=gongzhu&deals=1&seed=1", knows=False)
    page.click("[data-lesson=later]")
    wanted(page, "expose")
    page.reload()
    page.wait_for_selector(".first-exposing")


def test_where_people_play_the_clock_stops_while_a_dialog_is_open(sit: Sit) -> None:
    page = sit("rules=hearts-short&deals=1&people=2")
    for name in ("help", "settings"):
        page.click(f"[data-do={name}]")
        page.wait_for_function("() => document.querySelector('person-table').state.question.left === null")
        page.keyboard.press("Escape")
        page.wait_for_function("() => document.querySelector('person-table').state.question.left > 0")


def test_where_no_card_may_be_exposed_nothing_is_said_of_it(sit: Sit) -> None:
    assert sit("rules=hearts-short&deals=1").locator(".first-exposing").count() == 0


def test_in_chinese_it_says_why_in_chinese(sit: Sit) -> None:
    page = follow_suit(sit("rules=gongzhu&deals=1", language="zh-CN"))
    page.locator(".pick.barred").first.click(force=True)
    assert re.fullmatch("必须跟牌：领出的是(黑桃|红心|方块|梅花)。", prompt(page))
    assert not re.search("[A-Za-z]{3}", re.sub("Ada|Bertram|Clementine|Dai", "", "".join(log(page))))


def test_cards_are_passed_from_slots_and_those_received_are_marked(sit: Sit, tables: Tables) -> None:
    page = wanted(sit("rules=hearts&deals=1"), "pass")
    cards = page.locator(".pick")
    assert page.is_disabled(".confirm")
    for place in (0, 1, 2, 3):
        cards.nth(place).click()
    assert prompt(page).startswith("3 cards are chosen")
    cards.nth(0).click()
    cards.nth(3).click()
    chosen = [cards.nth(place).get_attribute("data-pick") for place in (1, 2, 3)]
    assert [cards.nth(place).get_attribute("aria-pressed") for place in (0, 1)] == ["false", "true"]
    page.click(".confirm")
    page.wait_for_selector(".own .fresh")
    assert table_of(tables, page).answers[-1]["action"] == " ".join(map(str, chosen))
    assert page.locator(".own .fresh").count() == 3
    assert page.get_by_role("button", name="just passed to you").count() == 3


def test_the_mark_of_a_received_card_is_as_wide_as_the_card_on_a_phone(sit: Sit) -> None:
    page = wanted(sit("rules=hearts&deals=1", (390, 844), touch=True), "pass")
    for place in (0, 1, 2):
        page.locator(".pick").nth(place).click()
    page.click(".confirm")
    page.wait_for_selector(".own .fresh")
    widths = page.evaluate(
        "[...document.querySelectorAll('.own .fresh')].map((each) => [getComputedStyle(each, '::after').width,"
        " getComputedStyle(each.querySelector('svg')).width].map(parseFloat))"
    )
    assert len(widths) == 3
    assert all(mark == pytest.approx(card, abs=0.5) for mark, card in widths)


def test_own_cards_lie_side_by_side_where_there_is_room(sit: Sit) -> None:
    page = wanted(sit("rules=brief&deals=1", (1440, 900)), "pass")
    lefts = page.evaluate(
        "[...document.querySelectorAll('.own .pick')].map((each) => each.getBoundingClientRect().left)"
    )
    width = page.evaluate("document.querySelector('.own .card svg').getBoundingClientRect().width")
    assert len(lefts) == 8
    assert min(after - before for before, after in pairwise(lefts)) >= width


def test_a_card_is_exposed_face_down_or_none_is(sit: Sit, tables: Tables) -> None:
    page = wanted(sit("rules=gongzhu-sale&deals=1&seed=2"), "expose")
    assert page.inner_text(".confirm") == "Expose none"
    page.locator(".pick.free").first.click()
    assert page.inner_text(".confirm") == "Expose: 1"
    page.get_by_label("face down").first.check()
    assert page.locator(".pick.chosen").count() == 1
    page.get_by_label("no", exact=True).first.check()
    assert page.locator(".pick.chosen").count() == 0
    page.get_by_label("face down").first.check()
    page.click(".confirm")
    page.wait_for_selector(".own .exposed.down")
    assert table_of(tables, page).answers[-1]["action"].endswith("*")


def test_l_shows_the_last_trick_and_the_table_again(sit: Sit) -> None:
    page = wanted(sit("rules=gongzhu&deals=1"), "play")
    page.keyboard.press("l")
    assert prompt(page) == "No trick is complete yet."
    by_mouse(page, "play")
    page.wait_for_function("() => document.querySelector('person-table').state.last_trick")
    wanted(page, "play").keyboard.press("L")
    assert page.locator(".spot .card").count() == 4
    assert prompt(page).startswith("The last trick: ")
    assert page.get_attribute("[data-part=last]", "aria-pressed") == "true"
    page.click("[data-part=last]")
    assert page.locator(".spot .card").count() < 4
    assert page.get_attribute("[data-part=last]", "aria-pressed") == "false"


def test_the_rest_is_played_where_no_points_remain_and_the_end_is_looked_at_once(sit: Sit, tables: Tables) -> None:
    page = sit("rules=queen&deals=1&seed=2")
    last = next_wanted(page)
    while not page.locator("text=No points remain: play the rest").count():
        if last.startswith("play"):
            page.locator(".pick.free").first.click()
        else:
            by_mouse(page, last.split()[0])
        last = next_wanted(page, last)
    answers = len(table_of(tables, page).answers)
    page.keyboard.press("r")
    page.wait_for_selector(".go-on")
    assert len(table_of(tables, page).answers) > answers + 1
    page.wait_for_function("() => document.querySelector('person-table').state.over")
    end = page.evaluate("document.querySelector('person-table').state")
    assert end["result"]["deal"] == 0
    intercept(page, "**/presence", lambda route: route.abort())
    page.click(".go-on")
    page.wait_for_selector(".final")
    page.evaluate("state => document.querySelector('person-table').take(state)", end | {"number": end["number"] + 1})
    assert page.locator(".final li").count() == 4
    assert not page.locator(".go-on").count()


def test_who_is_away_is_played_for_and_comes_back(sit: Sit) -> None:
    page = wanted(sit("rules=gongzhu&deals=1"), "play")
    lost = lose_two(page, "**/presence")
    page.keyboard.press("a")
    page.wait_for_selector("text=I'm back >> nth=0")
    assert prompt(page).startswith("You are away, ")
    assert len(lost) == 3
    page.wait_for_selector("[role=log] >> text=/The policy played the .+ of .+ for you/")
    page.keyboard.press("b")
    wanted(page, "play")
    assert any(each.startswith("You are away now") for each in log(page))
    assert "You are back." in log(page)


def test_what_the_default_has_played_is_said(sit: Sit) -> None:
    page = sit("rules=gongzhu&deals=1&seconds=1")
    page.wait_for_selector("text=Your time was up, so the default was played")
    late = r"Your time was up, so the default was played: .+ of .+\."
    assert any(re.fullmatch(late, each) for each in log(page))
    page.wait_for_selector("[role=log] >> text=The policy played the")
    assert any(re.fullmatch(r"The policy played .+ of .+", each) for each in log(page))


def test_no_card_moves_before_the_server_has_it_and_a_lost_answer_is_sent_again(sit: Sit, tables: Tables) -> None:
    page = wanted(sit("rules=gongzhu&deals=1"), "play")
    lost = lose_two(page, "**/answer")
    count = page.locator(".pick").count()
    page.locator(".pick.free").first.click()
    page.wait_for_selector("text=The connection is lost; trying again …")
    assert page.locator(".pick").count() == count
    page.wait_for_function("count => document.querySelectorAll('.pick').length < count", arg=count)
    assert len(lost) == 3
    assert len(table_of(tables, page).answers) == 1


def test_a_question_that_is_put_again_after_its_answer_was_taken_is_asked_again(sit: Sit, tables: Tables) -> None:
    page = wanted(sit("rules=gongzhu&deals=1"), "play")
    table_of(tables, page).forgets = True
    by_mouse(page, "play")
    wanted(page, "play")
    table_of(tables, page).forgets = False
    by_mouse(page, "play")
    page.wait_for_function("() => document.querySelector('person-table').state.moment.trick > 0")


def test_where_streams_do_not_get_through_it_is_asked_for(sit: Sit, tables: Tables) -> None:
    page = sit("rules=gongzhu&deals=1")
    page.route("**/stream", lambda route: route.fulfill(status=502))
    page.reload()
    wanted(page, "play")
    by_mouse(page, "play")
    page.wait_for_function("() => document.querySelector('person-table').state.moment.trick > 0")
    assert len(table_of(tables, page).answers) == 1


def test_the_result_is_linked_when_the_ladder_has_it(sit: Sit, tables: Tables) -> None:
    """Before that the table's address shows the table."""
    page = sit("rules=brief&deals=1")
    played_to_the_end(page, by_mouse, lambda page: page.click(".go-on"))
    assert page.locator(".final li").count() == 4
    assert page.locator("person-table .bar a:visible").count() == 0
    tracker = table_of(tables, page).tracker
    tracker.info = replace(tracker.info, status="over", verify=f"{page.url}/replay")
    tables.show(tracker)
    page.get_by_role("link", name="The result", exact=True).wait_for()
    assert page.get_by_role("link", name="The result", exact=True).get_attribute("href") == urlsplit(page.url).path


def test_two_tabs_show_the_same_table_and_a_reload_changes_nothing(sit: Sit) -> None:
    page = wanted(sit("rules=gongzhu&deals=1"), "play")
    other = page.context.new_page()
    other.goto(page.url)
    wanted(other, "play").locator(".pick.free").first.click()
    moment = "() => JSON.stringify(document.querySelector('person-table').state?.moment)"
    page.wait_for_function("() => document.querySelector('person-table').state.moment.trick > 0")
    wanted(other, "play")
    wanted(page, "play")
    assert page.evaluate(moment) == other.evaluate(moment)
    page.reload()
    wanted(page, "play")
    assert page.evaluate(moment) == other.evaluate(moment)


SLOWLY = """
    const table = document.querySelector("person-table");
    window.taps = [];
    table.settings.speed = 0.001; // minutes for a card
    table.set();
    const note = () => window.taps.push(table.queue.isBusy);
    table.querySelector(".centre").addEventListener("click", note, { once: true });
    document.addEventListener("click", (event) => event.target.closest(".centre") && note());
"""
"""Slow the table down; `taps` says whether it was busy before a tap of its centre, and after it."""


def test_the_pace_can_be_followed_and_a_tap_skips_it(sit: Sit) -> None:
    page = wanted(sit("rules=gongzhu&deals=1", calm=False, speed=1), "play")
    page.evaluate(SLOWLY)
    page.locator(".pick.free").first.click()
    page.wait_for_function("() => document.querySelector('person-table').queue.isBusy")
    page.locator(".centre").click()
    assert page.evaluate("taps") == [True, False]
    flights = "document.getAnimations().map((each) => each.effect.getTiming().duration)"
    assert all(duration <= 200 for duration in page.evaluate(flights))


def test_settings_are_kept_and_there_is_no_sound_until_somebody_wants_it(sit: Sit) -> None:
    page = sit("rules=gongzhu&deals=1")
    page.evaluate("() => { window.AudioContext = class { constructor() { throw new Error('a sound') } } }")
    by_mouse(wanted(page, "play"), "play")
    wanted(page, "play")
    page.click("[data-do=settings]")
    assert not page.is_checked("[name=sound]")
    page.check("[name=sound]")
    page.select_option("[name=speed]", "2")
    page.reload()
    page.wait_for_selector("person-table .pick")
    kept = "(({ speed, taps, sound }) => [speed, taps, sound])(document.querySelector('person-table').settings)"
    assert page.evaluate(kept) == [2, 1, True]
