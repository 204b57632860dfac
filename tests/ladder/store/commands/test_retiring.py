"""Bots that leave the ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.errors import LadderError
from ladder.store.commands.entries import retire
from ladder.store.models import State
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.store.submitted import BETTER, TROTTER, changes, states, submit

if TYPE_CHECKING:
    from ladder.store.database import Database

__all__ = ["backend"]


def leave(database: Database, word: str, *variants: str) -> list[tuple[str, str]]:
    with database.write() as session:
        return retire(session, word, variants, "on holiday", 9.0)


@IN_BOTH
def test_a_bot_retires_wherever_it_plays(database: Database) -> None:
    submit(database, TROTTER, "gongzhu", "hearts")
    submit(database, BETTER, "gongzhu", keep_old=True)
    assert leave(database, "Trotter") == [
        ("Trotter@1", "gongzhu"),
        ("Trotter@1", "hearts"),
        ("Trotter@2", "gongzhu"),
    ]
    assert states(database) == {1: State.RETIRED, 2: State.RETIRED}
    assert changes(database) == [(State.RETIRED, "owner", "on holiday")] * 3


def test_one_version_or_one_variant_may_retire_alone(database: Database) -> None:
    submit(database, TROTTER, "gongzhu", "hearts")
    submit(database, BETTER, "gongzhu", keep_old=True)
    assert leave(database, "Trotter@1", "gongzhu") == [("Trotter@1", "gongzhu")]
    assert states(database) == {1: State.RETIRED, 2: State.ACTIVE}
    assert states(database, "hearts") == {1: State.ACTIVE}


def test_a_version_after_all_others_retired_begins_with_the_rating_of_the_newest(database: Database) -> None:
    submit(database, TROTTER)
    leave(database, "Trotter")
    assert submit(database, BETTER).variants[0].elo == 1500.0
    assert states(database) == {1: State.RETIRED, 2: State.ACTIVE}


@pytest.mark.parametrize(
    ("word", "variants", "sentence"),
    [
        ("Trotter@7", (), "There is no Trotter@7; there is Trotter@1"),
        ("Trotter", ("hearts",), "This ladder does not play 'hearts'"),
    ],
)
@IN_BOTH
def test_a_version_or_a_variant_that_there_is_not_is_named(
    database: Database, word: str, variants: tuple[str, ...], sentence: str
) -> None:
    submit(database, TROTTER)
    with pytest.raises(LadderError, match=sentence):
        leave(database, word, *variants)
    assert changes(database) == []
