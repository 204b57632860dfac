"""Names in the documentation exist: files, modules, classes; and its map of the code shows every room."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "sdk" / "README.md"]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES if page.name != "CHANGELOG.md"]
PACKAGES = {
    "pigpen": ROOT / "sdk" / "pigpen",
    "referee": ROOT / "referee",
    "ladder": ROOT / "ladder",
    "pigpen_arena": ROOT / "pigpen_arena",
}

PATH = re.compile(
    r"(?<![\w/.~-])((?:benchmarks|docs|examples|ladder|pigpen_arena|referee|sample_bots|scripts|sdk|tests)/[\w./-]*\w)"
)
MODULE = re.compile(r"(?<![\w/.-])((?:benchmarks|ladder|pigpen|pigpen_arena|referee)(?:\.[A-Za-z_]\w*)+)")
CLASS = re.compile(r"`([A-Z][a-z]+\w*)(?:\.\w+)?(?:\(\))?`")
DEFINED = re.compile(r"^ *class (\w+)", flags=re.MULTILINE)
NOT_MODULES = re.compile(
    r"pigpen\.(toml|owner|sandbox|service|variants|base|debian|toolchain)|ladder\.(db|dump|md|waiting|stopping|aborting)"
)
"""Files, labels of containers and images, events of the log."""
LEFT_OUT = {"ladder": {"errors", "garbage", "values"}}
"""Modules that most rooms of a package import, and the map leaves out."""
OTHER_NAMES = {"Cargo", "Hello", "Live", "LocalCluster", "Nanny", "Pss", "Shmem", "SimpleQueue", "TimeoutStopSec"}
"""Classes, messages and settings that are not in our Python code."""


@cache
def classes() -> frozenset[str]:
    """Every class in our packages."""
    texts = [file.read_text("utf-8") for root in PACKAGES.values() for file in root.rglob("*.py")]
    return frozenset(name for text in texts for name in DEFINED.findall(text))


def exists(dotted: str) -> bool:
    """True if a dotted name is a module, or can be found in one."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def paths_in(text: str) -> list[str]:
    return PATH.findall(text)


@pytest.mark.parametrize("name", NAMES)
def test_every_file_that_a_page_names_exists(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert [path for path in paths_in(text) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_module_that_a_page_names_exists(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert [dotted for dotted in MODULE.findall(text) if not NOT_MODULES.fullmatch(dotted) and not exists(dotted)] == []


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("docs/adr/") or name == "docs/house.md"])
def test_every_class_that_a_page_names_exists(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert [each for each in CLASS.findall(text) if each not in classes() | OTHER_NAMES] == []


def rooms_in(page: str, package: str) -> set[str]:
    """The rooms in the table of a package."""
    section = page.split(f"\n## {package}: ", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| `([a-z0-9]+)` \|", section, flags=re.MULTILINE))


@pytest.mark.parametrize("package", PACKAGES)
def test_the_map_shows_every_room(package: str) -> None:
    page = (ROOT / "docs" / "house.md").read_text("utf-8")
    rooms = {file.parent.name for file in PACKAGES[package].glob("*/__init__.py")}
    assert rooms_in(page, package) == rooms


def imports_in(page: str, package: str) -> dict[str, set[str]]:
    """Read the imports of each room of a package from the map."""
    section = page.split(f"\n## {package}: ", 1)[1].split("\n## ", 1)[0]
    modules = {path.stem for path in PACKAGES[package].iterdir()}
    columns = re.findall(r"^\| `([a-z0-9]+)` \| .* \| (.*) \|$", section, flags=re.MULTILINE)
    return {room: {Path(name).stem for name in re.findall(r"`([\w.]+)`", column)} & modules for room, column in columns}


def imports_of(package: str, room: str) -> set[str]:
    """The rooms and loose files that a room imports, also for types alone."""
    texts = [file.read_text("utf-8") for file in (PACKAGES[package] / room).rglob("*.py")]
    imported = re.compile(rf"^ *(?:from|import) {package}\.(\w+)", flags=re.MULTILINE)
    return {name for text in texts for name in imported.findall(text)} - {room} - LEFT_OUT.get(package, set())


@pytest.mark.parametrize("package", ["ladder", "pigpen", "referee"])
def test_the_map_says_what_each_room_imports(package: str) -> None:
    shown = imports_in((ROOT / "docs" / "house.md").read_text("utf-8"), package)
    assert shown == {room: imports_of(package, room) for room in shown}


@pytest.mark.parametrize("room", ["cli", "people", "sandbox", "site"])
def test_the_map_shows_every_room_inside_a_room(room: str) -> None:
    page = (ROOT / "docs" / "house.md").read_text("utf-8")
    rooms = {f"{room}/{file.parent.name}" for file in (ROOT / "ladder" / room).glob("*/__init__.py")}
    assert set(re.findall(rf"^\| `({room}/\w+)` \|", page, flags=re.MULTILINE)) == rooms


def test_a_wrong_name_would_be_noticed() -> None:
    assert paths_in("see `ladder/nowhere.py`, and https://example.org/docs/x.md") == ["ladder/nowhere.py"]
    assert exists("pigpen.sim.solving.solve")
    assert not exists("pigpen.nowhere")
    assert not exists("pigpen.Bot.nowhere")
