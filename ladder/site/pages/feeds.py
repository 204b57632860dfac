"""Feeds (Atom, RFC 4287) of what is new in a variant, with a bot and in events; and calendars of events."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import Request
from icalendar import Calendar
from icalendar import Event as Entry
from markupsafe import Markup
from starlette.responses import Response

from ladder.app import bots, matches, overview
from ladder.app.whats_new import bot_news, upsets
from ladder.events.event_file import parse_event
from ladder.site.accounts.login import site_address
from ladder.site.rendering.translations import signed, variant
from ladder.site.rendering.translations import variant as named_variant
from ladder.site.server.routing import Router
from ladder.values.held_events import EventState
from ladder.values.names import label
from ladder.values.text import sanitize
from ladder.values.webhooks import MessageKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ladder.site.server.context import Site
    from ladder.values.held_events import EventPage, EventUnlisted
    from ladder.values.matches import MatchRow
    from ladder.values.whats_new import BotNews, Upset

router = Router()
MAX_ENTRIES = 30
MAX_UPSETS = 5
MAX_UNLISTED = 20
"""Bots at most that an entry of a list of entrants names as missing from it."""
UNLISTED = {"check-in": "did not check in", "full": "had no place", "withdrawn": "was withdrawn by an organiser"}
"""Reasons for that."""
NEVER = datetime.datetime.fromtimestamp(0, datetime.UTC)
STATES = {"entered": "has entered", "active": "plays again", "suspended": "is suspended", "retired": "has retired"}


@dataclass(frozen=True)
class FeedEntry:
    """One thing that has happened."""

    key: str
    """Its address in the site: a path and a part of that page; it stays."""
    title: str
    at: datetime.datetime
    path: str
    stamp: str = ""
    """Of an event: the link of its chain that tells of it."""
    content: Markup = Markup()  # noqa: RUF009 (it is immutable)
    """A text of its own."""


@dataclass(frozen=True)
class Feed:
    """The news about one page."""

    title: str
    path: str
    """Of the page."""
    entries: tuple[FeedEntry, ...]
    """The newest first."""


@router.get("/v/{variant}/feed.atom")
def of_variant(request: Request, variant: str) -> Response:
    """Tell feed readers which bots came and went in a variant, and of upsets."""
    site: Site = request.app.state.site

    def make() -> Feed:
        path = f"/v/{variant}"
        news = [_of_bot(each, path, False) for each in bot_news(site.ladder, variant)]
        news += [_of_upset(each, path) for each in upsets(site.ladder, MAX_UPSETS, variant)]
        return Feed(overview.rules_of(site.ladder, variant).title, path, newest(news))

    return feed(request, make)


@router.get("/b/{name}/feed.atom")
def of_bot(request: Request, name: str) -> Response:
    """Tell feed readers of a bot's versions and results."""
    site: Site = request.app.state.site

    def make() -> Feed:
        bot = bots.bot_page(site.ladder, name).bot
        path = f"/b/{bot}"
        news = [_of_bot(each, path, True) for each in bot_news(site.ladder, bot=bot)]
        played = matches.newest(site.ladder, bot=bot, limit=MAX_ENTRIES).matches
        return Feed(bot, path, newest([*news, *(_of_match(each, bot, path) for each in played)]))

    return feed(request, make)


def feed(request: Request, make: Callable[[], Feed], about: str = "") -> Response:
    """
    Answer with a feed.

    Args:
        request: What is asked.
        make: Gives what it tells.
        about: What it depends on besides its address and the ladder.
    """
    site: Site = request.app.state.site
    address = site_address(request)[:-1]

    def made() -> tuple[bytes, str]:
        values = {"feed": make(), "address": address, "never": NEVER}
        return site.pages.text(request, "en", "feed.atom", values).encode(), "application/atom+xml"

    return site.answers.respond(request, f"{request.url.path} {address} {about}", made)


def newest(entries: Iterable[FeedEntry]) -> tuple[FeedEntry, ...]:
    """Give the entries of a feed in order, as many as it has at most."""
    return tuple(sorted(entries, key=lambda each: each.at, reverse=True)[:MAX_ENTRIES])


def _of_bot(news: BotNews, path: str, is_its_own: bool) -> FeedEntry:
    where = f" in {named_variant(news.variant, 'en')}" if is_its_own else ""
    title = f"{label(news.bot, news.version)} {STATES[news.state]}{where}"
    return FeedEntry(f"{path}#{news.key}", title, news.at, f"/b/{label(news.bot, news.version)}")


def _of_upset(upset: Upset, path: str) -> FeedEntry:
    winner, beaten = label(upset.winner, upset.winner_version), label(upset.beaten, upset.beaten_version)
    title = f"{winner} has won ahead of {beaten}, which was rated {upset.gap:.0f} Elo higher"
    return FeedEntry(f"{path}#upset-{upset.match}", title, upset.at, f"/m/{upset.match}")


def _of_match(match: MatchRow, bot: str, path: str) -> FeedEntry:
    seats = [seat for seat in match.seats if seat.bot == bot]
    places = ", ".join(f"place {seat.place}" + (f", {signed(seat.move)} Elo" if seat.move else "") for seat in seats)
    title = f"Match {match.id}, {named_variant(match.variant, 'en')}: {places}"
    return FeedEntry(f"{path}#match-{match.id}", title, match.finished or NEVER, f"/m/{match.id}")


HOUR = datetime.timedelta(hours=1)


def news(pages: Sequence[EventPage]) -> list[FeedEntry]:
    """Give what has happened in events, as far as it is public."""
    return [each for page in pages for each in _news(page)]


def _news(page: EventPage) -> Iterator[FeedEntry]:
    path = f"/events/{page.name}"

    stamps = {kind: [one.stamp for one in page.stamps if one.kind == kind] for kind in MessageKind}
    drawn = stamps[MessageKind.ROUND_DRAWN]

    def entry(key: str, title: str, at: datetime.datetime, stamp: Sequence[str], there: str = path) -> FeedEntry:
        key = f"{path}#{key}-{page.commitment[:16]}"
        return FeedEntry(key, f"{page.title}: {title}", at, there, stamp[-1] if stamp else "")

    yield entry("open", "registration is open", page.opened, stamps[MessageKind.EVENT_OPENED])
    if page.frozen:
        title = "the list of entrants is final" + "".join(f"; {_unlisted(one)}" for one in page.unlisted[:MAX_UNLISTED])
        yield entry("frozen", title, page.frozen, stamps[MessageKind.EVENT_FROZEN])
    if page.started:
        yield entry("started", "has started", page.started, stamps[MessageKind.EVENT_STARTED])
    for found in page.round_list:
        what = f"play-off of round {found.round}" if found.kind == "play-off" else f"round {found.round}"
        title = f"{found.stage}, {what} is drawn"
        yield entry(
            f"round-{found.number}", title, found.drawn, drawn[found.number - 1 : found.number],
            f"{path}/rounds/{found.number}",
        )  # fmt: skip
    if page.state is EventState.OVER and page.finished and page.standings:
        over = stamps[MessageKind.EVENT_OVER]
        yield entry("over", f"{page.standings[0].name} has won", page.finished, over)
    if page.official:
        yield entry("official", "results are official", page.official, stamps[MessageKind.EVENT_OFFICIAL])


def _unlisted(one: EventUnlisted) -> str:
    return f"{label(one.name, one.version)} {UNLISTED[one.reason]}"


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
    times = [("opens", "registration opens", file.opens, None)]
    times.append(("check-in", "check-in; who misses it does not play", file.check_in, file.freezes))
    times.append(("freezes", "registration closes", file.freezes, None))
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
