"""The API: the values that `--json` prints and pages show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from ladder.app import bots, overview
from ladder.values.bots import BotRow
from ladder.values.site import VariantSummary
from ladder.values.standings import Standings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.site.context import Site
    from ladder.values.value import Value

router = APIRouter()
JSON = "application/json"


def answer(request: Request, make: Callable[[], Value | Sequence[Value]]) -> Response:
    """Answer with a value as JSON, kept until the ladder changes."""
    site: Site = request.app.state.site
    return site.answers.respond(request, f"{request.url.path}?{request.url.query}", lambda: (_json(make()), JSON))


@router.get("/variants", response_model=list[VariantSummary])
def variants(request: Request, first: Annotated[int, Query(ge=0, le=100)] = 5) -> Response:
    """Give each variant in a few lines, with the first of its standings."""
    site: Site = request.app.state.site
    return answer(request, lambda: overview.variants(site.ladder, first))


@router.get("/standings/{variant}", response_model=Standings)
def standings(request: Request, variant: str, everyone: Annotated[bool, Query(alias="all")] = False) -> Response:
    """Give the standings of a variant; with `all`, those that are suspended or retired, too."""
    site: Site = request.app.state.site
    return answer(request, lambda: bots.standings(site.ladder, variant, everyone)[0])


@router.get("/bots", response_model=list[BotRow])
def all_bots(request: Request) -> Response:
    """Give every bot, by name."""
    site: Site = request.app.state.site
    return answer(request, lambda: bots.bots(site.ladder))


def _json(value: Value | Sequence[Value]) -> bytes:
    if isinstance(value, (list, tuple)):
        return b"[" + b",".join(each.model_dump_json().encode() for each in value) + b"]"
    return value.model_dump_json().encode()  # type: ignore[union-attr]
