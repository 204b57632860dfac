"""Tables for people on the site, over HTTP: opened, played, and what a browser may send."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.settings.settings import load_settings
from tests.ladder.site.tables_here import TableBrowser, site_here

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        yield ladder


async def test_a_guest_opens_a_table_and_plays_it_to_its_end(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        await browser.open(length="deals:1", shown="Ada")
        last = await browser.play()
        assert last.status == "over"
        assert last.over
        assert last.deal
        assert last.deal.bots[last.deal.seat] == "Ada"
        assert last.deal.kinds == ("person", "house", "house", "house")
        page = await browser.client.get(browser.path)
        assert "Ada" in page.text
        record = await browser.client.get(f"{browser.path}/record")
        assert record.status_code == 200
        assert record.text.startswith("{")
