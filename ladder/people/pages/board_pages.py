"""Boards that others play, too: today's, those of matches, and everybody's results beside yours."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app import overview
from ladder.errors import TooOften, UserError
from ladder.people.boards import board_comparison, daily_board
from ladder.people.boards.daily_board import BoardChair, match_board, open_match_board
from ladder.people.pages.request_parts import NOT_KEPT, Name, keep_opened, my_table, secret_of, visitor_of
from ladder.people.pages.table_pages import names_of_variants
from ladder.people.review.own_games import own_days
from ladder.people.tables.chairs import ENDED
from ladder.people.tables.table_opening import AtAnotherTable
from ladder.site.accounts.login import site_address
from ladder.site.pages.feeds import Feed, FeedEntry, feed
from ladder.site.pictures import previews
from ladder.site.server.attempts import Attempt
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.problems import NOT_SERVED, asker_of
from ladder.site.server.routing import Router
from ladder.site.server.viewer import Form, address_of, form_page, viewer_of
from ladder.values.people import PERSON_NAME_LENGTH, TableStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.site.server.context import Site
    from ladder.values.people import OpenedTable, OwnDays, TableVisitor

router = Router(prefix="/play")
DAYS_IN_FEED = 7
"""In a feed; readers that ask once a week miss none."""
Variant = Annotated[str, Path(max_length=64)]
Number = Annotated[int, Path(ge=0, le=MAX_NUMBER)]
Key = Annotated[str, Query(max_length=100, alias="with")]


@router.get("/today")
def all_of_today(request: Request) -> Response:
    """Show today's board of every variant."""
    site: Site = request.app.state.site
    boards = [daily_board.todays_board(site.ladder, name) for name in names_of_variants(site.ladder)]
    days = own_days(site.ladder, visitor_of(request))
    values = {"boards": boards, "days": days, "done": _done(days, boards[0].day)}
    return site.pages.fresh_page(request, "play_today_variants.html", values)


@router.get("/today/{variant}")
def today(request: Request, variant: Variant) -> Response:
    """Show today's board of a variant, before it is played."""
    return _today(request, variant)


@router.get("/today/{variant}/yesterday")
def yesterday(request: Request, variant: Variant) -> Response:
    """Show all results of yesterday's board of a variant."""
    site: Site = request.app.state.site
    found = board_comparison.results_of_yesterday(site.ladder, variant, asker_of(request))
    values = {"found": found, "variant": found.board.variant, "not_served": NOT_SERVED}
    return site.pages.fresh_page(request, "play_yesterday.html", values)


@router.get("/today/{variant}/picture.png")
def picture_of_today(request: Request, variant: Variant) -> Response:
    """Draw a picture of today's board, without its cards, for previews of links."""
    site: Site = request.app.state.site
    found = daily_board.todays_board(site.ladder, variant)
    about = f"{request.url.path} {found.day} {found.played}"
    return site.answers.respond(request, about, lambda: (previews.of_day(found), "image/png"))


@router.get("/today/{variant}/feed.atom")
def feed_of_days(request: Request, variant: Variant) -> Response:
    """Tell feed readers of a new board each day: a reminder."""
    site: Site = request.app.state.site
    today = daily_board.now_of(site.ladder).date()

    def make() -> Feed:
        path = f"/play/today/{variant}"
        title = overview.rules_of(site.ladder, variant).title
        return Feed(f"Today's board: {title}", path, tuple(_entry(path, today, ago) for ago in range(DAYS_IN_FEED)))

    return feed(request, make, str(today))


@router.post("/today/{variant}")
def play_today(request: Request, variant: Variant, form: Form) -> Response:
    """Play today's board."""
    site: Site = request.app.state.site
    return _opened(
        request,
        form,
        daily_board.now_of(site.ladder).date().isoformat(),
        lambda who: daily_board.open_today(site.ladder, variant, who),
        lambda error, status: _today(request, variant, error, status),
    )


@router.get("/boards/{match}/{board}/{rotation}")
def board(request: Request, match: Number, board: Number, rotation: Number) -> Response:
    """Choose a chair of a board that bots have played."""
    return _board(request, match, board, rotation)


@router.post("/boards/{match}/{board}/{rotation}")
def play_board(request: Request, match: Number, board: Number, rotation: Number, form: Form) -> Response:
    """Play a board in the place of one of its bots."""
    site: Site = request.app.state.site
    seat = int(form["seat"]) if form.get("seat", "") in {*"01234567"} else 0
    chair = BoardChair(match, board, rotation, seat)
    return _opened(
        request,
        form,
        str(chair),
        lambda who: open_match_board(site.ladder, chair, who),
        lambda error, status: _board(request, match, board, rotation, error, status),
    )


@router.get("/{name}/compare")
def compare(request: Request, name: Name, key: Key = "") -> Response:
    """Show all results of a table's board to a person who has played it; with a key, compare that one by decisions."""
    site: Site = request.app.state.site
    state, secret = my_table(request, name), secret_of(request)
    asker = asker_of(request)
    found = board_comparison.compare(site.ladder, name, secret, asker)
    beside = board_comparison.beside(site.ladder, name, secret, key, asker) if key else None
    return site.pages.fresh_page(
        request,
        "play_compare.html",
        {
            "table": state,
            "base": f"/play/{name}",
            "board": found,
            "beside": beside,
            "variant": found.variant,
            "not_served": NOT_SERVED,
            "days": own_days(site.ladder, visitor_of(request)) if found.day else None,
            "address": site_address(request)[:-1],
        },
    )


def _entry(path: str, today: datetime.date, days_ago: int) -> FeedEntry:
    day = today - datetime.timedelta(days=days_ago)
    page = path if not days_ago else f"{path}/yesterday" if days_ago == 1 else "/play/today"
    begins = datetime.datetime.combine(day, datetime.time(tzinfo=datetime.UTC))
    return FeedEntry(f"{path}#{day}", f"The board of {day}: the same cards for everybody", begins, page)


def _today(request: Request, variant: str, error: str | Exception = "", status: int = 200) -> Response:
    site: Site = request.app.state.site
    now, before = (daily_board.todays_board(site.ladder, variant, days_ago) for days_ago in (0, 1))
    done = _done(own_days(site.ladder, visitor_of(request)), now.day).get(now.variant)
    first = daily_board.first_today(site.ladder, variant, visitor_of(request))
    values = {
        "today": now,
        "before": before,
        "variant": now.variant,
        "done": done,
        "begun": first is not None and first.has_begun and first.status is not TableStatus.OVER,
        "resume": first.table if first is not None and first.status not in ENDED else "",
    }
    return form_page(request, "play_today.html", values | _visitor(request, error), status)


def _done(days: OwnDays, day: datetime.date) -> dict[str, str]:
    """Give the names of the tables at which the visitor has played the boards of a day, by variant."""
    return {game.variant: game.table for game in days.games_on(day)}


def _board(
    request: Request, match: int, board: int, rotation: int, error: str | Exception = "", status: int = 200
) -> Response:
    site: Site = request.app.state.site
    found = match_board(site.ladder, match, board, rotation)
    values = {"board": found, "variant": found.variant}
    return form_page(request, "play_board.html", values | _visitor(request, error), status)


def _visitor(request: Request, error: str | Exception) -> dict[str, object]:
    account = viewer_of(request).name
    is_served = overview.tables_are_played(request.app.state.site.ladder)
    return {"error": error, "account": account, "longest": PERSON_NAME_LENGTH, "is_served": is_served}


def _opened(
    request: Request,
    form: Form,
    board: str,
    open_it: Callable[[TableVisitor], OpenedTable],
    again: Callable[[str | Exception, int], Response],
) -> Response:
    """Open a table for who asks, or lead to the one where that person plays the board; else say on the page why not."""
    site: Site = request.app.state.site
    try:
        site.attempts.count(Attempt.OPEN_TABLE, address_of(request), viewer_of(request).name or "")
        opened = open_it(visitor_of(request, form.get("shown", "")))
    except AtAnotherTable as error:
        return RedirectResponse(f"/play/{error.table}", 303, NOT_KEPT) if error.board == board else again(error, 409)
    except TooOften as error:
        return again(error, 429)
    except UserError as error:
        return again(error, 422)
    response = RedirectResponse(f"/play/{opened.name}", 303, NOT_KEPT)
    keep_opened(request, response, opened)
    return response
