"""
No line that anyone could type asks a package index for our names, which a stranger may register there tomorrow.

`tests/e2e/installed/test_index.py` types those lines against such an index.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pigpen.version import __version__

ROOT = Path(__file__).parent.parent
MADE = {"__pycache__", "build", "dist", "node_modules"}
TESTS = {"test_install_lines.py", "test_index.py"}
NO_TEXT = {".gz", ".ico", ".mp4", ".parquet", ".png", ".so", ".whl", ".woff2", ".zip"}
COMMAND = re.compile(
    r"(?:\bpip[\d.]*(?: -\S+)* (?:install|download|wheel)|\bpipx (?:install|run|inject)|\b(?:poetry|pdm|rye|uv) add"
    r"|\buv tool (?:install|run)|\buvx|\b(?:conda|mamba) install) +(?P<words>[^\n`;|&]*)"
)
NAME = re.compile(r"pigpen(?:[-_.][a-z]+)?(?![\w/*.-])", flags=re.IGNORECASE)
ARENA = re.compile(r"(?:\.|\S*pigpen_arena\S*\.whl)(?:\[[^\]]*\])?")
SDK = re.compile(r"\S*(?:pigpen_sdk|pigpen_\*|/sdk\b)\S*")
SAFE = {"--no-index", "--no-deps"}
"""With one of these pip takes our names from no index."""


def asked_for(text: str) -> list[str]:
    """The commands of a text that have an index asked for one of our names."""
    joined = re.sub(r" *\\\n *", " ", re.sub(r"""["'], *["']""", " ", text))
    return [found.group().strip() for found in COMMAND.finditer(joined) if _asks(found["words"])]


def _asks(line: str) -> bool:
    words = [word.strip("'\"`.,:<>()") or word for word in re.split(r" #| @ ", line)[0].split()]
    if SAFE & set(words):
        return False
    names = [word for word in words if NAME.match(word) and not word.endswith(".whl")]
    has_address = " @ " in line
    is_half = any(ARENA.fullmatch(word) for word in words) and not any(SDK.fullmatch(word) for word in words)
    return is_half or (bool(names) and not has_address)


def texts() -> dict[str, str]:
    """Every text of the project, by its path; but for the two tests that name what is refused."""
    found = {}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in MADE and (name[0] != "." or name == ".github")]
        for path in (Path(folder, name) for name in files):
            if path.suffix not in NO_TEXT and not path.is_symlink() and path.name not in TESTS:
                found[str(path.relative_to(ROOT))] = path.read_text("utf-8", errors="replace")
    return found


@pytest.mark.parametrize(
    "line",
    [
        "pip install pigpen-arena",
        "pip install 'pigpen-arena[learn]'    # gymnasium, numpy, pettingzoo",
        "/opt/pigpen/bin/pip install --upgrade pigpen_sdk",
        "python3 -m pip install -q numpy pigpen",
        "Install it: uv pip install 'pigpen-arena[data]'.",
        "RUN pip install --no-cache-dir \\\n    pigpen-sdk==0.1.0",
        "pipx install pigpen-arena",
        "uv tool install pigpen-arena",
        "uvx --from pigpen-arena pigpen play",
        "uv add pigpen-sdk",
        '["pip", "install", "pigpen-arena[worker]"]',
        "pip install .",
        "pip install './pigpen_arena-0.1.0-py3-none-any.whl[ladder]'",
    ],
)
def test_a_name_alone_is_found(line: str) -> None:
    assert asked_for(line)


@pytest.mark.parametrize(
    "line",
    [
        "pip install ./sdk '.[ladder]'",
        "pip install ./pigpen_*.whl",
        "pip install ./pigpen_sdk-*.whl './pigpen_arena-0.1.0-py3-none-any.whl[ladder]'  # from pigpen",
        "pip install -r https://arena.example/wheels/requirements.txt\npigpen new mybot",
        "pip install 'pigpen-arena @ https://arena.example/wheels/pigpen_arena-0.1.0-py3-none-any.whl'",
        "pip install --no-index --find-links=/wheels pigpen-sdk",
        "pip install mypy && pigpen check",
    ],
)
def test_an_address_or_a_file_is_not(line: str) -> None:
    assert asked_for(line) == []


def test_no_page_message_or_template_has_an_index_asked_for_our_names() -> None:
    found = {path: lines for path, text in texts().items() if (lines := asked_for(text))}
    assert found == {}


def test_no_list_of_requirements_names_us() -> None:
    lists = {path: text for path, text in texts().items() if re.search(r"requirements[^/]*\.(txt|lock)$", path)}
    assert "requirements-dev.lock" in lists
    assert [path for path, text in lists.items() if re.search(r"^pigpen", text, flags=re.MULTILINE)] == []


def test_a_wheels_file_is_named_in_this_version() -> None:
    pages = {path: text for path, text in texts().items() if path.endswith(".md") and path != "CHANGELOG.md"}
    named = {path: set(re.findall(r"pigpen_arena-(\d[^-]*)-py3", text)) for path, text in pages.items()}
    assert {path: versions for path, versions in named.items() if versions - {__version__}} == {}
