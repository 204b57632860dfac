"""Acts of a person at a table in a browser: by mouse, by finger, by keys, or by the words of a screen reader."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import playwright.sync_api

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    Decide = Callable[[Page, str], None]

WAITS = """() => {
  const table = document.querySelector("person-table");
  if (!table) return "";
  if (table.querySelector(".final")) return "over";
  if (table.querySelector(".go-on")?.checkVisibility()) return "result";
  return table.choice && !table.queue.isBusy ? `${table.choice.question.kind} ${table.choice.question.decision}` : "";
}"""


def played_to_the_end(page: Page, decide: Decide, go_on: Callable[[Page], None], most: float = math.inf) -> int:
    """Play until the game is over, or *most* decisions were made, and count them."""
    decisions, last = 0, ""
    while decisions < most:
        last = next_wanted(page, last)
        if last == "over":
            return decisions
        if last == "result":
            go_on(page)
        else:
            decide(page, last.split()[0])
            decisions += 1
    return decisions


def next_wanted(page: Page, last: str = "") -> str:
    """Wait until something else is wanted than the last time."""
    try:
        wants = page.wait_for_function(f"last => {{ const now = ({WAITS})(); return now !== last && now }}", arg=last)
    except playwright.sync_api.TimeoutError as error:
        raise AssertionError(f"nothing came after {last!r}: {page.inner_text('person-table')}") from error
    return str(wants.json_value())


def by_mouse(page: Page, kind: str) -> None:
    """Decide with clicks."""
    if kind == "pass":
        slots = page.locator(".slot").count()
        for place in range(slots):
            page.locator(".pick").nth(2 * place).click()
    elif kind == "expose":
        page.locator(".pick.free").first.click()
    elif kind == "moon":
        page.locator(".ask-choices button").first.click()
        return
    if kind == "play":
        page.locator(".pick.free").last.click()
    else:
        page.click(".confirm")


def by_finger(page: Page, kind: str) -> None:
    """Decide with taps; a card is tapped twice."""
    if kind == "pass":
        for place in range(page.locator(".slot").count()):
            page.locator(".pick").nth(3 * place).tap()
        page.tap(".confirm")
    elif kind == "play":
        card = page.locator(".pick.free").first
        card.tap()
        page.locator(".pick.chosen").tap()
    else:
        page.locator(".ask-choices button").last.tap()


def by_keys(page: Page, kind: str) -> None:
    """Decide with keys alone."""
    page.keyboard.press("ArrowRight")
    if kind == "moon":
        page.locator(".ask-choices button").first.focus()
        page.keyboard.press("Enter")
    elif kind == "expose":
        page.keyboard.press("n")
    elif kind == "pass":
        for _ in range(page.locator(".slot").count()):
            page.keyboard.press(" ")
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    else:
        while page.evaluate("document.activeElement.getAttribute('aria-disabled') === 'true'"):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")


def by_ear(page: Page, kind: str) -> None:
    """Decide by roles and names, as a screen reader tells them."""
    if kind == "pass":
        hand = page.get_by_role("group").get_by_role("button", name=" of ")
        for place in range(page.locator(".slot").count()):
            hand.nth(place).dispatch_event("click")
        page.get_by_role("button", name="Pass them").dispatch_event("click")
    elif kind == "expose":
        page.get_by_role("button", name="Expose none").dispatch_event("click")
    elif kind == "moon":
        page.get_by_role("button", name="for everybody else").dispatch_event("click")
    else:
        open_cards = page.get_by_role("button", name=" of ", disabled=False)
        open_cards.first.dispatch_event("click")
