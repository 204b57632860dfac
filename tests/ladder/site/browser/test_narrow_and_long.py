"""Pages with names as long as a name may be, on narrow screens, in the dark and on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from tests.ladder import ladders
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.site.browser.looking import COLOURS, findings, overflow, ready
from tests.ladder.site.browser.pages import Kind, without_loop
from tests.ladder.site.serving import served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Locator, Page

    from tests.ladder.site.browser.conftest import Served
    from tests.ladder.site.browser.pages import Lending

pytestmark = [pytest.mark.chromium, pytest.mark.usefixtures("few_playouts")]

LONG = tuple(f"{name}{'_of_the_longest_names' * 3}"[:62] for name in ladders.NAMES)
WIDE, TABLET, NARROW = (1440, 900), (820, 1180), (390, 844)
PAPER = "rgb(255, 255, 255)"


@pytest.fixture(scope="module", params=[ladders.NAMES, LONG], ids=["short names", "long names"])
def names(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A ladder's address, and the name of its first bot."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladders, "NAMES", request.param)
        made = new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("names")))
        without_loop(lambda: [recorded_match(made, played("gongzhu")) for _ in range(2)])
    with served(made) as port:
        yield f"http://127.0.0.1:{port}", request.param[0]
    made.database.close()


@pytest.mark.parametrize("size", [WIDE, TABLET, NARROW], ids=["1440", "820", "390"])
def test_rank_name_rating_and_error_are_in_view_and_no_page_is_too_wide(
    names: tuple[str, str], lending: Lending, size: tuple[int, int]
) -> None:
    (address, name), page = names, lending.page(Kind(), size)
    other = LONG[1] if name == LONG[0] else ladders.NAMES[1]
    for path in ("/", "/b", f"/b/{name}", f"/compare/{name}/{other}", "/v/gongzhu/matchups", "/m", "/m/1", "/live"):
        page.goto(address + path)
        assert overflow(page) <= 0, path
    page.goto(f"{address}/v/gongzhu")
    assert overflow(page) <= 0
    row = page.locator("tbody tr").first
    for part in (row.locator(".rank"), row.locator(".bot"), row.locator(".elo"), row.locator(".elo + small")):
        assert right_edge(part) <= size[0]
    if size != NARROW:
        assert page.evaluate(
            "document.querySelector('.names').scrollWidth <= document.querySelector('.names').clientWidth"
        )
    assert row.locator(".bot").get_attribute("title") == row.locator(".bot").inner_text()
    assert row.bounding_box()["height"] < 90  # type: ignore[index]


SCROLLED = """() => [...document.querySelectorAll(".sheet:has(> table)")]
  .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.getAttribute("aria-label").split(":")[0])"""
MANY_COLUMNS = {
    WIDE: set[str](),
    TABLET: {"Match-ups"},
    NARROW: {"Match-ups", "Board by board", "Where they differ most"},
}
"""Tables that are wider than their place with any names."""


@pytest.mark.parametrize("size", [WIDE, TABLET, NARROW], ids=["1440", "820", "390"])
def test_long_names_push_no_column_out_of_view(names: tuple[str, str], lending: Lending, size: tuple[int, int]) -> None:
    (address, name), page = names, lending.page(Kind(), size)
    other, found = LONG[1] if name == LONG[0] else ladders.NAMES[1], set[str]()
    for path in (
        "/b",
        f"/b/{name}",
        f"/compare/{name}/{other}",
        "/v/gongzhu",
        "/v/gongzhu/matchups",
        "/m",
        "/m/1",
        "/new",
    ):
        page.goto(address + path)
        found |= set(page.evaluate(SCROLLED))
    assert found <= MANY_COLUMNS[size]


def right_edge(part: Locator) -> float:
    box = part.bounding_box()
    assert box
    return box["x"] + box["width"]


def test_the_header_is_one_row_on_a_phone(names: tuple[str, str], lending: Lending) -> None:
    page = lending.page(Kind(), NARROW)
    page.goto(names[0])
    assert page.evaluate("document.querySelector('.top').offsetHeight") < 64


def test_cards_of_a_row_begin_at_one_height(open_page: Callable[..., Page]) -> None:
    page = open_page("/", WIDE)
    boxes = page.evaluate(
        "[...document.querySelectorAll('.columns')].map((columns) => [...columns.querySelectorAll(':scope > section')]"
        ".map((each) => [each.offsetTop, each.offsetWidth]))"
    )
    assert [len(each) > 1 for each in boxes] == [True, True]
    for columns in boxes:
        (top, width), *others = columns[:3]
        assert all(other[0] == top and abs(other[1] - width) <= 1 for other in others)


def test_the_words_of_a_chart_can_be_read_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page("/b/Trotter", NARROW)
    texts = page.locator(".chart text").filter(visible=True).all()
    heights = [each.evaluate("each => each.getBoundingClientRect().height") for each in texts]
    assert heights
    assert min(heights) >= 9


def test_paper_is_white_also_for_a_reader_in_the_dark(open_page: Callable[..., Page]) -> None:
    page = open_page("/v/gongzhu", WIDE, dark=True)
    assert background(page) != PAPER
    page.emulate_media(media="print")
    assert background(page) == PAPER
    assert findings(page, "main", COLOURS) == []
    page.emulate_media(media="screen")


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_a_played_card_of_a_live_match_is_dark_on_light_in_the_dark(open_page: Callable[..., Page]) -> None:
    page = open_page("/live", dark=True)
    static = (page.locator("link[rel=stylesheet]").first.get_attribute("href") or "").removesuffix("style.css")
    colours = page.evaluate(
        """async (folder) => {
          const { cardElement } = await import(`${folder}cards.js`);
          return [..."SHDC"].map((suit) => {
            const card = cardElement(`Q${suit}`, "");
            document.body.append(card);
            return [card, card.querySelector("svg")].map((each) => getComputedStyle(each).color);
          });
        }""",
        static,
    )
    assert colours == [
        [colour, colour] for colour in ("rgb(30, 35, 44)", "rgb(192, 28, 56)", "rgb(27, 88, 184)", "rgb(27, 110, 56)")
    ]


STEPS = """place => {
  const found = document.querySelectorAll(`.felt .at-${place} .hand > .card`);
  const cards = [...found].map((each) => each.getBoundingClientRect());
  const along = place === "n" || place === "s" ? "left" : "top";
  return cards.slice(1).map((each, at) => (each[along] - cards[at][along]) / cards[0].width);
}"""


@pytest.mark.parametrize("size", [WIDE, TABLET, NARROW], ids=["1440", "820", "390"])
def test_the_cards_of_a_hand_overlap_no_more_than_the_table_is_narrow(
    site: Served, open_page: Callable[..., Page], size: tuple[int, int]
) -> None:
    page = ready(open_page(f"/m/{site.gongzhu}/boards/1/1", size))
    steps = {place: page.evaluate(STEPS, place) for place in "nswe"}
    assert {len(each) for each in steps.values()} == {12}
    assert min(steps["n"] + steps["s"]) > 0.55
    if size != NARROW:
        sides = page.evaluate(
            "[...document.querySelectorAll('.felt :is(.at-w, .at-e) .hand')]"
            ".map((each) => each.getBoundingClientRect().bottom)"
        )
        felt = page.evaluate("document.querySelector('.felt').getBoundingClientRect().bottom")
        assert all(bottom <= felt for bottom in sides)
        assert min(steps["n"] + steps["s"]) > 0.99
        for place in "we":  # two columns: the eighth card begins the second one
            second = steps[place].pop(6)
            assert second < 0
            assert min(steps[place]) > 0.45
