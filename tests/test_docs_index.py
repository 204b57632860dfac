"""The lists of the documentation are complete: its pages, and the decisions."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def test_the_index_links_every_page() -> None:
    linked = set(re.findall(r"\]\(([\w/.-]+\.md)\)", (DOCS / "index.md").read_text("utf-8")))
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert pages - linked - {"index.md"} == {f"adr/{page.name}" for page in DOCS.glob("adr/0*.md")}


def test_the_index_of_decisions_has_a_line_for_each() -> None:
    titles = {page.name: page.read_text("utf-8").partition("\n")[0] for page in sorted(DOCS.glob("adr/0*.md"))}
    expected = [f"- [{title.removeprefix('# ')}]({name})" for name, title in titles.items()]
    index = (DOCS / "adr" / "README.md").read_text("utf-8")
    assert [line for line in index.splitlines() if line.startswith("- ")] == expected


def test_the_number_of_a_decision_is_in_its_name_and_title() -> None:
    for page in DOCS.glob("adr/0*.md"):
        assert page.read_text("utf-8").startswith(f"# {int(page.name[:4])}. "), page.name
