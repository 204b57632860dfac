"""A person at the table, in a real browser: whole games and single moments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS
from tests.ladder.site.browser.at_table import by_ear, by_finger, by_keys, by_mouse, next_wanted, played_to_the_end
from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE
from tests.ladder.site.browser.sitting import address, sit, tables
from tests.rules.table import ODD

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.ladder.site.browser.at_table import Decide
    from tests.ladder.site.browser.playing import Tables
    from tests.ladder.site.browser.sitting import Sit

__all__ = ["address", "sit", "tables"]

pytestmark = pytest.mark.chromium

FRAMES = """async (states) => {
          const script = document.querySelector("script[src*='/play.js']");
          const { between } = await import(script.src.replace("play.js", "play_frames.js"));
          const cards = (all) => [...new Set(all.flatMap((state) => state.moment.steps.map((step) => step.action)))];
          const told = (step) => states.filter((_, place) => place % step === 0).reduce(
            ([all, before], state) => [[...all, ...between(before, state)], state], [[], null])[0];
          return [1, 2, 3].map((step) => [cards(told(step)).length, told(step).map((state) => state.moment.seats.map(
            (chair) => (chair.hand ? chair.hand.split(" ").length : 0) + chair.unknown))]);
        }"""
"""Numbers of cards shown, and of each hand's cards then, where all states come, or each second or third."""
SMALL = """() => [...document.querySelectorAll("person-table :is(button, select, input, label)")]
  .filter((each) => each.checkVisibility() && !each.closest("dialog:not([open])"))
  .map((each) => [each.outerHTML.slice(0, 80), (each.closest("label") ?? each).getBoundingClientRect()])
  .filter(([, box]) => box.width < 43.5 || box.height < 43.5)
  .map(([name, box]) => `${name} ${box.width}x${box.height}`)"""


def enter(page: Page) -> None:
    page.keyboard.press("Enter")


def test_a_deal_is_played_by_mouse_and_each_card_shown_even_where_states_are_left_out(sit: Sit, tables: Tables) -> None:
    page = sit("rules=gongzhu-sale&deals=1")
    assert played_to_the_end(page, by_mouse, lambda page: page.click(".go-on")) > 5
    assert page.locator(".final li").count() == 4
    table = tables.tables[page.url.rpartition("/")[2]]
    for cards, hands in page.evaluate(
        FRAMES, [state.model_dump(mode="json") for state in table.states if state.moment]
    ):
        assert cards == 52
        assert all(max(each) - min(each) <= 1 for each in hands)


def test_a_game_is_played_with_keys_alone(sit: Sit) -> None:
    page = sit("rules=brief&deals=2")
    assert played_to_the_end(page, by_keys, enter) > 10
    assert page.locator(".score-sheet tbody tr").count() == 2
    assert page.locator("svg.totals polyline").count() == 4
    assert findings(page, "person-table") == []


def test_a_deal_is_played_by_roles_and_names(sit: Sit) -> None:
    page = sit("rules=brief&deals=1")
    assert played_to_the_end(page, by_ear, enter) > 5
    lines = page.locator("[role=log] p").all_inner_texts()
    assert lines[0] == "Deal 1 begins."
    assert re.fullmatch(r"(You|.+ shot) .+[.] Your total: \d+[.]", lines[-1])
    assert sum(" takes the trick" in each or "You take" in each for each in lines) == 8


def test_a_deal_is_played_by_touch_on_a_phone_with_two_taps(sit: Sit) -> None:
    """Its first cards."""
    page = sit("rules=brief&deals=1", PHONE, touch=True, taps=2)
    assert played_to_the_end(page, by_finger, lambda page: page.tap(".go-on"), 4) > 3


@pytest.mark.long
@pytest.mark.parametrize("rules", [*PRESETS, *(rules.name for rules in ODD)])
def test_a_whole_game_of_every_variant_is_played_by_mouse(sit: Sit, rules: str) -> None:
    page = sit(f"rules={rules}")
    assert played_to_the_end(page, by_mouse, lambda page: page.click(".go-on")) > 5
    assert overflow(page) == 0


@pytest.mark.long
@pytest.mark.parametrize("rules", ["hearts", "gongzhu-sale"])
@pytest.mark.parametrize("decide", [by_keys, by_finger, by_ear])
def test_a_whole_game_is_played_otherwise(sit: Sit, rules: str, decide: Decide) -> None:
    page = sit(f"rules={rules}", PHONE, touch=True, taps=2)
    assert played_to_the_end(page, decide, enter) > 5


MORE = pytest.mark.long


@pytest.mark.parametrize(
    ("size", "dark", "asked"),
    [
        (DESKTOP, False, "rules=hearts&deals=1"),
        (PHONE, True, "rules=gongzhu-five&deals=1"),
        pytest.param(DESKTOP, True, "rules=gongzhu-sale&deals=1&seed=2", marks=MORE),
        pytest.param(PHONE, False, "rules=hearts&deals=1", marks=MORE),
        pytest.param(PHONE, False, "rules=eight&deals=1", marks=MORE),
    ],
)
def test_everybody_can_use_it(sit: Sit, size: tuple[int, int], dark: bool, asked: str) -> None:
    page = sit(asked, size, dark=dark, touch=size == PHONE)
    page.wait_for_selector(".asks")
    wrong = [*findings(page), *(page.evaluate(SMALL) if size == PHONE else [])]
    assert (wrong, overflow(page)) == ([], 0)


def to_the_end_of_a_deal(page: Page) -> None:
    """Play until the result of a deal is shown."""
    last = ""
    while (last := next_wanted(page, last)) != "result":
        by_mouse(page, last.split()[0])


@pytest.mark.parametrize("screen", [DESKTOP, PHONE])
def test_people_at_a_table_say_something_at_the_end_of_a_deal(
    sit: Sit, tables: Tables, screen: tuple[int, int]
) -> None:
    page = sit("rules=brief&deals=2&people=2", screen, sound=False)
    name = page.url.rpartition("/")[2]
    box, lines = page.locator("[data-part=say]"), page.locator("[data-part=phrases] li")
    assert not box.is_visible()
    to_the_end_of_a_deal(page)
    assert box.is_visible()
    assert findings(page, "person-table") == []
    assert overflow(page) == 0
    box.get_by_role("button", name="Well played!").click()
    page.wait_for_function("() => document.querySelectorAll('[data-part=phrases] li').length === 1")
    tables.another_says(name, "thanks")
    page.wait_for_function("() => document.querySelectorAll('[data-part=phrases] li').length === 2")
    assert lines.all_inner_texts() == ["Ada: Well played!", "Bertram: Thank you!"]
    assert page.locator("[role=log] p.phrase").all_inner_texts() == lines.all_inner_texts()
    page.click(".go-on")
    page.wait_for_selector("[data-part=say]", state="hidden")
    assert "Thank you" not in page.locator(".prompt").inner_text()


def test_what_others_say_can_be_hidden_and_who_plays_alone_is_offered_nothing(sit: Sit, tables: Tables) -> None:
    page = sit("rules=brief&deals=1&people=2", phrases=False)
    name = page.url.rpartition("/")[2]
    to_the_end_of_a_deal(page)
    tables.another_says(name, "goodbye")
    page.wait_for_function("() => document.querySelector('person-table').state.notices.length === 1")
    assert page.locator("[data-part=phrases] li").count() == page.locator("[role=log] p.phrase").count() == 0
    alone = sit("rules=brief&deals=1")
    to_the_end_of_a_deal(alone)
    assert not alone.locator("[data-part=say]").is_visible()
