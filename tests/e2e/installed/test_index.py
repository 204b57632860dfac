"""The lines that install Pigpen, typed against an index where a stranger has registered its names."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
import venv
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from uv import find_uv_bin

from ladder.app.wheels import EXTRAS, FILES
from tests.e2e.command import ROOT, environment
from tests.ladder.remote_site import served_app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.requests import Request

    from tests.e2e.installed.installing import Installation

STRANGERS = "9999"
"""Version of every package of the index: newer than any that is asked for."""
OURS = {"pigpen-sdk", "pigpen-arena"}
TYPED = sorted(
    {
        line.strip()
        for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")]
        for block in re.findall(r"^ *```(?:sh)?\n(.*?)^ *```", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
        if re.search(r"(pip|tool) install .*(pigpen|arena)", line)
    }
)
"""Every line of a code block that installs Pigpen."""
TOOL = "uv tool install "


class Index:
    """A package index that has a wheel of any name, with nothing in it."""

    def __init__(self) -> None:
        self.asked: set[str] = set()
        self.app = Starlette(routes=[Route("/simple/{name}/", self._listed), Route("/files/{name}", self._wheel)])

    def _listed(self, request: Request) -> Response:
        name = request.path_params["name"]
        self.asked.add(name)
        file = f"{name.replace('-', '_')}-{STRANGERS}-py3-none-any.whl"
        return HTMLResponse(f'<!DOCTYPE html><a href="/files/{file}">{file}</a>')

    def _wheel(self, request: Request) -> Response:
        name, packed = request.path_params["name"].partition("-")[0], io.BytesIO()
        about = f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {STRANGERS}\n"
        with zipfile.ZipFile(packed, "w") as wheel:
            kind = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            for file, text in {"METADATA": about, "WHEEL": kind, "RECORD": ""}.items():
                wheel.writestr(f"{name}-{STRANGERS}.dist-info/{file}", text)
        return Response(packed.getvalue(), media_type="application/zip")


@pytest.fixture(scope="module")
def strangers() -> Iterator[tuple[Index, str]]:
    """The index, and its address."""
    index = Index()
    with served_app(index.app) as address:
        yield index, f"{address}/simple/"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment without packages."""
    folder = tmp_path_factory.mktemp("empty") / "env"
    venv.create(folder, symlinks=True)
    return folder / "bin" / "python"


def resolved(words: str, python: Path, folder: Path, strangers: tuple[Index, str], *, by_uv: bool = False) -> set[str]:
    """Names that the index is asked for when `pip install WORDS` is typed; nothing is installed."""
    program = [find_uv_bin(), "pip"] if by_uv else [sys.executable, "-m", "pip", "--python", str(python)]
    options = ["--python", str(python), "--no-cache"] if by_uv else ["--ignore-installed", "--no-cache-dir"]
    return asked_by(f"{shlex.join([*program, 'install', '--dry-run', *options])} {words}", folder, strangers)


def asked_by(command: str, folder: Path, strangers: tuple[Index, str], **extra: str) -> set[str]:
    """Names that the index is asked for by a command, whose only index it is."""
    index, address = strangers
    index.asked.clear()
    names = ("PIP_", "UV_")
    variables: dict[str, Any] = {name: value for name, value in environment().items() if not name.startswith(names)}
    variables |= {
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": address,
        "UV_DEFAULT_INDEX": address,
        "UV_NO_CONFIG": "1",
        **extra,
    }
    done = subprocess.run(command, shell=True, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return set(index.asked)


@pytest.fixture
def folder(tmp_path: Path, wheels: dict[str, Path]) -> Path:
    """A folder with both wheels."""
    for wheel in wheels.values():
        shutil.copy(wheel, tmp_path)
    return tmp_path


def test_the_index_would_be_believed(folder: Path, empty: Path, strangers: tuple[Index, str]) -> None:
    """The attack itself: a name alone, or a wheel without the other, is enough."""
    assert resolved("pigpen-arena", empty, folder, strangers) == {"pigpen-arena"}
    assert "pigpen-sdk" in resolved("./pigpen_arena-*.whl", empty, folder, strangers)


@pytest.mark.parametrize("by_uv", [False, True], ids=["pip", "uv"])
@pytest.mark.parametrize("listed", ["requirements", *EXTRAS])
def test_a_sites_lists_ask_no_index_for_our_names(
    listed: str, by_uv: bool, folder: Path, empty: Path, strangers: tuple[Index, str], wheels_site: str
) -> None:
    asked = resolved(f"-r {wheels_site}/wheels/{listed}.txt", empty, folder, strangers, by_uv=by_uv)
    needed = {"data": "pyarrow", "ladder": "sqlalchemy", "learn": "gymnasium", "worker": "distributed"}
    assert {"grpcio", needed.get(listed, "grpcio")} <= asked
    assert asked & OURS == set()


def test_the_documentation_shows_lines_of_each_kind() -> None:
    assert any(line.startswith(TOOL) for line in TYPED)
    assert any(f"pip install {FILES[0]} '{FILES[1]}[" in line for line in TYPED)
    assert any("pip install -r https://arena.example/wheels/" in line for line in TYPED)


@pytest.mark.parametrize("line", [line for line in TYPED if line.startswith(TOOL)])
def test_a_tool_of_uv_holds_both_wheels_and_no_strangers(line: str, folder: Path, strangers: tuple[Index, str]) -> None:
    tools, commands = folder / "tools", folder / "bin"
    places = {"UV_TOOL_DIR": str(tools), "UV_TOOL_BIN_DIR": str(commands), "UV_NO_CACHE": "1"}
    asked = asked_by(f"{shlex.quote(find_uv_bin())}{line.removeprefix('uv')}", folder, strangers, **places)
    assert "grpcio" in asked
    assert asked & OURS == set()
    assert (commands / "pigpen").exists()
    installed = {
        path.name.partition("-")[0]: path.name for path in tools.glob("*/lib/python*/site-packages/pigpen*.dist-info")
    }
    assert set(installed) == {"pigpen_sdk", "pigpen_arena"}
    assert not any(STRANGERS in name for name in installed.values())


@pytest.mark.parametrize("line", [line for line in TYPED if not line.startswith(TOOL)])
def test_what_the_documentation_shows_asks_no_index_for_our_names(
    line: str, folder: Path, empty: Path, strangers: tuple[Index, str], wheels_site: str
) -> None:
    words = line.partition("pip install ")[2].replace("https://arena.example", wheels_site)
    asked = resolved(words, empty, folder, strangers)
    assert "grpcio" in asked
    assert asked & OURS == set()


def test_what_an_installed_pigpen_says_asks_no_index_for_our_names(
    installation: Installation, folder: Path, strangers: tuple[Index, str], wheels_site: str
) -> None:
    code = "from ladder.app.wheels import install_line; print(install_line('ladder', 'worker'))"
    line = installation.python(code)
    assert line == f"pip install -r {wheels_site}/wheels/ladder.txt -r {wheels_site}/wheels/worker.txt"
    asked = resolved(line.removeprefix("pip install "), installation.folder / "bin" / "python", folder, strangers)
    assert {"sqlalchemy", "distributed"} <= asked
    assert asked & OURS == set()
