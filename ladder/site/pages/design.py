"""The page that shows all parts of the site's look, light, dark and narrow, and the style sheet for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request
from starlette.responses import Response

from ladder.site.rendering.long_tables import Span
from ladder.site.rendering.static_files import palette, sizes
from ladder.site.server.routing import Router

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = Router()
NAMES = ("Trotter", "Snout", "Mud", "Truffle", "Wallow", "Bristle", "Hamlet", "Oink", "ada", "ben", "olga", "拱猪")
"""Names whose faces are shown."""
SHOWN = {"text": "font-size", "space": "width", "round": "border-radius"}
"""By which property a size is shown, by the first word of its name."""
HISTORY = (1500.0, 1512.0, 1506.0, 1530.0, 1548.0)


@router.get("/help/design")
def design(request: Request) -> Response:
    """Show all parts of the site's look."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        light, dark = palette(), palette(is_dark=True)
        return {
            "colours": [(name, light[name], dark[name]) for name in light],
            "sizes": sizes(),
            "names": NAMES,
            "span": Span(1400.0, 1600.0),
            "history": HISTORY,
            "cards": ("QS", "AH", "JD", "TC"),
        }

    return site.pages.page(request, "design.html", make)


@router.get("/help/design.css")
def design_colours(request: Request) -> Response:
    """Give the light colours and the dark ones as classes, whatever the browser prefers; and samples of the sizes."""
    site: Site = request.app.state.site

    def make() -> tuple[bytes, str]:
        rules = []
        for scheme, is_dark in (("light", False), ("dark", True)):
            colours = " ".join(f"--{name}: {colour};" for name, colour in palette(is_dark).items())
            rules.append(f".as-{scheme} {{ color-scheme: {scheme}; {colours} }}")
        for name in sizes():
            shows = SHOWN[name.partition("-")[0]]
            rules.append(f".of-{name} {{ {shows}: var(--{name}); }}")
        return "\n".join(rules).encode(), "text/css; charset=utf-8"

    return site.fixed.respond(request, request.url.path, make)
