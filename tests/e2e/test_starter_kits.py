"""The starter kits in other languages: built by Debian's compilers, and checked in a container."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from ladder.app.local.folder import LANGUAGES
from ladder.sandbox.bots.bot_source import KITS
from ladder.sandbox.docker.engine import connect
from tests.e2e.command import ROOT, pigpen

if TYPE_CHECKING:
    from pathlib import Path

MAIN = {"cpp": "bot.cpp", "go": "bot.go"}
IMAGE = """
FROM scratch
COPY root /
USER 65532:65532
CMD ["/bot"]
"""


def made(folder: Path, language: str) -> Path:
    folder.mkdir(exist_ok=True)
    done = pigpen("new", "My_Bot", "--lang", language, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "My_Bot"


def test_there_is_a_kit_for_each_language_without_a_sample_bot() -> None:
    kits = sorted(path.name for path in KITS.iterdir() if (path / "Dockerfile").exists())
    assert kits == sorted(name for name, sample in LANGUAGES.items() if sample is None) == sorted(MAIN)


@pytest.mark.parametrize("language", MAIN)
def test_a_kit_has_all_it_needs_and_commands_for_its_own_name(tmp_path: Path, language: str) -> None:
    folder = made(tmp_path, language)
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    protos = {f"protos/pigpen/v1/{name}.proto" for name in ("referee", "rules", "view")}
    assert files == {".dockerignore", "Dockerfile", "Makefile", "README.md", "debian-packages", MAIN[language], *protos}
    text = (folder / "README.md").read_text()
    assert "NAME" not in text
    for command in ("docker build -t my-bot:1 .", "pigpen check my-bot:1", "pigpen submit my-bot:1 --name my-bot"):
        assert command in text


@pytest.mark.parametrize("language", MAIN)
def test_a_kits_packages_stand_in_one_list(language: str) -> None:
    packages = (KITS / language / "debian-packages").read_text().split()
    assert "make" in packages
    places = [*(KITS / language).iterdir(), ROOT / "scripts" / "toolchains"]
    naming = [
        path.name
        for path in places
        if any(f" {package} " in path.read_text() for package in packages if package.endswith("-dev"))
    ]
    assert naming == []
    for name in ("Dockerfile", "Makefile", "README.md"):
        assert "debian-packages" in (KITS / language / name).read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--lang", "rust"), "There is no bot in 'rust' to begin with; there is one in python, javascript, cpp, go."),
        (("--lang", "go", "--like", "node"), "--like and --lang exclude each other"),
    ],
)
def test_a_language_without_a_kit_leads_to_the_protocol(tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    done = pigpen("new", "x", *words, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert not (tmp_path / "x").exists()


def test_python_and_javascript_are_sample_bots(tmp_path: Path) -> None:
    assert (made(tmp_path / "python", "python") / "bot.py").exists()
    assert (made(tmp_path / "javascript", "javascript") / "protos").is_dir()


@pytest.mark.long
@pytest.mark.docker
@pytest.mark.toolchains
@pytest.mark.parametrize("language", MAIN)
def test_a_kit_builds_and_passes_every_case_in_a_container(tmp_path: Path, language: str) -> None:
    """Not with its own Dockerfile, which fetches a base image: the Makefile is what that one runs."""
    folder, root, tag = made(tmp_path, language), tmp_path / "image" / "root", f"pigpen/test:{language}"
    subprocess.run(["make", "-C", folder], check=True, capture_output=True)
    root.mkdir(parents=True)
    shutil.copy(folder / "build" / "bot", root / "bot")
    linked = subprocess.run(["ldd", root / "bot"], capture_output=True, text=True, check=False).stdout
    for library in re.findall(r"(/\S+) \(", linked):
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library[1:])
    subprocess.run(["chmod", "-R", "a+rX", root], check=True)
    (tmp_path / "image" / "Dockerfile").write_text(IMAGE)
    client = connect()
    client.images.build(path=str(tmp_path / "image"), tag=tag, rm=True, network_mode="none")
    client.close()
    checked = pigpen("check", tag)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert re.search(r"All \d\d\d cases passed", checked.stdout)
    played = pigpen("play", tag, "random", "cautious", "counting", "--boards", "1", "--json")
    assert '"faults":0' in played.stdout.replace(" ", "")
