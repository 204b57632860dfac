"""Words of a page, and those of them that are English."""

from __future__ import annotations

import re
from html.parser import HTMLParser

EMPTY = {"br", "img", "input", "link", "meta", "circle", "line", "path", "polyline", "rect"}
NOT_WORDS = {"script", "style", "pre", "code", "kbd", "option"}
READ = ("alt", "aria-label", "content", "placeholder", "title", "data-lost", "data-over", "data-gap", "data-table")
FOR_PROGRAMS = {"viewport", "theme-color", "twitter:card", "og:type", "og:image", "og:image:width", "og:image:height"}
"""Names of the parts of a page that are for programs alone."""
LATIN = re.compile(r"[A-Za-z][\w'’.-]*")


class TextReader(HTMLParser):
    """Collects what a reader of the page's own language gets to read: no commands, nothing marked as English."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.language = ""
        self._skipped: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Go into an element."""
        named = dict(attrs)
        if tag == "html":
            self.language = named["lang"] or ""
        is_english = tag != "html" and named.get("lang") == "en"
        is_skipped = is_english or tag in NOT_WORDS or "mono" in (named.get("class") or "")
        if tag not in EMPTY and (self._skipped or is_skipped):
            self._skipped.append(tag)
        if not self._skipped and (named.get("name") or named.get("property")) not in FOR_PROGRAMS:
            self.texts += [named[name] or "" for name in READ if name in named]

    def handle_endtag(self, tag: str) -> None:
        """Leave it."""
        if self._skipped and tag == self._skipped[-1]:
            self._skipped.pop()

    def handle_data(self, data: str) -> None:
        """Take what it says."""
        if not self._skipped and data.strip():
            self.texts.append(data.strip())


def text_of(page: str) -> TextReader:
    """Read a page."""
    reader = TextReader()
    reader.feed(page)
    return reader


def latin(page: str, names: set[str]) -> list[str]:
    """List the words left in Latin letters without these names, and without those that the scripts put in."""
    found = []
    for text in text_of(page).texts:
        rest = re.sub(r"\{\w+\}", "", text)
        for name in sorted(names, key=len, reverse=True):
            rest = re.sub(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", "", rest)
        found += LATIN.findall(rest)
    return found
