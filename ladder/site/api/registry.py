"""The API of the ladder's registry: where one pushes images, and tokens for `docker push`."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.app.submit.ordering import registry_place, registry_token
from ladder.entry.policy import Act
from ladder.registry.tokens import MAX_SCOPES
from ladder.site.server.attempts import Attempt
from ladder.site.server.headers import fresh
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, address_of, demand
from ladder.values.submission import RegistryPlace, RegistryToken

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = Router()
WRONG = "Log in with the name of your account, and a token with the scope 'submit' as the password."
CHALLENGE = {"WWW-Authenticate": 'Basic realm="pigpen", charset="UTF-8"'}
MAX_HEADER = 500
"""Characters of a name and a token, encoded."""
Scope = Annotated[str, Query(max_length=1000)]


@router.get("/registry", response_model=RegistryPlace, dependencies=FOR_PEOPLE)
def place(request: Request) -> Response:
    """Say where one's images are pushed, and how their names begin."""
    viewer = demand(request, Act.SUBMIT)
    site: Site = request.app.state.site
    return fresh(registry_place(site.ladder, viewer))


@router.get("/registry/token", response_model=RegistryToken)
def token(
    request: Request,
    service: Annotated[str, Query(max_length=64)] = "",
    scope: Annotated[list[Scope] | None, Query(max_length=MAX_SCOPES)] = None,
) -> Response:
    """Give a token for the registry to an account that logs in by HTTP Basic with one of its tokens."""
    site: Site = request.app.state.site
    account, secret = _basic(request)
    site.attempts.count_claim(Attempt.REGISTRY, address_of(request), account)
    found = registry_token(site.ladder, account, secret, service, scope or (), address_of(request))
    if found is None:
        raise HTTPException(401, WRONG, CHALLENGE)
    return fresh(found)


def _basic(request: Request) -> tuple[str, str]:
    """Read the name and the secret of HTTP Basic; empty: none that could be."""
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic" or len(given) > MAX_HEADER:
        return "", ""
    try:
        account, _, secret = base64.b64decode(given.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return "", ""
    return account, secret
