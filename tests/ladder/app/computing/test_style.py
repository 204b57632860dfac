"""Playing style of a bot of a ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.computing.comparing import style
from ladder.errors import LadderError
from ladder.store import models
from tests.ladder import ladders
from tests.ladder.computing_here import compute_all
from tests.ladder.site.visitor import small_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.ladder import Ladder


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ladder]:
    with small_site(tmp_path_factory.mktemp("ladder")) as site:
        yield site.ladder


def test_it_is_computed_once_and_an_older_answer_stays_until_a_newer_one_is_there(ladder: Ladder) -> None:
    first = style(ladder, "Trotter")
    assert first.computing is not None
    assert (first.bars, first.sources, first.variants) == ((), (), ("gongzhu",))
    assert compute_all(ladder) == 1
    found = style(ladder, "Trotter@1", "gongzhu")
    assert found.computing is None
    assert [bar.trait for bar in found.bars] == ["leads", "ducks", "pig", "moons", "exposes"]
    assert 1 not in found.sources, "the record of the first match is gone"
    assert len(found.seats) == 4
    assert compute_all(ladder) == 0
    with ladder.database.write() as session:
        session.get_one(models.StoredMatch, found.sources[0]).record_kept = False
    again = style(ladder, "Trotter")
    assert again.computing is not None
    assert again.bars == found.bars, "what is known is shown meanwhile"
    compute_all(ladder)
    assert style(ladder, "Trotter").sources == found.sources[1:]


def test_a_bot_without_a_match_has_nothing_and_waits_for_nothing(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        ladders.enter(session, "Newcomer", "hearts")
    found = style(ladder, "Newcomer")
    assert (found.variant, found.bars, found.seats, found.computing) == ("hearts", (), (), None)


@pytest.mark.parametrize(
    ("bot", "variant", "message"),
    [
        ("Nil", None, "no bot 'Nil'"),
        ("Trotter", "bridge", "does not play 'bridge'"),
        ("Trotter@9", None, "no Trotter@9"),
    ],
)
def test_what_is_not_there_is_named(ladder: Ladder, bot: str, variant: str | None, message: str) -> None:
    with pytest.raises(LadderError, match=message):
        style(ladder, bot, variant)
