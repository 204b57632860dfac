from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import pigpen.rules
from pigpen.rules import cards

MODULES = [f"pigpen.rules.{module.name}" for module in pkgutil.iter_modules(pigpen.rules.__path__)]


@pytest.mark.parametrize("name", ["pigpen.rules", *MODULES])
def test_the_examples_in_the_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_examples_are_found() -> None:
    assert doctest.testmod(cards).attempted >= 2
