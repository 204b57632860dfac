"""
The pages that show recorded deals card by card, and the worth of their decisions.

`deal_without_script` makes the contents of a deal's page that need no script. The worth of decisions is estimated on
request by the process that computes, and kept.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from starlette.responses import Response

from ladder.app import matches
from ladder.app.computing import why as estimates
from ladder.app.local.why import Where
from ladder.app.match_replay import deal_replayed, sees_more
from ladder.site.api.replays import BoardNumber, MatchNumber, RotationNumber
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.headers import json_of
from ladder.site.server.problems import DOCUMENTED_COMPUTING as DOCUMENTED
from ladder.site.server.problems import NOT_SERVED, again, asker_of
from ladder.site.server.routing import Router
from ladder.site.server.viewer import viewer_of
from ladder.values.why import Costliest, Inbox, Why
from referee.records.steps import BY_AWAY, BY_FORCED, BY_TAKEOVER
from referee.replay.table_view import card_names, exposed_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.site.server.context import Site
    from ladder.values.matches import DealReplayed, ReplayTrick
    from ladder.values.value import Value
    from referee.replay.table_view import TableStep

SUITS = "SHDC"
RANKS = "AKQJT98765432"
STAND_INS = (BY_TAKEOVER, BY_AWAY)


def deal_without_script(shown: DealReplayed) -> dict[str, object]:
    """Prepare a deal for its page."""
    place = shown.place
    return {
        "deal": shown,
        "heading": f"{shown.match} / {place.board} / {place.rotation}",
        "source": f"/api/v1/matches/{shown.match}/boards/{place.board}/rotations/{place.rotation}",
        "back": f"/m/{shown.match}",
        "analysis": f"/m/{shown.match}/boards/{place.board}/{place.rotation}/analysis",
        "seats": [_seat(shown, seat) for seat in range(shown.players)],
        "tricks": [_trick(shown, trick) for trick in shown.tricks],
        "notes": list(_notes(shown)),
    }


def _seat(shown: DealReplayed, seat: int) -> dict[str, object]:
    """Give the cards dealt to a seat suit by suit, spades and aces first, and what became of it."""
    last, ends = shown.moments[-1].seats[seat], shown.moments[-1].scores
    dealt = sorted(shown.hands[seat].split(), key=lambda card: RANKS.index(card[0]))
    return {
        "bot": shown.bots[seat],
        "suits": [[card for card in dealt if card[1] == suit] for suit in SUITS],
        "passed": card_names(last.passed),
        "pass_to": shown.bots[(seat + shown.pass_offset) % shown.players],
        "exposed": exposed_names(last.exposed),
        "score": last.points if ends is None else ends[seat],
        "total": shown.totals[seat],
    }


def _trick(shown: DealReplayed, trick: ReplayTrick) -> dict[str, object]:
    """Give the cards of a trick by seat, each with the step after which it lies on the table."""
    cards, end = card_names(trick.cards).split(), shown.moments[trick.ends].after or 0
    plays = []
    for seat in range(shown.players):
        place = (seat - trick.leader) % shown.players
        step = end - shown.players + 1 + place
        plays.append({"card": cards[place], "step": step, "led": not place, "wins": seat == trick.winner})
    return {"number": trick.number, "plays": plays, "winner": shown.bots[trick.winner], "points": trick.points}


def _notes(shown: DealReplayed) -> Iterator[dict[str, object]]:
    """Yield faults, moon choices, who was taken over, and each time that a person is away."""
    decided: dict[int, str] = {}
    for step in (step for moment in shown.moments for step in moment.steps):
        if step.why or step.kind == "moon" or (step.by in STAND_INS and step.by != decided.get(step.seat)):
            yield _note(shown, step)
        if step.by != BY_FORCED:
            decided[step.seat] = step.by


def _note(shown: DealReplayed, step: TableStep) -> dict[str, object]:
    return {
        "step": step.number,
        "bot": shown.bots[step.seat],
        **step.model_dump(include={"kind", "action", "by", "why"}),
    }


router = Router()


@router.get("/m/{match}/boards/{board}/{rotation}")
def deal(request: Request, match: MatchNumber, board: BoardNumber, rotation: RotationNumber) -> Response:
    """Show one deal of a match."""
    site: Site = request.app.state.site
    viewer = viewer_of(request)
    if sees_more(site.ladder, match, viewer):
        shown = deal_replayed(site.ladder, match, board, rotation, viewer=viewer)
        return site.pages.fresh_page(request, "replay.html", deal_without_script(shown))

    def make() -> dict[str, object]:
        return deal_without_script(deal_replayed(site.ladder, match, board, rotation))

    return site.pages.page(request, "replay.html", make)


@router.get("/replay")
def file(request: Request) -> Response:
    """Replay and verify a record that stays on the reader's computer."""
    site: Site = request.app.state.site
    return site.pages.page(request, "replay_file.html", dict)


api = Router()
pages = Router()
JSON = "application/json"
MAX_INBOX_MATCHES = 5
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
SeatNumber = Annotated[int, Path(ge=0, le=MAX_NUMBER)]


def estimated(request: Request, make: Callable[[], Value], worst: int = 0) -> Response:
    """Answer with an estimate, which stays as it is: it follows from the record, and from *worst*."""
    site: Site = request.app.state.site
    return site.fixed.respond(request, f"{request.url.path} {worst}", lambda: (json_of(make()), JSON))


@api.get(
    "/matches/{number}/boards/{board}/rotations/{rotation}/steps/{step}/why", response_model=Why, responses=DOCUMENTED
)
def why(request: Request, number: Number, board: BoardNumber, rotation: RotationNumber, step: Number) -> Response:
    """Estimate what each choice of a decision was worth, from what its seat knew; steps count from 1."""
    site: Site = request.app.state.site

    def make() -> Why:
        has_boards = matches.public_match(site.ladder, number).format.startswith("boards:")
        where = Where(board=board, rotation=rotation) if has_boards else Where(deal=board)
        return estimates.why(site.ladder, number, step, where, asker=asker_of(request))

    return estimated(request, make)


@api.get("/matches/{number}/seats/{seat}/costliest", response_model=Costliest, responses=DOCUMENTED)
def costliest(
    request: Request, number: Number, seat: SeatNumber, worst: Annotated[int, Query(ge=1, le=20)] = 5
) -> Response:
    """Find the decisions that cost a bot most in a match, by estimate."""
    site: Site = request.app.state.site
    asker = asker_of(request)
    return estimated(request, lambda: estimates.costliest(site.ladder, number, str(seat), worst, asker=asker), worst)


@api.get("/bots/{name}/inbox", response_model=Inbox, responses=DOCUMENTED)
def inbox(request: Request, name: str) -> Response:
    """Give the costliest decisions of a bot in its newest matches, as far as they are found, and its newest faults."""
    site: Site = request.app.state.site
    found = estimates.inbox(site.ladder, name, MAX_INBOX_MATCHES, asker=asker_of(request))
    body = json_of(found)
    if found.computing is not None:
        return Response(body, 200 if found.matches else 202, again(request), JSON)
    return site.fixed.respond(request, f"{request.url.path} {hashlib.sha256(body).hexdigest()}", lambda: (body, JSON))


@pages.get("/b/{name}/inbox")
def inbox_page(request: Request, name: str) -> Response:
    """Show what the owner of a bot should look at: its costliest decisions, as far as found, and its faults."""
    site: Site = request.app.state.site
    found = estimates.inbox(site.ladder, name, MAX_INBOX_MATCHES, asker=asker_of(request))
    return site.pages.fresh_page(request, "inbox.html", {"inbox": found, "name": name, "not_served": NOT_SERVED})
