"""Feeds (Atom, RFC 4287) of what is new in a variant and with a bot."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder.app import bots, matches, overview
from ladder.app.whats_new import bot_news, upsets
from ladder.site.accounts.browser_sessions import site_address
from ladder.site.rendering.words import signed
from ladder.site.rendering.words import variant as named_variant
from ladder.values.names import label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ladder.site.server.context import Site
    from ladder.values.matches import MatchRow
    from ladder.values.whats_new import BotNews, Upset

router = APIRouter()
MAX_ENTRIES = 30
MAX_UPSETS = 5
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
