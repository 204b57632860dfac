"""The API's route to open tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.app.tables.ordered import open_ordered
from ladder.entry.policy import Act
from ladder.errors import LadderError, TooOften
from ladder.site.fresh import fresh
from ladder.site.viewer import demand
from ladder.values.people import OpenedTable, TableOrder, TableVisitor
from referee.records.rules_file import RulesFileError

if TYPE_CHECKING:
    from ladder.site.context import Site

router = APIRouter()


@router.post("/tables", response_model=OpenedTable, status_code=201)
def new_table(request: Request, order: TableOrder) -> Response:
    """Open a table; whoever has the secret of a chair may sit there. The first one is the opener's."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.READ_SUBMISSION)
    try:
        return fresh(open_ordered(site.ladder, order, TableVisitor(account=viewer.name)), 201)
    except (LadderError, RulesFileError) as error:
        if isinstance(error, TooOften):
            raise
        raise HTTPException(422, str(error)) from None
