"""The analysis board in a real browser: cards played, passed and exposed by mouse and keys, estimates, addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from ladder.settings.settings import load_settings
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.site.browser.looking import findings, overflow, too_small
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind, without_loop
from tests.ladder.site.browser.tables_served import tables_served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.ladder.site.browser.pages import Lending

pytestmark = [pytest.mark.chromium, pytest.mark.usefixtures("few_playouts")]
HANDS = "AKQJT98765432..._.AKQJT98765432.._..AKQJT98765432._...AKQJT98765432"


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr("ladder.app.computing.computing_run.look_for_puzzles", lambda ladder, session, now: None)
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    recorded_match(ladder, without_loop(played, "gongzhu"))
    with tables_served(ladder) as address:
        yield address
    ladder.database.close()


def at(page: Page, moves: str) -> None:
    """Wait until the address names these moves."""
    page.wait_for_url(re.compile(rf"[?&]moves={re.escape(moves)}(&|#|$)"))


@pytest.mark.parametrize(("size", "dark"), [(PHONE, True), (DESKTOP, False)])
def test_a_deal_is_played_for_all_seats_and_estimated(
    address: str, lending: Lending, size: tuple[int, int], dark: bool
) -> None:
    page = lending.page(Kind(touch=size == PHONE), size, dark)
    page.goto(f"{address}/analysis/hearts?hands={HANDS}&deal=3")
    east = page.get_by_role("group", name="East plays")
    east.get_by_role("button", name="2 of clubs").click()
    at(page, "2C")
    south = page.get_by_role("group", name="South plays")
    expect(south.get_by_role("button")).to_have_count(12)  # not the queen of spades in the first trick (H-5)
    south.get_by_role("button", name="ace of spades").press("Enter")
    at(page, "2C_AS")
    page.locator('.hand [data-card="AD"]').count()
    page.get_by_role("button", name="Estimate: West").click()
    page.wait_for_selector("#why .estimate tbody tr")
    assert [*findings(page, "main"), *(["it is too wide"] if overflow(page) > 0 else []), *too_small(page)] == []
    page.go_back()
    at(page, "2C")
    expect(south).to_be_visible()
    page.go_back()
    expect(east).to_be_visible()


def test_a_card_of_the_hand_does_what_its_button_does_and_the_past_can_be_left(address: str, lending: Lending) -> None:
    page = lending.page(Kind(), DESKTOP)
    page.goto(f"{address}/analysis/hearts?hands={HANDS}&deal=3&moves=2C_AS_2H")
    page.locator('.at-n .hand [data-card="3D"]').click()
    at(page, "2C_AS_2H_3D")
    expect(page.locator('.spot.at-n [data-card="3D"]')).to_be_visible()  # the address changes at once
    page.locator('.at-w .hand [data-card="3H"]').click(force=True)
    for _ in range(3):
        page.get_by_role("button", name="Previous card").click()
    expect(page.get_by_role("group", name="South plays")).to_be_visible()
    page.locator('.at-s .hand [data-card="KS"]').click()
    at(page, "2C_KS")
    assert "3H" not in page.url, "it was not this seat's turn"
    shown = page.get_by_label("Address of this position, to share")
    expect(shown).to_have_value(re.compile("moves=2C_KS$"))
    shared = shown.input_value()
    other = lending.page(Kind(), DESKTOP)
    other.goto(shared)
    expect(other.locator('.spot.at-s [data-card="KS"]')).to_be_visible()


def test_cards_are_passed_when_each_seat_has_chosen_and_exposed_up_or_down(address: str, lending: Lending) -> None:
    page = lending.page(Kind(), DESKTOP)
    page.goto(f"{address}/analysis/hearts?hands={HANDS}")
    done = page.get_by_role("button", name="Go on")
    for seat, suit in (("South", "spades"), ("West", "hearts"), ("North", "diamonds"), ("East", "clubs")):
        expect(done).to_be_disabled()
        for rank in "234":
            page.get_by_role("group", name=f"{seat} passes").get_by_role("button", name=f"{rank} of {suit}").click()
    done.click()
    at(page, "2S3S4S_2H3H4H_2D3D4D_2C3C4C")
    page.goto(f"{address}/analysis/gongzhu-sale?hands={HANDS}")
    south = page.get_by_role("group", name="South exposes")
    south.get_by_role("button", name="queen of spades", exact=True).click()
    south.get_by_role("button", name="queen of spades, face down").click()
    expect(south.get_by_role("button", name="queen of spades", exact=True)).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url(re.compile(r"moves=QS\*_"))


def test_from_a_replay_one_comes_to_the_same_moment(address: str, lending: Lending) -> None:
    page = lending.page(Kind(), DESKTOP)
    page.goto(f"{address}/m/1/boards/1/1#9")
    page.get_by_role("link", name="Analyse from here").click()
    page.wait_for_selector("analysis-board .moves:not([hidden])")
    assert page.url.endswith("#9")
    assert page.evaluate("[scrollY, document.querySelector('details.as-text').open]") == [0, False]
    moves = page.url.partition("moves=")[2].partition("#")[0].split("_")
    page.locator(".moves button").first.click()
    page.wait_for_url(re.compile(rf"moves={re.escape('_'.join(moves[:9]))}_\w\w(#|$)"))


def test_without_scripts_moves_are_typed(address: str, lending: Lending) -> None:
    page = lending.page(Kind(script=False), DESKTOP)
    page.goto(f"{address}/analysis/hearts?hands={HANDS}&deal=3")
    page.get_by_label("East plays").fill("2c")
    page.get_by_role("button", name="Go on").click()
    at(page, "2C")
    page.get_by_label("South plays").fill("QS")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("alert")).to_contain_text("QS")
