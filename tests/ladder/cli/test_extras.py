"""What to install for a command is said by what it lacks."""

from __future__ import annotations

import pytest

from ladder.cli.extras import how_to_install


@pytest.mark.parametrize("module", ["distributed", "distributed.comm", "dask", "tornado.iostream", "cryptography.x509"])
def test_a_workers_packages_are_a_workers_extra(module: str) -> None:
    sentence = how_to_install(module)
    assert sentence is not None
    assert sentence.endswith("Install it: pip install 'pigpen-arena[worker]'")


def test_a_ladders_packages_are_a_ladders_extra() -> None:
    sentence = how_to_install("sqlalchemy.orm")
    assert sentence is not None
    assert "pip install 'pigpen-arena[ladder]'" in sentence


@pytest.mark.parametrize("module", ["antigravity", "", None])
def test_what_is_of_no_extra_has_no_sentence(module: str | None) -> None:
    assert how_to_install(module) is None
