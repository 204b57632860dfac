"""Feeds of events for calendars and feed readers."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from icalendar import Calendar
from icalendar import Event as Entry

from ladder.events.event_file import parse_event
from ladder.site.pages.feeds import FeedEntry
from ladder.site.rendering.words import variant
from ladder.values.held_events import EventState
from ladder.values.text import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.values.held_events import EventPage

HOUR = datetime.timedelta(hours=1)


def news(pages: Sequence[EventPage]) -> list[FeedEntry]:
    """Give what has happened in events, as far as it is public."""
    return [each for page in pages for each in _news(page)]


def _news(page: EventPage) -> Iterator[FeedEntry]:
    path = f"/events/{page.name}"

    def entry(key: str, title: str, at: datetime.datetime, there: str = path) -> FeedEntry:
        return FeedEntry(f"{path}#{key}-{page.commitment[:16]}", f"{page.title}: {title}", at, there)

    yield entry("open", "registration is open", page.opened)
    for found in page.round_list:
        what = f"play-off of round {found.round}" if found.kind == "play-off" else f"round {found.round}"
        title = f"{found.stage}, {what} is drawn"
        yield entry(f"round-{found.number}", title, found.drawn, f"{path}/rounds/{found.number}")
    if page.state is EventState.OVER and page.finished and page.standings:
        yield entry("over", f"{page.standings[0].name} has won", page.finished)


def calendar(page: EventPage, address: str) -> bytes:
    """
    Write the times of an event's file as a calendar (RFC 5545).

    Args:
        page: The event.
        address: Of the site, without a slash at the end.
    """
    file, made = parse_event(page.file), Calendar()
    made.add("prodid", "-//Pigpen//Events//EN")
    made.add("version", "2.0")
    times: list[tuple[str, str, datetime.datetime | None, datetime.datetime | None]]
    times = [("opens", "registration opens", file.opens, None), ("freezes", "registration closes", file.freezes, None)]
    times.append(("starts", variant(file.variant, "en"), file.starts, file.ends))
    for stage in file.stages:
        times += [
            (f"{stage.name}-{number}", f"{stage.name}, round {number}", start, None)
            for number, start in enumerate(stage.round_starts, 1)
        ]
    for key, what, start, end in times:
        if start is not None:
            made.add_component(_entry(page, key, f"{page.title}: {what}", start, end or start + HOUR, address))
    return bytes(made.to_ical())


def _entry(
    page: EventPage, key: str, title: str, start: datetime.datetime, end: datetime.datetime, address: str
) -> Entry:
    entry = Entry()
    entry.add("uid", sanitize(f"{key}.{page.name}.{page.commitment[:16]}@pigpen"))
    entry.add("dtstamp", page.opened)
    entry.add("summary", sanitize(title))
    entry.add("dtstart", start.astimezone(datetime.UTC))
    entry.add("dtend", end.astimezone(datetime.UTC))
    entry.add("url", f"{address}/events/{page.name}")
    return entry
