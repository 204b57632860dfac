"""
The API: the values that `--json` prints and pages show.

With it are ladder TV (which board to watch next), the answer to what is new, and the routes for owners of bots: what
their bots printed, and taking them out of the ladder.
"""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.app import bots, matches, overview
from ladder.app.accounts.groups import groups as read_groups
from ladder.app.bot_logs import logs as read_logs
from ladder.app.computing.asking import computing_files
from ladder.app.deadlines import deadlines as read_deadlines
from ladder.app.health import health
from ladder.app.standings_csv import write_csv
from ladder.app.states import allow_people, retire
from ladder.app.tv import MATCHES, tv_next
from ladder.app.whats_new import whats_new
from ladder.entry.policy import Act
from ladder.site.rendering.cache import key_of
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.headers import fresh, json_of
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, demand, viewer_of
from ladder.values.accounts import GroupRow
from ladder.values.bots import BotList, BotPage, Matchups, PeopleAllowed, PeoplePermission, Retired, Retirement
from ladder.values.deadlines import DeadlineRow
from ladder.values.local_results import SeatLog
from ladder.values.matches import Explanation, MatchList, MatchRow, MatchScores, TvNext
from ladder.values.order import Order
from ladder.values.reports import LadderHealth
from ladder.values.standings import RatingCurve, Standings, VariantSummary
from ladder.values.value import Time
from ladder.values.whats_new import WhatsNew

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.app.ladder import Ladder
    from ladder.site.server.context import Site
    from ladder.values.value import Value

router = Router()
tv_router = Router()
whats_new_router = Router()
owners_router = Router()
JSON = "application/json"
CSV = "text/csv; charset=utf-8"


def answer(request: Request, make: Callable[[], Value | Sequence[Value]]) -> Response:
    """Answer with a value as JSON, kept until the ladder changes."""
    return _kept(request, lambda: (json_of(make()), JSON))


@router.get("/variants", response_model=list[VariantSummary])
def variants(request: Request, first: Annotated[int, Query(ge=0, le=100)] = 5) -> Response:
    """Give each variant in a few lines, with the first of its standings."""
    site: Site = request.app.state.site
    return answer(request, lambda: overview.variants(site.ladder, first))


@router.get("/groups", response_model=list[GroupRow])
def groups(request: Request) -> Response:
    """Give the groups of accounts, which `group` of standings may name."""
    site: Site = request.app.state.site
    return answer(request, lambda: read_groups(site.ladder))


@router.get("/deadlines", response_model=list[DeadlineRow])
def deadlines(request: Request) -> Response:
    """Give the times after which submissions are refused."""
    site: Site = request.app.state.site
    return answer(request, lambda: read_deadlines(site.ladder))


All = Annotated[bool, Query(alias="all")]
By = Annotated[Order | None, Query()]
"""Order of the standings; by default what the organiser has set."""
MAX_ROWS = 1000
"""Rows of each variant that are given at once."""
First = Annotated[int | None, Query(ge=1, le=1_000_000)]
"""Rows of each variant; `MAX_ROWS` at most, and by default."""
After = Annotated[int, Query(ge=0, le=1_000_000)]
"""Rows of each variant that are known: `next` of what was given before."""
Season = Annotated[str | None, Query(max_length=64)]
"""The name of a season; by default that which is played now."""
Group = Annotated[str | None, Query(max_length=64)]
"""The name of a group of accounts: only their bots, with their ranks among all."""


@router.get(
    "/standings/{variant}.csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "A line for each bot"}},
)
def standings_csv(
    request: Request, variant: str, everyone: All = False, by: By = None, season: Season = None, group: Group = None
) -> Response:
    """Give the standings of a variant as CSV, with the columns of `pigpen standings --csv`."""
    site: Site = request.app.state.site

    def make() -> tuple[bytes, str]:
        text = io.StringIO(newline="")
        write_csv(bots.standings(site.ladder, variant, everyone, None, by, season, group=group), text)
        return text.getvalue().encode(), CSV

    return _kept(request, make)


@router.get("/standings", response_model=list[Standings])
def all_standings(
    request: Request,
    variant: Annotated[str | None, Query(max_length=64)] = None,
    everyone: All = False,
    first: First = None,
    by: By = None,
    season: Season = None,
    after: After = 0,
    group: Group = None,
) -> Response:
    """
    Give the standings of all variants, or of one; with `first`, only the best of each; with `season`, old ones.

    A variant with more than 1000 rows has a `next`; read on with it as `after`.
    """
    site: Site = request.app.state.site
    rows = rows_of(first)
    return answer(request, lambda: bots.standings(site.ladder, variant, everyone, rows, by, season, after, group))


@router.get("/standings/{variant}", response_model=Standings)
def standings(
    request: Request,
    variant: str,
    everyone: All = False,
    by: By = None,
    season: Season = None,
    first: First = None,
    after: After = 0,
    group: Group = None,
) -> Response:
    """Give the standings of a variant; with `all`, those that are suspended or retired, too; by pages."""
    site: Site = request.app.state.site
    rows = rows_of(first)
    return answer(request, lambda: bots.standings(site.ladder, variant, everyone, rows, by, season, after, group)[0])


def rows_of(first: int | None) -> int:
    """
    Give the number of rows on a page of standings.

    >>> [rows_of(first) for first in (None, 999, 1000, 1001)]
    [1000, 999, 1000, 1000]
    """
    return min(first or MAX_ROWS, MAX_ROWS)


@router.get("/standings/{variant}/matchups", response_model=Matchups)
def matchups(request: Request, variant: str, first: Annotated[int, Query(ge=2, le=40)] = 12) -> Response:
    """Give how the best bots of a variant have done against each other."""
    site: Site = request.app.state.site
    return answer(request, lambda: bots.matchups(site.ladder, variant, first))


@router.get("/bots", response_model=BotList)
def all_bots(
    request: Request,
    after: Annotated[str | None, Query(max_length=64)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """Give bots by name; read on with `next` as `after`."""
    site: Site = request.app.state.site
    return answer(request, lambda: bots.some_bots(site.ladder, after, limit))


@router.get("/bots/{name}", response_model=BotPage)
def one_bot(
    request: Request,
    name: str,
    opponents: Annotated[int, Query(ge=0, le=1_000_000)] = 10,
    variant: Annotated[str | None, Query(max_length=64)] = None,
) -> Response:
    """Give all there is to know of a bot, or of one of its versions: `Trotter@2`."""
    site: Site = request.app.state.site
    return answer(request, lambda: bots.bot_page(site.ladder, name, variant, opponents))


@router.get("/bots/{name}/ratings/{variant}", response_model=RatingCurve)
def ratings(request: Request, name: str, variant: str) -> Response:
    """Give how the rating of a bot went in a variant."""
    site: Site = request.app.state.site
    return answer(request, lambda: bots.rating_curve(site.ladder, name, variant))


@router.get("/matches", response_model=MatchList)
def all_matches(
    request: Request,
    variant: Annotated[str | None, Query(max_length=64)] = None,
    bot: Annotated[str | None, Query(max_length=80)] = None,
    before: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    status: Literal["queued", "running", "done", "quarantined"] = "done",
    after: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None,
) -> Response:
    """
    Give results, the newest first; read on with `next` as `before`.

    Those of another status come the oldest first; read on with `next` as `after`.
    """
    site: Site = request.app.state.site
    if status == "done":
        return answer(request, lambda: matches.newest(site.ladder, variant, bot, before, limit))
    wanted = matches.MatchStatus(status)
    return answer(request, lambda: matches.unfinished_matches(site.ladder, wanted, variant, bot, after, limit))


@router.get("/health", response_model=LadderHealth)
def play_health(request: Request) -> Response:
    """Give whether a runner plays the matches that wait, and how much room the ladder's disk has."""
    site: Site = request.app.state.site
    return fresh(health(site.ladder, viewer_of(request)))


Number = Annotated[int, Path(ge=0, le=10**15)]


@router.get("/matches/{number}", response_model=MatchRow)
def one_match(request: Request, number: Number) -> Response:
    """Give one match; its seed when it is done."""
    site: Site = request.app.state.site
    return answer(request, lambda: matches.public_match(site.ladder, number))


@router.get("/matches/{number}/explanation", response_model=Explanation)
def explanation(request: Request, number: Number) -> Response:
    """Give how a match moved the ratings, and why."""
    site: Site = request.app.state.site
    return answer(request, lambda: matches.explanation(site.ladder, number))


@router.get("/matches/{number}/scores", response_model=MatchScores)
def scores(request: Request, number: Number) -> Response:
    """Give what each deal of a match brought each bot."""
    site: Site = request.app.state.site
    return answer(request, lambda: matches.scores(site.ladder, number))


def _kept(request: Request, make: Callable[[], tuple[bytes, str]]) -> Response:
    site: Site = request.app.state.site
    return site.answers.respond(request, key_of(request), make)


Seen = Annotated[
    str,
    Query(max_length=20 * MATCHES, pattern=r"^(\d{1,18}(,\d{1,18})*)?$", description="Matches watched: 17,18,21."),
]
FirstMatch = Annotated[int | None, Query(ge=1, le=MAX_NUMBER, description="The match to begin with.")]


@tv_router.get("/tv", response_model=TvNext)
def tv(request: Request, seen: Seen = "", first: FirstMatch = None) -> Response:
    """Choose a board of the newest matches to watch: by how close the match was, how strong its bots, its swing."""
    site: Site = request.app.state.site
    numbers = {int(each) for each in seen.split(",") if each}
    if len(numbers) > MATCHES:
        raise HTTPException(422, f"Name at most {MATCHES} matches.")
    return answer(request, lambda: _next(site.ladder, numbers, first))


def _next(ladder: Ladder, seen: set[int], first: int | None) -> TvNext:
    """Choose the board, and see whether its decisions may be asked for."""
    is_estimating = computing_files(ladder).is_alive(time.time())
    return TvNext(board=tv_next(ladder, seen, first), is_estimating=is_estimating)


Since = Annotated[Time | None, Query(description="With its time zone: 2026-11-27T20:00:00Z.")]


@whats_new_router.get("/new", response_model=WhatsNew)
def new(request: Request, since: Since = None) -> Response:
    """Give upsets and bots that came and went; with `since` what has happened since then, with a token to own bots."""
    site: Site = request.app.state.site
    return fresh(whats_new(site.ladder, since.timestamp() if since else None, viewer_of(request).name))


Seat = Annotated[str, Path(max_length=80, description="The bot's number in the match, or its name.")]


@owners_router.get("/matches/{number}/seats/{seat}/logs", response_model=list[SeatLog])
def logs(
    request: Request, number: Number, seat: Seat, rotation: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None
) -> Response:
    """Give the end of what a bot printed in a match, to its owner and to organisers."""
    site: Site = request.app.state.site
    return fresh(read_logs(site.ladder, viewer_of(request), number, seat, rotation))


@owners_router.post("/bots/{name}/retirement", response_model=list[Retired], dependencies=FOR_PEOPLE)
def retirement(request: Request, name: Annotated[str, Path(max_length=80)], wanted: Retirement) -> Response:
    """Take a bot, or one of its versions, out of the matches to come; it must be one's own, or one is an organiser."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.SUBMIT)
    return fresh(retire(site.ladder, viewer, name, wanted.variants, wanted.reason))


@owners_router.post("/bots/{name}/people", response_model=PeopleAllowed, dependencies=FOR_PEOPLE)
def people(request: Request, name: Annotated[str, Path(max_length=80)], wanted: PeoplePermission) -> Response:
    """Let people play with a bot at their tables, or no longer; it must be one's own, or one is an organiser."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.SUBMIT)
    return fresh(allow_people(site.ladder, viewer, name, wanted.allowed))
