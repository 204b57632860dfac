"""No request simulates: what has to be computed is asked for, shown as far as it is known, and kept."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote

import pytest
from starlette.requests import Request

from ladder.app.computing.asking import computing_files
from ladder.app.ladder import Ladder
from ladder.matches import answering, estimate
from ladder.people.boards.daily_board import HOUSE
from ladder.settings.settings import load_settings
from ladder.site.server.problems import NOT_SERVED, asker_of
from ladder.store import models
from ladder.values.value import Computing
from ladder.values.why import Costliest, Inbox, Mistakes, Why
from pigpen.sim import playout
from referee.match.match import Match
from tests.ladder.computing_here import compute_all
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.site.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

YESTERDAY = "/play/today/gongzhu/yesterday"
WHY = "/api/v1/matches/1/boards/1/rotations/1/steps/20/why"
COSTLIEST = "/api/v1/matches/1/seats/0/costliest?worst=2"
INBOX = "/b/Trotter/inbox"
MISTAKES = "/api/v1/matches/1/boards/1/rotations/1/mistakes"
pytestmark = pytest.mark.usefixtures("few_playouts", "_stays_alive")


@pytest.fixture
def _stays_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sign of life is enough for a test, however long it takes."""
    monkeypatch.setattr("ladder.results.files.SILENT_SECONDS", 3600.0)


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    recorded_match(made, played("gongzhu"))
    yield made
    made.database.close()


@pytest.fixture
def nothing_simulates(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever simulates, or plays a match, fails."""

    def fail(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a request simulates")

    monkeypatch.setattr(estimate, "_sealed", fail)
    monkeypatch.setattr(estimate, "playout", fail)
    monkeypatch.setattr(playout, "playouts", fail)
    monkeypatch.setattr(Match, "play", fail)
    monkeypatch.setattr(answering, "answer", fail)


@pytest.mark.usefixtures("nothing_simulates")
def test_a_request_simulates_nothing_and_keeps_no_other_page_waiting(ladder: Ladder) -> None:
    """There is no process that computes: what had to wait for one would wait for ever."""
    computing_files(ladder).show_alive()
    site = Visitor(ladder)
    answers = site.get_all([YESTERDAY, "/play/today/hearts/yesterday"] * 8 + [INBOX, WHY, COSTLIEST, "/", "/m/1"] * 2)
    assert [each.status_code for each in answers] == [200] * 16 + [200, 202, 202, 200, 200] * 2
    for address in (WHY, COSTLIEST, MISTAKES, f"/api/v1/bots/Trotter/{INBOX.rpartition('/')[2]}"):
        answer = site.get(address)
        assert (answer.status_code, answer.headers["retry-after"]) == (202, "1")
        assert (answer.headers["location"], answer.headers["cache-control"]) == (address, "no-store")


@pytest.mark.parametrize("name", ["猪", "é ?#%2F"])
def test_a_bot_of_any_name_is_asked_for_again_at_its_address(ladder: Ladder, name: str) -> None:
    with ladder.database.write() as session:
        session.query(models.StoredBot).filter_by(name="Trotter").one().name = name
    computing_files(ladder).show_alive()
    site, quoted = Visitor(ladder), quote(name, safe="")
    for rest in ("inbox", "style", "style?variant=gongzhu", "against/Snout"):
        address = f"/api/v1/bots/{quoted}/{rest}"
        for _ in range(2):
            answer = site.get(address)
            assert (answer.status_code, answer.headers["location"]) == (202, address)
            address = answer.headers["location"]


def test_tv_asks_for_decisions_only_while_the_program_that_estimates_them_runs(ladder: Ladder) -> None:
    site = Visitor(ladder)
    assert site.get("/api/v1/tv").json()["is_estimating"] is False
    computing_files(ladder).show_alive()
    answer = Visitor(ladder).get("/api/v1/tv").json()
    assert (answer["is_estimating"], answer["board"]["match"]) == (True, 1)


def test_mistakes_of_all_bots_come_in_the_order_of_the_deal_and_each_is_beyond_its_error(ladder: Ladder) -> None:
    computing_files(ladder).show_alive()
    site = Visitor(ladder)
    assert site.get(MISTAKES).status_code == 202
    assert compute_all(ladder) == 1
    found = Mistakes.model_validate_json(site.get(MISTAKES).content).mistakes
    assert len(found) > 1
    assert [each.step for each in found] == sorted({each.step for each in found})
    assert all(each.cost > each.cost_error > 0 for each in found)
    for each in found[:2]:
        why = f"/api/v1/matches/1/boards/1/rotations/1/steps/{each.step}/why"
        assert site.get(why).status_code == 202
        compute_all(ladder)
        answer = Why.model_validate_json(site.get(why).content)
        assert (answer.seat, answer.cost, answer.deals) == (each.seat, each.cost, each.deals)
        assert [*each.choices] == [one for place, one in enumerate(answer.choices) if place < 4 or one.chosen]
        assert sum(one.chosen for one in each.choices) == 1
    assert site.get(MISTAKES.replace("boards/1", "boards/9")).status_code == 404


def test_a_page_shows_what_is_known_and_then_the_rest(ladder: Ladder) -> None:
    computing_files(ladder).show_alive()
    site = Visitor(ladder)
    page = site.page(YESTERDAY)
    assert f"0 of {len(HOUSE)} are done" in page
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page
    assert "Seed" in page
    assert "house-" not in page
    page = site.page(INBOX)
    assert "<being-computed>" in page
    assert "decision cost it points" not in page
    assert compute_all(ladder) == len(HOUSE) + 1
    page = site.page(YESTERDAY)
    assert "<being-computed>" not in page
    assert all(f">{name} <" in page for name in HOUSE)
    assert "<being-computed>" not in site.page(INBOX)
    assert Inbox.model_validate(site.value("/bots/Trotter/inbox"), strict=False).computing is None


def test_an_answer_is_kept_also_when_the_site_starts_again(ladder: Ladder) -> None:
    computing_files(ladder).show_alive()
    first = Computing.model_validate_json(Visitor(ladder).get(WHY).content)
    assert (first.place, first.is_served) == (1, True)
    assert Visitor(ladder).get(WHY).status_code == 202
    assert compute_all(ladder) == 1, "two who ask the same ask once"
    with Ladder.open(ladder.settings) as again:
        site = Visitor(again)
        assert Why.model_validate_json(site.get(WHY).content).step == 20
        assert compute_all(again) == 0
        assert site.get(COSTLIEST).status_code == 202
        assert compute_all(again) == 1
        assert Costliest.model_validate_json(site.get(COSTLIEST).content).bot


def test_where_no_process_computes_it_is_said_in_a_sentence(ladder: Ladder) -> None:
    site = Visitor(ladder)
    assert site.problem(WHY, 503) == NOT_SERVED
    assert site.get(WHY).headers["retry-after"] == "30"
    for address in (YESTERDAY, INBOX):
        assert NOT_SERVED in unescape(site.page(address))


def test_what_cannot_be_estimated_is_refused_at_once(ladder: Ladder) -> None:
    site = Visitor(ladder)
    assert "has no step 99" in site.problem(WHY.replace("20", "99"), 404)
    assert compute_all(ladder) == 0


def test_too_many_questions_of_one_visitor_are_refused(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.store.commands.computations.MAX_OF_VISITOR", 2)
    computing_files(ladder).show_alive()
    site = Visitor(ladder)
    found = [site.get(WHY.replace("/20/", f"/{step}/")).status_code for step in (18, 19, 20)]
    assert found == [202, 202, 429]


def test_a_visitor_is_an_account_or_a_network_whatever_its_cookies(ladder: Ladder) -> None:
    site = Visitor(ladder)

    def asker(address: str, cookie: str) -> str:
        headers = [(b"cookie", f"pigpen_guest={cookie}".encode())]
        return asker_of(
            Request({"type": "http", "method": "GET", "path": "/", "headers": headers, "client": (address, 1),
                     "app": site.app._app._app, "query_string": b""})  # type: ignore[attr-defined]
        )  # fmt: skip

    assert asker("192.0.2.7", "a") == asker("192.0.2.7", "b") == "address 192.0.2.7"
    assert asker("2001:db8::1", "a") == asker("2001:db8::2:3", "b") == "address 2001:db8::/64"
