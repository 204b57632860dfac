"""Owners of images: naming another owner's bot does not make it one's own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ladder.errors import LadderError
from tests.ladder.databases import later_backend as backend
from tests.ladder.store.submitted import BETTER, TROTTER, states, submit

if TYPE_CHECKING:
    from ladder.store.database import Database
    from tests.ladder.store.submitted import Fit

__all__ = ["backend"]

IMAGE = replace(TROTTER, sandbox="docker", source="ada/trotter:1", image="ada/trotter:1")


def by_name(reference: str, fit: Fit = IMAGE) -> Fit:
    """An image, as its owner names it."""
    return replace(fit, image=reference)


STOLEN = replace(IMAGE, bot="Thief", owner="eve")


@pytest.mark.parametrize(
    "reference",
    [
        TROTTER.identity,
        "sha256:aaaaaaaaaaaa",
        "pigpen/entered:aaaa",
        "pigpen/built:aaaa",
        "ada/trotter:1",
        "eve/mine:1",
    ],
)
def test_an_image_that_is_another_owners_bot_is_refused_by_whatever_name(database: Database, reference: str) -> None:
    submit(database, IMAGE)
    with pytest.raises(LadderError, match=f"{reference} is a bot of ada's"):
        submit(database, by_name(reference, STOLEN))
    assert len(states(database)) == 1


@pytest.mark.parametrize(
    "reference",
    [
        BETTER.identity,
        BETTER.identity.removeprefix("sha256:"),
        "sha256:bbbb",
        "pigpen/entered:bbbb",
        "docker.io/pigpen/built:bbbb",
        "pigpen/bot:latest",
    ],
)
def test_a_name_that_only_the_engine_gave_says_nothing_of_whose_an_image_is(database: Database, reference: str) -> None:
    """It may be an image that another owner is submitting now, or that was refused."""
    with pytest.raises(LadderError, match=f"{reference} .* many images share"):
        submit(database, by_name(reference, replace(IMAGE, identity=BETTER.identity)))


@pytest.mark.parametrize("reference", [TROTTER.identity, "pigpen/entered:aaaa", "ada/trotter:1"])
def test_ones_own_image_may_be_named_in_every_way(database: Database, reference: str) -> None:
    submit(database, IMAGE)
    assert submit(database, by_name(reference)).changed is False
    assert submit(database, by_name(reference, replace(IMAGE, bot="Snout"))).new


def test_a_folder_shows_what_is_in_it_so_two_owners_may_have_the_same(database: Database) -> None:
    folder = replace(TROTTER, sandbox="docker")
    submit(database, folder)
    submit(database, replace(folder, bot="Snout", owner="ben"))
    own = replace(folder, bot="Gilt", owner="ben", image=TROTTER.identity)
    assert submit(database, own).new
