"""Invitations for a name: one is open at most, and none opens an account that has come into being by other means."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from ladder.app.accounts import managing, registering
from ladder.app.accounts.registering import register, register_known
from ladder.app.accounts.sessions import Visit, hash_of, log_in, viewer_by
from ladder.app.ladder import Ladder
from ladder.errors import LadderError
from ladder.store.account_models import Invitation
from ladder.store.commands.accounts import NOT_GOOD
from ladder.values.accounts import LOCAL, Role
from tests.ladder.databases import later_backend as backend
from tests.ladder.site.person import PASSWORD, quick_passwords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.settings.settings import Settings

__all__ = ["backend"]

HERE = Visit("", "")
OTHER = "another horse"


@pytest.fixture
def ladder(settings: Settings) -> Iterator[Ladder]:
    with Ladder.open(settings) as ladder:
        yield ladder


def invited(ladder: Ladder, name: str | None = "eve") -> str:
    return registering.invite(ladder, LOCAL, Role.CONTESTANT, name).secret


def open_besides(ladder: Ladder, secret: str) -> None:
    """Open all invitations again but one: as if two had been made for the same name."""
    with ladder.database.write() as session:
        for each in session.scalars(select(Invitation)):
            if each.hash != hash_of(secret):
                each.expires = ladder.clock() + 60


def refused(ladder: Ladder, link: str) -> bool:
    """True if a link opens nothing any more."""
    with pytest.raises(LadderError, match=re.escape(NOT_GOOD)):
        register(ladder, quick_passwords(), "", OTHER, link, HERE)
    return True


def test_a_new_invitation_for_a_name_revokes_the_older_one(ladder: Ladder) -> None:
    first, anyones, bobs = invited(ladder), invited(ladder, None), invited(ladder, "bob")
    second = invited(ladder)
    assert refused(ladder, first)
    for name, link in (("eve", second), ("otto", anyones), ("bob", bobs)):
        assert register(ladder, quick_passwords(), name, PASSWORD, link, HERE).name == name


@pytest.mark.parametrize(
    "come",
    [
        lambda ladder, link: register(ladder, quick_passwords(), "", PASSWORD, link, HERE),
        lambda ladder, link: register_known(ladder, "https://id.example 1", "", link, HERE),
    ],
)
def test_a_second_invitation_does_not_open_the_account_that_the_first_has_made(
    ladder: Ladder, come: Callable[[Ladder, str], Any]
) -> None:
    other, link = invited(ladder), invited(ladder)
    open_besides(ladder, link)
    secret = come(ladder, link).secret
    assert refused(ladder, other)
    assert viewer_by(ladder, secret, "").name == "eve"


def test_a_used_invitation_keeps_the_time_until_which_it_was_good(ladder: Ladder) -> None:
    made = registering.invite(ladder, LOCAL, Role.CONTESTANT, "eve")
    register(ladder, quick_passwords(), "", PASSWORD, made.secret, HERE)
    (row,) = registering.invitations(ladder, LOCAL)
    assert (row.used_by, row.expires) == ("eve", made.expires)


def test_an_invitation_does_not_open_an_account_that_an_organiser_has_made_since(ladder: Ladder) -> None:
    faes, gils = invited(ladder, "fay"), invited(ladder, "gil")
    managing.add_with_password(ladder, quick_passwords(), LOCAL, "fay", Role.ORGANISER, PASSWORD)
    link = managing.add(ladder, LOCAL, "gil", Role.CONTESTANT).secret
    assert refused(ladder, faes)
    assert refused(ladder, gils)
    assert log_in(ladder, quick_passwords(), "fay", PASSWORD, HERE).name == "fay"
    assert register(ladder, quick_passwords(), "", PASSWORD, link, HERE).name == "gil"


def test_a_link_for_a_new_password_still_sets_it(ladder: Ladder) -> None:
    register(ladder, quick_passwords(), "", PASSWORD, invited(ladder), HERE)
    first, second = (registering.new_password(ladder, LOCAL, "eve").secret for _ in range(2))
    assert refused(ladder, first)
    register(ladder, quick_passwords(), "", OTHER, second, HERE)
    assert log_in(ladder, quick_passwords(), "eve", OTHER, HERE).name == "eve"
