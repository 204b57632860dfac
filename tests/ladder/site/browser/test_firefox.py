"""The main pages and a whole table in Firefox, which lays pages out by an engine of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from tests.ladder.ladders import new_ladder
from tests.ladder.site.browser.firefox import firefox
from tests.ladder.site.browser.looking import LAYOUT
from tests.ladder.site.browser.pages import DESKTOP, PHONE, without_loop
from tests.ladder.site.browser.tables_served import tables_served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.ladder.site.browser.conftest import Served
    from tests.ladder.site.browser.firefox import Firefox

pytestmark = [pytest.mark.firefox, pytest.mark.long, pytest.mark.timeout(1200)]
PAGES = (
    "/", "/v/gongzhu", "/b/Trotter", "/m/{faulty}", "/m/{faulty}/boards/1/1", "/live", "/play", "/learn/hearts",
    "/rules/gongzhu", "/analysis/hearts", "/events", "/compare/Trotter/Snout?v=gongzhu", "/help",
)  # fmt: skip
IN_A_HURRY = {"pigpen-play": json.dumps({"speed": 0, "taps": 1}), "pigpen-exposing-known": "1"}
WANTED = """(last) => {
  const table = document.querySelector("person-table");
  if (table?.querySelector(".final")) return "over";
  if (table?.querySelector(".go-on")?.checkVisibility()) return "result";
  const question = table?.choice && !table.queue.isBusy ? table.choice.question : null;
  const now = question ? `${question.kind} ${question.decision}` : "";
  return now !== last && now;
}"""


@pytest.fixture(scope="module")
def window() -> Iterator[Firefox]:
    with firefox() as window:
        yield window


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_main_pages_are_laid_out_as_they_should_be(site: Served, window: Firefox, size: tuple[int, int]) -> None:
    window.size(*size)
    wrong: dict[str, list[str]] = {}
    for path in PAGES:
        window.goto(site.url + path.format(faulty=site.faulty))
        window.evaluate("() => document.fonts.ready.then(() => true)")
        if "/boards/" in path or "/analysis/" in path:
            window.until('() => document.querySelector("deal-replayer .seat .card")?.checkVisibility()')
        for check, script in LAYOUT.items():
            if found := window.evaluate(script):
                wrong[f"{path}: {check}"] = found
    assert (wrong, window.errors) == ({}, [])


def test_a_whole_deal_is_played(window: Firefox, tmp_path: Path) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    window.size(*DESKTOP)
    with without_loop(tables_served, ladder) as address:
        window.goto(f"{address}/play?variant=gongzhu")
        window.evaluate("(kept) => { Object.assign(localStorage, kept); }", IN_A_HURRY)
        window.evaluate("() => { document.querySelector('form.seats, main form').requestSubmit(); }")
        window.until("() => document.querySelector('person-table .pick')?.checkVisibility()")
        last, decisions, looked = "", 0, False
        while (last := window.until(WANTED, last)) != "over":
            kind = last.split()[0]
            if kind == "result":
                break
            if not looked:
                looked = True
                assert {check: found for check, script in LAYOUT.items() if (found := window.evaluate(script))} == {}
            if kind == "play":
                window.click(".pick.free")
            else:
                window.click(".confirm")
            decisions += 1
        assert decisions >= 10
    assert window.errors == []
    ladder.database.close()
