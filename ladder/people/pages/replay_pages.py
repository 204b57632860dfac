"""Replay of a table, card by card: pages, and what their scripts ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import RedirectResponse, Response

from ladder.people.boards.played_boards import YOU
from ladder.people.pages.request_parts import NOT_KEPT, Name
from ladder.people.pages.seat_cookies import my_table, secret_of
from ladder.people.review.table_replays import file_name, first_place, table_replayed, table_why
from ladder.site.api.replays import BoardNumber, RotationNumber, Seat
from ladder.site.pages import recorded_deal as replay_pages
from ladder.site.server.computing import asker_of
from ladder.site.server.fresh import fresh
from ladder.values.replay import DealPlace

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter(prefix="/play")
Key = Annotated[str, Path(max_length=100)]
Step = Annotated[int, Path(ge=1, le=1000)]


@router.get("/{name}/replay")
def replay(request: Request, name: Name) -> Response:
    """Lead to the first deal of a table."""
    site: Site = request.app.state.site
    my_table(request, name)
    place = first_place(site.ladder, name, secret_of(request))
    return RedirectResponse(f"/play/{name}/replay/{YOU}/boards/{place.board}/{place.rotation}", 303, NOT_KEPT)


@router.get("/{name}/replay/{key}/boards/{board}/{rotation}")
def deal(request: Request, name: Name, key: Key, board: BoardNumber, rotation: RotationNumber) -> Response:
    """Show a deal that was played at a table, or by another person with the same cards."""
    site: Site = request.app.state.site
    my_table(request, name)
    place = DealPlace(board=board, rotation=rotation)
    shown = table_replayed(site.ladder, name, secret_of(request), key, place, asker=asker_of(request))
    base = f"/play/{name}"
    here = f"{base}/replay/{key}"
    values = replay_pages.deal(shown) | {
        "source": f"{here}/boards/{board}/{rotation}/deal",
        "back": here,
        "base": base,
        "is_mine": key == YOU,
        "record": f"{base}/record",
        "record_name": file_name(name),
        "variant": shown.variant,
    }
    return site.pages.fresh_page(request, "play_replay.html", values)


@router.get("/{name}/replay/{key}/boards/{board}/{rotation}/deal")
def deal_as_json(
    request: Request, name: Name, key: Key, board: BoardNumber, rotation: RotationNumber, seat: Seat = None
) -> Response:
    """Give the same as JSON, for the page's script."""
    site: Site = request.app.state.site
    my_table(request, name)
    place = DealPlace(board=board, rotation=rotation)
    return fresh(table_replayed(site.ladder, name, secret_of(request), key, place, seat, asker_of(request)))


@router.get("/{name}/replay/{key}/boards/{board}/{rotation}/deal/steps/{step}/why")
def why(request: Request, name: Name, key: Key, board: BoardNumber, rotation: RotationNumber, step: Step) -> Response:
    """Estimate what each choice of a decision was worth, from what its seat knew."""
    site: Site = request.app.state.site
    my_table(request, name)
    place = DealPlace(board=board, rotation=rotation)
    return fresh(table_why(site.ladder, name, secret_of(request), key, place, step, asker_of(request)))
