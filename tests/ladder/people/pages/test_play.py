"""Tables for people on the site, over HTTP: opened, played, and what a browser may send."""

from __future__ import annotations

import asyncio
import html
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import tomli_w

from ladder.app.ladder import Ladder
from ladder.people.review.table_replays import record_of
from ladder.people.sessions.seat_session import MAX_TABS
from ladder.people.sessions.spectators import watch_key
from ladder.people.tables.chairs import table_page
from ladder.results.files import SILENT_SECONDS
from ladder.settings.settings import load_settings
from ladder.values.opponents import GUEST, NAMES
from ladder.values.person_state import PersonState, TableShown
from pigpen.rules import PRESETS
from referee.records.file import read_record
from referee.records.lines import DealLine
from referee.records.rules_file import to_toml
from referee.replay.table_view import card_names
from tests.ladder.ladders import seem_to_play_tables
from tests.ladder.people.pages.tables_here import TableBrowser, site_here, some_answer, tables_here
from tests.many_choices import WAYS, many_choices
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


pytestmark = pytest.mark.usefixtures("few_playouts")
CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")
WATCH = re.compile(r'value="http://[^/]+(/play/[^"]+/watch\?key=[^"]+)"')
WATCH_AT = "/play/{}/watch?key={}"
LINK = re.compile(r'value="http://[^/]+(/play/[^"]+)"')


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        yield ladder


async def test_a_guest_opens_a_table_and_plays_it_to_its_end(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        await browser.open(length="deals:1", shown="Ada")
        last = await browser.play()
        assert last.status == "over"
        assert last.over
        assert last.deal
        assert last.deal.bots[last.deal.seat or 0] == "Ada"
        assert last.deal.kinds == ("person", "house", "house", "house")
        page = await browser.client.get(browser.path)
        assert "Ada" in page.text
        record = await browser.client.get(f"{browser.path}/record")
        assert record.status_code == 200
        assert record.text.startswith("{")


NOT_PLAYED, BUTTON = "the program that plays them is not running", '<button class="main'


@pytest.mark.parametrize("path", ["/play?variant=hearts", "/play?variant=own", "/play/today/hearts"])
async def test_pages_offer_no_table_while_no_process_plays_them(ladder: Ladder, path: str) -> None:
    async with site_here(ladder, plays=False) as base, TableBrowser(base) as browser:
        page = (await browser.client.get(path)).text
        assert (page.count(NOT_PLAYED), page.count(BUTTON)) == (1, 0)
        seem_to_play_tables(ladder)
        page = (await browser.client.get(path)).text
        assert (page.count(NOT_PLAYED), page.count(BUTTON)) == (0, 1)


async def test_a_table_waits_for_the_process_that_plays_it_and_says_so(ladder: Ladder) -> None:
    async with site_here(ladder, plays=False) as base, TableBrowser(base) as browser:
        await browser.open(length="deals:1")
        await browser.until(lambda state: state.status == "unserved")
        async with tables_here(ladder):
            await browser.until(lambda state: state.question)
        await browser.until(lambda state: state.status == "resuming")
        seem_to_play_tables(ladder, time.time() - SILENT_SECONDS)
        stopped = await browser.until(lambda state: state.status == "unserved")
        assert not stopped.connected
        async with tables_here(ladder):
            assert (await browser.play()).over


async def test_a_friend_comes_by_a_link_and_both_play(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada, TableBrowser(base) as ben:
        name = await ada.open(length="deals:1", shown="Ada", chair1="friend")
        page = await ada.client.get(ada.path)
        (link,) = LINK.findall(page.text)
        assert "not here yet" in page.text
        await ben.come(link)
        assert ben.name == name
        assert LINK.search((await ben.client.get(ben.path)).text) is None
        assert (await ben.send(ben.path, f"{ben.path}/join", shown="Ben")).status_code == 303
        one, other = await asyncio.gather(ada.play(), ben.play())
        assert one.over
        assert other.over
        assert one.over.totals == other.over.totals
        assert one.deal
        assert other.deal
        assert one.deal.bots == other.deal.bots
        assert {one.deal.seat, other.deal.seat} == {0, 1}
        assert one.deal.kinds == ("person", "person", "house", "house")


async def test_people_say_something_to_each_other_between_deals_and_never_during_one(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada, TableBrowser(base) as ben:
        await ada.open(length="deals:4", shown="Ada", chair1="friend", seconds="600")
        (link,) = LINK.findall((await ada.client.get(ada.path)).text)
        await ben.come(link)
        await ben.send(ben.path, f"{ben.path}/join", shown="Ben")
        await ada.until(lambda state: state.question)
        assert (await ada.post("say", phrase="good-luck")).status_code == 409
        for wrong in ("QS", "", None, 1):
            assert (await ada.post("say", phrase=wrong)).status_code == 422
        await asyncio.gather(ada.play(lambda state: state.result), ben.play(lambda state: state.result))
        assert (await ada.post("say", phrase="well-played")).status_code == 204
        for browser in (ada, ben):
            state = await browser.until(lambda state: state.notices)
            assert [(each.kind, each.who, each.phrase) for each in state.notices] == [("phrase", "Ada", "well-played")]
        # Ada continues, and may see new cards: Ben still looks at the last ones.
        await ada.post("presence", state="ready", deal=0)
        assert (await ada.post("say", phrase="thanks")).status_code == 409
        assert (await ben.post("say", phrase="thanks")).status_code == 204
        received = await ada.until(lambda state: len(state.notices) > 1)
        assert (received.notices[-1].who, received.notices[-1].phrase) == ("Ben", "thanks")
        await asyncio.gather(ada.play(), ben.play())
        assert (await ben.post("say", phrase="goodbye")).status_code == 204
        assert (await ada.until(lambda state: state.notices[-1].phrase == "goodbye")).over
        while (refused := await ben.post("say", phrase="goodbye")).status_code == 204:
            pass
        assert refused.status_code == 429


async def test_who_plays_with_house_bots_alone_says_nothing(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada:
        await ada.open(length="deals:1")
        await ada.play(lambda state: state.result)
        assert (await ada.post("say", phrase="thanks")).status_code == 409


async def test_two_friends_of_the_same_name_are_told_apart(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada, TableBrowser(base) as ben:
        await ada.open(length="deals:1", shown="Ada", chair1="friend")
        await ben.come(LINK.findall((await ada.client.get(ada.path)).text)[0])
        await ben.send(ben.path, f"{ben.path}/join", shown="Ada")
        state, _ = await asyncio.gather(*(each.until(lambda state: state.deal) for each in (ben, ada)))
        assert state.deal
        assert len(set(state.deal.bots[:2])) == 2


async def test_opponents_have_names_and_guests_are_told_apart_on_all_pages_of_a_table(ladder: Ladder) -> None:
    first, second = NAMES["counting"][:2]
    async with site_here(ladder) as base, TableBrowser(base) as ada, TableBrowser(base) as ben:
        await ada.open(length="deals:1", chair1="friend", chair2="counting", chair3="counting")
        waits = await ada.client.get(ada.path)
        watched = WATCH_AT.format(ada.name, watch_key(ladder, ada.name))
        assert (first in waits.text, second in waits.text) == (True, True)
        await ben.come(LINK.findall(waits.text)[0])
        await ben.send(ben.path, f"{ben.path}/join", shown="")
        state, _ = await asyncio.gather(ada.until(lambda state: state.deal), ben.until(lambda state: state.deal))
        assert state.deal
        assert sorted(state.deal.bots) == sorted([f"{GUEST}#1", f"{GUEST}#2", first, second])
        assert sorted(state.deal.kinds) == ["house", "house", "person", "person"]
        playing = await ada.client.get(ada.path)
        assert re.findall(r'data-name="([^"]*)" data-level="([^"]*)"', playing.text) == [
            (first, "steady"), (second, "steady"),
        ]  # fmt: skip
        await asyncio.gather(ada.play(), ben.play())
        for language, guests in (("en", ("Guest 1", "Guest 2")), ("zh", ("游客 1", "游客 2"))):
            ada.client.cookies.set("pigpen_lang", language)
            for path, shown in ((ada.path, guests), (f"{ada.path}/replay", guests), ("/play/games", guests[1:])):
                page = html.unescape((await ada.page(path)).text)
                main = page.partition("<main ")[2].partition("</main>")[0]
                assert [name for name in (first, second, *shown) if name not in main] == [], (path, language)
                assert "#2" not in re.sub(r"<[^>]*>", "", main)
        watching = await ben.client.get(watched)
        assert all(f">{name}</th>" in watching.text for name in (first, second, "Guest 1", "Guest 2"))


async def test_a_link_takes_nobodys_chair_who_sits_at_the_table(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada:
        await ada.open(chair1="friend", shown="Ada")
        page = (await ada.client.get(ada.path)).text
        own = dict(ada.client.cookies)["pigpen_seat"]
        await ada.come(LINK.findall(page)[0])
        assert dict(ada.client.cookies)["pigpen_seat"] == own


async def test_who_opened_a_table_may_begin_without_friends_or_end_it(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada, TableBrowser(base) as ben:
        await ada.open(chair1="friend", chair2="friend")
        await ben.come(LINK.findall((await ada.client.get(ada.path)).text)[0])
        assert (await ben.send(ben.path, f"{ben.path}/join")).status_code == 303
        assert (await ben.send(ben.path, f"{ben.path}/start")).status_code == 403
        assert (await ben.send(ben.path, f"{ben.path}/end")).status_code == 403
        assert (await ada.send(ada.path, f"{ada.path}/start")).status_code == 303
        state, _ = await asyncio.gather(*(each.until(lambda state: state.deal) for each in (ben, ada)))
        assert state.deal
        assert state.deal.kinds == ("person", "person", "house", "house")
        assert (await ada.post("end")).status_code == 204
        assert "has ended" in (await ada.client.get(ada.path)).text


async def test_the_cookie_of_a_chair_is_for_its_table_alone(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada:
        first = await ada.open()
        for cookie in ada.client.cookies.jar:
            path = "/" if cookie.name == "pigpen_guest" else f"/play/{first}"
            assert cookie.path == path
            assert cookie.has_nonstandard_attr("HttpOnly")
            assert cookie.get_nonstandard_attr("SameSite") == "lax"
        second = await ada.open()
        secrets = {cookie.value for cookie in ada.client.cookies.jar if cookie.name == "pigpen_seat"}
        assert len(secrets) == 2
        assert first != second
        assert (await ada.client.get(f"/play/{first}/state")).status_code == 200


async def test_everybody_else_gets_nothing(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada, TableBrowser(base) as eve:
        await ada.open()
        other = await eve.open()
        for secret in ("", "A" * 43, dict(eve.client.cookies)["pigpen_seat"], "\xff" * 10, "A" * 5000):
            headers = {"Cookie": f"pigpen_seat={secret}".encode("latin-1")}
            for name in (ada.name, "nowhere"):
                found = [
                    await eve.client.get(f"/play/{name}{what}", headers=headers)  # type: ignore[arg-type]
                    for what in ("", "/state", "/stream", "/record", "?seat=abc")
                ]
                assert [response.status_code for response in found] == [404] * 5
        assert other != ada.name


NO_ANSWERS = [
    (b"", 422),
    (b"{}", 422),
    (b"[]", 422),
    (b'{"decision": 1}', 422),
    (b'{"decision": "1", "action": "QS"}', 422),
    (b'{"decision": 1, "action": "QS", "more": 1}', 422),
    (b'{"decision": -1, "action": "QS"}', 422),
    (b'{"decision": 1e400, "action": "QS"}', 422),
    (b'{"decision": 1, "action": "' + b"A" * 300 + b'"}', 422),
    (b'{"decision": 1, "action": "\xff"}', 422),
    (b"[" * 4000, 422),
    (b'{"decision": 1, "action": "' + b"A" * 5000 + b'"}', 413),
    (b'{"decision": 99, "action": "QS"}', 409),
]


async def test_what_is_no_answer_is_refused(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada:
        await ada.open()
        await ada.until(lambda state: state.question)
        headers = {"Origin": base, "Content-Type": "application/json"}
        for body, status in NO_ANSWERS:
            response = await ada.client.post(f"{ada.path}/answer", content=body, headers=headers)
            assert response.status_code == status, (body[:60], response.text)
        await ada.until(lambda state: state.question)


async def test_only_pages_of_the_site_may_answer(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada:
        await ada.open()
        state = await ada.until(lambda state: state.question)
        assert state.question
        body: dict[str, Any] = {"decision": state.question.decision, "action": some_answer(state)}
        for headers in ({}, {"Origin": "http://evil.test"}, {"Origin": base, "Sec-Fetch-Site": "cross-site"}):
            assert (await ada.post("answer", headers, **body)).status_code == 403
            assert (await ada.post("presence", headers, state="away")).status_code == 403
        form = await ada.client.post(f"{ada.path}/answer", data=body, headers={"Origin": base})
        assert form.status_code == 415
        assert (
            await ada.client.post(f"{ada.path}/end", data={"csrf": ""}, headers={"Origin": "http://evil.test"})
        ).status_code == 403
        assert (await ada.post("answer", **body)).status_code == 204


async def test_an_answer_again_a_late_one_and_a_forbidden_one(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada, TableBrowser(base) as tab:
        await ada.open()
        tab.client.cookies, tab.name = ada.client.cookies, ada.name
        state = await ada.until(lambda state: state.question)
        assert state.question
        decision, answer = state.question.decision, some_answer(state)
        assert [(await each.post("answer", decision=decision, action=answer)).status_code for each in (ada, tab)] == [
            204
        ] * 2
        other = card_names(state.question.legal[-state.question.count :])
        assert other != answer
        late = await tab.post("answer", decision=decision, action=other)
        assert late.status_code == 409
        now = PersonState.model_validate_json(late.content)
        assert now.number >= state.number
        later = await ada.play(lambda state: state.question and state.question.why)
        assert later.question
        card, bar = next(iter(later.question.why.items()))
        refused = await ada.post("answer", decision=later.question.decision, action=card)
        assert refused.status_code == 422
        if bar.bar == "follow":
            assert f"{bar.names[0]} were led" in refused.json()["detail"]
        assert (await ada.post("answer", decision=decision, action=answer)).status_code == 204


async def test_a_page_that_is_loaded_again_and_a_second_tab_see_the_same(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada:
        await ada.open()
        first = await ada.play(lambda state: state.question and state.moment and state.moment.trick >= 3)
        again = await ada.until(lambda state: True)
        once = await ada.state()
        assert (
            first.model_dump(exclude={"question"})
            == again.model_dump(exclude={"question"})
            == once.model_dump(exclude={"question"})
        )
        assert again.question
        assert first.question
        assert again.question.decision == first.question.decision
        assert (again.question.left or 0) <= (first.question.left or 0)


async def test_the_site_starts_again_in_the_middle_of_a_deal(ladder: Ladder) -> None:
    async with tables_here(ladder):
        async with site_here(ladder, plays=False) as base, TableBrowser(base) as ada:
            await ada.open(length="deals:4")
            before = await ada.play(
                lambda state: state.sheet and state.question and state.moment and state.moment.trick >= 2
            )
        async with site_here(ladder, plays=False) as base, TableBrowser(base) as again:
            again.name = ada.name
            again.client.cookies.update({cookie.name: cookie.value or "" for cookie in ada.client.cookies.jar})
            assert before.question
            answer = await again.post("answer", decision=before.question.decision, action=some_answer(before))
            assert answer.status_code == 204
            after = await again.until(lambda state: True)
            assert after.number > before.number
            assert after.sheet == before.sheet
            later = await again.play(lambda state: len(state.sheet) > len(before.sheet))
            assert later.sheet[: len(before.sheet)] == before.sheet


async def test_a_table_that_is_started_anew_goes_on_in_the_same_page(ladder: Ladder) -> None:
    async with tables_here(ladder) as tables, site_here(ladder, plays=False) as base, TableBrowser(base) as ada:
        await ada.open(length="deals:1")
        await ada.play(lambda state: state.moment and state.moment.trick >= 2)
        resumed = asyncio.ensure_future(ada.until(lambda state: state.notices))
        await tables.start_again()
        assert (await resumed).notices[0].kind == "resumed"
        assert (await ada.play()).over


async def test_a_script_that_opens_tables_is_told_to_wait(ladder: Ladder) -> None:
    async with site_here(ladder, plays=False) as base, TableBrowser(base) as script:
        for _ in range(2):
            await script.open()
        page = (await script.client.get("/play")).text
        assert page.count(f'href="/play/{script.name}"') == 1
        assert "Your open tables" in page
        third = await script.send("/play", "/play", variant="hearts")
        assert third.status_code == 429
        assert "You have as many" in third.text
        assert "10 minutes" in third.text
        statuses, headers = [], {"Origin": base}
        for number in range(8):
            script.client.cookies.clear()
            form = {"variant": "hearts"} | ({"chair1": "friend"} if number % 2 else {})
            answer = await script.client.post("/play", data=form, headers=headers)
            statuses.append(answer.status_code)
        assert statuses == [*[303] * 6, 429, 429]
        assert "Guests at your address" in answer.text


@pytest.mark.parametrize("name", ["hearts", "mine"])
async def test_a_table_with_rules_of_ones_own_explains_those(ladder: Ladder, name: str) -> None:
    """A table of the preset's rules leads to the preset's page."""
    own = replace(PRESETS["hearts"], name=name, title="Hearts of my own")
    async with site_here(ladder, plays=False) as base, TableBrowser(base) as ada, TableBrowser(base) as other:
        await ada.open(variant="hearts", chair1="friend")
        assert 'href="/rules/hearts"' in (await ada.client.get(ada.path)).text
        await ada.send(ada.path, f"{ada.path}/end")
        assert 'href="/play?variant=hearts"' in (await ada.client.get(ada.path)).text
        await ada.open(variant="own", toml=to_toml(own), friends="1")
        rules = f"{ada.path}/rules"
        assert f'href="{rules}"' in (await ada.client.get(ada.path)).text
        assert "<h1>Hearts of my own</h1>" in (await ada.client.get(rules)).text
        assert (await other.client.get(rules)).status_code == 404
        key = watch_key(ladder, ada.name)
        watched = await other.client.get(f"{ada.path}/watch?key={key}")
        assert f'href="{rules}?key={key}"' in watched.text
        assert "<h1>Hearts of my own</h1>" in (await other.client.get(f"{rules}?key={key}")).text
        assert (await other.client.get(f"{rules}?key=x{key[1:]}")).status_code == 404
        await ada.send(ada.path, f"{ada.path}/end")
        assert 'href="/play?variant=own"' in (await ada.client.get(ada.path)).text


NO_ORDERS = [
    {"variant": "nothing"},
    {"chair1": "nobody"},
    {"chair1": "bot:Trotter"},
    {"seconds": "0"},
    {"seconds": "nan"},
    {"seconds": "x"},
    {"pace": "-1"},
    {"length": "boards:100"},
    {"variant": "own", "toml": "x ="},
    {"variant": "own", "toml": "name = 'x'"},
    {"variant": "own", "toml": "[" * 20000},
    {"variant": "own", "toml": f"a = {'9' * 5000}"},
    {"variant": "own", "toml": f"a = 0x{'f' * 5000}"},
    {"shown": "\u202eevil\x1b[2J"},
]


async def test_what_cannot_be_played_is_said_on_the_form(ladder: Ladder) -> None:
    async with site_here(ladder, plays=False) as base, TableBrowser(base) as ada:
        for fields in NO_ORDERS:
            response = await ada.send("/play", "/play", **{"variant": "hearts"} | fields)
            assert response.status_code == 422, (fields, response.text)
            assert 'role="alert"' in response.text
            assert "\x1b" not in response.text


async def test_C_10_rules_with_too_many_choices_are_refused_on_the_form_with_the_number_and_the_bound(
    ladder: Ladder,
) -> None:
    async with site_here(ladder, plays=False) as base, TableBrowser(base) as ada:
        response = await ada.send("/play", "/play", variant="own", toml=tomli_w.dumps(many_choices()))
    assert response.status_code == 422
    assert f"passing.cards: {WAYS}" in response.text


async def test_rules_of_ones_own_are_played(ladder: Ladder) -> None:
    toml = to_toml(replace(PRESETS["hearts-short"], name="mine", title="Mine"))
    async with site_here(ladder) as base, TableBrowser(base) as ada:
        assert "toml" in (await ada.client.get("/play?variant=own")).text
        await ada.open(variant="own", toml=toml, length="deals:1")
        last = await ada.play()
        assert last.deal
        assert (last.deal.title, last.deal.players) == ("Mine", 4)


async def test_a_deal_takes_few_bytes_and_a_stream_is_packed_only_for_who_takes_it(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada:
        await ada.open(length="deals:1")
        await ada.play()
        assert ada.received < 10_000
        await ada.open(length="deals:1")
        ada.client.headers["Accept-Encoding"] = "identity"
        async with ada.client.stream("GET", f"{ada.path}/stream") as stream:
            assert "content-encoding" not in stream.headers
            assert await anext(stream.aiter_lines()) == "retry: 500"


async def test_a_tab_that_is_closed_leaves_nothing_behind(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada:
        await ada.open()
        for encoding in ("gzip", "identity"):
            ada.client.headers["Accept-Encoding"] = encoding
            for _ in range(MAX_TABS + 1):
                await ada.until(lambda state: state.question)
        async with asyncio.timeout(PATIENCE):
            while "pigpen_live_streams 0.0" not in (await ada.client.get("/metrics")).text:
                await asyncio.sleep(0.01)


async def test_a_site_that_has_all_its_streams_refuses_players_and_spectators(ladder: Ladder) -> None:
    async with (
        site_here(ladder, max_streams=1) as base,
        TableBrowser(base) as ada,
        httpx.AsyncClient(base_url=base, timeout=PATIENCE) as eve,
    ):
        await ada.open()
        found = WATCH.search((await ada.client.get(ada.path)).text)
        assert found
        async with ada.client.stream("GET", f"{ada.path}/stream") as stream:
            lines = stream.aiter_lines()  # kept: without it the stream would be closed
            assert await anext(lines) == "retry: 500"
            watch = found[1].replace("/watch?", "/watch/stream?")
            for client, address in ((ada.client, f"{ada.path}/stream"), (eve, watch)):
                async with client.stream("GET", address) as refused:
                    assert (refused.status_code, refused.headers.get("Retry-After")) == (503, "10")


@pytest.mark.parametrize("variant", ["hearts", "gongzhu-sale"])
async def test_C_9_no_byte_of_a_stream_names_a_card_that_the_person_does_not_know(ladder: Ladder, variant: str) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as ada:
        await ada.open(variant=variant, length="deals:1")
        states: list[PersonState] = []
        await ada.play(lambda state: states.append(state))
        table = table_page(ladder, ada.name, dict(ada.client.cookies)["pigpen_seat"])
        (deal,) = [line for line in read_record(record_of(ladder, table)) if isinstance(line, DealLine)]
    plays = [step.play for step in deal.steps if step.play]
    shown = {word for step in deal.steps if step.expose for word in step.expose.split() if "*" not in word}
    passed = {word for step in deal.steps if step.passed for word in step.passed.split()}
    assert len(states) > len(plays)
    for state in states:
        text = state.model_dump_json(exclude={"question": {"why"}})  # names of cards there are the rules'
        for secret in (table.seed, table.commitment):
            assert secret
            assert secret not in text
        if state.moment is None or state.deal is None:
            assert not CARD.findall(text)
            continue
        done = _plays_until(state) if state.moment.scores is None else len(plays)
        assert state.deal.seat is not None
        dealt = set(deal.hands[state.deal.seat].split())
        own = dealt | set(map(str, state.moment.seats[state.deal.seat].received))
        assert own <= dealt | passed
        named = set(CARD.findall(text))
        assert named <= own | set(plays[:done]) | shown, state


def _plays_until(state: PersonState) -> int:
    """Count the cards that have been played in the deal."""
    assert state.moment
    assert state.deal
    return max(0, state.moment.trick - 1) * state.deal.players + len(state.moment.cards)


async def test_a_spectator_sees_what_everybody_at_the_table_sees(ladder: Ladder) -> None:
    async with (
        site_here(ladder) as base,
        TableBrowser(base) as ada,
        httpx.AsyncClient(base_url=base, timeout=PATIENCE) as eve,
    ):
        await ada.open(variant="gongzhu-sale", length="deals:1", shown="Ada")
        found = WATCH.search((await ada.client.get(ada.path)).text)
        assert found
        assert (await eve.get(found[1].partition("?")[0])).status_code == 404
        page = await eve.get(found[1])
        assert page.status_code == 200
        assert "Ada" in page.text
        stream = found[1].replace("/watch?", "/watch/stream?")
        seen: list[TableShown] = []
        watching = asyncio.ensure_future(_watched(eve, stream, seen))
        await ada.play(lambda state: state.moment and state.moment.trick >= 4 and state.question)
        await comes(lambda: seen and seen[-1].moment and seen[-1].moment.trick >= 4)
        await ada.play()
        await asyncio.wait_for(watching, PATIENCE)
        table = table_page(ladder, ada.name, ada.seat)
        (deal,) = [line for line in read_record(record_of(ladder, table)) if isinstance(line, DealLine)]
    plays = [step.play for step in deal.steps if step.play]
    shown = {word for step in deal.steps if step.expose for word in step.expose.split() if "*" not in word}
    assert seen[-1].status == "over"
    assert seen[-1].sheet[0].scores == deal.scores
    assert len(seen) > 20
    for state in seen:
        if state.moment and state.moment.scores is None:
            done = max(0, state.moment.trick - 1) * 4 + len(state.moment.cards)
            assert set(CARD.findall(state.model_dump_json())) <= set(plays[:done]) | shown
            assert not any(set(map(str, chair.hand)) - shown for chair in state.moment.seats)


async def _watched(eve: httpx.AsyncClient, stream: str, seen: list[TableShown]) -> None:
    async with eve.stream("GET", stream) as response:
        assert response.status_code == 200
        async for line in response.aiter_lines():
            if line.startswith('data: {"number"'):
                seen.append(TableShown.model_validate_json(line[6:]))
            elif line == "event: stop":
                return
    raise AssertionError("the stream has ended without a word")


async def test_nobody_waits_long_for_a_friend_who_has_left(ladder: Ladder) -> None:
    async with (
        site_here(ladder, coming_seconds=0.3) as base,
        TableBrowser(base) as ada,
        TableBrowser(base) as ben,
    ):
        await ada.open(length="deals:1", seconds="600", chair1="friend", shown="Ada")
        await ben.come(LINK.findall((await ada.client.get(ada.path)).text)[0])
        await ben.send(ben.path, f"{ben.path}/join", shown="Ben")
        state = await ada.play(lambda state: state.moment and state.moment.trick >= 2)
        assert not state.away
        assert (await ben.until(lambda state: state.deal)).status == "playing"
