"""
The main pages of the site: standings, bots, matches, seasons, what is new, rules and help.

`bot` reads what a bot's page shows besides the values of the ladder: think times in words. `match` reads what a match's
page shows: its boards side by side, and why each rating moved. The page of seasons has those of a variant, and the
standings of those that are over. The page of what is new covers the time since the reader's last visit: upsets of the
day, bots that came and went, feeds.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

from fastapi import Path, Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app import bots, matches, overview
from ladder.app.accounts.links import site_address
from ladder.app.dataset.offered import has_dataset
from ladder.app.deadlines import deadline
from ladder.app.seasons import seasons as read_seasons
from ladder.app.whats_new import whats_new
from ladder.errors import LadderError, UserError
from ladder.results.match_decisions import PHASES, end_of, quantile, used_bins
from ladder.site.pages import lesson as help_pages
from ladder.site.rendering import long_tables as table_pages
from ladder.site.rendering.boards import board_rows, decisive, shades
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.routing import Router
from ladder.site.server.viewer import keep_visit, viewer_of, visit_of
from ladder.values.order import Column, Order
from ladder.values.standings import RatingCurve
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.app.bots import ShownBot
    from ladder.app.ladder import Ladder
    from ladder.site.server.context import Site
    from ladder.values.bots import InVariant
    from ladder.values.matches import MatchPage, MatchScores

OPPONENTS = 20
NEWEST = 5
"""Matches on the page; a link leads to all of them."""
LABELS = 4
"""Words under a histogram."""


@dataclass(frozen=True)
class ThinkTime:
    """Think times of a bot in one phase."""

    phase: str
    times: int
    half: str
    """Half of the decisions took less."""
    nearly_all: str
    """99 % of them took less."""
    most: str
    counts: tuple[int, ...]
    """By bin."""
    edges: tuple[str, ...]
    """The beginning of each bin, in words; empty where nothing is written."""


@dataclass(frozen=True)
class VariantPart:
    """The part of a bot's page about one variant."""

    there: InVariant
    curve: RatingCurve
    think_times: tuple[ThinkTime, ...]


def bot(ladder: Ladder, name: str, variant: str = "") -> dict[str, object]:
    """
    Read all that the page shows.

    Args:
        ladder: The ladder.
        name: Of the bot, or of one of its versions.
        variant: The one that is shown; where it is not entered there, the one in which it has played most.

    Raises:
        LadderError: If there is none.
    """
    shown = bots.shown_bot(ladder, name, OPPONENTS, NEWEST)
    parts = [_part(shown, there) for there in shown.page.variants]
    chosen = next((part for part in parts if part.there.variant == variant), None) or _most_played(parts)
    return {"bot": shown.page, "parts": parts, "chosen": chosen, "newest": shown.newest}


def _most_played(parts: Sequence[VariantPart]) -> VariantPart | None:
    """Find the variant in which it has played most, of those in which it is active if there are any."""
    standings = {number: part.there.standing for number, part in enumerate(parts)}
    best = max(
        standings, key=lambda number: (standings[number].rank is not None, standings[number].matches), default=None
    )
    return None if best is None else parts[best]


def _part(shown: ShownBot, there: InVariant) -> VariantPart:
    nothing = RatingCurve(bot=shown.page.bot, variant=there.variant, points=())
    return VariantPart(there, shown.curves.get(there.variant, nothing), tuple(_think_times(there)))


def _think_times(there: InVariant) -> Iterator[ThinkTime]:
    used = used_bins(there.think_times)
    every = max(1, -(-len(used) // LABELS))
    edges = tuple(end_of(place - 1) if number % every == 0 else "" for number, place in enumerate(used))
    for phase in PHASES:
        counts = there.think_times.get(phase, ())
        if sum(counts):
            half, nearly_all, most = (end_of(quantile(counts, part)) for part in (0.5, 0.99, 1.0))
            shown = counts[used.start : used.stop]
            yield ThinkTime(phase, sum(counts), half, nearly_all, most, shown, edges)


def match(ladder: Ladder, number: int) -> dict[str, object]:
    """
    Read all that the page shows; without its record, or before its end, less.

    Raises:
        LadderError: If there is no such match.
    """
    page = matches.match(ladder, number)
    is_done = page.finished is not None and page.ordinal is not None
    scores = _scores(ladder, page)
    rows = board_rows(scores) if scores else []
    return {
        "match": page,
        "scores": scores,
        "boards": rows,
        "shades": shades(rows),
        "decisive": decisive(scores, rows) if scores else None,
        "explanation": matches.explanation(ladder, number) if is_done else None,
    }


def _scores(ladder: Ladder, page: MatchPage) -> MatchScores | None:
    if page.record is None:
        return None
    try:
        return matches.scores(ladder, page.id)
    except UserError:
        return None


router = Router()
seasons_router = Router()
whats_new_router = Router()


@seasons_router.get("/v/{variant}/seasons")
def seasons(
    request: Request, variant: str, name: Annotated[str | None, Query(alias="season", max_length=64)] = None
) -> Response:
    """List the seasons of a variant, with the standings at the end of one of them; by default of the last one."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        found = read_seasons(site.ladder, variant)
        over = [each.name for each in found if each.ended is not None]
        chosen = name or (over[-1] if over else None)
        table = bots.standings(site.ladder, variant, season=chosen)[0] if chosen else None
        return {"variant": found[-1].variant, "seasons": found[::-1], "chosen": chosen, "table": table}

    return site.pages.page(request, "seasons.html", make)


@whats_new_router.get("/new")
def new(request: Request) -> Response:
    """Show what is new; the browser remembers when it was here, in a cookie."""
    site: Site = request.app.state.site
    now = time.time()
    visit, account = visit_of(request, now), viewer_of(request).name

    def make() -> dict[str, object]:
        found = whats_new(site.ladder, visit.before or None, account)
        return {
            "since": found.since,
            "upsets": found.upsets,
            "news": found.news,
            "variants": overview.names_of(site.ladder),
            "account": account,
        }

    response = site.pages.page(request, "new.html", make, about=f"{visit.before} {account}")
    keep_visit(request, response, visit, now)
    return response


@router.get("/v")
def first_variant(request: Request) -> Response:
    """Show the standings of the variant that has the most matches, in the language that is asked for."""
    site: Site = request.app.state.site
    found = overview.variants(site.ladder, first=1)
    path = f"/v/{max(found, key=lambda one: one.matches).variant}" if found else "/"
    return RedirectResponse(str(request.url.replace(scheme="", netloc="", path=path)))


@router.get("/v/{variant}")
def standings(
    request: Request,
    variant: str,
    search: Annotated[str, Query(alias="q", max_length=64)] = "",
    everyone: Annotated[bool, Query(alias="all")] = False,
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
    by: Annotated[Order | None, Query()] = None,
    sort: Annotated[Column | None, Query()] = None,
    group: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """Show the standings of a variant."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        shown = table_pages.standings(site.ladder, variant, search, everyone, page, by, sort, group or None)
        return {**shown, "deadline": deadline(site.ladder, variant)}

    try:
        return site.pages.page(request, "standings.html", make)
    except LadderError:
        if variant == variant.lower():
            raise
        return RedirectResponse(str(request.url.replace(scheme="", netloc="", path=f"/v/{quote(variant.lower())}")))


@router.get("/b")
def all_bots(
    request: Request,
    search: Annotated[str, Query(alias="q", max_length=64)] = "",
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> Response:
    """Show every bot, by name."""
    site: Site = request.app.state.site
    return site.pages.page(request, "bots.html", lambda: table_pages.bots(bots.bots(site.ladder), search, page))


@router.get("/b/{name}")
def one_bot(request: Request, name: str, variant: Annotated[str, Query(alias="v", max_length=64)] = "") -> Response:
    """Show all there is to know of a bot, or of one of its versions, in one variant."""
    site: Site = request.app.state.site
    try:
        return site.pages.page(request, "bot.html", lambda: bot(site.ladder, name, variant))
    except LadderError:
        spelled = bots.spelled(site.ladder, name)
        if spelled is None or spelled == name:
            raise
        return RedirectResponse(str(request.url.replace(scheme="", netloc="", path=f"/b/{quote(spelled)}")))


@router.get("/m")
def all_matches(
    request: Request,
    variant: Annotated[str, Query(max_length=64)] = "",
    bot: Annotated[str, Query(max_length=80)] = "",
    before: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None,
) -> Response:
    """Show results, the newest first."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        found = matches.newest(site.ladder, variant or None, bot or None, before)
        names = overview.variants(site.ladder, first=0)
        return {"list": found, "variants": names, "variant": variant, "bot": bot, "before": before}

    return site.pages.page(request, "matches.html", make)


@router.get("/m/{number}")
def one_match(request: Request, number: Annotated[int, Path(ge=1, le=MAX_NUMBER)]) -> Response:
    """Show a match: its result, its boards, why the ratings moved, its seed."""
    site: Site = request.app.state.site
    return site.pages.page(request, "match.html", lambda: match(site.ladder, number))


@router.get("/rules/{variant}")
def rules(request: Request, variant: str) -> Response:
    """Show the rules of a variant in words."""
    site: Site = request.app.state.site
    return site.pages.page(request, "rules.html", lambda: help_pages.rules(site.ladder, variant))


@router.get("/help")
def helping(request: Request) -> Response:
    """Explain how to enter a bot, how ratings work, and why deals can be trusted."""
    site: Site = request.app.state.site
    return site.pages.page(request, "help.html", lambda: help_values(site))


def help_values(site: Site) -> dict[str, object]:
    """Give what the help shows: rules, commands, and whether there is a data set."""
    return {"presets": PRESETS.values(), "has_data": has_dataset(site.ladder.settings.data_dir), **entering(site)}


def entering(site: Site) -> dict[str, object]:
    """Give the values for the commands that install Pigpen and enter a bot."""
    return {"address": site_address(site.ladder.settings), "has_wheels": bool(site.wheels)}


@router.get("/api")
def api(request: Request) -> Response:
    """List the addresses of the API."""
    site: Site = request.app.state.site
    return site.pages.page(request, "api.html", lambda: {"operations": help_pages.operations(request.app.openapi())})
