"""
Hooks of mkdocs: pages that are files outside `docs`, links to files that it does not have, and the look of the site.

The documentation has the colours, corners and fonts of the ladder's site, read from its style sheet, and above each
page the site's menu. mkdocs calls `on_files` once, and `on_page_markdown` and `on_post_page` for each page.
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
TOKENS = ROOT / "ladder" / "site" / "static" / "style.css"
END = "/* Here the tokens end"
TOKEN = re.compile(r"--[\w-]+:[^;{}]+;")
MENU = (
    ("Play", (("/play/today", "Today"), ("/play", "Table"), ("/puzzles", "Puzzles"), ("/learn", "Learn"))),
    ("Ladder", (("/v", "Standings"), ("/m", "Matches"), ("/live", "Live"), ("/events", "Events"), ("/b", "Bots"))),
)
"""Of the site, as in its header (`ladder/site/templates/base.html`)."""
LINK = re.compile(r"\[([^][]+)\]\(([^)#:]+)(#[^)]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add `PAGES`."""
    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text("utf-8")))
    files.append(File.generated(config, "tokens.css", content=tokens(TOKENS.read_text("utf-8"))))
    return files


def tokens(style: str) -> str:
    """Give the tokens of the site's style sheet to the documentation, whose reader chooses between light and dark."""
    light, _, dark = style.partition(END)[0].partition("prefers-color-scheme: dark")
    dark = dark.partition("}\n}")[0]
    named = [" ".join(TOKEN.findall(part)) for part in (light, dark)]
    return f':root {{ {named[0]} }}\n[data-md-color-scheme="slate"] {{ {named[1]} }}\n'


def on_post_page(output: str, **_: object) -> str:
    """Put the site's menu above the header of a page."""
    groups = "".join(
        f"<div><span>{name}</span>{''.join(f'<a href={address!r}>{entry}</a>' for address, entry in entries)}</div>"
        for name, entries in MENU
    )
    menu = f'<nav class="of-site" aria-label="The ladder"><a class="home" href="/">Pigpen</a>{groups}</nav>'
    return output.replace('<header class="md-header', f'{menu}<header class="md-header', 1)


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
