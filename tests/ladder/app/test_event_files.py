"""The events of examples/events, each held on a ladder from its opening to its end, and verified."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ladder.app.event import holding, reading
from ladder.app.event.event_files import read_event_text
from ladder.app.event.export_file import export_event
from ladder.app.event.verifying import verify_event
from ladder.errors import LadderError
from ladder.events.event_file import parse_event
from ladder.settings.settings import load_settings
from ladder.values.accounts import LOCAL
from ladder.values.held_events import EventState
from tests.ladder.app.event_ladders import coordinator_of, own_ways, play
from tests.ladder.ladders import enter, new_ladder
from tests.ladder.site.visitor import Visitor
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.ladder import Ladder
    from ladder.values.held_events import EventPage

EXAMPLES = Path(__file__).parents[3] / "examples" / "events"
DAY = 86_400.0


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def ladder(tmp_path: Path, time: Time) -> Iterator[Ladder]:
    found = replace(new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process")), clock=time)
    yield found
    found.database.close()


@pytest.mark.parametrize(
    ("file", "entrants", "stages"),
    [
        ("chematoodlon", 12, {"First round": 3, "Semi-final": 7, "Final": 1}),
        ("gongzhu-weekend", 9, {"Swiss": 7, "Last sixteen": 1, "Final": 1}),
        ("five-seat-league", 6, {"League": 2, "Final": 1}),
        ("partners-cup", 5, {"Round robin": 5, "Semi-finals": 1, "Final": 1}),
    ],
)
def test_an_example_is_held_to_its_end(
    ladder: Ladder, time: Time, tmp_path: Path, file: str, entrants: int, stages: dict[str, int]
) -> None:
    text, rules = read_event_text(EXAMPLES / f"{file}.toml")
    event = parse_event(text)
    assert event.starts
    time.now = (event.opens or event.starts).timestamp() - 2 * DAY
    with ladder.database.write() as session:
        enter(session, "house-counting", rules.name, owner="house-counting")
        for number in range(1, entrants + 1):
            enter(session, f"Bot-{number}", rules.name, rating=1500 + 10 * number)
    holding.open_event(ladder, LOCAL, file, text, rules)
    if event.opens:
        time.now = event.opens.timestamp() - 1
        with pytest.raises(LadderError, match=f"Bots may enter '{file}' from 2026-12-"):
            holding.enter(ladder, LOCAL, file, "Bot-1")
    time.now = event.opens.timestamp() if event.opens else event.starts.timestamp() - DAY
    for number in range(1, entrants + 1):
        holding.enter(ladder, LOCAL, file, f"Bot-{number}")
    if event.check_in:
        time.now = event.check_in.timestamp()
        for number in range(1, entrants):  # the last one does not come
            holding.check_in(ladder, LOCAL, file, f"Bot-{number}")
        entrants -= 1
    time.now = event.starts.timestamp()
    holding.freeze(ladder, LOCAL, file)
    holding.start(ladder, LOCAL, file)
    coordinator = coordinator_of(ladder, time)
    while (page := reading.event(ladder, LOCAL, file, everything=True)).state is not EventState.OVER:
        left = sum(not each.boards for one in page.round_list for each in one.tables)
        if not left:
            time.now += DAY / 8  # the next round has its time
        play(coordinator, 1, own_ways, at_once=max(left, 1))
    page = reading.event(ladder, LOCAL, file)
    assert Counter(one.stage for one in page.round_list if one.kind == "round") == stages
    assert sorted(one.name for one in page.standings) == sorted(f"Bot-{number}" for number in range(1, entrants + 1))
    assert page.standings[0].place == 1
    look_at_pages(ladder, page)
    export_event(ladder, file, tmp_path / "event.zip")
    verified = verify_event(tmp_path / "event.zip")
    assert (verified.holds, verified.findings) == (True, ())


def look_at_pages(ladder: Ladder, event: EventPage) -> None:
    """Look at every page of an event; where bots leave after a round, those at tables of the next are marked."""
    site, address = Visitor(ladder), f"/events/{event.name}"
    for bot in event.standings:
        assert f"Place {bot.place} of {event.entrants}." in site.page(f"{address}/certificate/{bot.name}")
    assert site.page(f"{address}/cross").count("<tr>") == 1 + event.entrants
    assert f'Winner: <a href="/b/{event.standings[0].name}"' in site.page(address)
    kinds = {stage.name: stage.kind for stage in parse_event(event.file).stages}
    rounds = [one for one in event.round_list if one.kind == "round"]
    for one, following in zip_longest(rounds, rounds[1:]):
        marked = set(
            re.findall(r'<a href="/b/([^"@]+)[^>]*>(?:(?!<a ).)*?advances', site.page(f"{address}/rounds/{one.number}"))
        )
        there = (
            {bot for table in following.tables for bot in table.bots if bot.startswith("Bot-")} if following else set()
        )
        assert marked == (there if kinds[one.stage] in ("pods", "halving") else set())
