"""The starter kits in other languages: built by Debian's compilers, and checked in a container."""

from __future__ import annotations

import re
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from ladder.app.local.folder import LANGUAGES
from ladder.sandbox.bots.bot_source import KITS
from tests.e2e.command import ROOT, pigpen

if TYPE_CHECKING:
    from pathlib import Path

MAIN = {"cpp": "bot.cpp", "go": "bot.go", "rust": "bot.rs", "java": "Bot.java", "csharp": "Bot.cs"}
GRPC = ("cpp", "go")
"""Languages for which Debian has gRPC; the others read and write lines."""


def made(folder: Path, language: str) -> Path:
    folder.mkdir(exist_ok=True)
    done = pigpen("new", "My_Bot", "--lang", language, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "My_Bot"


def test_there_is_a_kit_for_each_language_without_a_sample_bot() -> None:
    kits = sorted(path.name for path in KITS.iterdir() if (path / "debian-packages").exists())
    assert kits == sorted(name for name, sample in LANGUAGES.items() if sample is None) == sorted(MAIN)


@pytest.mark.parametrize("language", MAIN)
def test_a_kit_has_all_it_needs_and_commands_for_its_own_name(tmp_path: Path, language: str) -> None:
    folder = made(tmp_path, language)
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    protos = {f"protos/pigpen/v1/{name}.proto" for name in ("referee", "rules", "view")}
    own = {"Makefile", *protos} if language in GRPC else {"Cargo.toml"} if language == "rust" else set()
    assert files == {".dockerignore", "README.md", "debian-packages", MAIN[language], *own}
    text = (folder / "README.md").read_text()
    assert "NAME" not in text
    assert "FOLDER" not in text
    for command in ("pigpen check ./My_Bot", "pigpen submit ./My_Bot --name my-bot"):
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
    for name in ("Makefile", "README.md") if language in GRPC else ("README.md",):
        assert "debian-packages" in (KITS / language / name).read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--lang", "ada"),
            "There is no bot in 'ada' to begin with; there is one in python, javascript, cpp, go, rust,",
        ),
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
@pytest.mark.toolchains
@pytest.mark.parametrize("language", MAIN)
def test_a_kit_compiles_here_and_plays_by_its_command_line(tmp_path: Path, language: str) -> None:
    folder = made(tmp_path, language)
    *_, typed = re.findall(r"```sh\n(.*?)```", (folder / "README.md").read_text(), flags=re.DOTALL)
    build, play = typed.splitlines()
    subprocess.run(build, shell=True, cwd=folder, check=True, capture_output=True)
    command = shlex.split(play)[2]
    checked = pigpen("check", command, "--sandbox", "process", "--rules", "gongzhu", "--limit", "30", folder=folder)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.long
@pytest.mark.docker
@pytest.mark.parametrize("runtime", ["runc", pytest.param("runsc", marks=pytest.mark.runsc)])
@pytest.mark.parametrize("language", [*MAIN, "javascript"])
def test_a_folder_is_compiled_and_passes_every_case_in_a_container(tmp_path: Path, language: str, runtime: str) -> None:
    folder = made(tmp_path, language)
    checked = pigpen("check", str(folder), "--runtime", runtime, "--limit", "30", folder=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert re.search(r"All \d\d\d cases passed", checked.stdout)


@pytest.mark.long
@pytest.mark.docker
@pytest.mark.parametrize("language", MAIN)
def test_the_kinds_of_failure_are_told_apart(tmp_path: Path, language: str) -> None:
    """Does not compile: exit code 2, with the compiler's words. Compiles and does not start: 1, with its output."""
    folder = made(tmp_path, language)
    main = folder / MAIN[language]
    whole = main.read_text()
    main.write_text(whole + "\nthis is no code\n")
    done = pigpen("check", str(folder), "--rules", "gongzhu", folder=tmp_path)
    assert done.returncode == 2
    assert "does not compile" in done.stderr
    assert MAIN[language] in done.stderr
    main.write_text(whole.replace("PIGPEN_TOKEN", "NO_SUCH_VARIABLE").replace('protocol\\":1', 'protocol\\":9'))
    done = pigpen("check", str(folder), "--rules", "gongzhu", folder=tmp_path)
    assert done.returncode == 1
    assert ("PIGPEN_ADDRESS" if language in GRPC else "speaks protocol 9") in done.stdout
