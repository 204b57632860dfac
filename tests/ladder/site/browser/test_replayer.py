"""The replayer in a real browser: on the page of a deal, and as one file with its record."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Error

from ladder.site.rendering.replay_page import replay_page
from pigpen.rules import PRESETS
from tests.ladder.ladders import packed
from tests.ladder.site.browser.looking import findings, news, overflow, ready, too_small
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind, without_loop
from tests.referee.bots import showy_seats
from tests.referee.recorded import match_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Frame, Page

    from tests.ladder.site.browser.conftest import Served
    from tests.ladder.site.browser.pages import Lending

    Open = Callable[..., Page]

pytestmark = pytest.mark.chromium
LATER = pytest.mark.long
"""The light colours and the wide layout are looked at together, and the dark ones on the phone."""


REFUSED = """Storage.prototype.getItem = Storage.prototype.setItem = () => {
  throw new DOMException("refused", "SecurityError");
};"""
"""As a browser does that blocks what sites keep."""


HELD = """() => {
  const { fetch } = window;
  let open;
  const gate = new Promise((done) => (open = done));
  const held = [];
  window.fetch = (address) => {
    const answer = fetch(address);
    if (!address.endsWith("seat=0")) return answer;
    const late = gate.then(() => answer);
    held.push(late.then((response) => response.clone().text()));
    return late;
  };
  window.release = async () => {
    open();
    await Promise.all(held);
    await new Promise((done) => setTimeout(done));
  };
}"""
"""The answer to `seat=0` is held back until `release()`, which waits until it was taken."""


def hash_of(page: Page) -> str:
    """Read the place of the replayer, once the address names it."""
    named = page.evaluate_handle("""async () => {
      const script = document.querySelector("script[src*='/replay.js']");
      const { nameOf } = await import(script.src.replace("replay.js", "places.js"));
      const { deal, at } = document.querySelector("deal-replayer");
      return nameOf(deal, at);
    }""").json_value()
    page.wait_for_function("wanted => location.hash.slice(1) === wanted", arg=named)
    return str(named)


def test_each_card_has_an_address(open_page: Open, site: Served) -> None:
    page = ready(open_page(f"/m/{site.gongzhu}/boards/1/2#25"))
    assert hash_of(page) == "25"
    news_before = news(page)
    page.keyboard.press("ArrowRight")
    assert hash_of(page) == "26"
    assert news(page) != news_before
    page.keyboard.press("h")
    assert (hash_of(page), news(page)) == ("25", news_before)
    page.reload()
    assert news(ready(page)) == news_before
    assert page.evaluate("scrollY") == 0


def test_keys_are_those_of_the_terminal(open_page: Open, site: Served) -> None:
    page = ready(open_page(f"/m/{site.gongzhu}/boards/1/1"))
    assert hash_of(page) == ""
    page.keyboard.press("ArrowDown")
    exposed = int(hash_of(page))
    for key in ("j", "ArrowDown", "PageDown"):
        page.keyboard.press(key)
    assert int(hash_of(page)) == exposed + 3 * 4
    assert "takes the trick" in news(page)
    page.keyboard.press("k")
    assert int(hash_of(page)) == exposed + 2 * 4
    page.keyboard.press("End")
    assert (hash_of(page), news(page)) == ("result", "The deal is over.")
    page.keyboard.press("g")
    assert (hash_of(page), news(page)) == ("", "The cards are dealt.")
    page.keyboard.press("]")
    page.wait_for_url(f"**/m/{site.gongzhu}/boards/1/2")
    ready(page).keyboard.press("ArrowLeft")
    page.wait_for_url(f"**/m/{site.gongzhu}/boards/1/1#result")
    ready(page).keyboard.press("?")
    assert page.is_visible("dialog")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="hidden")
    page.keyboard.press("q")
    page.wait_for_url(f"**/m/{site.gongzhu}")


def test_the_next_fault_is_found_at_this_table_and_the_next(open_page: Open, site: Served) -> None:
    page = ready(open_page(f"/m/{site.faulty}/boards/1/1"))
    page.keyboard.press("f")
    assert "it cannot be read" in page.inner_text("[data-part=decisions]")
    while "/boards/1/1" in page.url:
        before = hash_of(page)
        page.keyboard.press("f")
        page.wait_for_function(
            "before => location.hash.slice(1) !== before || !location.pathname.endsWith('/boards/1/1')", arg=before
        )
    assert re.search(r"/boards/1/2#\d+$", page.url)
    assert ready(page).is_visible(".fault")


def test_one_seat_is_shown_its_own_hand_and_backs(open_page: Open, site: Served) -> None:
    page = ready(open_page(f"/m/{site.sale}/boards/1/1#6"))
    assert page.locator(".hand .card.back").count() == 0
    page.keyboard.press("v")
    page.wait_for_selector(".hand .card.back")
    hand = page.locator(".seat.at-s .hand .card")
    assert hand.locator("visible=true").count() == page.locator(".seat.at-s .hand .card:not(.back)").count()
    assert page.locator(".felt").get_by_text("face down:").count()
    assert hash_of(page) == "6"
    page.select_option("[data-part=view]", "")
    page.wait_for_function("() => !document.querySelector('.hand .back')")


def test_it_plays_by_itself_until_the_result(open_page: Open, site: Served) -> None:
    page = ready(open_page(f"/m/{site.gongzhu}/boards/1/1"))
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    page.select_option("[data-part=speed]", "5")
    page.click("[data-part=play]")
    page.wait_for_url("**#result")
    page.wait_for_selector("[data-part=play][aria-pressed=false]")


@pytest.mark.parametrize("name", ["hearts", "gongzhu"])
def test_points_have_a_plus_only_where_more_are_better(name: str, open_page: Open, site: Served) -> None:
    page = ready(open_page(f"/m/{site.presets[[*PRESETS].index(name)]}/boards/1/1#result"))
    assert [mark in page.inner_text("deal-replayer .result") for mark in ("+", "−")] == [name == "gongzhu"] * 2
    texts = page.locator("deal-replayer .result b").all_inner_texts()
    assert max(int(text.replace("−", "-")) for text in texts) > 0


def test_a_link_in_the_text_puts_its_card_on_the_table(open_page: Open, site: Served) -> None:
    page = ready(open_page(f"/m/{site.gongzhu}/boards/1/1"))
    link = page.locator(".tricks tbody tr:nth-child(3) td a").first
    link.click()
    page.wait_for_function("wanted => location.hash === wanted", arg=link.get_attribute("href"))
    page.wait_for_selector(".spot .card")
    assert news(page).endswith(".")


def test_two_colours_are_kept(open_page: Open, site: Served) -> None:
    page = ready(open_page(f"/m/{site.gongzhu}/boards/1/1"))
    colours = (
        "[...new Set([...document.querySelectorAll('.felt .card')].map((card) => getComputedStyle(card).color))].length"
    )
    assert page.evaluate(colours) == 4
    page.check("[data-part=colours]")
    assert page.evaluate(colours) == 2
    page.reload()
    assert ready(page).evaluate(colours) == 2


def reason(kind: str, after: float, after_best: float, **given: object) -> dict[str, object]:
    empty: dict[str, object] = {"cards": [], "suit": None, "without": None, "points": None}
    return {**empty, "kind": kind, "after": after, "after_best": after_best, **given}


REASONS = [
    "Q is 10.0 ± 4.0 points better than 2:",
    "+8.0 Q goes to this seat in 62 % of the deals after 2, in 11 % after Q",
    "−1.5 points of hearts without A for this seat: −4.2 after 2, 0.0 after Q",
    "Q leaves no clubs in the hand, 2 does not",
]
"""Signs of suits are drawn, and are no text."""


@pytest.fixture
def asking(open_page: Open, site: Served) -> Callable[..., Page]:
    """Opens the replayer at a decision, of which five choices are estimated when it is asked why."""
    worst = {
        "points": -12.25, "points_error": 1, "ahead": 0, "behind_error": 4.0, "as_dealt": -100.0,
        "house": ["counting", "sampling", "tree"], "chosen": False, "reasons": [],
    }  # fmt: skip
    cards = ("QS", "2C", "3C", "4C", "5C")
    choices = [{**worst, "choice": card, "behind": 10.0 * place} for place, card in enumerate(cards)]
    choices[0]["chosen"] = True
    choices[4]["behind_error"] = 40.0
    choices[1]["reasons"] = [
        reason("card", after=0.618, after_best=0.114, points=8.04, cards=["QS"]),
        reason("points", after=-4.24, after_best=0.0, points=-1.5, cards=["2H", "3H"], suit="hearts", without="AH"),
        reason("void", after=0.0, after_best=1.0, suit="clubs"),
    ]
    choices[2]["reasons"] = [reason("trick", after=1.0, after_best=0.0)]
    answer = {"opinion": "", "deals": 64, "legal": 5, "partners": False, "choices": choices}

    def open_at(size: tuple[int, int]) -> Page:
        page = open_page("/help", size)
        page.route("**/steps/*/why", lambda route: route.fulfill(json=answer))
        page.goto(f"{site.url}/m/{site.sale}/boards/1/1#5")
        ready(page)
        return page

    return open_at


def test_why_is_asked_of_the_api_and_its_answer_becomes_bars(asking: Callable[..., Page]) -> None:
    page = asking(DESKTOP)
    page.locator("#why .ask button").first.click()
    page.wait_for_selector("#why tbody tr")
    assert page.locator("#why tbody tr").count() == 5
    assert "64 deals" in page.inner_text("#why .note")
    assert page.locator("#why .chosen").count() == 1
    lengths = [float(bar.get_attribute("width") or "") for bar in page.locator("#why rect").all()]
    assert lengths == pytest.approx([0, 100 * 10 / 80, 100 * 20 / 80, 100 * 30 / 80, 100 * 40 / 80])
    assert "−10.0 ± 4.0" in page.inner_text("#why tbody tr:nth-child(2)")
    assert findings(page, "#why") == []
    page.keyboard.press("l")
    assert page.locator("#why tbody tr").count() == 0


def test_reasons_are_sentences_and_what_may_be_as_good_is_grey(asking: Callable[..., Page]) -> None:
    """The choice that was made is the best one, so the reasons are those of the next that is clearly worse."""
    page = asking(DESKTOP)
    page.locator("#why .ask button").first.click()
    page.wait_for_selector("#why .reasons")
    texts = [page.inner_text("#why .reason-head"), *page.locator("#why .reasons li").all_inner_texts()]
    assert [" ".join(text.split()) for text in texts] == REASONS
    named = page.locator("#why .reasons li").first.get_by_role("img").all()
    assert [each.get_attribute("aria-label") for each in named] == ["queen of spades", "2 of clubs", "queen of spades"]
    assert [row.get_attribute("class") for row in page.locator("#why tbody tr").all()][-1] == "unsure"
    assert findings(page, "#why") == []


@pytest.mark.parametrize("size", [(1440, 900), PHONE, (820, 1180)], ids=["desktop", "phone", "tablet"])
def test_the_answer_is_whole_and_beside_or_over_the_table(asking: Callable[..., Page], size: tuple[int, int]) -> None:
    page = asking(size)
    page.evaluate("scrollTo(0, 0)")
    assert page.evaluate(BOTTOM, "#why") <= size[1]  # in view before anybody scrolls
    page.locator("#why .ask button").first.click()
    page.wait_for_selector("#why tbody tr")
    assert page.evaluate("scrollY") == 0
    assert page.evaluate("document.querySelector('#why').scrollWidth <= document.querySelector('#why').clientWidth")
    assert overflow(page) <= 0
    if size[0] > 900:
        assert not page.is_visible("#why .close")
        return
    assert page.evaluate(BOTTOM, "#why") <= size[1]
    assert page.evaluate("document.querySelector('#why').offsetHeight") <= size[1] / 2 + 1
    page.click("#why .close")
    assert page.locator("#why tbody tr").count() == 0


def test_a_key_goes_to_the_next_mistake_and_says_what_it_cost(open_page: Open, site: Served) -> None:
    page = open_page("/help")
    found = [{"step": step, "seat": step % 4, "cost": 12.34, "cost_error": 5} for step in (7, 21)]
    page.route("**/mistakes", lambda route: route.fulfill(json={"mistakes": found}))
    page.goto(f"{site.url}/m/{site.gongzhu}/boards/1/1")
    ready(page)
    for step in (7, 21):
        page.keyboard.press("m")
        page.wait_for_url(f"**#{step}")
        assert news(page).endswith("It cost 12.3 points ± 5.0, by estimate.")
    page.keyboard.press("m")
    page.get_by_text("By estimate, there is no further mistake in this deal.").first.wait_for()
    page.keyboard.press("Home")
    page.get_by_role("button", name="The next mistake, by estimate").click()
    page.wait_for_url("**#7")
    page.keyboard.press("End")
    for step in (21, 7):
        page.keyboard.press("M")
        page.wait_for_url(f"**#{step}")


def test_a_chart_shows_what_each_has_given_away_and_leads_to_the_mistakes(open_page: Open, site: Served) -> None:
    page = open_page("/help")
    found = [
        {"step": step, "seat": seat, "cost": cost, "cost_error": 5}
        for step, seat, cost in ((7, 1, 12.5), (21, 1, 10), (30, 3, 5))
    ]
    page.route("**/mistakes", lambda route: route.fulfill(json={"mistakes": found}))
    page.goto(f"{site.url}/m/{site.gongzhu}/boards/1/1")
    ready(page)
    chart = page.locator(".given-away")
    assert chart.is_hidden()
    page.keyboard.press("c")
    chart.wait_for()
    assert chart.locator("td").all_inner_texts() == ["0.0", "22.5", "0.0", "5.0"]
    assert chart.locator("polyline").count() == 4
    assert findings(page, ".given-away") == []
    before = chart.locator(".mark").get_attribute("x1")
    chart.locator("a").nth(1).click()
    page.wait_for_url("**#21")
    page.wait_for_function("x => document.querySelector('.given-away .mark').getAttribute('x1') !== x", arg=before)
    page.keyboard.press("n")
    chart.wait_for(state="hidden")


@pytest.mark.parametrize("size", [DESKTOP, (1440, 900)], ids=["1280", "1440"])
def test_on_a_wide_screen_all_cards_of_the_fans_lie_side_by_side_on_the_felt(
    open_page: Open, site: Served, size: tuple[int, int]
) -> None:
    page = open_page(f"/m/{site.gongzhu}/boards/1/1", size)
    ready(page)
    for place in ("n", "s"):
        gaps, width = page.evaluate(GAPS, f".at-{place} .hand > .card")
        assert len(gaps) == 12
        assert min(gaps) >= width - 0.5
    assert page.evaluate(OUTSIDE) == []


GAPS = """what => {
  const boxes = [...document.querySelectorAll(what)].map((card) => card.getBoundingClientRect().left);
  const width = document.querySelector(`${what} svg`).getBoundingClientRect().width;
  return [boxes.slice(1).map((left, place) => left - boxes[place]), width];
}"""
OUTSIDE = """() => {
  const felt = document.querySelector(".felt").getBoundingClientRect();
  return [...document.querySelectorAll(".hand .card svg")].map((card) => card.getBoundingClientRect())
    .filter((box) => box.left < felt.left || box.right > felt.right || box.top < felt.top || box.bottom > felt.bottom);
}"""
BOTTOM = "what => document.querySelector(what).getBoundingClientRect().bottom"


def test_without_javascript_the_deal_stands_there_as_text(open_page: Open, site: Served) -> None:
    page = open_page(f"/m/{site.faulty}/boards/1/1#25", script=False)
    assert page.locator(".tricks tbody tr").count() == 13
    assert page.locator(".tricks td:target").count() == 1
    assert "it cannot be read" in page.inner_text(".as-text")
    assert not page.is_visible("deal-replayer")
    assert overflow(page) == 0
    assert findings_without_script(page) == []


def findings_without_script(page: Page) -> list[str]:
    """Links and cells without words; axe-core itself is a script."""
    return [each.inner_text() for each in page.locator("a").all() if not each.inner_text().strip()]


@pytest.mark.parametrize(
    ("size", "dark"),
    [
        pytest.param(DESKTOP, False, marks=LATER),
        pytest.param(DESKTOP, True, marks=LATER),
        (PHONE, True),
        ((2560, 1300), False),
    ],
    ids=["desktop", "dark desktop", "dark phone", "wide"],
)
def test_everybody_can_use_it(open_page: Open, site: Served, size: tuple[int, int], dark: bool) -> None:
    """On a phone in the middle of a deal, on a wide screen in the end, at a table where two bots have one name."""
    is_wide = size[0] > 2000
    page = ready(open_page(f"/m/{site.gongzhu if is_wide else site.sale}/boards/1/1#7", size, dark=dark))
    assert (overflow(page), too_small(page)) == (0, [])
    if not is_wide:
        assert findings(page) == []
    page.keyboard.press("v")
    page.wait_for_selector(".hand .back")
    page.keyboard.press("End")
    if is_wide:
        assert findings(page) == []


def test_the_card_just_played_is_announced(open_page: Open, site: Served) -> None:
    page = ready(open_page(f"/m/{site.gongzhu}/boards/1/1#10"))
    assert page.get_attribute("[data-part=news]", "aria-live") == "polite"
    assert re.fullmatch(r".* (plays|leads) the .* of (clubs|diamonds|hearts|spades)\..*", news(page))


def test_a_late_answer_does_not_change_what_was_chosen_since(open_page: Open, site: Served) -> None:
    page = ready(open_page(f"/m/{site.gongzhu}/boards/1/1"))
    page.evaluate(HELD)
    page.keyboard.press("v")
    assert page.evaluate("document.querySelector('deal-replayer').wanted") == 0
    page.select_option("[data-part=view]", "1")
    page.wait_for_function("() => document.querySelector('deal-replayer').view === 1")
    page.evaluate("release()")
    assert page.evaluate("document.querySelector('deal-replayer').view") == 1
    assert page.input_value("[data-part=view]") == "1"
    for wanted in (2, 3, None):
        page.keyboard.press("v")
        assert page.evaluate("document.querySelector('deal-replayer').wanted") == wanted


def test_a_browser_that_keeps_nothing_shows_the_deal(lending: Lending, site: Served) -> None:
    page = lending.page(Kind(first=REFUSED))
    page.goto(f"{site.url}/m/{site.gongzhu}/boards/1/1")
    ready(page)
    page.check("[data-part=colours]")
    assert page.evaluate("'twoColours' in document.documentElement.dataset")
    with pytest.raises(Error, match="refused"):
        page.evaluate("localStorage.getItem('')")
    assert lending.logged(lambda logged: logged.errors) == []


REPLAYER = "deal-replayer:not([hidden])"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "a match.jsonl.gz"
    path.write_bytes(packed(without_loop(lambda: match_lines("gongzhu-sale", "boards:1", showy_seats))))
    return path


def opened(page: Page, text: str, folder: Path) -> list[str]:
    """Open the page, and list its requests for other addresses."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    (folder / "page.html").write_text(text, "utf-8")
    page.goto(f"file://{folder / 'page.html'}")
    return asked


def verified(where: Page | Frame) -> str:
    where.get_by_role("button", name="Verify here").click()
    done = where.locator("verify-record [role=status].good")
    done.wait_for()
    return done.inner_text()


@pytest.mark.parametrize("size", [(1440, 900), PHONE], ids=["wide", "phone"])
def test_it_shows_every_deal_and_asks_for_nothing_else(
    record: Path, tmp_path: Path, lending: Lending, size: tuple[int, int]
) -> None:
    page = lending.page(Kind(), size)
    asked = opened(page, replay_page(record), tmp_path)
    page.locator(REPLAYER).wait_for()
    assert page.locator("select.deals option").count() == 4
    page.select_option("select.deals", "1/3")
    page.locator("[data-do=last]:visible, [data-do=nextTrick]:visible").last.click()
    page.wait_for_function("() => location.hash.startsWith('#boards/1/3/')")
    assert "the one committed to" in verified(page)
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert overflow(page) <= 0
    assert findings(page) == []
    assert page.locator(".drop").is_hidden()


def test_its_words_are_in_the_language_that_was_asked_for(record: Path, tmp_path: Path, lending: Lending) -> None:
    page = lending.page(Kind())
    opened(page, replay_page(record, "zh"), tmp_path)
    page.locator(REPLAYER).wait_for()
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert page.get_by_role("button", name="在此验证").is_visible()


def test_within_another_page_it_keeps_to_its_frame(record: Path, tmp_path: Path, lending: Lending) -> None:
    page = lending.page(Kind())
    framed = escape(replay_page(record, is_framed=True))
    opened(page, f'<iframe title="Replay" srcdoc="{framed}" style="width:900px;height:700px"></iframe>', tmp_path)
    frame = page.frames[-1]
    frame.locator(REPLAYER).wait_for()
    frame.locator("[data-do=forward]").click()
    frame.wait_for_function("() => location.hash.length > 1")
    assert "the one committed to" in verified(frame)
    assert page.url == f"file://{tmp_path / 'page.html'}"


def test_a_record_with_a_hostile_name_is_text(record: Path, tmp_path: Path, lending: Lending) -> None:
    hostile = tmp_path / "<img src=x onerror=alert(1)>.jsonl.gz"
    hostile.write_bytes(record.read_bytes())
    page = lending.page(Kind())
    opened(page, replay_page(hostile), tmp_path)
    page.locator(REPLAYER).wait_for()
    assert page.locator("h1").inner_text() == hostile.name
    assert page.locator("img").count() == 0


def test_what_is_no_record_is_told(tmp_path: Path, lending: Lending) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"type": "deal"}\n')
    page = lending.page(Kind())
    opened(page, replay_page(wrong), tmp_path)
    page.locator("replay-file > [role=status].bad").wait_for()
    assert "wrong.jsonl cannot be shown" in page.locator("replay-file > [role=status]").inner_text()
