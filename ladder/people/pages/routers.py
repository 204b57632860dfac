"""All routes of tables for people, with the API's route that opens one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request
from starlette.responses import Response

from ladder.entry.policy import Act
from ladder.people.boards.table_orders import open_ordered
from ladder.people.pages import (
    board_pages,
    front_page,
    puzzle_pages,
    replay_pages,
    seat_requests,
    study_pages,
    table_pages,
)
from ladder.site.api.submissions import not_taken
from ladder.site.server.attempts import Attempt
from ladder.site.server.headers import fresh
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, address_of, demand
from ladder.values.people import OpenedTable, TableOrder, TableVisitor

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = Router(dependencies=FOR_PEOPLE)


@router.post("/tables", response_model=OpenedTable, status_code=201)
def new_table(request: Request, order: TableOrder) -> Response:
    """Open a table. The secret of a chair lets its holder sit there; the first chair is the opener's."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.READ_SUBMISSION)
    site.attempts.count(Attempt.OPEN_TABLE, address_of(request), viewer.name or "")
    with not_taken():
        return fresh(open_ordered(site.ladder, order, TableVisitor(account=viewer.name)), 201)


PAGES = (
    front_page.router,
    board_pages.router,
    replay_pages.own_router,
    puzzle_pages.router,
    study_pages.own_router,
    study_pages.router,
    replay_pages.practice_router,
    replay_pages.router,
    table_pages.router,
    seat_requests.router,
    seat_requests.spectator_router,
)
"""In this order they are asked whose an address is."""
API = (router, puzzle_pages.personal)
"""Routes for visitors who have logged in."""
PUBLIC_API = (puzzle_pages.api_router, study_pages.api_router)
