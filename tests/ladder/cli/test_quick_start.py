"""The command starts quickly: what takes long to import is imported by the commands that need it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {"docker", "sqlalchemy", "alembic", "numpy", "structlog", "pydantic", "pydantic_settings", "packaging", "grpc"}


def test_the_command_imports_nothing_heavy_before_it_knows_what_is_wanted() -> None:
    code = f"import sys, ladder.cli.typer_app; print(*sorted({HEAVY!r} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


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
