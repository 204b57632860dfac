"""The front page: today's board, the variants, how to enter."""

from __future__ import annotations

import datetime
import time
from typing import TYPE_CHECKING, NamedTuple

from fastapi import Request
from starlette.responses import Response

from ladder.app import overview
from ladder.app.deadlines import deadlines
from ladder.app.whats_new import since_visit, upsets
from ladder.people.boards.daily_board import day_of, now_of, rows_of_today, todays_board
from ladder.people.pages.puzzle_pages import puzzle_on_table
from ladder.people.pages.request_parts import GUEST_COOKIE, visitor_of
from ladder.people.pages.table_pages import USUAL_VARIANT
from ladder.people.review.own_games import own_days
from ladder.people.review.puzzles import newest_puzzle
from ladder.site.pages.announcements import ON_FRONT_PAGE
from ladder.site.pages.announcements import shown as shown_announcements
from ladder.site.pages.routes import entering
from ladder.site.server.routing import Router
from ladder.site.server.viewer import keep_visit, viewer_of, visit_of
from ladder.values.people import TableVisitor

if TYPE_CHECKING:
    from ladder.site.server.context import Site
    from ladder.values.people import OwnDays, TodaysBoard

router = Router()


class _Shared(NamedTuple):
    """Values of the page from tables and puzzles."""

    today: TodaysBoard | None
    low_is_better: bool
    """In the variant of today's board."""
    puzzle: int | None
    """The newest one that the visitor has not answered."""


def _shared(site: Site, who: TableVisitor) -> _Shared:
    played = overview.names_of(site.ladder)
    variant = USUAL_VARIANT if USUAL_VARIANT in played or not played else played[0]
    today = todays_board(site.ladder, variant) if site.ladder.settings.people_tables else None
    low_is_better = overview.rules_of(site.ladder, variant).low_is_better if today else False
    return _Shared(today, low_is_better, newest_puzzle(site.ladder, variant, who) if played else None)


@router.get("/")
def home(request: Request) -> Response:
    """Show the front page. What is the reader's own there is little, so that readers share the pages that are kept."""
    site: Site = request.app.state.site
    is_known = GUEST_COOKIE in request.cookies or viewer_of(request).name is not None
    # What a visitor has just done is on its next page; strangers share what is read for one of them.
    if is_known:
        shared = _shared(site, visitor_of(request))
    else:
        shared = site.recent.get(("front", day_of(now_of(site.ladder))), lambda: _shared(site, TableVisitor()))
    today, puzzle = shared.today, shared.puzzle
    is_served = overview.tables_are_played(site.ladder)
    account = viewer_of(request).name or ""
    days = own_days(site.ladder, visitor_of(request)) if is_known else None
    streak = days.streak if days else 0
    done = _table_of(days, today) if today and days else ""
    visit = visit_of(request, time.time())
    midnight = datetime.datetime.combine(now_of(site.ladder).date(), datetime.time(tzinfo=datetime.UTC))

    def make() -> dict[str, object]:
        return {
            "variants": overview.variants(site.ladder),
            "running": overview.counts(site.ladder).matches["leased"],
            "shares_kernel": overview.shares_kernel(site.ladder),
            "runtime_asked_for": overview.runtime_asked_for(site.ladder),
            "today": today,
            "is_served": is_served,
            "rows": rows_of_today(site.ladder, today, done) if today else (),
            "low_is_better": shared.low_is_better,
            "until": midnight + datetime.timedelta(days=1),
            "account": account,
            "streak": streak,
            "done": done,
            "puzzle": puzzle_on_table(site.ladder, puzzle) if puzzle else None,
            "since": since_visit(site.ladder, visit.before, None) if visit.before else None,
            "upsets": upsets(site.ladder, limit=1),
            "deadlines": deadlines(site.ladder),
            "announcements": shown_announcements(site.ladder, 3, ON_FRONT_PAGE),
            **entering(site),
        }

    about = f"{today} {account} {streak} {done} {puzzle} {visit.before} {is_served}"
    response = site.pages.page(request, "home.html", make, about)
    keep_visit(request, response, visit, time.time())
    return response


def _table_of(days: OwnDays, today: TodaysBoard) -> str:
    """Give the table at which the visitor has played today's board first; empty: it has not."""
    return next((game.table for game in days.games_on(today.day) if game.variant == today.variant), "")
