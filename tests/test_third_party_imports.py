"""
Imports of each package from others' packages; and each declared dependency is used.

Who may import whom at home is for the contracts of `lint-imports`.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
SDK_NEEDS = {"pigpen", "grpc", "google"}
REFEREE_NEEDS = SDK_NEEDS | {"referee", "pydantic", "pydantic_core", "tomli_w"}
STORE_NEEDS = {"alembic", "numpy", "orjson", "sqlalchemy", "structlog"}
SANDBOX_NEEDS = {"docker", "packaging", "requests", "threadpoolctl", "urllib3", "uv"}
CLUSTER_NEEDS = {"cryptography", "dask", "distributed", "msgpack", "tornado"}
EVENTS_NEED = {"highspy", "icalendar", "standardwebhooks"}
DATA_NEEDS = {"pyarrow"}
SOURCES_NEED = {"pygments"}
LEARN_NEEDS = {"gymnasium", "numpy", "onnxruntime", "pettingzoo", "pyspiel"}
TORCH_NEEDS = {"onnx", "ray", "sb3_contrib", "tensordict", "torch", "torchrl"}
EXAMPLES_NEED = {"exploit", "google", "gymnasium", "numpy", "pyspiel", "train"} | TORCH_NEEDS
REGISTRY_NEEDS = {"cryptography", "joserfc"}
SITE_NEEDS = {
    "PIL",
    "anyio",
    "babel",
    "fastapi",
    "h11",
    "jinja2",
    "markdown_it",
    "markupsafe",
    "prometheus_client",
    "starlette",
    "uvicorn",
}
PEOPLE_NEED = {"argon2", "authlib", "confusable_homoglyphs", "joserfc", "limits"}
SHIPPED = ("ladder", "pigpen_arena", "referee", "sample_bots")
NEEDS = {
    "sdk/pigpen/rules": {"pigpen"},
    "sdk/pigpen/sim": {"pigpen"},
    "sdk/pigpen/learn": {"pigpen"} | LEARN_NEEDS,
    "sdk/pigpen": SDK_NEEDS,
    "sample_bots": {"pigpen"},
    "examples": {"pigpen"} | EXAMPLES_NEED,
    "referee": REFEREE_NEEDS,
    "pigpen_arena": REFEREE_NEEDS | DATA_NEEDS | LEARN_NEEDS | {"ladder", "pigpen_arena"},
    "ladder": {"ladder", "rich", "typer"}
    | PEOPLE_NEED
    | REFEREE_NEEDS
    | STORE_NEEDS
    | SANDBOX_NEEDS
    | SITE_NEEDS
    | REGISTRY_NEEDS
    | EVENTS_NEED
    | SOURCES_NEED
    | DATA_NEEDS
    | CLUSTER_NEEDS,
}
"""Each folder, and the packages that its modules may import besides the standard library."""

EVERYWHERE = (*SHIPPED, "benchmarks", "hatch_build.py", "scripts", "sdk", "tests", "examples")
NOT_IMPORTED = {
    "basedpyright": "a command of tests: pyright",
    "buf-bin": "a command of scripts/protos",
    "check-jsonschema": "a command of tests/test_code_host.py",
    "editables": "hatchling needs it for editable installs",
    "grpcio-tools": "a command of scripts/protos",
    "import-linter": "a command of make check",
    "mkdocs-material": "the theme of the documentation",
    "mkdocstrings": "a plugin of mkdocs",
    "mypy": "a command of make check",
    "onnxruntime": "pigpen.learn.onnx_net, where it is installed",
    "pandas": "frames of pigpen_arena, where it is installed",
    "pip": "a command that fetches what images hold",
    "polars": "as pandas",
    "mypy-protobuf": "a plugin of scripts/protos",
    "psycopg": "SQLAlchemy loads it for PostgreSQL",
    "pytest-asyncio": "a plugin of pytest",
    "pytest-timeout": "a plugin of pytest",
    "python-multipart": "FastAPI reads forms with it",
    "ruff": "a command of make check",
    "types-docker": "types for mypy",
    "types-grpcio": "types for mypy",
    "types-jsonschema": "types for mypy",
    "types-protobuf": "types for mypy",
    "types-requests": "types for mypy",
    "ziglang": "the compiler, a command that the builds run",
}
"""Dependencies that no module of ours imports, and what they are for."""


@cache
def imports_of(path: Path) -> set[str]:
    """The packages that a module imports, anywhere in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("folder", NEEDS)
def test_nothing_is_imported_that_is_not_named_here(folder: str) -> None:
    inner = [ROOT / other for other in NEEDS if other.startswith(f"{folder}/")]
    modules = [path for path in (ROOT / folder).rglob("*.py") if not any(path.is_relative_to(each) for each in inner)]
    assert modules
    allowed = NEEDS[folder] | sys.stdlib_module_names
    wrong = {str(path.relative_to(ROOT)): more for path in modules if (more := imports_of(path) - allowed)}
    assert wrong == {}


@cache
def modules_by_package() -> dict[str, set[str]]:
    """Modules that each installed package brings; ours is installed in a way that does not say."""
    found: dict[str, set[str]] = {"pigpen-sdk": {"pigpen"}}
    for module, names in packages_distributions().items():
        for name in names:
            found.setdefault(canonicalize_name(name), set()).add(module)
    return found


@cache
def imported_below(folder: str) -> frozenset[str]:
    """Collect the imports of the modules of a folder, or of one module."""
    root = ROOT / folder
    modules = [root] if root.is_file() else [path for path in root.rglob("*.py") if "node_modules" not in path.parts]
    return frozenset[str]().union(*(imports_of(path) for path in modules))


def declared() -> list[tuple[str, str, tuple[str, ...]]]:
    """Each dependency: where it is declared, its name, and the folders in which it is to be imported."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sdk = tomllib.loads((ROOT / "sdk/pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"pigpen-arena": project["dependencies"], **project["optional-dependencies"], "sdk": sdk["dependencies"]}
    folders = {"dev": EVERYWHERE, "learn": ("sdk",), "onnx": ("sdk",), "openspiel": ("sdk",), "sdk": ("sdk",)}
    return [
        (group, canonicalize_name(Requirement(line).name), folders.get(group, SHIPPED))
        for group, lines in groups.items()
        for line in lines
    ]


@pytest.mark.parametrize(("group", "name", "folders"), [each for each in declared() if each[1] not in NOT_IMPORTED])
def test_each_dependency_is_imported_or_is_there_for_a_reason(group: str, name: str, folders: tuple[str, ...]) -> None:
    modules = modules_by_package().get(name, set())
    assert modules, f"{name} is not installed"
    used = frozenset[str]().union(*map(imported_below, folders))
    assert modules & used, (
        f"nothing in {', '.join(folders)} imports {name}: take it out of {group}, or say why it stays"
    )


def test_reasons_are_for_dependencies() -> None:
    assert set(NOT_IMPORTED) <= {name for _, name, _ in declared()}
