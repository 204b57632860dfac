"""The texts of `--help` fit their terminal; the table of commands agrees with them, and a missing extra is named."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from ladder.app.wheels import install_line
from ladder.cli.commands import COMMANDS
from ladder.cli.failures import how_to_install
from ladder.cli.typer_app import load_command
from tests.e2e.command import pigpen
from tests.test_third_party_imports import ROOT, imports_of
from tests.typed import typed

if TYPE_CHECKING:
    from pathlib import Path


def lines_of(*words: str, columns: int) -> list[str]:
    done = pigpen(*words, "--help", COLUMNS=str(columns))
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("words", [("submit",), ("ladder", "run"), ("cluster", "forget"), ("up",)], ids=" ".join)
def test_a_paragraph_is_broken_where_the_terminal_ends(words: tuple[str, ...]) -> None:
    """A paragraph that fits is one line, with an empty one after it."""
    text, _, _ = "\n".join(lines_of(*words, columns=2000)[3:]).partition("Examples:")
    prose = text.partition("╭")[0].strip().split("\n")
    assert prose[0]
    assert [line for line in prose[1::2] if line] == []


def test_a_narrow_terminal_breaks_them_anew() -> None:
    prose = [line for line in lines_of("submit", columns=60) if not line.startswith(("│", "╭", "╰"))]
    assert max(map(len, prose)) <= 60
    paragraph = " ".join(prose)
    assert "each variant without a " in paragraph
    inside = prose[prose.index("") + 1 :]
    assert all(len(line) > 30 for line in inside[: inside.index("") - 1] if line)


def test_examples_stay_line_by_line() -> None:
    shown = lines_of("submit", columns=2000)
    assert "Examples:" in shown
    assert "pigpen submit ./mybot --name Trotter --owner ada" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_is_the_first_paragraph_of_its_help(name: str) -> None:
    assert load_command(name).help.split("\n\n")[0] == COMMANDS[name].help


def test_the_help_lists_every_command_and_a_mistyped_one_gets_a_suggestion(tmp_path: Path) -> None:
    listed = re.findall(r"^│ ([a-z][a-z-]+) ", typed("--help", folder=tmp_path).out, flags=re.MULTILINE)
    assert listed == list(COMMANDS)
    mistyped = typed("standing", folder=tmp_path)
    assert (mistyped.code, "Did you mean 'standings'?" in mistyped.err) == (2, True)


OURS = {"ladder", "pigpen", "referee", "sample_bots"}
ALWAYS_THERE = {
    "docker", "google", "grpc", "packaging", "pydantic", "pydantic_core", "requests", "rich",
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
