"""A command that lacks a package names the extra to install."""

from __future__ import annotations

import sys

import pytest

from ladder.app.wheels import install_line
from ladder.cli.failures import how_to_install
from tests.test_third_party_imports import ROOT, imports_of

OURS = {"ladder", "pigpen", "referee", "sample_bots"}
ALWAYS_THERE = {
    "docker", "google", "grpc", "packaging", "pydantic", "pydantic_core", "pydantic_settings", "requests", "rich",
    "structlog", "tomli_w", "typer", "urllib3", "uv",
}  # fmt: skip
"""Packages that our code imports and that come without an extra."""


@pytest.mark.parametrize("module", ["distributed", "distributed.comm", "dask", "tornado.iostream", "cryptography.x509"])
def test_a_workers_packages_are_a_workers_extra(module: str) -> None:
    sentence = how_to_install(module)
    assert sentence is not None
    assert sentence.endswith(install_line("worker"))


@pytest.mark.parametrize("module", ["sqlalchemy.orm", "starlette.responses", "h11", "argon2", "prometheus_client"])
def test_a_ladders_packages_are_a_ladders_extra(module: str) -> None:
    sentence = how_to_install(module)
    assert sentence is not None
    assert install_line("ladder") in sentence


@pytest.mark.parametrize("module", ["antigravity", "", None])
def test_what_is_of_no_extra_has_no_sentence(module: str | None) -> None:
    assert how_to_install(module) is None


def test_whatever_our_code_imports_is_there_or_of_an_extra() -> None:
    imported = set[str]().union(*(imports_of(path) for path in (ROOT / "ladder").rglob("*.py")))
    others = imported - OURS - sys.stdlib_module_names
    assert {module for module in others if how_to_install(module) is None} == others & ALWAYS_THERE
