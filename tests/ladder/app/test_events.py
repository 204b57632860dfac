"""Events on a ladder, held by a coordinator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.event import reading
from ladder.values.accounts import LOCAL
from ladder.values.held_events import EventState
from tests.ladder.app.event_ladders import coordinator_of, play, started_cup
from tests.ladder.recorded_ladders import new_ladder
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

from ladder.settings.settings import load_settings


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    yield found
    found.database.close()


def test_an_event_is_played_to_its_end(ladder: Ladder) -> None:
    started_cup(ladder)
    play(coordinator_of(ladder, Time()), 12)
    page = reading.event(ladder, LOCAL, "cup")
    assert page.state is EventState.OVER
    assert sorted(one.name for one in page.standings) == sorted(f"Bot-{number}" for number in range(1, 9))
