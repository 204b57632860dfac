"""The command starts quickly: what takes long to import is imported by the commands that need it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {
    "alembic", "cryptography", "distributed", "docker", "fastapi", "google", "grpc", "jinja2", "numpy", "packaging",
    "requests", "rich.live", "sqlalchemy", "structlog",
}  # fmt: skip
"""Modules that few commands need."""
NEEDED_TO_RUN = {"pydantic", "asyncio", "pigpen", "referee", "ladder.app", "ladder.sandbox", "ladder.values.matches"}
"""Modules that most commands need to run, and none to be listed."""


def loaded(folder: Path, *words: str) -> set[str]:
    """The modules that `pigpen WORDS` has imported when it ends."""
    code = """
import atexit, sys
from ladder.cli.entry import main
atexit.register(lambda: print("loaded:", *sys.modules))
main()
"""
    command = [sys.executable, "-c", code, *words]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return set(found.stdout.rpartition("loaded: ")[2].split())


def test_help_and_version_import_no_command_and_nothing_that_only_commands_need(tmp_path: Path) -> None:
    found = loaded(tmp_path, "--help")
    assert found & (HEAVY | NEEDED_TO_RUN) == set()
    assert {name for name in found if name.startswith("ladder.cli.")} == {
        "ladder.cli.commands", "ladder.cli.entry", "ladder.cli.typer_app"
    }  # fmt: skip
    assert loaded(tmp_path, "--version") & HEAVY == set()


def test_the_help_of_a_command_imports_no_other_command(tmp_path: Path) -> None:
    found = loaded(tmp_path, "account", "--help")
    assert "ladder.cli.accounts.account_commands" in found
    assert {name for name in found if name.startswith(("ladder.cli.play", "ladder.cli.organise"))} == set()


def test_the_commands_themselves_import_nothing_that_an_extra_installs_or_few_need(tmp_path: Path) -> None:
    code = f"""
import sys
from ladder.cli.commands import COMMANDS
from ladder.cli.typer_app import load_command
for name in COMMANDS:
    load_command(name)
print(*sorted({HEAVY!r} & set(sys.modules)))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert found.stdout.split() == []


def test_a_match_of_bots_in_the_process_of_the_command_needs_no_sandbox_and_no_wire(tmp_path: Path) -> None:
    found = loaded(tmp_path, "play", *["random"] * 4, "--deals", "1", "--sandbox", "inline")
    assert found & (HEAVY | {"pigpen.v1", "ladder.matches.play", "ladder.values.matches"}) == set()


@pytest.mark.sqlite
def test_a_command_at_a_ladder_imports_neither_numpy_nor_cryptography_before_it_needs_them(tmp_path: Path) -> None:
    open_ladder(load_settings(data_dir=tmp_path), create=True).close()
    code = """
import atexit, sys
from ladder.cli.entry import main
heavy = {"sqlalchemy", "numpy", "cryptography", "joserfc", "docker"}
atexit.register(lambda: print("loaded:", *heavy & set(sys.modules)))
sys.argv[1:] = ["standings"]
main()
"""
    there = os.environ | {"PIGPEN_DATA_DIR": str(tmp_path), "PIGPEN_DATABASE_URL": f"sqlite:///{tmp_path}/ladder.db"}
    found = subprocess.run([sys.executable, "-c", code], env=there, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "loaded: sqlalchemy"


def loaded_at(ladder: Path, *words: str) -> set[str]:
    """The modules that a command at the ladder in a folder has imported when it ends, whatever its exit code."""
    code = """
import atexit, sys
from ladder.cli.entry import main
atexit.register(lambda: print("loaded:", *sys.modules))
main()
"""
    there = os.environ | {"PIGPEN_DATA_DIR": str(ladder), "XDG_CONFIG_HOME": str(ladder / "config")}
    there.pop("PIGPEN_DATABASE_URL", None)
    command = [sys.executable, "-c", code, *words]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ladder.parent, env=there)
    return set(found.stdout.rpartition("loaded: ")[2].split())


def test_that_there_is_no_ladder_is_found_without_a_database(tmp_path: Path) -> None:
    for words in (["standings"], ["bots"], ["matches"], ["show", "Trotter"]):
        found = loaded_at(tmp_path / "none", *words)
        assert "ladder.settings.settings" in found
        assert found & {"sqlalchemy", "ladder.app.ladder"} == set()


@pytest.mark.sqlite
def test_a_command_that_reads_imports_no_other_use_case(tmp_path: Path) -> None:
    """Of the tables only those of the ladder itself are declared."""
    open_ladder(load_settings(data_dir=tmp_path), create=True).close()
    others = {
        "ladder.app.health", "ladder.app.bot_logs", "ladder.app.states", "ladder.app.submit.ordering",
        "ladder.store.account_models", "ladder.store.event_models", "ladder.store.table_models",
        "ladder.store.webhook_models", "ladder.store.computing_models", "ladder.values.live_events",
    }  # fmt: skip
    for words in (["standings"], ["bots"]):
        found = loaded_at(tmp_path, *words)
        assert "ladder.app.bots" in found
        assert found & others == set()


READERS = (["standings"], ["bots"], ["matches"], ["event", "list"], ["account", "list"], ["submissions"])
NOT_TO_READ = {
    "alembic", "cryptography", "distributed", "docker", "fastapi", "grpc", "jinja2", "joserfc", "numpy", "psycopg",
    "pydantic_settings", "requests", "sqlalchemy.dialects.postgresql", "structlog",
}  # fmt: skip
"""Modules that a command that only reads a ladder in SQLite has no use for."""


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a_command_that_reads_imports_nothing_that_only_writing_or_another_database_needs(
    tmp_path: Path, words: list[str]
) -> None:
    open_ladder(load_settings(data_dir=tmp_path), create=True).close()
    found = loaded_at(tmp_path, *words)
    assert "sqlalchemy.dialects.sqlite" in found
    assert found & NOT_TO_READ == set()


def test_the_command_looks_for_garbage_rarely_and_not_once_more_at_its_end() -> None:
    code = """
import atexit, gc, sys
from ladder.cli.entry import main
atexit.register(lambda: print(gc.get_threshold()[0] >= 10_000, gc.get_freeze_count() > 0))
sys.argv[1:] = ["--help"]
main()
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "True True"
