"""Sites that tests of this folder look at; none of them changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ladder.site.visitor import Visitor, empty_site, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """The site of a small ladder."""
    with small_site(tmp_path_factory.mktemp("small")) as site:
        yield site


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """The site of a ladder without a bot."""
    with empty_site(tmp_path_factory.mktemp("empty")) as site:
        yield site
