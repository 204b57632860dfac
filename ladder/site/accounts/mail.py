"""
Pages about e-mail: the address of one's account, and what links in letters lead to.

Opening a link changes nothing, as mail servers open links to look at them: each page has a button. A mail program ends
letters of a kind by one POST without a page (RFC 8058), which the link alone permits.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ladder.app.accounts import mail
from ladder.entry.policy import Act
from ladder.errors import LadderError, UserError
from ladder.site.accounts.login import device_of
from ladder.site.accounts.own import PLACE, account_page, as_the_person
from ladder.site.rendering.translations import language_of, to_translate
from ladder.site.server.attempts import Attempt
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.routing import Router, in_turn
from ladder.site.server.viewer import FOR_PEOPLE, NO_PAGE, Form, address_of, demand, form_page
from ladder.values.mail import NOTICES, mailbox_of

if TYPE_CHECKING:
    from ladder.site.server.context import Site
    from ladder.values.accounts import Viewer

account_router = Router(prefix="/me/account/mail", dependencies=FOR_PEOPLE)
NO_NAME = to_translate("Write the name of the account, or its e-mail address.")


@account_router.post("")
async def ask_for(request: Request, form: Form) -> Response:
    """Send a link to an address that one's account is to have."""

    def work(site: Site, viewer: Viewer) -> Response:
        address, place = form.get("address", "").strip(), address_of(request)
        mail.check_address(address)
        site.attempts.count(Attempt.MAIL_ADDRESS, place, str(viewer.name))
        mailbox = mailbox_of(address)
        site.attempts.count(Attempt.MAIL_TO, place, f"{viewer.name} {mailbox}")
        site.attempts.count(Attempt.MAIL_FROM_ALL, place, mailbox)
        mail.ask_for(site.ladder, viewer, str(viewer.name), address, language_of(request))
        return RedirectResponse(f"{PLACE}#mail", 303)

    return await as_the_person(request, form, work)


@account_router.post("/removal")
async def remove(request: Request, form: Form) -> Response:
    """Remove the address of one's account."""

    def work(site: Site, viewer: Viewer) -> Response:
        mail.remove(site.ladder, viewer, str(viewer.name))
        return RedirectResponse(f"{PLACE}#mail", 303)

    return await as_the_person(request, form, work)


@account_router.post("/choices")
def choose(request: Request, form: Form) -> Response:
    """Say which letters one wants, and in which language."""
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    wanted = [kind for kind in NOTICES if f"letter_{kind}" in form]
    try:
        mail.choose(site.ladder, viewer, str(viewer.name), wanted, form.get("language", ""))
    except LadderError as error:
        return account_page(request, viewer, {"error": error}, 422)
    return RedirectResponse(f"{PLACE}#mail", 303)


router = Router()
Link = Annotated[str, Query(max_length=100)]
Who = Annotated[int, Query(ge=1, le=MAX_NUMBER)]
Word = Annotated[str, Query(max_length=100)]


@router.get("/login/forgotten")
def forgotten(request: Request) -> Response:
    """Show the page on which a visitor asks for a link to set a new password."""
    _check_on(request)
    return _forgotten_page(request)


@router.post("/login/forgotten")
def ask_for_password(request: Request, form: Form) -> Response:
    """Send a link to set a new password, if there is such an account; the answer is the same if there is none."""
    _check_on(request)
    site: Site = request.app.state.site
    asked = form.get("asked", "").strip()
    if not 1 <= len(asked) <= mail.MAX_ASKED:
        return _forgotten_page(request, NO_NAME, 422)
    claimed, device = (mailbox_of(asked), "") if "@" in asked else (asked, device_of(request, asked))
    site.attempts.count_claim(Attempt.FORGOTTEN, address_of(request), claimed, device)
    mail.ask_for_password(site.ladder, asked, language_of(request))
    return _forgotten_page(request, done=True)


@router.get("/mail/confirm")
def look_at_link(request: Request, link: Link = "") -> Response:
    """Show which account gets which address by a link, and a button."""
    return _confirm_page(request, link)


@router.post("/mail/confirm")
def confirm(request: Request, form: Form) -> Response:
    """Give an account the address that a link confirms."""
    site: Site = request.app.state.site
    link = form.get("link", "")[:100]
    try:
        name = mail.confirm(site.ladder, link, address_of(request))
    except LadderError:
        return _confirm_page(request, link)
    return form_page(request, "mail_confirm.html", {"error": "", "name": name, "address": "", "link": ""})


@router.get("/mail/unsubscribe")
def look_at_end(request: Request, who: Who, what: Word, proof: Word) -> Response:
    """Show which letters a link ends, and a button."""
    return _unsubscribe_page(request, who, what, proof)


@router.post("/mail/unsubscribe")
async def unsubscribe(request: Request, who: Who, what: Word, proof: Word) -> Response:
    """End letters of a kind, or all notices; from the page, or from a mail program without a page."""
    site: Site = request.app.state.site
    every = b"every=1" in (await request.body()).split(b"&")
    return await in_turn(request, partial(_end, request, site, who, what, proof, every=every))


def _end(request: Request, site: Site, who: int, what: str, proof: str, *, every: bool) -> Response:
    try:
        mail.unsubscribe(site.ladder, who, what, proof, every=every)
    except (LadderError, UserError):
        return _unsubscribe_page(request, who, what, proof)
    return _unsubscribe_page(request, who, what, proof, "every" if every else "one")


def _check_on(request: Request) -> None:
    if not request.app.state.site.ladder.settings.sends_mail:
        raise HTTPException(404, NO_PAGE)


def _forgotten_page(request: Request, error: str = "", status: int = 200, *, done: bool = False) -> Response:
    site: Site = request.app.state.site
    values = {"error": error, "done": done, "registration": site.ladder.settings.registration}
    return form_page(request, "forgotten.html", values, status)


def _confirm_page(request: Request, link: str) -> Response:
    site: Site = request.app.state.site
    try:
        name, address = mail.waiting_for(site.ladder, link)
    except LadderError as error:
        values = {"error": error, "name": "", "address": "", "link": ""}
        return form_page(request, "mail_confirm.html", values, 404)
    return form_page(request, "mail_confirm.html", {"error": "", "name": name, "address": address, "link": link})


def _unsubscribe_page(request: Request, who: int, what: str, proof: str, done: str = "") -> Response:
    site: Site = request.app.state.site
    values = {"error": "", "kind": what, "query": request.url.query, "done": done}
    try:
        mail.check_unsubscribing(site.ladder, who, what, proof)
    except (LadderError, UserError) as error:
        return form_page(request, "mail_unsubscribe.html", values | {"error": error}, 404)
    return form_page(request, "mail_unsubscribe.html", values)
