"""A record and the replayer as one file: opened from a disk, and within another page."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ladder.site.rendering.replay_page import replay_page
from tests.ladder.recorded_ladders import packed
from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import PHONE, Kind, without_loop
from tests.referee.bots import showy_seats
from tests.referee.recorded import match_lines

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

    from tests.ladder.site.browser.pages import Lending

pytestmark = pytest.mark.chromium

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
    page.wait_for_function("location.hash.startsWith('#boards/1/3/')")
    assert "the seed is the one committed to" in verified(page)
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
    frame.wait_for_function("location.hash.length > 1")
    assert "the seed is the one committed to" in verified(frame)
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
    assert "wrong.jsonl cannot be shown as a record" in page.locator("replay-file > [role=status]").inner_text()
