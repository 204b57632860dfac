"""Arrows run one way: ladder → referee → pigpen → pigpen.rules → standard library; sample bots → pigpen."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SDK_NEEDS = {"grpc", "google"}
STORE_NEEDS = {
    "sqlalchemy",
    "tomli_w",
    "alembic",
    "pydantic",
    "pydantic_settings",
    "structlog",
    "numpy",
    "packaging",
    "orjson",
    "threadpoolctl",
}
HOUSE = {
    "sdk/pigpen/rules": {"pigpen.rules"},
    "sdk/pigpen": {"pigpen"} | SDK_NEEDS,
    "sample_bots": {"pigpen"},
    "examples": {"pigpen", "pyspiel"},
    "referee": {"pigpen", "referee", "pydantic", "pydantic_core", "tomli_w"} | SDK_NEEDS,
    "ladder": {"pigpen", "referee", "ladder", "docker", "typer", "rich", "requests", "urllib3"} | STORE_NEEDS,
}
"""Each part of the house and what its modules may import besides the standard library."""


def imports_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return names | {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}


def foreign(name: str, allowed: set[str]) -> bool:
    inside = any(name == prefix or name.startswith(f"{prefix}.") for prefix in allowed)
    return not inside and name.partition(".")[0] not in sys.stdlib_module_names


@pytest.mark.parametrize("part", HOUSE)
def test_imports_run_one_way(part: str) -> None:
    modules = list((ROOT / part).rglob("*.py"))
    assert modules
    wrong = {f"{path.relative_to(ROOT)} imports {name}" for path in modules for name in imports_of(path)
             if foreign(name, HOUSE[part])}  # fmt: skip
    assert wrong == set()
