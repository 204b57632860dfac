"""The stream of a match that is being played, as a browser reads it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from ladder.results.live_folder import LiveFolder
from ladder.runner.live_writer import LiveWriter
from ladder.serving.application import make_app
from ladder.site.server.event_streams import TOO_MANY
from pigpen.rules import PRESETS
from tests.ladder.site.visitor import MATCHES, Visitor, small_site
from tests.ladder.worker.live_events import watched

if TYPE_CHECKING:
    from pathlib import Path

RUNNING = MATCHES + 2
"""The match of the small site that is being played."""
SENT, _ = watched(PRESETS["gongzhu"], "boards:1")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Visitor]:
    """A site with a match whose events have come to their end."""
    with small_site(tmp_path) as site:
        writer = LiveWriter(LiveFolder(site.ladder.settings.data_dir))
        writer.begin(RUNNING, 1)
        for line in SENT:
            writer.append(RUNNING, 1, line)
        writer.end(RUNNING, 1, "done")
        yield site
        writer.close()


def messages(site: Visitor, **headers: str) -> list[dict[str, str]]:
    """The messages of the stream, each with its fields."""
    response = site.get(f"/api/v1/live/{RUNNING}/stream", **headers)
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    parts = [part for part in response.text.split("\n\n") if part]
    return [dict(line.split(": ", 1) for line in part.split("\n")) for part in parts]


def test_every_event_comes_once_and_then_nothing_more_is_promised(site: Visitor) -> None:
    first, *events, last = messages(site)
    assert first.keys() == {"retry"}
    assert last == {"event": "stop", "data": "{}"}
    assert [event["id"] for event in events] == [f"1-{number}" for number in range(1, len(SENT) + 2)]
    assert [json.loads(event["data"])["type"] for event in events][-1] == "end"
    received = [json.loads(event["data"]) for event in events[:-1]]
    assert received == [{"id": number, **json.loads(line)} for number, line in enumerate(SENT, 1)]


def test_a_broken_stream_goes_on_behind_the_last_event(site: Visitor) -> None:
    whole = messages(site)
    assert messages(site, last_event_id="1-40") == [whole[0], *whole[41:]]
    assert messages(site, last_event_id="nonsense\t") == whole


def test_who_cannot_have_a_stream_reads_the_same_some_at_a_time(site: Visitor) -> None:
    page = site.value(f"/live/{RUNNING}/events?after=1-40")
    assert page["ended"]
    assert [event["line"] for event in page["events"]] == [event["data"] for event in messages(site)[41:-1]]


def test_the_page_says_how_far_the_match_is(site: Visitor) -> None:
    text = site.page(f"/live/{RUNNING}")
    assert "<live-match" in text
    assert "4 of 4 deals over" in text
    assert f'href="/live/{RUNNING}"' in site.page("/live")


def test_the_page_of_a_running_match_has_its_rules_and_bots_for_the_script(site: Visitor) -> None:
    given = dict(re.findall(r'data-(rules|bots)="([^"]*)"', site.page(f"/live/{RUNNING}")))
    (row,) = (row for row in site.value("/live") if row["match"] == RUNNING)
    assert json.loads(html.unescape(given["bots"])) == row["bots"]
    assert json.loads(html.unescape(given["rules"])) == PRESETS["gongzhu"].to_plain()
    assert "<live-match" not in site.page("/live/2")


def test_too_many_streams_are_refused(site: Visitor) -> None:
    full = Visitor(site.ladder)
    full.app = make_app(site.ladder, max_streams=0)
    assert full.problem(f"/api/v1/live/{RUNNING}/stream", 503) == TOO_MANY


def test_no_stream_of_a_match_that_is_not_there(site: Visitor) -> None:
    assert "There is no match 99" in site.problem("/api/v1/live/99/stream", 404)
