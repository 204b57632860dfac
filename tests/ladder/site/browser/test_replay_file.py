"""A record from the reader's own disk, in a real browser."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING

import pytest

from ladder.app.match_replay import replayed
from ladder.app.matches import read_recorded
from ladder.values.matches import DealPlace
from pigpen.rules import PRESETS
from tests.ladder.ladders import packed
from tests.ladder.site.browser.looking import findings, news, overflow, ready, too_small
from tests.ladder.site.browser.pages import PHONE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import httpx
    from playwright.sync_api import Page

    from referee.records.lines import AnyLine
    from tests.ladder.site.browser.conftest import Served

    Open = Callable[..., Page]

pytestmark = pytest.mark.chromium

STATUS = "replay-file > [role=status]"
IN_BROWSER = """async ([bytes, seats, places]) => {
  const base = document.querySelector("script[src*=replay_file]").src.replace("replay_file.js", "");
  const { RecordFile, opener } = await import(`${base}record.js`);
  const record = await RecordFile.read(opener(Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))));
  const deals = places.map((place) => record.deals.at(place));
  return deals.flatMap(({ place }) => seats.map((seat) => record.deal(place, seat)));
}"""


@pytest.fixture
def sale(api: httpx.Client, site: Served) -> bytes:
    """A packed record."""
    return api.get(f"/matches/{site.sale}/record").content


def choose(page: Page, content: bytes, name: str = "match.jsonl.gz") -> None:
    page.set_input_files("input[type=file]", {"name": name, "mimeType": "", "buffer": content})


def plain(deal: dict[str, object]) -> dict[str, object]:
    """A deal without what a record does not tell of itself."""
    text = json.dumps({**deal, "match": None})
    parsed: dict[str, object] = json.loads(text)
    for moment in parsed["moments"]:  # type: ignore[attr-defined]
        for viewed in moment["seats"]:
            viewed["legal"] = ""
    return parsed


def test_the_browser_makes_of_a_file_what_the_site_makes_of_it(
    open_page: Open, site: Served, api: httpx.Client
) -> None:
    """Every variant, from all seats and from one: points, knowledge, tricks, decisions."""
    page = open_page("/replay")
    compared = 0
    for number, match in enumerate((*site.presets, site.faulty)):
        places = [-(number % 2)]
        record = base64.b64encode(api.get(f"/matches/{match}/record").content).decode()
        for deal in page.evaluate(IN_BROWSER, [record, [None, 3], places]):
            seat = {} if deal["seat"] is None else {"seat": str(deal["seat"])}
            place = deal["place"]
            wanted = api.get(
                f"/matches/{match}/boards/{place['board']}/rotations/{place['rotation']}", params=seat
            ).json()
            assert plain(deal) == plain(wanted)
            compared += 1
    assert compared == 2 * (len(site.presets) + 1)


def test_what_is_played_for_a_person_who_is_away_is_no_decision_of_theirs(
    open_page: Open, person_lines: list[AnyLine], tmp_path: Path
) -> None:
    path = tmp_path / "people.jsonl.gz"
    path.write_bytes(packed(person_lines))
    recorded = read_recorded(path)
    page = open_page("/replay")
    shown = page.evaluate(IN_BROWSER, [base64.b64encode(path.read_bytes()).decode(), [None, 0], [0, -1]])
    places = [DealPlace(board=deal, rotation=1) for deal in (1, 2)]
    wanted = [replayed(recorded, place, seat).model_dump(mode="json") for place in places for seat in (None, 0)]
    assert list(map(plain, shown)) == list(map(plain, wanted))
    choose(page, path.read_bytes())
    ready(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=human >> xpath=.. >> text=decided by the person", state="attached")
    page.keyboard.press("]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=human >> xpath=.. >> text=the person was away", state="attached")


def test_many_cards_stay_smooth(open_page: Open, site: Served) -> None:
    """No element is made anew for a step, so that their number stays as it is, deal after deal."""
    page = open_page("/replay")
    choose(page, site.long)
    ready(page)
    counted = """(times) => {
      const replayer = document.querySelector("deal-replayer");
      let made = 0;
      const seen = new WeakSet();
      const watch = new MutationObserver((all) => {
        for (const node of all.flatMap((each) => [...each.addedNodes])) {
          made += Number(node.classList?.contains("card") === true && !seen.has(node));
          seen.add(node);
        }
      });
      watch.observe(replayer, { childList: true, subtree: true });
      return (async () => {
        for (let step = 0; step < times; step++) await replayer.forward();
        await new Promise((done) => setTimeout(done));
        return [made, document.querySelectorAll("deal-replayer *").length, replayer.deal.place.board];
      })();
    }"""
    _, elements, _ = page.evaluate(counted, 20)
    made, after, board = page.evaluate(counted, 600)
    assert board > 8
    assert made <= 52 * (board + 1)
    assert after < elements + 60


def test_match_board_and_rotation_are_chosen_on_the_page(open_page: Open, sale: bytes) -> None:
    page = open_page("/replay")
    choose(page, sale)
    ready(page)
    assert page.inner_text(STATUS) == f"match.jsonl.gz: {PRESETS['gongzhu-sale'].title}, 4 deals."
    page.select_option("select.deals", "1/3")
    page.wait_for_function("() => location.hash === '#boards/1/3'")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("""() => {
      const { deal, at } = document.querySelector("deal-replayer");
      return at === 2 && location.hash === `#boards/1/3/${deal.moments[at].after}`;
    }""")
    address = page.url
    shown_text = news(page)
    page.keyboard.press("]")
    page.wait_for_function("() => location.hash === '#boards/1/4'")
    assert page.input_value("select.deals") == "1/4"
    page.goto("about:blank")
    page.goto(address)
    choose(page, sale)
    ready(page)
    assert news(page) == shown_text


def test_a_record_can_be_dropped_on_the_page(open_page: Open, sale: bytes) -> None:
    page = open_page("/replay")
    lines = gzip.decompress(sale).decode()
    data = page.evaluate_handle(
        "(text) => { const data = new DataTransfer(); data.items.add(new File([text], 'a.jsonl')); return data; }",
        lines,
    )
    page.dispatch_event("replay-file", "drop", {"dataTransfer": data})
    ready(page)
    assert page.inner_text(STATUS).startswith("a.jsonl: ")


NO_RECORDS = {
    "words": (b"hello\n", "line 1): it is no line of a record"),
    "nothing": (b"", "it holds no deal"),
    "misshapen": (b'{"type":"match","rules":{"players":4}}\n', "line 1): it is no line of a record"),
    "long": (gzip.compress(b"x" * 2**21), "line 1: it is longer than 1048576 bytes"),
    "damaged": (b"\x1f\x8b\x08hello", "it cannot be unpacked"),
    "empty lines": (gzip.compress(b"\n" * 200_000), "line 1: it is blank"),
}


def test_a_file_that_is_no_record_is_told_so_in_a_sentence(open_page: Open) -> None:
    page = open_page("/replay")
    for name, (content, words) in NO_RECORDS.items():
        choose(page, content, f"<b>{name}</b>.jsonl")
        shown_text = page.locator(f"{STATUS}.bad", has_text=f"{name}</b>.jsonl").inner_text()
        assert shown_text.startswith(f"<b>{name}</b>.jsonl cannot be shown ")
        assert words in shown_text
        assert not page.is_visible("deal-replayer"), name


def test_a_deal_whose_actions_do_not_fit_is_told_so(open_page: Open, sale: bytes) -> None:
    lines = gzip.decompress(sale).splitlines()
    first = json.loads(lines[1])
    first["steps"][10]["play"] = first["steps"][11]["play"]
    page = open_page("/replay")
    choose(page, b"\n".join([lines[0], json.dumps(first).encode(), *lines[2:]]), "m.jsonl")
    page.wait_for_function(
        "() => document.querySelector('[data-part=news]').textContent.includes('cannot be replayed')"
    )


def test_strangers_names_are_text(open_page: Open, sale: bytes) -> None:
    lines = gzip.decompress(sale)
    page = open_page("/replay")
    choose(page, lines.replace(b'"bot0"', b'"<img src=x onerror=alert(1)>\\u202e"'), "m.jsonl")
    ready(page)
    assert page.locator("deal-replayer img").count() == 0
    assert "<img src=x onerror=alert(1)>\ufffd" in (page.locator(".seat .name").first.get_attribute("title") or "")


@pytest.mark.parametrize(
    "size",
    [pytest.param((1280, 900), marks=pytest.mark.long), PHONE],
    ids=["desktop", "phone"],
)
def test_everybody_can_use_it(open_page: Open, site: Served, size: tuple[int, int]) -> None:
    page = open_page("/replay", size)
    assert findings(page) == []
    choose(page, site.long)
    ready(page)
    assert (findings(page), overflow(page), too_small(page)) == ([], 0, [])


def test_without_javascript_the_page_names_the_command(open_page: Open) -> None:
    page = open_page("/replay", script=False)
    assert "pigpen replay match.jsonl" in page.inner_text("noscript")
