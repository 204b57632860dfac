"""Searches of tests in pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from playwright.sync_api import Page

SMALL = """() => [...document.querySelectorAll("deal-replayer :is(button, select, input), replay-file input")]
  .filter((each) => each.checkVisibility())
  .map((each) => [each.outerHTML.slice(0, 80), (each.closest("label") ?? each).getBoundingClientRect()])
  .filter(([, box]) => box.width < 44 || box.height < 44)
  .map(([name, box]) => `${name} ${box.width}x${box.height}`)"""


COLOURS = "color-contrast"


def findings(page: Page, part: str = "body", rule: str = "") -> list[str]:
    """Return what axe-core finds in a part of a page, by all its rules or by one."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": [rule]} if rule else {})
    found = Axe().run(page, context=part, options=options).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found]


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


OFF_CENTRE = """() => [...document.querySelectorAll("main :is(p, h1, h2, svg.avatar)")]
  .filter((each) => {
    const [own, around] = [each, each.parentElement].map((one) => getComputedStyle(one));
    const isInRow = around.display.includes("flex") || around.gridTemplateColumns.includes(" ");
    const isBlock = own.display !== "inline" && !["absolute", "fixed"].includes(own.position);
    return each.checkVisibility() && around.textAlign === "center" && isBlock && !isInRow;
  })
  .filter((each) => {
    const [box, outer] = [each, each.parentElement].map((one) => one.getBoundingClientRect());
    const style = getComputedStyle(each.parentElement);
    const left = outer.left + parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth);
    const right = outer.right - parseFloat(style.paddingRight) - parseFloat(style.borderRightWidth);
    return Math.abs(box.left + box.right - left - right) > 4;
  })
  .map((each) => each.outerHTML.slice(0, 100))"""
ROWS = """() => [...document.querySelectorAll("main p")]
  .filter((each) => each.checkVisibility() && /flex|grid/.test(getComputedStyle(each).display))
  .filter((each) => !/none|%/.test(getComputedStyle(each).maxWidth))
  .map((each) => each.outerHTML.slice(0, 100))"""


CUT = """() => [...document.querySelectorAll("body *")]
  .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .filter((each) => each.checkVisibility() && each.clientWidth > 1 && !each.closest("svg"))
  .filter((each) => {
    const { overflowX, textOverflow } = getComputedStyle(each);
    return /hidden|clip/.test(overflowX) && textOverflow !== "ellipsis" && each.scrollWidth > each.clientWidth + 1;
  })
  .map((each) => each.outerHTML.slice(0, 100))"""
OVERLAPPING = """() => {
  const found = [];
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const boxes = [];
  while (texts.nextNode()) {
    const around = texts.currentNode.parentElement;
    const isOwnLayer = around.closest("svg, .felt, .unseen, dialog, [popover], option, select, template, pre");
    if (!texts.currentNode.data.trim() || isOwnLayer || !around.checkVisibility({ visibilityProperty: true })) continue;
    range.selectNodeContents(texts.currentNode);
    const seen = getComputedStyle(around).overflowX === "visible" ? null : around.getBoundingClientRect();
    for (const { left, right, top, bottom, height } of range.getClientRects()) {
      boxes.push([{ left, right: Math.min(right, seen?.right ?? right), top, bottom, height }, texts.currentNode]);
    }
  }
  boxes.sort(([one], [other]) => one.top - other.top);
  boxes.forEach(([box, node], place) => {
    for (const [other, another] of boxes.slice(place + 1)) {
      if (other.top >= box.bottom - 2) break;
      const width = Math.min(box.right, other.right) - Math.max(box.left, other.left);
      const height = Math.min(box.bottom, other.bottom) - other.top;
      if (node !== another && width > 2 && height > Math.min(box.height, other.height) / 2) {
        found.push(`${node.data.trim().slice(0, 40)} | ${another.data.trim().slice(0, 40)}`);
      }
    }
  });
  return found;
}"""
FAN = """() => [...document.querySelectorAll(".felt .seat:is(.at-n, .at-s, .at-nw, .at-ne)")].flatMap((seat) => {
  if (seat.matches(".own")) return [];
  const cards = [...seat.querySelectorAll(".hand > .card")].map((card) => card.getBoundingClientRect());
  const own = seat.getBoundingClientRect();
  const off = cards.length ? (cards[0].left + cards.at(-1).right) / 2 - (own.left + own.right) / 2 : 0;
  return Math.abs(off) > 3 ? [`${seat.className} ${off}`] : [];
})"""
WIDE = "() => Math.max(0, document.documentElement.scrollWidth - innerWidth)"
LAYOUT = {
    "wider than the window": WIDE,
    "off the axis": OFF_CENTRE,
    "rows as narrow as text": ROWS,
    "cut texts": CUT,
    "texts on each other": OVERLAPPING,
    "cards beside the middle": FAN,
}
"""Functions of a page, in any browser, that give what is laid out wrongly."""


def off_centre(page: Page) -> list[str]:
    """Blocks beside the axis of what centres its text, and rows of controls as narrow as a line of running text."""
    return [*page.evaluate(OFF_CENTRE), *page.evaluate(ROWS)]


def too_small(page: Page) -> list[str]:
    """Controls that a finger misses."""
    return list(page.evaluate(SMALL))


def news(page: Page) -> str:
    return page.inner_text("[data-part=news]")


def ready(page: Page) -> Page:
    """Wait until there is something on the table."""
    page.wait_for_selector("deal-replayer .seat")
    return page
