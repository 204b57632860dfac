"""The sheet for grades: every contestant has a line, with the best bot there is."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app.accounts import managing, registering
from ladder.app.accounts.grades import grades
from ladder.app.accounts.sessions import Visit
from ladder.app.ladder import Ladder
from ladder.errors import Forbidden, LadderError
from ladder.store.models import Rating, State, StoredBot, Version
from ladder.values.accounts import ANONYMOUS, LOCAL, Role, Viewer
from tests.ladder import ladders
from tests.ladder.site.person import PASSWORD, quick_passwords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings
    from ladder.values.accounts import GradeRow

BOTS = {"Trotter": ("ada", 1500.0), "Snout": ("ben", 1600.0), "Mud": ("ada", 1700.0), "Wallow": ("house", 1650.0)}


@pytest.fixture
def ladder(settings: Settings) -> Iterator[Ladder]:
    """Ada has the best and the worst bot, ben one, carl none; olga is an organiser; house has no account."""
    with Ladder.open(settings) as ladder:
        for name, note in (("ada", "No. 17"), ("ben", ""), ("carl", "No. 4")):
            link = registering.invite(ladder, LOCAL, Role.CONTESTANT, name, note).secret
            registering.register(ladder, quick_passwords(), "", PASSWORD, link, Visit("", ""))
        managing.add(ladder, LOCAL, "olga", Role.ORGANISER)
        with ladder.database.write() as session:
            for bot, (owner, rating) in BOTS.items():
                ladders.enter(session, bot, owner=owner, rating=rating)
        yield ladder


def rating(session: Session, bot: str) -> Rating:
    wanted = select(Version.id).join(StoredBot, StoredBot.id == Version.bot_id).where(StoredBot.name == bot)
    return session.scalars(select(Rating).where(Rating.version_id == session.scalar(wanted))).one()


def by_account(ladder: Ladder) -> dict[str, GradeRow]:
    return {row.account: row for row in grades(ladder, LOCAL, "hearts")}


def test_each_contestant_has_the_best_bot(ladder: Ladder) -> None:
    rows = grades(ladder, LOCAL, "hearts")
    assert [(row.account, row.place, row.bot, row.rank, row.note) for row in rows] == [
        ("ada", 1, "Mud", 1, "No. 17"),
        ("ben", 2, "Snout", 3, ""),
        ("carl", None, "", None, "No. 4"),
    ]
    assert [row.elo for row in rows] == [1700.0, 1600.0, None]


def test_a_new_password_leaves_the_note_of_the_invitation(ladder: Ladder) -> None:
    later = dataclasses.replace(ladder, clock=lambda: ladder.clock() + 60)
    for name in ("ada", "ben"):
        link = registering.new_password(later, LOCAL, name).secret
        registering.register(later, quick_passwords(), "", PASSWORD, link, Visit("", ""))
    assert [by_account(ladder)[name].note for name in ("ada", "ben")] == ["No. 17", ""]


def test_a_bot_that_does_not_play_has_no_place(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        rating(session, "Snout").state = State.RETIRED
    ben = by_account(ladder)["ben"]
    assert (ben.place, ben.bot, ben.state, ben.rank) == (None, "Snout", "retired", None)


def test_equal_ranks_share_a_place(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        rating(session, "Snout").rating = 1700.0
    assert [by_account(ladder)[name].place for name in ("ada", "ben")] == [1, 1]


@pytest.mark.parametrize("viewer", [ANONYMOUS, Viewer("ada")])
def test_only_organisers_see_it(ladder: Ladder, viewer: Viewer) -> None:
    with pytest.raises(Forbidden):
        grades(ladder, viewer, "hearts")


def test_an_unknown_variant_or_season_is_named(ladder: Ladder) -> None:
    with pytest.raises(LadderError, match="whist"):
        grades(ladder, LOCAL, "whist")
    with pytest.raises(LadderError, match="spring"):
        grades(ladder, LOCAL, "hearts", "spring")
