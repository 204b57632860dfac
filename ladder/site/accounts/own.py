"""
The account's own pages: bots, submissions, what bots printed; password, sessions, tokens.

A bot is submitted by a form of the site: the file goes where uploads of the command go.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ladder.app import bot_logs, bots, matches, personal_data, states, uploads
from ladder.app.accounts import mail, sessions
from ladder.app.deadlines import deadlines
from ladder.app.event import reading
from ladder.app.submit import ordering
from ladder.entry.policy import Act
from ladder.errors import BotRejected, Conflict, Forbidden, LadderError, TooOften, UserError
from ladder.site.accounts.login import end_in_browser, in_hashing_turn, site_address
from ladder.site.rendering.translations import LANGUAGES, to_translate
from ladder.site.server.attempts import Attempt
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.routing import Router, in_turn
from ladder.site.server.viewer import (
    FOR_PEOPLE,
    FOREIGN_PAGE,
    Form,
    address_of,
    demand,
    form_page,
    has_csrf,
    is_same_origin,
)
from ladder.values.accounts import NewSecret, Scope, Viewer
from ladder.values.held_events import EventState
from ladder.values.submission import SubmissionOrder
from pigpen.rules import PRESETS
from referee.records.rules_file import RulesFileError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from ladder.app.ladder import Ladder
    from ladder.site.server.context import Site
    from ladder.values.accounts import Kind
    from ladder.values.submission import SubmissionRow

VARIANTS = tuple(PRESETS)
MAX_FIELDS = len(VARIANTS) + 10
MAX_FIELD_BYTES = 1000
PIECE = 64 * 1024
ENDINGS = (".tar.gz", ".tgz")
NO_FILE = to_translate("Choose a file: the bot's folder, packed with tar and gzip.")
NO_NAME = to_translate("A bot has a name of 1 to 64 characters.")
NOT_TAKEN = (BotRejected, Conflict, LadderError, RulesFileError, TooOften, UserError)
"""Errors for which a bot is not taken; the form says it."""


@asynccontextmanager
async def form_of(request: Request) -> AsyncIterator[Mapping[str, UploadFile | str]]:
    """
    Read a form with a file. The caller has checked who sends it.

    Raises:
        HTTPException: 403 if it does not come from a page of this site, or not from this session; 400 if it is no form.
    """
    if not is_same_origin(request):
        raise HTTPException(403, FOREIGN_PAGE)
    async with request.form(max_files=1, max_fields=MAX_FIELDS, max_part_size=MAX_FIELD_BYTES) as form:
        if not has_csrf(request, str(form.get("csrf", ""))):
            raise HTTPException(403, FOREIGN_PAGE)
        yield form


async def submit_form(request: Request, viewer: Viewer, form: Mapping[str, UploadFile | str]) -> SubmissionRow:
    """
    Take a bot from a form, and put it into the queue.

    Raises:
        UserError: If something is missing; else whatever `ladder.app.submit` raises.
    """
    ladder: Ladder = request.app.state.site.ladder
    file, name = form.get("bot"), str(form.get("name", "")).strip()
    if not isinstance(file, UploadFile) or not file.size:
        raise UserError(NO_FILE)
    if not 1 <= len(name) <= 64:
        raise UserError(NO_NAME)
    variants = tuple(each for each in VARIANTS if f"variant_{each}" in form)
    upload = await in_turn(request, uploads.begin_upload, ladder, viewer, file.size)
    try:
        await uploads.go_on(ladder, viewer, upload.id, 0, _pieces(file))
        source = _folder(file.filename or name)
        wanted = SubmissionOrder(
            name=name,
            upload=upload.id,
            image=None,
            source=source,
            word=source,
            variants=variants,
            keep_old="keep_old" in form,
        )
        return await in_turn(request, ordering.order, ladder, viewer, wanted)
    except BaseException:
        with suppress(LadderError):  # it is gone already, if what was in it is not taken
            uploads.give_up(ladder, viewer, upload.id)
        raise


async def _pieces(file: UploadFile) -> AsyncIterator[bytes]:
    while piece := await file.read(PIECE):
        yield piece


def _folder(file: str) -> str:
    r"""
    Say what the folder in a packed file is called.

    >>> _folder("trotter.tar.gz"), _folder("C:\\bots\\mine.tgz"), _folder("x")
    ('trotter', 'mine', 'x')
    """
    name = file.replace("\\", "/").rpartition("/")[2]
    ending = next((each for each in ENDINGS if name.lower().endswith(each)), "")
    return name[: len(name) - len(ending)][:200] or name[:200]


router = Router(prefix="/me", dependencies=FOR_PEOPLE)
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
Before = Annotated[int | None, Query(ge=1, le=MAX_NUMBER)]
SHOWN = 20
"""Submissions, or matches, on a page."""


@router.get("")
def mine(request: Request, before: Before = None) -> Response:
    """Show one's bots and submissions, and where to submit."""
    return _page(request, demand(request, Act.READ_SUBMISSION), before=before)


@router.post("/submissions")
async def submit(request: Request) -> Response:
    """Submit a bot by a form: a folder packed with tar and gzip."""
    viewer = await in_turn(request, demand, request, Act.SUBMIT)
    async with form_of(request) as form:
        try:
            row = await submit_form(request, viewer, form)
        except NOT_TAKEN as error:
            more = {"error": error, "name": str(form.get("name", ""))[:64]}
            return await in_turn(request, _page, request, viewer, more, 422)
    return RedirectResponse(f"/me/submissions/{row.id}", 303)


@router.get("/submissions/{number}")
def submission(request: Request, number: Number) -> Response:
    """Show one submission, and how far it has come."""
    viewer = demand(request, Act.READ_SUBMISSION)
    site: Site = request.app.state.site
    row = ordering.submission(site.ladder, viewer, number)
    return form_page(request, "submission.html", {"row": row, "viewer": viewer})


@router.post("/submissions/{number}/withdrawal")
def withdraw(request: Request, number: Number, form: Form) -> Response:
    """Take a submission back that has not ended."""
    viewer = demand(request, Act.SUBMIT)
    site: Site = request.app.state.site
    ordering.withdraw(site.ladder, viewer, number)
    return RedirectResponse(f"/me/submissions/{number}", 303)


@router.post("/bots/{name}/people")
def people(request: Request, name: Annotated[str, Path(max_length=80)], form: Form) -> Response:
    """Let people play with one of one's bots, or no longer."""
    viewer = demand(request, Act.SUBMIT)
    site: Site = request.app.state.site
    states.allow_people(site.ladder, viewer, name, form.get("allowed") == "1")
    return RedirectResponse("/me", 303)


@router.get("/logs")
def matches_of(request: Request, bot: Annotated[str, Query(max_length=80)], before: Before = None) -> Response:
    """Show the matches of one of one's bots, to read what it printed."""
    viewer = demand(request, Act.READ_OUTPUT)
    site: Site = request.app.state.site
    found = bot_logs.matches_of(site.ladder, viewer, bot, before, SHOWN)
    return site.pages.fresh_page(request, "my_matches.html", {"list": found, "bot": bot, "before": before})


@router.get("/logs/{match}/{seat}")
def printed(request: Request, match: Number, seat: Annotated[str, Path(max_length=80)]) -> Response:
    """Show what a bot printed in a match."""
    viewer = demand(request, Act.READ_OUTPUT)
    site: Site = request.app.state.site
    found = bot_logs.logs(site.ladder, viewer, match, seat)
    row = matches.public_match(site.ladder, match)
    return site.pages.fresh_page(request, "my_logs.html", {"logs": found, "match": row})


def _page(
    request: Request,
    viewer: Viewer,
    more: Mapping[str, object] | None = None,
    status: int = 200,
    before: int | None = None,
) -> Response:
    site: Site = request.app.state.site
    values = {
        "viewer": viewer,
        "bots": [row for owner in sorted(viewer.owners) for row in bots.bots(site.ladder, owner=owner)],
        "events": [each for each in reading.events(site.ladder) if each.state is not EventState.OVER],
        "list": ordering.own_submissions(site.ladder, viewer, before, SHOWN),
        "before": before,
        "most": site.ladder.settings.upload_bytes,
        "variants": VARIANTS,
        "deadlines": deadlines(site.ladder),
        "error": "",
        "name": "",
    }
    return form_page(request, "my.html", values | dict(more or {}), status)


account_router = Router(prefix="/me/account", dependencies=FOR_PEOPLE)
PLACE = "/me/account"


@account_router.get("")
def account(request: Request) -> Response:
    """Show what opens the visitor's account: sessions, tokens, the password."""
    return account_page(request, demand(request, Act.CHANGE_ACCOUNT))


@account_router.post("/password")
async def change_password(request: Request, form: Form) -> Response:
    """Change one's password."""
    site: Site = request.app.state.site

    def work() -> Response:
        viewer = demand(request, Act.CHANGE_ACCOUNT)
        site.attempts.count(Attempt.CHANGE_PASSWORD, address_of(request), str(viewer.name))
        try:
            sessions.change_password(site.ladder, site.passwords, viewer, form.get("old", ""), form.get("new", ""))
        except (Forbidden, UserError) as error:
            return account_page(request, viewer, {"error": error}, 403 if isinstance(error, Forbidden) else 422)
        return account_page(request, viewer, {"done": "password"})

    return await in_hashing_turn(request, work)


@account_router.post("/data")
async def own_data(request: Request, form: Form) -> Response:
    """Give all that the ladder knows about one's account, as a file."""

    def work(site: Site, viewer: Viewer) -> Response:
        found = personal_data.as_json(personal_data.export(site.ladder, viewer, str(viewer.name)))
        headers = {"Content-Disposition": 'attachment; filename="account.json"', "Cache-Control": "no-store"}
        return Response(found, media_type="application/json", headers=headers)

    return await as_the_person(request, form, work)


@account_router.post("/name")
async def rename(request: Request, form: Form) -> Response:
    """Give one's account another name."""

    def work(site: Site, viewer: Viewer) -> Response:
        personal_data.rename(site.ladder, viewer, str(viewer.name), form.get("name", "").strip())
        return RedirectResponse(f"{PLACE}#own-data", 303)

    return await as_the_person(request, form, work)


@account_router.post("/deletion")
async def delete(request: Request, form: Form) -> Response:
    """Delete one's account."""

    def work(site: Site, viewer: Viewer) -> Response:
        personal_data.check_confirmed(str(viewer.name), form.get("name", ""))
        personal_data.delete(site.ladder, viewer, str(viewer.name))
        return end_in_browser(request, "/")

    return await as_the_person(request, form, work)


async def as_the_person(request: Request, form: Form, work: Callable[[Site, Viewer], Response]) -> Response:
    """Do what only the account's owner may do, and no other person at the owner's browser."""
    site: Site = request.app.state.site

    def checked() -> Response:
        viewer = demand(request, Act.CHANGE_ACCOUNT)
        site.attempts.count(Attempt.OWN_DATA, address_of(request), str(viewer.name))
        try:
            sessions.check_person(site.ladder, site.passwords, viewer, form.get("password", ""))
            return work(site, viewer)
        except TooOften:
            raise
        except (LadderError, UserError) as error:
            return account_page(request, viewer, {"error": error}, 403 if isinstance(error, Forbidden) else 422)

    return await in_hashing_turn(request, checked)


@account_router.post("/sessions/{number}")
def end_session(request: Request, number: Number, form: Form) -> Response:
    """End one of one's sessions."""
    return _revoke(request, number, "session")


@account_router.post("/tokens")
def create_token(request: Request, form: Form) -> Response:
    """Make a token; it is shown once."""
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    site.attempts.count(Attempt.CREATE_TOKEN, address_of(request), str(viewer.name))
    try:
        made = sessions.create_token(site.ladder, viewer, form.get("name", ""), _scopes(form), _days(form))
    except UserError as error:
        return account_page(request, viewer, {"error": error}, 422)
    return account_page(request, viewer, {"made": made})


@account_router.post("/tokens/{number}")
def revoke_token(request: Request, number: Number, form: Form) -> Response:
    """Revoke one of one's tokens."""
    return _revoke(request, number, "token")


@account_router.post("/revoke")
def revoke_every(request: Request, form: Form) -> Response:
    """Revoke all tokens, and end all sessions but this one."""
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    sessions.revoke_every(site.ladder, viewer, str(viewer.name))
    return RedirectResponse(PLACE, 303)


def _revoke(request: Request, number: int, kind: Kind) -> Response:
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    sessions.revoke_one(site.ladder, viewer, str(viewer.name), number, kind)
    return RedirectResponse(PLACE if number != viewer.credential else "/login", 303)


def _scopes(form: Mapping[str, str]) -> set[Scope]:
    return {scope for scope in Scope if f"scope_{scope}" in form}


def _days(form: Mapping[str, str]) -> int:
    given = form.get("days", "").strip()
    if not (given.isascii() and given.isdigit() and len(given) < 6):
        raise UserError("Write the days as a number, such as 90.")
    return int(given)


def account_page(
    request: Request, viewer: Viewer, more: Mapping[str, object] | None = None, status: int = 200
) -> Response:
    """Answer with the page of an account."""
    site: Site = request.app.state.site
    made: NewSecret | None = None
    values = {
        "viewer": viewer,
        "rows": sessions.credentials(site.ladder, viewer, str(viewer.name)),
        "days": site.ladder.settings.token_days,
        "named_bots": personal_data.bots_that_keep_the_name(site.ladder, viewer, str(viewer.name)),
        "has_password": sessions.has_password(site.ladder, viewer),
        "address": site_address(request),
        "mail": mail.mail_of(site.ladder, viewer, str(viewer.name)),
        "letter_languages": LANGUAGES,
        "mail_is_on": site.ladder.settings.sends_mail,
        "error": "",
        "done": "",
        "made": made,
    }
    return form_page(request, "account.html", values | dict(more or {}), status)
