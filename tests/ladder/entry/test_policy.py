"""Permissions: every act, asked by everybody."""

from __future__ import annotations

from itertools import product

import pytest

from ladder.entry.policy import ORGANISERS_ONLY, OWNER_ONLY, SCOPES, Act, check, may
from ladder.errors import Forbidden
from ladder.values.accounts import ANONYMOUS, LOCAL, Scope, Viewer

ADA = Viewer("ada")
BOB = Viewer("bob")
ORGANISER = Viewer("olga", is_organiser=True)


def token(viewer: Viewer, *scopes: Scope) -> Viewer:
    return Viewer(viewer.name, viewer.is_organiser, frozenset(scopes), by_token=True)


@pytest.mark.parametrize("act", Act)
def test_nobody_and_strangers_may_do_nothing_of_it(act: Act) -> None:
    for viewer, owner in product((ANONYMOUS, BOB, token(BOB, *Scope)), ("ada", None)):
        assert not may(viewer, act, owner)
        with pytest.raises(Forbidden):
            check(viewer, act, owner)


@pytest.mark.parametrize("act", Act)
def test_somebody_at_the_ladders_machine_may_do_everything(act: Act) -> None:
    check(LOCAL, act, "ada")
    check(Viewer("", is_organiser=True, address="::1"), act)


@pytest.mark.parametrize("act", Act)
def test_an_owner_may_do_what_is_not_for_organisers(act: Act) -> None:
    assert may(ADA, act, "ada") == (act not in ORGANISERS_ONLY)


@pytest.mark.parametrize("act", Act)
def test_an_organiser_may_do_it_for_everybody_but_act_in_nobodys_name(act: Act) -> None:
    assert may(ORGANISER, act, "ada") == (act not in OWNER_ONLY)
    assert may(ORGANISER, act, "olga")


@pytest.mark.parametrize(("act", "scope"), list(product(Act, Scope)))
def test_a_token_is_good_for_its_scopes(act: Act, scope: Scope) -> None:
    fits = SCOPES[act] is scope
    assert may(token(ADA, scope), act, "ada") == (fits and act not in ORGANISERS_ONLY)
    assert may(token(ORGANISER, scope), act, "olga") == fits
    assert may(token(ORGANISER, scope), act, "ada") == (fits and scope is Scope.ADMIN)


def test_an_organisers_token_needs_both_scopes_for_what_is_anothers() -> None:
    assert may(token(ORGANISER, Scope.READ, Scope.ADMIN), Act.READ_OUTPUT, "ada")
    assert not may(token(ORGANISER, Scope.READ), Act.READ_OUTPUT, "ada")


def test_what_bots_print_in_matches_may_be_public() -> None:
    assert may(ANONYMOUS, Act.READ_OUTPUT, "ada", public_output=True)
    assert not may(ANONYMOUS, Act.READ_SUBMISSION, "ada", public_output=True)
