"""The badges of README.md say what pyproject.toml says."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
SHOWN = dict(re.findall(r"!\[([^\]]+)\]\(docs/pictures/badge-(\w+)\.svg\)", README))
BADGES: dict[str, str] = runpy.run_path(str(ROOT / "scripts" / "badges"))["badges"]()


def test_they_say_what_the_package_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pythons = [found[1] for line in project["classifiers"] if (found := re.search(r"Python :: (3\.\d+)$", line))]
    assert project["requires-python"] == f">={pythons[0]}"
    pictures = {
        "licence": f"Licence: {project['license']}",
        "python": f"Python: {pythons[0]}–{pythons[-1]}",
        "types": "Types: typed",
    }
    assert {name: text for text, name in SHOWN.items()} == pictures


@pytest.mark.parametrize(("text", "name"), SHOWN.items())
def test_each_picture_shows_its_text_and_is_fresh(text: str, name: str) -> None:
    picture = (ROOT / "docs" / "pictures" / f"badge-{name}.svg").read_text("utf-8")
    assert picture == BADGES[name], "run scripts/badges"
    assert f"<title>{text}</title>".casefold() in picture.casefold()
