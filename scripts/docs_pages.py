"""
Hooks of mkdocs: pages that are files outside `docs`, and links to files that the documentation site does not have.

mkdocs calls `on_files` once, and `on_page_markdown` for each page.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
PAGES = {
    "sdk/README.md": "sdk.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "vulnerabilities.md",
    "CHANGELOG.md": "changelog.md",
    "ladder/site/static/icon.svg": "icon.svg",
}
"""Files of the repository that the documentation has, too, and their names there."""
LINK = re.compile(r"\[([^][]+)\]\(([^)#:]+)(#[^)]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add `PAGES`."""
    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to the page that has the file; a file of the repository that is no page is named without a link."""
    sources = {name: source for source, name in PAGES.items()}
    here = sources.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def changed(found: re.Match[str]) -> str:
        text, target, section = found[1], found[2], found[3] or ""
        place = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        name = PAGES.get(place) or (place.removeprefix("docs/") if place.startswith("docs/") else None)
        if name is not None:
            return f"[{text}]({posixpath.relpath(name, posixpath.dirname(page.file.src_uri) or '.')}{section})"
        if (ROOT / place).exists():
            return text if "`" in text or text == place else f"{text} (`{place}`)"
        return found[0]

    return LINK.sub(changed, markdown)
