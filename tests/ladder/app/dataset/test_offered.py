"""The data set that a site offers: its page, its files by the API, and reading it from another machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import pigpen_arena
from ladder.app.dataset import exporting
from ladder.app.dataset.exporting import export_dataset
from ladder.app.dataset.offered import FOLDER, MANIFEST, NOTHING
from ladder.errors import LadderError, RemoteError
from ladder.settings.settings import load_settings
from tests.ladder.app.dataset.offers import PARTS, offer
from tests.ladder.ladders import new_ladder, recorded_match
from tests.ladder.remote_site import served
from tests.ladder.site.visitor import Visitor
from tests.referee.recorded import match_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

NAME = "matches/000000001-000000002.parquet"


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ladder]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    yield found
    found.database.close()


def test_its_page_says_what_it_holds_and_how_to_read_it(ladder: Ladder) -> None:
    site = Visitor(ladder)
    assert site.get("/data").status_code == 404
    assert site.problem("/api/v1/data", 404) == NOTHING
    (ladder.settings.data_dir / FOLDER).mkdir()
    (ladder.settings.data_dir / FOLDER / MANIFEST).write_text('{"version": 1}')  # as the first export begins
    assert site.get("/data").status_code == 404
    assert '"/data"' not in site.page("/help")
    made = offer(ladder.settings.data_dir)
    page = site.page("/data")
    assert "Licence: CC-BY-4.0." in page
    assert 'arena.load("' in page
    for each in made.files:
        assert f'href="/api/v1/data/{each.name}"' in page
        assert each.sha256 in page
    assert "数据集" in site.page("/data", accept_language="zh")
    assert 'href="/data"' in Visitor(ladder).page("/help")
    offer(ladder.settings.data_dir, licence="")
    assert "not named a licence" in site.page("/data")


def test_its_files_and_nothing_else_are_given(ladder: Ladder) -> None:
    site = Visitor(ladder)
    offer(ladder.settings.data_dir)
    (ladder.settings.data_dir / FOLDER / "matches" / "half.partial").write_bytes(b"unfinished")
    (ladder.settings.data_dir / FOLDER / exporting.LOCK).write_bytes(b"unfinished")
    (ladder.settings.data_dir / "secret").write_bytes(b"secret")
    assert [each["name"] for each in site.value("/data")["files"]] == list(PARTS)
    assert site.get(f"/api/v1/data/{NAME}").content == PARTS[NAME]
    others = "matches/half.partial", "matches/..%2f..%2fsecret", "..%2f/secret", "x/manifest.json", exporting.LOCK
    for other in others:
        found = site.get(f"/api/v1/data/{other}")
        assert (found.status_code, b"unfinished" in found.content) == (404, False), other
    (ladder.settings.data_dir / FOLDER / NAME).unlink()
    assert site.problem(f"/api/v1/data/{NAME}", 404).endswith(f"has no file '{NAME}'.")


def test_it_is_read_from_another_machine_and_each_file_is_fetched_once(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "PART_MATCHES", 1)
    folder = ladder.settings.data_dir / FOLDER
    with served(ladder) as address:
        with pytest.raises(LadderError, match=re.escape(NOTHING)):
            next(pigpen_arena.load(address, "decisions"))
        for number in range(3):
            seed = bytes([number]) * 32
            recorded_match(ladder, match_lines("hearts", "deals:1", seed=seed), seed.hex())
        export_dataset(ladder, folder)
        first, *others = pigpen_arena.dataset_parts(address, "decisions")
        assert len(others) == 2
        assert [each.shape for each in pigpen_arena.load(address, "decisions", ["bot"], parts=[first])] == [(56, 1)]
        (folder / "decisions" / f"{first}.parquet").write_bytes(b"not fetched again")
        assert [each.shape for each in pigpen_arena.load(address, "decisions", ["bot"])] == [(56, 1)] * 3

        (folder / "deals" / f"{first}.parquet").write_bytes(b"damaged")
        with pytest.raises(RemoteError, match=f"deals/{first}.parquet arrived damaged from {address}"):
            next(pigpen_arena.load(address, "deals"))

        kept = {path.name for path in (tmp_path / "cache").rglob("*.parquet")}
        assert len(kept) == 3
        offer(ladder.settings.data_dir)
        assert pigpen_arena.dataset_parts(address, "matches") == ["000000001-000000002"]
        assert not list((tmp_path / "cache").rglob("*.parquet")), "of a data set that is no more"
