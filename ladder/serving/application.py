"""The web application: all routes, and what is done around each request."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from ladder.app import overview
from ladder.app.accounts.device import ASK_SECONDS
from ladder.app.accounts.links import site_address
from ladder.app.accounts.passwords import Passwords
from ladder.app.accounts.provider_settings import check_provider
from ladder.app.computing.asking import BeingComputed
from ladder.app.live_hub import LiveHub
from ladder.errors import Busy
from ladder.people.pages import routers as people
from ladder.people.sessions.session_pool import OpenTabs, no_tabs
from ladder.site.accounts import login as login_routes
from ladder.site.accounts import mail as mail_routes
from ladder.site.accounts import own as my_routes
from ladder.site.accounts import provider as provider_routes
from ladder.site.accounts import teams as team_routes
from ladder.site.accounts.login import hashing_turns
from ladder.site.api import accounts as account_api
from ladder.site.api import events as event_api
from ladder.site.api import registry as registry_api
from ladder.site.api import replays as replay_api
from ladder.site.api import routes as api
from ladder.site.api import submissions as submission_api
from ladder.site.api.submissions import LOOK_SECONDS
from ladder.site.pages import admin as admin_routes
from ladder.site.pages import analysis as analysis_routes
from ladder.site.pages import announcements as announcement_routes
from ladder.site.pages import comparisons as comparison_routes
from ladder.site.pages import courses, icon_routes, learning, own_text_routes, presenter, routes
from ladder.site.pages import design as design_routes
from ladder.site.pages import downloads as download_routes
from ladder.site.pages import events as event_routes
from ladder.site.pages import feeds as feed_routes
from ladder.site.pages import live as live_routes
from ladder.site.pages import replays as replay_routes
from ladder.site.pages.downloads import serve_docs
from ladder.site.rendering.cache import MIN_TO_COMPRESS, AnswerCache, RecentValues
from ladder.site.rendering.own_texts import read_own_texts
from ladder.site.rendering.static_files import FOLDER, KeptFiles, digest
from ladder.site.rendering.templates import Pages
from ladder.site.server import problems
from ladder.site.server.attempts import Attempts
from ladder.site.server.body_limits import BodyLimits
from ladder.site.server.context import Site
from ladder.site.server.event_streams import MAX_STREAMS
from ladder.site.server.flows import ProviderState
from ladder.site.server.headers import EveryResponse
from ladder.site.server.metrics import Metrics
from ladder.site.server.places import SharedPlaces
from ladder.site.server.problems import on_being_computed
from ladder.site.server.routing import OTHER_THREADS, Router, in_turn, page_turns
from ladder.site.server.viewer import LogInFirst, account_shown, on_log_in_first
from pigpen.rules.errors import PigpenError
from pigpen.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp

    from ladder.app.ladder import Ladder
    from ladder.app.wheels import OfferedWheel

PAGES = (
    login_routes.router,
    provider_routes.router,
    mail_routes.account_router,
    mail_routes.router,
    my_routes.account_router,
    team_routes.router,
    my_routes.router,
    admin_routes.router,
    admin_routes.worker_router,
    announcement_routes.admin_router,
    courses.router,
    announcement_routes.router,
    routes.router,
    learning.router,
    replay_routes.router,
    event_routes.router,
    comparison_routes.matchups_router,
    routes.seasons_router,
    comparison_routes.pages,
    comparison_routes.style_pages,
    presenter.router,
    live_routes.pages,
    *people.PAGES,
    replay_routes.pages,
    analysis_routes.router,
    download_routes.wheels_router,
    download_routes.dataset_router,
    design_routes.router,
    own_text_routes.router,
    feed_routes.router,
    routes.whats_new_router,
    icon_routes.router,
    icon_routes.pictures_router,
    admin_routes.operations_router,
)
"""In this order they are asked whose an address is."""
PUBLIC_API = (
    api.router,
    replay_api.router,
    replay_api.mistakes_router,
    api.tv_router,
    event_api.router,
    replay_api.dataset_router,
    live_routes.api,
    replay_routes.api,
    comparison_routes.api,
    comparison_routes.style_api,
    api.whats_new_router,
    announcement_routes.api,
    *people.PUBLIC_API,
)
PERSONAL_API = (
    account_api.router,
    api.owners_router,
    submission_api.router,
    registry_api.router,
    event_api.personal,
    *people.API,
)
"""Routes for visitors who have logged in."""


def make_app(
    ladder: Ladder,
    hub: LiveHub | None = None,
    passwords: Passwords | None = None,
    open_tabs: OpenTabs | None = None,
    look_seconds: float = LOOK_SECONDS,
    ask_seconds: float = ASK_SECONDS,
    wheels: tuple[OfferedWheel, ...] = (),
    docs: ASGIApp | None = None,
    max_streams: int = MAX_STREAMS,
) -> EveryResponse:
    """
    Put the site of a ladder together.

    Args:
        ladder: Open for as long as the application serves.
        hub: What follows matches; closed in the end.
        passwords: What hashes them; None: with the usual parameters.
        open_tabs: Of tables with people; closed in the end.
        look_seconds: Seconds between two looks of a stream at its submission.
        ask_seconds: Seconds between two questions of a command that logs in.
        wheels: Of Pigpen, for visitors to install.
        docs: Gives the documentation; None: it is not built.
        max_streams: Number of streams of events that are open at the same time.
    """
    site = _site(
        ladder,
        hub or LiveHub(ladder),
        passwords or Passwords(),
        look_seconds,
        ask_seconds,
        wheels,
        docs,
        max_streams,
    )
    tabs = open_tabs or no_tabs(ladder)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = OTHER_THREADS
        yield
        await site.hub.close()
        await tabs.close()

    app = FastAPI(
        title="Pigpen",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        routes=_routes(),
    )
    app.state.site = site
    app.state.open_tabs = tabs
    app.openapi = _described  # type: ignore[method-assign]
    _handle_errors(app)
    return EveryResponse(BodyLimits(app, ladder.settings.upload_bytes), site.metrics)


def _site(
    ladder: Ladder,
    hub: LiveHub,
    passwords: Passwords,
    look_seconds: float,
    ask_seconds: float,
    wheels: tuple[OfferedWheel, ...],
    docs: ASGIApp | None,
    max_streams: int,
) -> Site:
    answers = AnswerCache(partial(overview.revision, ladder))
    own = read_own_texts(ladder.settings.data_dir)
    return Site(
        ladder,
        answers,
        AnswerCache(str),
        RecentValues(),
        Pages(answers, docs is not None, partial(site_address, ladder.settings), account_shown, own.shown),
        Metrics(),
        hub,
        passwords,
        Attempts(),
        hashing_turns(),
        page_turns(),
        SharedPlaces(max_streams),
        look_seconds,
        ask_seconds,
        wheels,
        docs,
        own,
        _provider(ladder),
    )  # fmt: skip


@cache
def _routes() -> list[BaseRoute]:
    """Make all routes; once for all sites of a process, as what they take and give is taken apart at the first use."""
    all_routes = Router()
    for router in PAGES:
        all_routes.include_router(router, include_in_schema=False)
    for router in PUBLIC_API:
        all_routes.include_router(router, prefix="/api/v1", responses=problems.DOCUMENTED)
    for router in PERSONAL_API:
        all_routes.include_router(router, prefix="/api/v1", responses=problems.DOCUMENTED | problems.FOR_PEOPLE)
    files = GZipMiddleware(KeptFiles(directory=FOLDER), minimum_size=MIN_TO_COMPRESS)
    all_routes.mount(f"/static/{digest()}", files)
    all_routes.mount("/docs", serve_docs)
    return all_routes.routes


@cache
def _described() -> dict[str, Any]:
    """Make what `/api/openapi.json` says; once, as the routes, because to write it takes half a second."""
    return get_openapi(title="Pigpen", version=__version__, routes=_routes())


def _handle_errors(app: FastAPI) -> None:
    app.add_exception_handler(LogInFirst, on_log_in_first)
    app.add_exception_handler(BeingComputed, _in_turn(on_being_computed))
    app.add_exception_handler(PigpenError, _in_turn(problems.on_our_error))
    app.add_exception_handler(HTTPException, _in_turn(problems.on_http_error))
    app.add_exception_handler(RequestValidationError, _in_turn(problems.on_bad_input))
    app.add_exception_handler(Exception, _in_turn(problems.on_failure))


def _in_turn(handler: Callable[[Request, Exception], Response]) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Let an error's answer be made when it is the visitor's turn, but for the answer that there is none."""

    async def answer(request: Request, error: Exception) -> Response:
        if not isinstance(error, Busy):
            try:
                return await in_turn(request, handler, request, error)
            except Busy as busy:
                error = busy
        return await run_in_threadpool(problems.on_our_error, request, error)

    return answer


def _provider(ladder: Ladder) -> ProviderState | None:
    if ladder.settings.registration != "oidc":
        return None
    from ladder.app.accounts.oidc import Provider  # takes long to load, and few ladders need it

    check_provider(ladder.settings)
    return ProviderState(Provider(ladder.settings, ladder.clock))
