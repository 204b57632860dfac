"""Boards that others play, too, over HTTP: sealed, played, and then beside everybody else; practice."""

from __future__ import annotations

import datetime
import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from ladder.people.boards.daily_board import HOUSE
from ladder.settings.settings import load_settings
from ladder.values.matches import DealReplayed
from ladder.values.why import Costliest, Hint, Why
from referee.replay.table_view import card_names
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.people.pages.tables_here import TableBrowser, site_here

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from referee.records.lines import AnyLine

pytestmark = pytest.mark.usefixtures("few_playouts")
ATOM = "{http://www.w3.org/2005/Atom}"
BESIDE = re.compile(r'href="(/play/[^"#]*/replay/[^"]*)#(\d+)"')


@pytest.fixture(scope="module")
def lines() -> tuple[AnyLine, ...]:
    """Played before a test has an event loop."""
    return played("hearts-short", form="boards:1")


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


async def opened(browser: TableBrowser, address: str, **fields: str) -> None:
    """Open a table at an address."""
    response = await browser.send(address, address, **fields)
    assert response.status_code == 303, response.text
    browser.name = response.headers["location"].rpartition("/")[2]


async def test_todays_board_is_sealed_then_played_then_compared(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as browser, TableBrowser(base) as stranger:
        page = await stranger.client.get("/play/today/hearts-short")
        assert "when the day is" in page.text
        await opened(browser, "/play/today/hearts-short", shown="Ada")
        for sealed in (
            "compare",
            "replay",
            "replay/house-exact/boards/1/1",
            "replay/you/boards/1/1/deal",
            "costliest?deal=0",
        ):
            response = await browser.client.get(f"{browser.path}/{sealed}")
            assert response.status_code >= 400, sealed
            assert "house-" not in response.text.replace(sealed, ""), "but for the link that logs in and comes back"
        last = await browser.play()
        assert last.over
        assert last.over.compare == f"{browser.path}/compare"
        page = await browser.page(last.over.compare)
        assert page.status_code == 200
        for name in ("Ada", *HOUSE):
            assert name in page.text
        beside = await browser.page(f"{browser.path}/compare?with=house-exact")
        found = BESIDE.findall(beside.text)
        assert {address.split("/")[4] for address, _ in found} == {"you", "house-exact"}
        for address, step in found[-2:]:
            assert f'href="#{step}"' in (await browser.client.get(address)).text, "each card has an address"
        for address in (last.over.compare, found[0][0], f"{browser.path}/record", f"{browser.path}/replay"):
            assert (await stranger.client.get(address)).status_code == 404
        again = await stranger.client.get("/play/today/hearts-short")
        assert "1 person has played it." in again.text


async def test_a_feed_has_a_board_for_each_day_and_nothing_of_its_cards(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        page = (await browser.client.get("/play/today/hearts-short")).text
        (address,) = set(re.findall(r'href="([^"]*atom)"', page))
        response = await browser.client.get(address)
        assert (response.status_code, response.headers["content-type"]) == (200, "application/atom+xml")
        entries = ElementTree.fromstring(response.content).findall(f"{ATOM}entry")
        today = datetime.datetime.fromtimestamp(ladder.clock(), datetime.UTC).date()
        days = [today - datetime.timedelta(days=ago) for ago in range(7)]
        assert [each.findtext(f"{ATOM}updated") for each in entries] == [f"{day}T00:00:00+00:00" for day in days]
        assert all(
            (each.findtext(f"{ATOM}title") or "").startswith(f"The board of {day}: ")
            for each, day in zip(entries, days, strict=True)
        )
        links = [each.find(f"{ATOM}link").get("href", "") for each in entries]  # type: ignore[union-attr]
        for link in {*links}:
            assert (await browser.client.get(link)).status_code == 200
        assert len({each.findtext(f"{ATOM}id") for each in entries}) == 7
        assert (await browser.client.get("/play/today/bridge/feed.atom")).status_code == 404


async def test_a_board_of_a_match_is_played_and_lies_beside_its_bots(
    ladder: Ladder, lines: tuple[AnyLine, ...]
) -> None:
    match = recorded_match(ladder, lines)
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        assert f"/play/boards/{match}/1/3" in (await browser.client.get(f"/m/{match}/boards/1/3")).text
        await opened(browser, f"/play/boards/{match}/1/3", shown="Ada", seat="3")
        await browser.play()
        page = await browser.client.get(f"{browser.path}/compare?with=bot-2")
        assert page.status_code == 200
        assert page.text.count("/compare?with=bot-") == 4
        record = (await browser.client.get(f"{browser.path}/record")).text.splitlines()
        first, deal, _ = map(json.loads, record)
        assert (first["format"], deal["seats"].index(first["people"][0]["bot"])) == ("board:0:2", 3)
        for address in (f"/play/boards/{match}/1/10", f"/play/boards/{match}/10/1", "/play/boards/999/1/1"):
            assert (await browser.client.get(address)).status_code in (404, 422)


async def test_a_finished_table_is_replayed_card_by_card(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        await browser.open(variant="gongzhu", length="deals:4", shown="Ada")
        await browser.play()
        page = await browser.client.get(f"{browser.path}/replay", follow_redirects=True)
        assert str(page.url).endswith("/replay/you/boards/1/1")
        assert "/replay/you/boards/2/1" in page.text
        whole = await browser.client.get(f"{browser.path}/replay/you/boards/2/1/deal")
        deal = DealReplayed.model_validate_json(whole.content)
        assert (deal.match, deal.bots[0], deal.kinds[0], deal.place.board) == (None, "Ada", "person", 2)
        own = DealReplayed.model_validate_json((await browser.client.get(f"{whole.url}?seat=0")).content)
        assert [bool(hand) for hand in own.hands] == [True, False, False, False]
        step = next(step.number for moment in deal.moments for step in moment.steps if step.by == "bot")
        why = await browser.page(f"{whole.url}/steps/{step}/why")
        assert Why.model_validate_json(why.content).step == step
        costliest = await browser.page(f"{browser.path}/costliest?deal=1")
        assert len(Costliest.model_validate_json(costliest.content).costliest) <= 3
        for wrong in ("you/boards/5/1", "you/boards/1/2", "nobody/boards/1/1", "house-exact/boards/1/1"):
            assert (await browser.client.get(f"{browser.path}/replay/{wrong}")).status_code in (404, 422)


async def test_in_practice_one_may_ask_before_one_plays(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        await browser.open(length="deals:1", practice="on", seconds="600")
        asked = await browser.until(lambda state: state.question)
        assert not asked.assisted
        assert asked.question
        assert asked.question.left is not None
        decision = asked.question.decision
        late = await browser.post("why", decision=decision + 1)
        assert late.status_code == 409
        before = await browser.state()
        assert (before.assisted, before.question and before.question.left is None) == (False, False)
        answer = await browser.computed(lambda: browser.post("why", decision=decision))
        assert answer.status_code == 200, answer.text
        hint = Hint.model_validate_json(answer.content)
        assert asked.question
        assert hint.decision == asked.question.decision
        assert "hand" not in answer.text
        after = await browser.state()
        assert after.assisted
        assert after.question
        assert after.question.left is None
        other = await browser.post("why", headers={"Origin": "https://other.example"}, decision=decision)
        assert other.status_code == 403


async def test_without_practice_nobody_may_ask(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        await browser.open(length="deals:1")
        asked = await browser.until(lambda state: state.question)
        assert asked.question
        answer = await browser.post("why", decision=asked.question.decision)
        assert (answer.status_code, "practice" in answer.text) == (403, True)
        answer = await browser.post("back")
        assert (answer.status_code, "practice" in answer.text) == (403, True)


async def test_in_practice_a_decision_is_taken_back_and_asked_for_again(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        await browser.open(length="deals:1", practice="on")
        first = await browser.until(lambda state: state.question)
        assert first.question
        cards = card_names(first.question.legal[: first.question.count])
        assert (await browser.post("answer", decision=first.question.decision, action=cards)).status_code == 204
        await browser.until(lambda state: state.question and state.question.kind == "play")
        assert (await browser.post("back")).status_code == 204
        again = await browser.until(lambda state: state.question and state.question.kind == "pass")
        assert again.question
        assert again.question.decision == first.question.decision
        assert again.assisted
        assert [notice.kind for notice in again.notices] == ["taken_back"]
        last = await browser.play()
        assert last.status == "over"
