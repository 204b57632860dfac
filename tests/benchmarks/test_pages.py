"""The benchmark of pages."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks.pages import checkout


def test_a_site_is_compared_with_that_of_another_checkout(tmp_path: Path) -> None:
    here = Path(__file__).parents[2]
    assert checkout(str(here)) == here
    with pytest.raises(argparse.ArgumentTypeError, match="name the folder of a checkout of Pigpen"):
        checkout(str(tmp_path))
