"""A match in a notebook: its result, and its replayer where the packages of the site are installed."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ladder.app.wheels import install_line
from pigpen_arena.tables import table_html

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pigpen_arena.tables import Row

LARGEST = 1024**2
"""Bytes of a record that a notebook gets with its replayer; it would keep them in its file."""
HEIGHT = 760
"""Pixels."""


def match_html(record: Path, caption: str, rows: Sequence[Row]) -> str:
    """Show the result, and the deals card by card."""
    return table_html(rows, caption) + _replayer(record)


def _replayer(record: Path) -> str:
    try:
        from ladder.site.rendering.replay_page import replay_page  # needs the packages of the site
    except ModuleNotFoundError:
        return f"<p>To see the deals here: {escape(install_line('ladder'))}</p>"
    if record.stat().st_size > LARGEST:
        return "<p>The record is too large to be shown here. To see the deals: pigpen replay FILE</p>"
    page = escape(replay_page(record, is_framed=True))
    return f'<iframe title="Replay" srcdoc="{page}" style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
