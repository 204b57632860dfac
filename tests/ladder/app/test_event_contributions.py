"""Nonces of entrants and a public beacon: who may reveal, until when, and what becomes of those who withhold."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from ladder.app.event import holding, reading
from ladder.app.event.export_file import export_event
from ladder.app.event.verifying import verify_event
from ladder.app.event_beacons import fetch_beacons
from ladder.errors import Forbidden, LadderError, UserError
from ladder.settings.settings import load_settings
from ladder.values.accounts import ANONYMOUS, LOCAL
from ladder.values.events import MIN_REVEAL_SECONDS, REVEAL_SECONDS
from ladder.values.held_events import EventState
from ladder.values.value import time_of
from tests.ladder.app.event_ladders import FILE, answering, coordinator_of, open_cup, own_ways, play
from tests.ladder.ladders import NOW, new_ladder
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.held_events import EventPage

NONCE, OTHER = "11" * 32, "22" * 32


def committed(nonce: str) -> str:
    return hashlib.sha256(bytes.fromhex(nonce)).hexdigest()


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def ladder(tmp_path: Path, clock: Time) -> Iterator[Ladder]:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process", webhook_loopback=True))
    yield replace(found, clock=clock)
    found.database.close()


def page(ladder: Ladder) -> EventPage:
    return reading.event(ladder, ANONYMOUS, "cup")


def frozen(ladder: Ladder, file: str = FILE.format(show="live")) -> None:
    """A cup whose first two bots have nonces of their own."""
    open_cup(ladder, file=file)
    for bot, nonce in (("Bot-1", NONCE), ("Bot-2", OTHER)):
        holding.enter(ladder, LOCAL, "cup", bot, committed(nonce))
    assert {one.nonce for one in page(ladder).entrant_list} == {None}, "they are secret while bots enter"
    holding.freeze(ladder, LOCAL, "cup")


def test_the_event_starts_once_all_have_revealed(ladder: Ladder) -> None:
    frozen(ladder)
    shown = page(ladder)
    assert shown.reveals_until == time_of(NOW + REVEAL_SECONDS)
    assert [one.name for one in shown.entrant_list if one.nonce is None] == ["Bot-1", "Bot-2"]
    assert holding.reveal(ladder, LOCAL, "cup", NONCE) == holding.reveal(ladder, LOCAL, "cup", NONCE) == "Bot-1"
    with pytest.raises(LadderError, match="Bot-2"):
        holding.start(ladder, LOCAL, "cup")
    holding.reveal(ladder, LOCAL, "cup", OTHER)
    holding.start(ladder, LOCAL, "cup")
    assert {one.left_after for one in page(ladder).entrant_list} == {None}
    assert page(ladder).contributions


def test_who_withholds_a_nonce_is_off_the_field_and_the_event_holds(
    ladder: Ladder, clock: Time, tmp_path: Path
) -> None:
    frozen(ladder)
    holding.reveal(ladder, LOCAL, "cup", NONCE)
    clock.now += REVEAL_SECONDS - 1
    with pytest.raises(LadderError, match="Bot-2"):
        holding.start(ladder, LOCAL, "cup")
    clock.now += 1
    holding.start(ladder, LOCAL, "cup")
    with pytest.raises(LadderError, match="could be revealed until"):
        holding.reveal(ladder, LOCAL, "cup", OTHER)
    play(coordinator_of(ladder, Time()), 12, own_ways)
    found = page(ladder)
    assert found.state is EventState.OVER
    assert [one.name for one in found.entrant_list if one.left_after == 0] == ["Bot-2"]
    assert not any("Bot-2" in table.bots for one in found.round_list for table in one.tables)
    export_event(ladder, "cup", tmp_path / "cup.zip")
    assert verify_event(tmp_path / "cup.zip").findings == ()
    changes: tuple[dict[str, str | None], ...]
    changes = {"nonce": OTHER}, {"left_after": None}, {"commitment": committed(NONCE)}
    for change in changes:
        assert not verify_event(changed(tmp_path, 1, change)).holds, change
    assert not verify_event(changed(tmp_path, 0, {"nonce": OTHER})).holds


def changed(folder: Path, entrant: int, change: dict[str, str | None]) -> Path:
    """The export with other figures of an entrant."""
    with zipfile.ZipFile(folder / "cup.zip") as source, zipfile.ZipFile(folder / "changed.zip", "w") as copy:
        for name in source.namelist():
            content = source.read(name)
            if name == "event.json":
                plain = json.loads(content)
                plain["entrants"][entrant] |= change
                content = json.dumps(plain).encode()
            copy.writestr(name, content)
    return folder / "changed.zip"


def test_a_nonce_that_is_no_ones_or_comes_too_early_is_refused(ladder: Ladder) -> None:
    open_cup(ladder)
    holding.enter(ladder, LOCAL, "cup", "Bot-1", committed(NONCE))
    with pytest.raises(LadderError, match="keep the nonce secret"):
        holding.reveal(ladder, LOCAL, "cup", NONCE)
    with pytest.raises(LadderError, match="Another bot has entered"):
        holding.enter(ladder, LOCAL, "cup", "Bot-2", committed(NONCE))
    holding.enter(ladder, LOCAL, "cup", "Bot-1", committed(OTHER))
    holding.freeze(ladder, LOCAL, "cup")
    with pytest.raises(LadderError, match="'cup' has committed"):
        holding.reveal(ladder, LOCAL, "cup", NONCE)
    with pytest.raises(Forbidden):
        holding.reveal(ladder, ANONYMOUS, "cup", OTHER)
    assert page(ladder).entrant_list[0].nonce is None


BEACON = """beacon = "{address}"
beacon_at = {at}
"""


def with_beacon(address: str, at: float) -> str:
    moment = time_of(at).isoformat()
    return FILE.format(show="live").replace("\n[[stage]]", BEACON.format(address=address, at=moment) + "\n[[stage]]", 1)


def test_a_beacon_is_fetched_once_it_has_a_value_and_who_withholds_plays(
    ladder: Ladder, clock: Time, tmp_path: Path
) -> None:
    with answering((503, b""), (200, b"x" * 20_000), (200, b"\xff"), (200, b"3 17 22\n"), (200, b"another")) as address:
        frozen(ladder, with_beacon(address, NOW + 600))
        holding.reveal(ladder, LOCAL, "cup", NONCE)
        assert fetch_beacons(ladder) == []
        with pytest.raises(LadderError, match="is read from"):
            holding.beacon(ladder, LOCAL, "cup", "early")
        clock.now = NOW + 600
        with pytest.raises(LadderError, match="could be revealed until"):
            holding.reveal(ladder, LOCAL, "cup", OTHER)
        with pytest.raises(LadderError, match="is not known yet"):
            holding.start(ladder, LOCAL, "cup")
        with capture_logs() as logged:
            assert [fetch_beacons(ladder) for _ in range(5)] == [[], [], [], ["cup"], []]
        assert [each["event"] for each in logged] == ["event.beacon_failed"] * 3 + ["event.beacon"]
    assert page(ladder).beacon_value == "3 17 22\n"
    with pytest.raises(LadderError, match="is there already"):
        holding.beacon(ladder, LOCAL, "cup", "another")
    holding.start(ladder, LOCAL, "cup")
    play(coordinator_of(ladder, Time()), 12, own_ways)
    assert {one.left_after for one in page(ladder).entrant_list} == {None}
    export_event(ladder, "cup", tmp_path / "cup.zip")
    assert verify_event(tmp_path / "cup.zip").findings == ()


def test_a_list_cannot_become_final_when_the_beacon_is_known(ladder: Ladder, clock: Time) -> None:
    open_cup(ladder, file=with_beacon("https://beacon.example/1", NOW + 600))
    clock.now = NOW + 600
    with pytest.raises(LadderError, match="beacon"):
        holding.freeze(ladder, LOCAL, "cup")


@pytest.mark.parametrize("seconds", [MIN_REVEAL_SECONDS - 1, MIN_REVEAL_SECONDS])
def test_a_file_leaves_time_to_reveal_nonces(ladder: Ladder, seconds: float) -> None:
    times = f"freezes = {time_of(NOW + 60).isoformat()}\nstarts = {time_of(NOW + 60 + seconds).isoformat()}\n"
    file = FILE.format(show="live").replace("\n[[stage]]", times + "\n[[stage]]", 1)
    if seconds < MIN_REVEAL_SECONDS:
        with pytest.raises(UserError, match="Nonces can be revealed"):
            open_cup(ladder, 0, file=file)
    else:
        open_cup(ladder, 0, file=file)
