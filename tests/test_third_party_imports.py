"""What each package takes from others' packages; who may import whom at home is for the contracts of `lint-imports`."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SDK_NEEDS = {"pigpen", "grpc", "google"}
REFEREE_NEEDS = SDK_NEEDS | {"referee", "pydantic", "pydantic_core", "tomli_w"}
STORE_NEEDS = {"alembic", "numpy", "orjson", "pydantic_settings", "sqlalchemy", "structlog"}
SANDBOX_NEEDS = {"docker", "packaging", "requests", "threadpoolctl", "urllib3"}
CLUSTER_NEEDS = {"cryptography", "dask", "distributed", "msgpack", "tornado"}
REGISTRY_NEEDS = {"cryptography", "joserfc"}
SITE_NEEDS = {"anyio", "babel", "fastapi", "h11", "jinja2", "markupsafe", "prometheus_client", "starlette", "uvicorn"}
PEOPLE_NEED = {"argon2", "authlib", "confusable_homoglyphs", "joserfc", "limits"}
NEEDS = {
    "sdk/pigpen/rules": {"pigpen"},
    "sdk/pigpen/sim": {"pigpen"},
    "sdk/pigpen": SDK_NEEDS,
    "sample_bots": {"pigpen"},
    "examples": {"pigpen", "pyspiel"},
    "referee": REFEREE_NEEDS,
    "ladder": {"ladder", "rich", "typer"}
    | PEOPLE_NEED
    | REFEREE_NEEDS
    | STORE_NEEDS
    | SANDBOX_NEEDS
    | SITE_NEEDS
    | REGISTRY_NEEDS
    | CLUSTER_NEEDS,
}
"""Each folder, and the packages that its modules may import besides the standard library."""


def imports_of(path: Path) -> set[str]:
    """The packages that a module imports, anywhere in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("folder", NEEDS)
def test_nothing_is_imported_that_is_not_named_here(folder: str) -> None:
    modules = list((ROOT / folder).rglob("*.py"))
    assert modules
    allowed = NEEDS[folder] | sys.stdlib_module_names
    wrong = {str(path.relative_to(ROOT)): more for path in modules if (more := imports_of(path) - allowed)}
    assert wrong == {}
