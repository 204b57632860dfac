"""The names of `pigpen`: those that simulate are imported when they are first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pigpen


@pytest.mark.parametrize("name", pigpen.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(pigpen, name) is not None


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'pigpen' has no attribute 'playuot'"):
        _ = pigpen.playuot


def test_a_bot_that_never_simulates_does_not_load_what_simulates() -> None:
    program = (
        "import sys, pigpen, pigpen.client; print([name for name in sys.modules if name.startswith('pigpen.sim')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
