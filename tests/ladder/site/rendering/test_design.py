"""One eye: colours and sizes are written in one place, faces come from names, and a page shows all parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ladder.site.pages.design import NAMES
from ladder.site.rendering.static_files import FOLDER, avatar, palette, sizes
from ladder.site.rendering.templates import TEMPLATES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ladder.site.visitor import Visitor

END = "/* Here the tokens end"
TEXT = ("xs", "s", "m", "l", "xl", "2xl", "3xl", "4xl")
COLOUR = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![\w-])|\b(?:rgba?|hsla?|oklch)\(", re.IGNORECASE)
SCALED = re.compile(
    r"(?<=[{;\s])((?:font(?:-size|-family)?|padding|margin|gap|row-gap|column-gap|border-radius|border-spacing)[\w-]*)"
    r"\s*:\s*([^;{}]+)(?=[;}])"
)
"""Properties whose lengths have names, and what they are."""
LENGTH = re.compile(r"(?<![\w.-])-?\d*\.?\d+(?:rem|px)\b")
SHEETS = sorted(FOLDER.glob("*.css"))


def rules_of(file: Path) -> str:
    """Give the rules of a style sheet, without the tokens and without comments."""
    tokens, end, rest = file.read_text(encoding="utf-8").partition(END)
    assert bool(end) is (file.name == "style.css")
    return re.sub(r"/\*.*?\*/", "", rest.partition("*/")[2] if end else tokens, flags=re.DOTALL)


@pytest.mark.parametrize("file", SHEETS, ids=lambda file: file.name)
def test_no_colour_is_written_outside_the_tokens(file: Path) -> None:
    assert COLOUR.findall(rules_of(file)) == []


@pytest.mark.parametrize("file", SHEETS, ids=lambda file: file.name)
def test_no_size_of_text_space_or_corner_is_written_outside_the_tokens(file: Path) -> None:
    found = SCALED.findall(rules_of(file))
    assert found
    assert [(name, value) for name, value in found if LENGTH.search(value)] == []


def test_the_sizes_are_scales() -> None:
    def scale(first: str) -> list[float]:
        return [float(size.rstrip("rempx")) for name, size in sizes().items() if name.startswith(f"{first}-")]

    for first, steps in (("space", 9), ("round", 5)):
        assert len(scale(first)) == steps
        assert scale(first) == sorted(set(scale(first)))
    text = [float(sizes()[f"text-{each}"].removesuffix("rem")) for each in TEXT]
    assert text == sorted(set(text))


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
    light, dark, *samples = response.text.splitlines()
    assert len(samples) == len(sizes()) > 20
    assert ".of-space-3 { width: var(--space-3); }" in samples
    for name, size in sizes().items():
        assert f"<code>--{name}</code></th><td><code>{size}</code>" in text
    assert f"--paper: {palette()['paper']};" in light
    assert f"--paper: {palette(is_dark=True)['paper']};" in dark


def test_bots_owners_and_results_have_faces(site: Visitor) -> None:
    for path, name in (("/b/Trotter", "Trotter"), ("/o/ada", "ada"), ("/m/5", "Mud")):
        assert avatar(name) in site.page(path)


def test_icons_are_drawn_in_one_place(site: Visitor) -> None:
    icons = TEMPLATES / "icons.html"
    for file in TEMPLATES.glob("*.html"):
        if file != icons:
            assert not re.search(r'viewBox="0 0 (20 20|40 40)"', file.read_text(encoding="utf-8")), file.name
    named = re.findall(r"^  '([\w-]+)': 'M", icons.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(named) > 12
    assert all(f"</svg> <code>{name}</code>" in site.page("/help/design") for name in named)
