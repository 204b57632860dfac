"""The API of accounts: the command logs in, says who it is, and keeps tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Request
from starlette.responses import Response

from ladder.app.accounts import device, sessions
from ladder.entry.policy import Act
from ladder.site.accounts.login import site_address
from ladder.site.server.attempts import Attempt
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.headers import FRESH_HEADERS as HEADERS
from ladder.site.server.headers import fresh
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, address_of, demand, logged_in
from ladder.values.accounts import (
    CredentialRow,
    DeviceCode,
    LoginAnswer,
    LoginClient,
    LoginStarted,
    Me,
    NewSecret,
    TokenOrder,
)

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = Router()
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]


@router.post("/login/codes", response_model=LoginStarted)
def start_login(request: Request, asked: LoginClient) -> Response:
    """Begin a log-in of `pigpen login`; the user confirms it at the address in the answer."""
    site: Site = request.app.state.site
    site.attempts.count(Attempt.START_CODE, address_of(request))
    client, address = asked.client, address_of(request)
    return fresh(device.start(site.ladder, client, address, site_address(request), site.ask_seconds))


@router.post("/login/tokens", response_model=LoginAnswer)
def collect_token(request: Request, asked: DeviceCode) -> Response:
    """Give the token of a log-in that was confirmed; none while it is not confirmed."""
    site: Site = request.app.state.site
    site.attempts.count(Attempt.ASK_CODE, address_of(request))
    return fresh(device.collect(site.ladder, asked.device_code, address_of(request)))


@router.get("/me", response_model=Me, dependencies=FOR_PEOPLE)
def me(request: Request) -> Response:
    """Say whose token, or session, it is."""
    site: Site = request.app.state.site
    return fresh(sessions.me(site.ladder, demand(request, Act.READ_ACCOUNT)))


@router.delete("/me/token", status_code=204, dependencies=FOR_PEOPLE)
def revoke_this(request: Request) -> Response:
    """Revoke the token that asks."""
    site: Site = request.app.state.site
    sessions.log_out(site.ladder, logged_in(request))
    return Response(status_code=204, headers=HEADERS)


@router.get("/me/tokens", response_model=list[CredentialRow], dependencies=FOR_PEOPLE)
def all_tokens(request: Request) -> Response:
    """Give one's tokens that are good, the newest first."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.READ_ACCOUNT)
    rows = [row for row in sessions.credentials(site.ladder, viewer, str(viewer.name)) if row.kind == "token"]
    return fresh(rows)


@router.post("/me/tokens", response_model=NewSecret, status_code=201, dependencies=FOR_PEOPLE)
def create_token(request: Request, asked: TokenOrder) -> Response:
    """Make a token, for a browser's session; it is shown this once."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site.attempts.count(Attempt.CREATE_TOKEN, address_of(request), str(viewer.name))
    return fresh(sessions.create_token(site.ladder, viewer, asked.name, set(asked.scopes), asked.days), 201)


@router.delete("/me/tokens/{number}", status_code=204, dependencies=FOR_PEOPLE)
def revoke_token(request: Request, number: Number) -> Response:
    """Revoke a token, for a browser's session."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    sessions.revoke_one(site.ladder, viewer, str(viewer.name), number, "token")
    return Response(status_code=204, headers=HEADERS)
