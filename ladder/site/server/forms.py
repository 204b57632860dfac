"""Forms of the site: read within limits, and taken only from a page of the site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from ladder.site.rendering.words import to_translate
from ladder.site.server.origin import csrf_of, has_csrf, is_same_origin

if TYPE_CHECKING:
    from starlette.responses import Response

    from ladder.site.server.context import Site

MEDIA_TYPE = "application/x-www-form-urlencoded"
MAX_BYTES, MAX_FIELDS = 64 * 1024, 50
FOREIGN_PAGE = to_translate("This form does not come from a page of this site. Load the page again, and try again.")
TOO_LARGE = to_translate("This form is too large.")


async def form_of(request: Request) -> Mapping[str, str]:
    """
    Read a form: for routes that change something, which get it as a parameter of the type `Form`.

    Raises:
        HTTPException: 403 if it does not come from a page of this site, or not from this session; 413, 415, 422 if it
            is no such form.
    """
    if not is_same_origin(request):
        raise HTTPException(403, FOREIGN_PAGE)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise HTTPException(415, f"A form is sent as {MEDIA_TYPE}.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise HTTPException(413, TOO_LARGE)
    try:
        form = dict(parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS))
    except ValueError:
        raise HTTPException(422, "This form cannot be read.") from None
    if not has_csrf(request, form.get("csrf", "")):
        raise HTTPException(403, FOREIGN_PAGE)
    return form


Form = Annotated[Mapping[str, str], Depends(form_of)]


def form_page(request: Request, template: str, values: Mapping[str, Any], status: int = 200) -> Response:
    """Answer with a page that has forms: templates put `csrf` into each of them."""
    site: Site = request.app.state.site
    return site.pages.fresh_page(request, template, {"csrf": csrf_of(request), **values}, status)
