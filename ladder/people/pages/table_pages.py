"""
Tables for people: the form that opens one, its page, and what its people do besides playing.

`form_values` gives the fields of the form, and `order_of` reads the choices made there.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

from fastapi import Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, RedirectResponse, Response

from ladder.app import overview
from ladder.errors import LadderError, TooOften, UserError
from ladder.matches.house import HOUSE_BOTS
from ladder.people.pages.request_parts import (
    LONGEST_SECRET,
    NOT_KEPT,
    NOT_YOURS,
    EmptyMessage,
    Name,
    invitations,
    is_json,
    keep_opened,
    keep_seat,
    message_of,
    my_table,
    secret_of,
    visitor_of,
)
from ladder.people.review.table_replays import file_name, record_of, sheet_of
from ladder.people.sessions.spectators import watch_key, watched
from ladder.people.tables import chairs, table_opening
from ladder.people.tables.chairs import bots_to_play_with, open_tables_of, players_of, table_page
from ladder.site.accounts.login import site_address
from ladder.site.pages.lesson import explained, exposable, nicknames
from ladder.site.rendering.translations import to_translate
from ladder.site.server.attempts import Attempt
from ladder.site.server.routing import Router, in_turn
from ladder.site.server.viewer import Form, address_of, form_of, form_page, viewer_of
from ladder.values.clocks import MAX_PERSON_SECONDS as MAX_SECONDS
from ladder.values.clocks import MIN_SECONDS
from ladder.values.opponents import opponent
from ladder.values.people import PERSON_NAME_LENGTH, ChairKind, ChairOrder, TableOrder, TablePurpose, TableStatus
from pigpen.rules import PRESETS
from referee.records.rules_file import RulesFileError, rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.app.ladder import Ladder
    from ladder.site.server.context import Site
    from ladder.values.people import TableState
    from pigpen.rules import Rules

USUAL_VARIANT = "gongzhu"
OWN = "own"
"""In the place of a variant: rules that come with the form."""
FRIEND = "friend"
USUAL_BOTS = ("counting", "cautious", "counting", "cautious", "random", "counting", "cautious")
LEVELS = {"easy": "cautious", "steady": "counting", "strong": "tree"}
"""Strengths of all opponents: the house bot that plays so."""
CHOSEN = "chosen"
"""In the place of a level: each chair as it was chosen."""
LENGTHS = {
    "game": to_translate("a whole game"),
    "deals:1": to_translate("one deal"),
    "deals:4": to_translate("4 deals"),
}
SECONDS = (10, 20, 30, 60, 120, 600)
PACES = {"1": to_translate("slow"), "0.5": to_translate("normal"), "0.2": to_translate("fast")}
MAX_OPPONENTS = 7
_AT_FIRST = {
    "level": "steady", "length": "game", "seconds": "", "pace": "0.5", "practice": "", "toml": "", "friends": "0",
    "chair1": USUAL_BOTS[0],
}  # fmt: skip
POLICY_PLAYED = to_translate(
    "The policy has played most of this game for you: it counts nowhere, and is not among your games."
)
BAD_RULES = to_translate("These rules cannot be read as TOML: look at the page of a variant for an example.")
BAD_CHOICE = to_translate("Something in this form cannot be chosen; load the page again.")


def form_values(ladder: Ladder, variant: str, form: Mapping[str, str]) -> dict[str, object]:
    """
    Give what the form shows.

    Args:
        ladder: The ladder.
        variant: A variant of the ladder's, a preset, or `OWN`.
        form: What was chosen before.

    Raises:
        LadderError: If there is no such variant.
    """
    rules = None if variant == OWN else overview.rules_of(ladder, variant)
    opponents = rules.players - 1 if rules else 0
    return {
        "variant": variant,
        "rules": rules,
        "own": OWN,
        "friend": FRIEND,
        "variants": names_of_variants(ladder),
        "house": HOUSE_BOTS,
        "opponent": opponent,
        "players_of": players_of,
        "bots": bots_to_play_with(ladder, variant) if rules else [],
        "opponents": [form.get(f"chair{number}", USUAL_BOTS[number - 1]) for number in range(1, opponents + 1)],
        "levels": LEVELS,
        "lengths": LENGTHS,
        "seconds": SECONDS,
        "paces": PACES,
        "most": MAX_OPPONENTS,
        "form": _AT_FIRST | dict(form),
    }


def are_own(ladder: Ladder, rules: Rules) -> bool:
    """Tell whether rules are a person's own: neither those of the ladder's variant of that name, nor the preset's."""
    try:
        return rules != overview.rules_of(ladder, rules.name)
    except LadderError:
        return True


def rules_path(ladder: Ladder, state: TableState, key: str = "") -> str:
    """Give the address of the page that explains the rules of a table; *key* is a spectator's."""
    rules = rules_from(state.rules)
    if not are_own(ladder, rules):
        return f"/rules/{quote(rules.name)}"
    return f"/play/{state.name}/rules" + (f"?key={quote(key)}" if key else "")


def names_of_variants(ladder: Ladder) -> dict[str, str]:
    """Give the titles of all variants that can be played, by their names."""
    found = {name: rules.title for name, rules in PRESETS.items()}
    return found | {each.variant: each.title for each in overview.variants(ladder, first=0)}


def order_of(ladder: Ladder, form: Mapping[str, str]) -> TableOrder:
    """
    Read what was chosen.

    Raises:
        LadderError: If there is no such variant.
        RulesFileError: If rules of one's own are not good.
        UserError: If something was chosen that cannot be.
    """
    own = _own_rules(form.get("toml", "")) if form.get("variant") == OWN else None
    rules = overview.rules_of(ladder, form.get("variant", "")) if own is None else rules_from(own)
    chairs = _beside_friends(form, rules) if own is not None else _chosen(form, rules)
    length = form.get("length", "game")
    if length not in LENGTHS:
        raise UserError(BAD_CHOICE)
    return TableOrder(
        variant=rules.name,
        rules=own,
        chairs=(ChairOrder(), *chairs),
        format=length,
        seconds=_number(form, "seconds", "", MIN_SECONDS, MAX_SECONDS) if form.get("seconds") else None,
        pace=_number(form, "pace", "0.5", 0.0, 10.0),
        practice="practice" in form,
    )


def _chosen(form: Mapping[str, str], rules: Rules) -> list[ChairOrder]:
    """Read what was chosen for the other chairs: a level for all of them, or each."""
    level = form.get("level", CHOSEN)
    if level in LEVELS:
        return [ChairOrder(kind=ChairKind.HOUSE, name=LEVELS[level])] * (rules.players - 1)
    if level != CHOSEN:
        raise UserError(BAD_CHOICE)
    return [_chair(form.get(f"chair{number}", USUAL_BOTS[number - 1])) for number in range(1, rules.players)]


def _beside_friends(form: Mapping[str, str], rules: Rules) -> list[ChairOrder]:
    """Put friends beside the opener, and one bot in all other chairs; the form cannot know how many chairs are left."""
    friends = round(_number(form, "friends", "0", 0, rules.players - 1))
    bot = _chair(form.get("chair1", USUAL_BOTS[0]))
    return [_chair(FRIEND)] * friends + [bot] * (rules.players - 1 - friends)


def _chair(words: str) -> ChairOrder:
    if words == FRIEND:
        return ChairOrder()
    if words in HOUSE_BOTS:
        return ChairOrder(kind=ChairKind.HOUSE, name=words)
    kind, _, name = words.partition(":")
    if kind != "bot" or not 0 < len(name) <= 64:
        raise UserError(BAD_CHOICE)
    return ChairOrder(kind=ChairKind.BOT, name=name)


def _own_rules(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):  # a plain ValueError: a number of more than 4,300 digits
        raise UserError(BAD_RULES) from None


def _number(form: Mapping[str, str], name: str, usual: str, least: float, maximum: float) -> float:
    try:
        number = float(form.get(name, usual))
    except ValueError:
        raise UserError(BAD_CHOICE) from None
    if not least <= number <= maximum:
        raise UserError(BAD_CHOICE)
    return number


router = Router(prefix="/play")


@router.get("")
def choose(request: Request, variant: Annotated[str, Query(max_length=64)] = USUAL_VARIANT) -> Response:
    """Choose what to play, and with whom."""
    return _form(request, variant, {}, "", 200)


@router.post("")
def open_one(request: Request, form: Form) -> Response:
    """Open a table."""
    site: Site = request.app.state.site
    try:
        site.attempts.count(Attempt.OPEN_TABLE, address_of(request), viewer_of(request).name or "")
        order = order_of(site.ladder, form)
        opened = table_opening.open_table(site.ladder, order, visitor_of(request, form.get("shown", "")))
    except TooOften as error:
        return _form(request, form.get("variant", ""), form, error, 429)
    except (LadderError, RulesFileError, UserError) as error:
        return _form(request, form.get("variant", ""), form, error, 422)
    response = RedirectResponse(f"/play/{opened.name}", 303, NOT_KEPT)
    keep_opened(request, response, opened)
    return response


@router.get("/{name}")
def one_table(request: Request, name: Name, seat: Annotated[str, Query(max_length=LONGEST_SECRET)] = "") -> Response:
    """Show the table to a person who has a chair there: before, during and after the match."""
    if seat:
        return _take_seat(request, name, seat)
    return _page(request, my_table(request, name))


@router.get("/{name}/rules")
def rules(request: Request, name: Name, key: Annotated[str, Query(max_length=64)] = "") -> Response:
    """Explain the rules of a table to its people, and to spectators with their key."""
    site: Site = request.app.state.site
    try:
        state = watched(site.ladder, name, key) if key else my_table(request, name)
    except LadderError:
        raise HTTPException(404, NOT_YOURS) from None
    return site.pages.fresh_page(request, "rules.html", explained(rules_from(state.rules)))


@router.post("/{name}/join")
def join(request: Request, name: Name, form: Form) -> Response:
    """Sit down."""
    site: Site = request.app.state.site
    my_table(request, name)
    try:
        chairs.join(site.ladder, name, secret_of(request), visitor_of(request, form.get("shown", "")))
    except UserError as error:
        return _page(request, my_table(request, name), error, form.get("shown", ""), 422)
    return _back(name)


@router.post("/{name}/start")
def start(request: Request, name: Name, form: Form) -> Response:
    """Let bots play in the chairs of people who have not come."""
    site: Site = request.app.state.site
    my_table(request, name)
    chairs.start_now(site.ladder, name, secret_of(request))
    return _back(name)


@router.post("/{name}/leave")
def leave(request: Request, name: Name, form: Form) -> Response:
    """Get up before the table has begun."""
    site: Site = request.app.state.site
    my_table(request, name)
    chairs.leave(site.ladder, name, secret_of(request))
    return RedirectResponse("/play", 303, NOT_KEPT)


@router.post("/{name}/end")
async def end(request: Request, name: Name) -> Response:
    """End the table for all: with a form of a page, or by its script, which sends JSON."""
    by_script = is_json(request)
    await (message_of(request, EmptyMessage) if by_script else form_of(request))
    await in_turn(request, _end, request, name)
    return Response(status_code=204) if by_script else _back(name)


@router.get("/{name}/record")
def record(request: Request, name: Name) -> Response:
    """Give the record of a table that is over."""
    site: Site = request.app.state.site
    path = record_of(site.ladder, my_table(request, name))
    return FileResponse(path, media_type="application/jsonl", filename=file_name(name), headers=NOT_KEPT)


def _end(request: Request, name: str) -> None:
    site: Site = request.app.state.site
    my_table(request, name)
    chairs.end(site.ladder, name, secret_of(request))


def _take_seat(request: Request, name: str, secret: str) -> Response:
    """Let a browser have the chair of a link, if it has none at this table yet."""
    site: Site = request.app.state.site
    try:
        found, kept = (table_page(site.ladder, name, each) for each in (secret, secret_of(request)))
    except LadderError:
        raise HTTPException(404, NOT_YOURS) from None
    if found.mine is None:
        raise HTTPException(404, NOT_YOURS)
    response = _back(name)
    if kept.mine is None or not kept.chairs[kept.mine].joined:
        keep_seat(request, response, name, secret)
    return response


def _page(
    request: Request, state: TableState, error: str | Exception = "", shown: str = "", status: int = 200
) -> Response:
    base, ladder = f"/play/{state.name}", request.app.state.site.ladder
    rules = rules_from(state.rules)
    values = {
        "table": state,
        "players": players_of(state.chairs),
        "base": base,
        "variant": state.variant,
        "title": rules.title,
        "rules_at": rules_path(ladder, state),
        "is_served": overview.tables_are_played(ladder),
        "nicknames": nicknames(rules),
        "low_is_better": rules.low_is_better,
    }
    if state.status is TableStatus.WAITING:
        chairs.stay(ladder, state.name)
        links = {
            chair: f"{site_address(request)[:-1]}{base}?seat={secret}" for chair, secret in invitations(request).items()
        }
        more = {
            "links": links,
            "error": error,
            "shown": shown or viewer_of(request).name or "",
            "longest": PERSON_NAME_LENGTH,
        }
        return form_page(request, "play_wait.html", values | more, status)
    if state.status in (TableStatus.OVER, TableStatus.ENDED):
        variant = OWN if are_own(ladder, rules) else state.variant
        absent = POLICY_PLAYED if state.mine is not None and state.chairs[state.mine].absent else ""
        return form_page(
            request, "play_end.html", values | {"sheet": sheet_of(ladder, state), "form": variant, "absent": absent}
        )
    return form_page(
        request,
        "play_table.html",
        values
        | {
            "watch": _watch_link(request, state.name),
            "exposable": exposable(rules),
            "game_days": ladder.settings.game_days,
            "again": state.purpose is TablePurpose.FREE,
        },
    )


def _watch_link(request: Request, name: str) -> str:
    """Give the link for spectators; empty if there are to be none."""
    key = watch_key(request.app.state.site.ladder, name)
    return f"{site_address(request)[:-1]}/play/{name}/watch?key={key}" if key else ""


def _form(request: Request, variant: str, form: Form, error: str | Exception, status: int) -> Response:
    site: Site = request.app.state.site
    try:
        values = form_values(site.ladder, variant, form)
    except LadderError:
        if request.method == "GET":
            raise
        values = form_values(site.ladder, USUAL_VARIANT, {})
    shown = form.get("shown") or viewer_of(request).name or ""
    more = {
        "error": error,
        "shown": shown,
        "longest": PERSON_NAME_LENGTH,
        "account": viewer_of(request).name,
        "is_served": overview.tables_are_played(site.ladder),
        "mine": open_tables_of(site.ladder, visitor_of(request)),
    }
    return form_page(request, "play.html", values | more, status)


def _back(name: str) -> Response:
    return RedirectResponse(f"/play/{name}", 303, NOT_KEPT)
