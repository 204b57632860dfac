"""Texts of the organiser in Markdown, as HTML for a page."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markupsafe import Markup


def html_of(text: str, level: int = 1) -> Markup:
    """
    Render Markdown without HTML and pictures.

    Args:
        text: In Markdown.
        level: Of the heading above it, from 1: its own headings are below that one.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1:]) + level)}"
    return Markup(parser.renderer.render(tokens, parser.options, {}))
