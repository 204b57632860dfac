"""
The analysis board: a deal with all hands open, played by hand, and the worth of each choice.

A position is named by its address alone (`referee.replay.position`), so an address is all that is needed to share one.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import Depends, Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ladder.app import matches, overview
from ladder.app.computing.analysis import analysed, position_in, worth
from ladder.site.api.replays import BoardNumber, MatchNumber, RotationNumber
from ladder.site.pages.replays import deal_without_script
from ladder.site.rendering.translations import language_of, to_translate, translations
from ladder.site.server.headers import fresh
from ladder.site.server.problems import asker_of
from ladder.site.server.routing import Router
from ladder.values.matches import DealPlace
from ladder.values.text import sanitize
from pigpen.rules import new_seed
from referee.replay.position import BETWEEN, BadPosition, Position, text_of_hand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.site.server.context import Site
    from pigpen.rules import Rules

router = Router()
MAX_TEXT = 1200
"""Letters of the hands, and of the moves, of a position."""
MAX_DEAL_NUMBER = 100_000
Variant = Annotated[str, Path(max_length=64)]
Hands = Annotated[str, Query(max_length=MAX_TEXT)]
Moves = Annotated[str, Query(max_length=MAX_TEXT)]
Words = Annotated[list[Annotated[str, Query(max_length=MAX_TEXT)]] | None, Query(max_length=8)]
DealNumber = Annotated[int, Query(ge=0, le=MAX_DEAL_NUMBER)]
SeatNumber = Annotated[int | None, Query(ge=0, le=7)]


class PositionText(NamedTuple):
    """A position as an address has it, behind the variant."""

    hands: str
    moves: str
    deal: int
    leader: int | None


async def _given(hands: Hands = "", moves: Moves = "", deal: DealNumber = 0, leader: SeatNumber = None) -> PositionText:
    return PositionText(hands, moves, deal, leader)


Given = Annotated[PositionText, Depends(_given)]
"""The part of an address that names a position."""

SENTENCES = {
    "hands": to_translate("This variant has {0} seats, and {1} hands are given."),
    "card": to_translate("{0!r} is no hand; the form says how one is written."),
    "deck": to_translate("The deck of this variant has no {0}."),
    "twice": to_translate("{0} is given twice."),
    "many": to_translate("Seat {0} has {1} cards; at most {2} are dealt to each."),
    "leader": to_translate("There is no seat {0} to lead; the seats are 0 to {1}."),
    "incomplete": to_translate("The hands do not hold all cards."),
    "unreadable": to_translate("Move {0}, {1!r}, cannot be read; the form says how one is written."),
    "not held": to_translate("Move {0}, {1!r}, cannot be made: seat {2} does not hold this card."),
    "not legal": to_translate("Move {0}, {1!r}, cannot be made: these cards may be played now: {2}."),
    "pass": to_translate("Move {0}, {1!r}, cannot be made: seat {3} passes {2} different cards of its hand."),
    "expose": to_translate("Move {0}, {1!r}, cannot be made: these cards may be exposed: {2}."),
    "after": to_translate("Move {0}, {1!r}, comes after the end of the deal."),
}
"""Sentences about a text that is no position, by `BadPosition.kind`."""
COMPASS = (to_translate("South"), to_translate("West"), to_translate("North"), to_translate("East"))


@router.get("/analysis")
def any_analysis(request: Request) -> Response:
    """Lead to a deal of the variant that the ladder plays first."""
    site: Site = request.app.state.site
    played = overview.names_of(site.ladder)
    return RedirectResponse(f"/analysis/{played[0] if played else 'gongzhu'}", 303)


@router.get("/analysis/{variant}")
def board(request: Request, variant: Variant, given: Given, hand: Words = None, move: Words = None) -> Response:
    """Show a position; one that is not whole is completed at random, and led to."""
    site: Site = request.app.state.site
    rules = overview.rules_of(site.ladder, variant)
    hands = hand or (given.hands.split(BETWEEN) if given.hands else [""] * rules.players)
    try:
        _check_leader(rules, given.leader)
        position = Position.parse(rules, hands, number=given.deal, leader=given.leader)
        is_whole = position.is_complete
        if not is_whole:
            position = position.completed(random.Random(int.from_bytes(new_seed())))
        elif given.moves:
            position = position.followed_by(given.moves.split(BETWEEN))
        if move:
            position = position.followed_by([each.strip() or "-" for each in move])
    except BadPosition as error:
        return _refused(request, rules, hands, given.deal, _sentence(request, error))
    if hand or move or not is_whole:
        return RedirectResponse(address_of_position(position), 303, {"Cache-Control": "no-store"})
    return _shown(request, position)


@router.get("/analysis/{variant}/deal")
def as_json(request: Request, variant: Variant, given: Given, seat: SeatNumber = None) -> Response:
    """Give the moments of the deal up to a position as JSON, for the page's script."""
    position = position_given(request, variant, given)
    if seat is not None and seat >= position.rules.players:
        raise HTTPException(404)
    return fresh(analysed(position, seat_names(request, position.rules), seat))


@router.get("/analysis/{variant}/worth")
def estimate(request: Request, variant: Variant, given: Given, seat: SeatNumber = 0) -> Response:
    """Estimate what each choice of a seat is worth, from what it knows."""
    site: Site = request.app.state.site
    position = position_given(request, variant, given)
    return fresh(worth(site.ladder, position, seat or 0, asker_of(request)))


@router.get("/m/{match}/boards/{board}/{rotation}/analysis")
def of_match(request: Request, match: MatchNumber, board: BoardNumber, rotation: RotationNumber) -> Response:
    """Lead to the analysis board with this deal."""
    site: Site = request.app.state.site
    recorded = matches.read_recorded(matches.record_of(site.ladder, match))
    position = position_in(site.ladder, recorded, DealPlace(board=board, rotation=rotation))
    return RedirectResponse(address_of_position(position), 303)


def address_of_position(position: Position) -> str:
    """Give the address of the page that shows a position."""
    return f"/analysis/{position.rules.name}?{_query(position)}"


def _fields(position: Position) -> dict[str, str]:
    """Give the parameters of the address of a position."""
    values = {"hands": position.text_of_hands}
    if position.number:
        values["deal"] = str(position.number)
    if position.leader is not None:
        values["leader"] = str(position.leader)
    if position.actions:
        values["moves"] = position.text_of_moves
    return values


def _query(position: Position) -> str:
    return urlencode(_fields(position), safe="*")


def position_given(request: Request, variant: str, given: PositionText) -> Position:
    """
    Read the position that an address names.

    Raises:
        HTTPException: 422 if it names none; it says why in the reader's language.
        LadderError: If there is no such variant.
    """
    site: Site = request.app.state.site
    rules = overview.rules_of(site.ladder, variant)
    try:
        _check_leader(rules, given.leader)
        position = Position.parse(rules, given.hands.split(BETWEEN), number=given.deal, leader=given.leader)
        if not position.is_complete:
            raise BadPosition("incomplete")
        return position.followed_by(given.moves.split(BETWEEN)) if given.moves else position
    except BadPosition as error:
        raise HTTPException(422, _sentence(request, error)) from None


def _check_leader(rules: Rules, leader: int | None) -> None:
    if leader is not None and leader >= rules.players:
        raise BadPosition("leader", str(leader), str(rules.players - 1))


def _sentence(request: Request, error: BadPosition) -> str:
    """Say what is wrong, in the reader's language."""
    template = translations(language_of(request)).gettext(SENTENCES[error.kind])
    return sanitize(template.format(*error.what))


def seat_names(request: Request, rules: Rules) -> Sequence[str]:
    """Name the seats in the reader's language: by points of the compass where there are four."""
    words = translations(language_of(request))
    if rules.players == len(COMPASS):
        return [words.gettext(name) for name in COMPASS]
    return [words.gettext("Player %(number)s") % {"number": seat + 1} for seat in range(rules.players)]


def _shown(request: Request, position: Position) -> Response:
    site: Site = request.app.state.site
    names = seat_names(request, position.rules)
    now = position.deal()
    values = deal_without_script(analysed(position, names)) | {
        "rules": position.rules,
        "query": _query(position),
        "names": names,
        "hands": [text_of_hand(hand) for hand in position.hands],
        "number": position.number,
        "asked": now.to_act,
        "phase": now.phase.name.lower(),
        "fields": _fields(position).items(),
        "error": "",
    }
    return site.pages.fresh_page(request, "analysis.html", values)


def _refused(request: Request, rules: Rules, hands: Sequence[str], number: int, error: str) -> Response:
    site: Site = request.app.state.site
    values = {
        "rules": rules,
        "deal": None,
        "names": seat_names(request, rules),
        "hands": [*hands, *[""] * rules.players][: rules.players],
        "number": number,
        "error": error,
    }
    return site.pages.fresh_page(request, "analysis.html", values, 422)
