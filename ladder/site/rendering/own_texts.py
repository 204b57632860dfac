"""Texts of the organiser that a law or a house asks for: privacy, imprint, terms, and `security.txt`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ladder.app.text_file import text_of
from ladder.site.rendering.markdown import html_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from markupsafe import Markup

FOLDER = "pages"
"""In the ladder's data folder."""
PRIVACY = "privacy"
"""There is always one: without the organiser's, one that says what the program keeps, and for how long."""
NAMES = (PRIVACY, "terms", "imprint")
LANGUAGES = {"": "en", ".zh": "zh"}
"""Languages, by what precedes the ending of a file's name."""
SECURITY = "security.txt"
TEXT_BYTES = 200_000
"""Of each file."""


@dataclass(frozen=True)
class OwnTexts:
    """The texts as they were when the site started."""

    pages: Mapping[str, Mapping[str, Markup]] = field(default_factory=dict)
    """By name and language; only what there is."""
    security: str = ""
    """See RFC 9116; empty: there is none."""

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of the texts that there are, in the order in which they are linked."""
        return tuple(name for name in NAMES if name == PRIVACY or name in self.pages)

    def page(self, name: str, language: str) -> tuple[str, Markup] | None:
        """Give a text, and its language: the reader's, if it was written in that. None: there is none."""
        found = self.pages.get(name, {})
        return next(((each, found[each]) for each in (language, *LANGUAGES.values()) if each in found), None)


def read_own_texts(data_dir: Path) -> OwnTexts:
    """
    Read the texts of a ladder: `pages/privacy.md`, in Chinese `pages/privacy.zh.md`, and so on, in Markdown.

    Raises:
        UserError: If one is there and cannot be read, is no UTF-8, or is longer than `TEXT_BYTES`.
    """
    folder = data_dir / FOLDER
    pages = {}
    for name in NAMES:
        files = {language: folder / f"{name}{part}.md" for part, language in LANGUAGES.items()}
        found = {each: html_of(text_of(file, TEXT_BYTES)) for each, file in files.items() if file.exists()}
        if found:
            pages[name] = found
    security = folder / SECURITY
    return OwnTexts(pages, text_of(security, TEXT_BYTES) if security.exists() else "")
