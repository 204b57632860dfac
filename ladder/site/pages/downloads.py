"""
Files that the site offers: the wheels of Pigpen, the data set, the documentation.

Of the wheels there are lists that pip installs: `pip install -r SITE/wheels/requirements.txt`, and
`SITE/wheels/ladder.txt`, for example, with what an extra needs. The data set has a page. The documentation at /docs is
the pages that `make docs` has built.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

from ladder.app.accounts.links import site_address
from ladder.app.dataset.offered import offered_dataset
from ladder.app.wheels import CHECKOUT, EXTRAS, requirements
from ladder.errors import LadderError
from ladder.site.rendering.cache import MIN_TO_COMPRESS
from ladder.site.rendering.translations import to_translate
from ladder.site.server.headers import POLICY
from ladder.site.server.routing import Router

if TYPE_CHECKING:
    from os import PathLike, stat_result

    from starlette.types import ASGIApp, Receive, Scope, Send

    from ladder.site.server.context import Site

wheels_router = Router()
dataset_router = Router()
PLAIN = "requirements"
"""The list without an extra."""
CHECKED = {"Cache-Control": "no-cache"}
"""Kept, but looked after each time: wheels of one version may be made anew."""


@wheels_router.get("/wheels/{listed}.txt")
def wheels(request: Request, listed: str) -> Response:
    """Name each wheel by its address and hash. The address is the site's own, whatever a request says of its host."""
    site: Site = request.app.state.site
    if not site.wheels:
        raise LadderError("This site has no wheels of Pigpen.")
    if listed not in (PLAIN, *EXTRAS):
        raise LadderError(f"This site has no list of wheels {listed!r}. Choose one of {', '.join((PLAIN, *EXTRAS))}.")
    extra = "" if listed == PLAIN else listed
    return PlainTextResponse(requirements(site.wheels, site_address(site.ladder.settings), extra), headers=CHECKED)


@wheels_router.get("/wheels/{name}")
def wheel(request: Request, name: str) -> Response:
    """Give a wheel."""
    site: Site = request.app.state.site
    found = next((each for each in site.wheels if each.name == name), None)
    if found is None or not found.path.is_file():
        raise LadderError(f"This site has no wheel {name!r}.")
    return FileResponse(found.path, media_type="application/zip", headers=CHECKED)


SHOWN = 60
"""Files listed on the page; the manifest has all."""


@dataset_router.get("/data")
def dataset(request: Request) -> Response:
    """Give what the data set holds, under which licence, and its files."""
    site: Site = request.app.state.site
    found = offered_dataset(site.ladder.settings.data_dir)
    sizes: Counter[str] = Counter()
    for each in found.files:
        sizes[each.name.partition("/")[0]] += each.bytes
    newest = sorted(found.files, key=lambda each: each.name.partition("/")[2], reverse=True)[:SHOWN]
    values = {"found": found, "sizes": sizes, "newest": newest, "address": site_address(site.ladder.settings)}
    return site.pages.fresh_page(request, "dataset.html", values)


FOLDER = "docs"
"""In the ladder's folder."""
NOT_BUILT = to_translate(
    "The documentation has not been built here. The organiser can build it with make docs, and then restart the site."
)
SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", flags=re.DOTALL)
NOT_RUN = re.compile(r"\bsrc=|\btype=\"?application/json")
"""In the tag of a script that is a file of its own, or data."""


def find_docs(data_dir: Path, checkout: Path = CHECKOUT) -> ASGIApp | None:
    """
    Find the built documentation; None if there is none.

    Args:
        data_dir: The ladder's folder; its folder `docs` comes first.
        checkout: Where Pigpen's sources are, if this is a checkout: `make docs` writes to its folder `build/docs`.
    """
    folders = [data_dir / FOLDER]
    if (checkout / "pyproject.toml").is_file():
        folders.append(checkout / "build" / "docs")
    found = next((folder for folder in folders if (folder / "index.html").is_file()), None)
    return None if found is None else GZipMiddleware(BuiltDocs(found), minimum_size=MIN_TO_COMPRESS)


async def serve_docs(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve the documentation of the site that is asked, or say that it has none."""
    site: Site = scope["app"].state.site
    if site.docs is None:
        raise LadderError(NOT_BUILT)
    await site.docs(scope, receive, send)


class BuiltDocs(StaticFiles):
    """The files of the documentation; each page has a policy of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Give a file, or the site's own page for what is not there; see starlette."""
        response = await super().get_response(path, scope)
        if response.status_code == 404:
            raise HTTPException(404)
        return response

    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """See starlette."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = "no-cache"
        if (page := Path(full_path)).suffix == ".html":
            response.headers["Content-Security-Policy"] = policy(page.read_text("utf-8"))
        return response


def policy(page: str) -> str:
    """
    Give the policy of a page: the site's, but the inline scripts that the page has may run, and pictures in styles.

    >>> policy('<script src="x.js"></script><script>alert(1)</script>').partition("object-src 'none'")[2]
    "; script-src 'self' 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='; img-src 'self' data:"
    """
    scripts = sorted({text for tag, text in SCRIPT.findall(page) if not NOT_RUN.search(tag)})
    hashes = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts)
    allowed = " ".join(["'self'", *(f"'sha256-{each}'" for each in hashes)])
    return f"{POLICY}; script-src {allowed}; img-src 'self' data:"
