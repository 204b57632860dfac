"""A record and the replayer as one HTML file, which needs no site."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from ladder.site.rendering.static_files import FOLDER
from ladder.site.rendering.templates import environment

if TYPE_CHECKING:
    from pathlib import Path

FIRST = "replay_file.js"
IMPORTED = re.compile(r'(from|import) "\./([\w.]+)"')
STYLES = ("style.css", "replay.css")


def replay_page(record: Path, language: str = "en", *, is_framed: bool = False) -> str:
    """
    Make the file.

    Args:
        record: The record, packed or not.
        language: Of the words around it.
        is_framed: It is to be shown within another page, as the `srcdoc` of a frame.
    """
    return (
        environment(language)
        .get_template("replay_page.html")
        .render(
            language=language,
            is_framed=is_framed,
            name=record.name,
            held=base64.b64encode(record.read_bytes()).decode(),
            style=Markup("\n").join(Markup((FOLDER / name).read_text(encoding="utf-8")) for name in STYLES),
            modules=Markup(_modules()),
        )
    )


@cache
def _modules() -> str:
    """Make an import map: each module as a data URL, which imports the others by names that the map knows."""
    wanted, found = [FIRST], dict[str, str]()
    while wanted:
        name = wanted.pop()
        text = (FOLDER / name).read_text(encoding="utf-8")
        wanted += [other for _, other in IMPORTED.findall(text) if other not in found and other not in wanted]
        packed = base64.b64encode(IMPORTED.sub(r'\1 "pigpen/\2"', text).encode()).decode()
        found[name] = f"data:text/javascript;base64,{packed}"
    return json.dumps({"imports": {f"pigpen/{name}": address for name, address in found.items()}})
