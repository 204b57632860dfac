"""Every public name of the SDK has an example in its docstring; `tests/test_doctests.py` runs them."""

from __future__ import annotations

import inspect

import pytest

import pigpen
import pigpen.check
import pigpen.learn
import pigpen.rules
import pigpen.search

WITHOUT_EXAMPLE = {"run"}
"""`pigpen.run` needs a referee; the docstring of the package shows its use."""


def public() -> list[tuple[str, object]]:
    """Every public class and function of the SDK, by the names that bots import."""
    names = [(module, name) for module in (pigpen, pigpen.rules, pigpen.check, pigpen.learn) for name in module.__all__]
    names += [(pigpen.search, name) for name, value in vars(pigpen.search).items() if is_own(name, value)]
    found = {
        f"{module.__name__}.{name}": getattr(module, name) for module, name in names if name not in WITHOUT_EXAMPLE
    }
    return [(name, value) for name, value in found.items() if inspect.isclass(value) or inspect.isfunction(value)]


def is_own(name: str, value: object) -> bool:
    """True if a name of `pigpen.search` is public and made there."""
    return not name.startswith("_") and getattr(value, "__module__", "") == "pigpen.search" and callable(value)


@pytest.mark.parametrize(("name", "value"), public(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_public_name_has_an_example(name: str, value: object) -> None:
    assert ">>> " in (value.__doc__ or "")


def test_the_public_names_are_found() -> None:
    names = {name for name, _ in public()}
    assert names >= {"pigpen.View", "pigpen.rules.Deal", "pigpen.check.check", "pigpen.search.SearchBot"}
