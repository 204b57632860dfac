"""The wheels that a site hands out: which they are, and that pip looks for none of them on an index."""

from __future__ import annotations

import hashlib
import json
import shlex
import tomllib
from importlib import metadata
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

from ladder.app.wheels import ARENA, EXTRAS, FILES, SDK, find_wheels, install_line, requirements
from pigpen.version import __version__
from tests.e2e.command import ROOT

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

ADDRESS = "https://arena.example"
ARENA_WHEEL = f"pigpen_arena-{__version__}-py3-none-any.whl"
PURE = f"pigpen_sdk-{__version__}-py3-none-any.whl"
INTEL, ARM = (
    f"pigpen_sdk-{__version__}-py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}.whl"
    for machine in ("x86_64", "aarch64")
)
MACHINES = [("linux", "x86_64"), ("linux", "aarch64"), ("linux", "riscv64"), ("darwin", "arm64"), ("win32", "AMD64")]


def put(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"this is {name}")
    return folder


@pytest.mark.parametrize(
    "sdk", [(PURE,), (INTEL,), (INTEL, f"pure/{PURE}"), (INTEL, ARM), (INTEL, ARM, f"pure/{PURE}")]
)
@pytest.mark.parametrize(("system", "machine"), MACHINES)
def test_on_each_machine_one_wheel_of_each_is_named_by_address_and_hash(
    tmp_path: Path, sdk: tuple[str, ...], system: str, machine: str
) -> None:
    """A line less, and pip would take whatever goes by the name of pigpen-sdk on an index."""
    wheels = find_wheels(put(tmp_path, f"wheels/{ARENA_WHEEL}", *(f"wheels/{name}" for name in sdk)))
    lines = [Requirement(line) for line in requirements(wheels, ADDRESS).splitlines()]
    assert len(lines) == len(sdk) + 1
    here = {"sys_platform": system, "platform_machine": machine}
    chosen = {line.name: line.url or "" for line in lines if line.marker is None or line.marker.evaluate(here)}
    assert sum(line.marker is None or line.marker.evaluate(here) for line in lines) == 2
    assert chosen.keys() == {SDK, ARENA}
    for url in chosen.values():
        place, _, digest = url.partition("#sha256=")
        (wheel,) = [each for each in wheels if place == f"{ADDRESS}/wheels/{each.name}"]
        assert digest == hashlib.sha256(wheel.path.read_bytes()).hexdigest()
    compiled = {("linux", "x86_64"): INTEL, ("linux", "aarch64"): ARM}.get((system, machine))
    if compiled in sdk:
        assert f"/{compiled}#" in chosen[SDK]
    elif f"pure/{PURE}" in sdk:
        assert f"/{PURE}#" in chosen[SDK]


@pytest.mark.parametrize(
    "names",
    [
        (),
        (ARENA_WHEEL,),
        (PURE, INTEL),
        (PURE, ARENA_WHEEL.replace(__version__, "9.9")),
        (PURE, "pigpen_arena.whl"),
        (PURE, f"numpy-{__version__}-py3-none-any.whl"),
    ],
)
def test_what_does_not_make_a_whole_is_not_handed_out(tmp_path: Path, names: tuple[str, ...]) -> None:
    assert find_wheels(put(tmp_path, *(f"wheels/{name}" for name in names)), tmp_path) == ()


def test_a_checkout_hands_out_what_it_has_made_unless_the_ladder_has_others(tmp_path: Path) -> None:
    checkout, data = tmp_path / "checkout", tmp_path / "data"
    put(checkout, f"dist/{ARENA_WHEEL}", f"dist/{INTEL}")
    assert find_wheels(data, checkout) == ()  # this is no checkout, but some folder beside the packages
    put(checkout, "pyproject.toml")
    assert {wheel.name for wheel in find_wheels(data, checkout)} == {ARENA_WHEEL, INTEL}
    put(data, f"wheels/{ARENA_WHEEL}", f"wheels/{PURE}")
    assert {wheel.name for wheel in find_wheels(data, checkout)} == {ARENA_WHEEL, PURE}


def test_the_extras_are_all_but_those_of_developers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {*EXTRAS, "dev", "docs"} == set(project["optional-dependencies"])


def test_a_list_has_the_packages_of_one_extra(tmp_path: Path) -> None:
    wheels = find_wheels(put(tmp_path, f"wheels/{ARENA_WHEEL}", f"wheels/{PURE}"))
    sdk, arena = (Requirement(line) for line in requirements(wheels, ADDRESS, "ladder").splitlines())
    assert (sdk.name, sdk.extras, arena.name, arena.extras) == (SDK, set(), ARENA, {"ladder"})


def from_there(monkeypatch: pytest.MonkeyPatch, **origins: dict[str, Any] | None) -> None:
    """Let both distributions have been installed from these origins."""

    class Installed:
        def __init__(self, name: str) -> None:
            self.origin = origins[name.removeprefix("pigpen-")]

        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return None if self.origin is None else json.dumps(self.origin)

    monkeypatch.setattr(metadata, "distribution", Installed)


def test_an_extra_is_installed_from_where_pigpen_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dist = put(tmp_path / "my dist", ARENA_WHEEL, PURE, "sources/pyproject.toml", "sources/sdk/pyproject.toml")
    files = {
        name: {"url": (dist / file).as_uri(), "archive_info": {}}
        for name, file in (("sdk", PURE), ("arena", ARENA_WHEEL))
    }
    from_there(monkeypatch, **files)
    assert install_line("ladder", "data") == f"pip install '{dist}/{PURE}' '{dist}/{ARENA_WHEEL}[ladder,data]'"
    folders = {"sdk": "sources/sdk", "arena": "sources"}
    from_there(monkeypatch, **{name: {"url": (dist / file).as_uri(), "dir_info": {}} for name, file in folders.items()})
    assert install_line("learn") == f"pip install '{dist}/sources/sdk' '{dist}/sources[learn]'"
    editable = {"editable": True}
    from_there(
        monkeypatch, **{name: {"url": (dist / file).as_uri(), "dir_info": editable} for name, file in folders.items()}
    )
    assert shlex.split(install_line("learn"))[2:] == [
        "--editable",
        f"{dist}/sources/sdk",
        "--editable",
        f"{dist}/sources[learn]",
    ]


@pytest.mark.parametrize("address", [ADDRESS, "http://127.0.0.1:8020", "https://arena.example/under/a;path"])
def test_an_extra_is_installed_from_the_site_that_pigpen_came_from(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    origin = {"url": f"{address}/wheels/{ARENA_WHEEL}", "archive_info": {}}
    from_there(monkeypatch, sdk=None, arena=origin)
    quoted = "'" if ";" in address else ""
    assert install_line("worker") == f"pip install -r {quoted}{address}/wheels/worker.txt{quoted}"


@pytest.mark.parametrize(
    "origin", [None, {}, {"url": "file:///gone/pigpen_arena.whl"}, {"url": "git+https://x.example/y"}]
)
def test_an_origin_that_is_gone_leads_to_the_files(
    monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None
) -> None:
    from_there(monkeypatch, sdk=origin, arena=origin)
    assert install_line("data") == f"pip install {FILES[0]} '{FILES[1]}[data]'"
