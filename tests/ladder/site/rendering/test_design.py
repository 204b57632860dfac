"""One eye: colours are written in one place, faces come from names, and a page shows all parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ladder.site.pages.design import NAMES
from ladder.site.rendering.avatars import avatar
from ladder.site.rendering.palette import palette
from ladder.site.rendering.static_files import FOLDER

if TYPE_CHECKING:
    from tests.ladder.site.visitor import Visitor

END = "/* Here the tokens end"
COLOUR = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![\w-])|\b(?:rgba?|hsla?|oklch)\(", re.IGNORECASE)


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.css")), ids=lambda file: file.name)
def test_no_colour_is_written_outside_the_tokens(file: object) -> None:
    text = (FOLDER / getattr(file, "name", "")).read_text(encoding="utf-8")
    tokens, end, rest = text.partition(END)
    assert bool(end) is (getattr(file, "name", "") == "style.css")
    assert COLOUR.findall(rest if end else tokens) == []


def test_every_token_that_is_used_is_there_and_every_one_that_is_there_is_used() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in FOLDER.glob("*.css"))
    scripts = "".join(file.read_text(encoding="utf-8") for file in FOLDER.glob("*.js"))
    tokens, _, _ = text[text.index(":root {") :].partition(END)
    named = set(re.findall(r"--([\w-]+):", tokens))
    assert set(palette()) <= named
    used = set(re.findall(r"var\(--([\w-]+)", text + scripts))
    assert named - used == set()
    assert {
        name for name in used if name not in named and f"--{name}:" not in text and f"--{name}" not in scripts
    } == set()


def test_a_name_has_one_face_and_different_names_different_ones() -> None:
    assert avatar("Trotter") == avatar("Trotter")
    assert len({avatar(f"bot{number}") for number in range(200)}) > 150
    assert len({avatar(name) for name in NAMES}) == len(NAMES)
    assert "<script" not in avatar('"><script>')


def test_a_page_shows_all_parts_light_and_dark(site: Visitor) -> None:
    text = site.page("/help/design")
    for name, colour in palette().items():
        assert f"<code>--{name}</code>" in text
        assert f'fill="{colour}"' in text
    assert text.count('class="avatar') >= 3 * len(NAMES)
    response = site.get("/help/design.css")
    assert response.headers["content-type"] == "text/css; charset=utf-8"
    light, dark = response.text.splitlines()
    assert f"--paper: {palette()['paper']};" in light
    assert f"--paper: {palette(is_dark=True)['paper']};" in dark


def test_bots_owners_and_results_have_faces(site: Visitor) -> None:
    for path, name in (("/b/Trotter", "Trotter"), ("/o/ada", "ada"), ("/m/5", "Mud")):
        assert avatar(name) in site.page(path)
