"""Languages in which a folder is compiled: which one a folder is in, and what a ladder says that does not build it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ladder.app.local.folder import LANGUAGES as KITS
from ladder.errors import BotRejected
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.languages import BUILD, LANGUAGES, language_of, source_of
from ladder.sandbox.bots.recipes import PLAIN, SCRATCH, recipe_of
from ladder.values import names

if TYPE_CHECKING:
    from pathlib import Path


def folder_of(tmp_path: Path, *files: str) -> Path:
    folder = tmp_path / "mybot"
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    return folder


@pytest.mark.parametrize(
    ("files", "language"),
    [
        (("go.mod",), "go"),
        (("bot.go", "Makefile"), "go"),
        (("bot.cpp",), "cpp"),
        (("CMakeLists.txt",), "cpp"),
        (("bot.js",), "javascript"),
        (("package.json",), "javascript"),
        (("Cargo.toml",), "rust"),
        (("bot.rs",), "rust"),
        (("Bot.java", "lib/a.jar"), "java"),
        (("Bot.cs",), "csharp"),
        (("bot.py", "package.json"), None),
        (("Dockerfile", "go.mod"), None),
        (("sub/go.mod",), None),
        (("Makefile",), None),
    ],
)
def test_a_file_says_the_language(tmp_path: Path, files: tuple[str, ...], language: str | None) -> None:
    found = language_of(Content.read(folder_of(tmp_path, *files)))
    assert (found.name if found else None) == language


def test_every_list_of_languages_has_the_same_ones() -> None:
    assert tuple(LANGUAGES) == names.LANGUAGES
    assert {*LANGUAGES, "python"} == set(KITS)
    marks = {mark for each in LANGUAGES.values() for mark in each.marks}
    assert marks == {*names.MAIN_FILES, *names.SOURCE_MAIN_FILES, *names.BUILD_FILES} - {"bot.py"}


@pytest.mark.parametrize("mark", [mark for each in LANGUAGES.values() for mark in each.marks])
def test_a_folder_with_such_a_file_is_a_bot(tmp_path: Path, mark: str) -> None:
    folder = folder_of(tmp_path, mark)
    assert find_bot(str(folder)).folder == folder
    recipe = recipe_of(BotSource("mybot", folder=folder), Content.read(folder))
    assert recipe is not None
    assert recipe != PLAIN
    assert recipe.language is not None
    assert recipe.adds_files_only == recipe.language.speaks_lines


def test_what_a_build_has_left_is_no_part_of_the_source(tmp_path: Path) -> None:
    source = Content.read(folder_of(tmp_path, "bot.go"))
    built = Content.read(folder_of(tmp_path, "bot.go", f"{BUILD}/bot", f"{BUILD}/cache/x"))
    assert source_of(built).hash == source.hash != built.hash
    cargo = Content.read(folder_of(tmp_path / "rust", "bot.rs", "target/release/bot"))
    assert cargo.by_name.keys() - source_of(cargo).by_name.keys() == {"target", "target/release", "target/release/bot"}
    python = Content.read(folder_of(tmp_path, "bot.py"))
    assert source_of(python) == python


def test_a_ladder_names_the_languages_that_it_builds(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "bot.go")
    source = BotSource("mybot", folder=folder, languages=("cpp",), images="none")
    with pytest.raises(BotRejected) as caught:
        recipe_of(source, Content.read(folder))
    assert "Go" in str(caught.value)
    assert "Python, C++" in str(caught.value)
    assert "docker build" not in str(caught.value)


@pytest.mark.parametrize("name", [name for name, each in LANGUAGES.items() if each.speaks_lines])
def test_a_program_that_speaks_lines_stands_on_the_python_image(name: str) -> None:
    """As a Python bot does, so that its bridge can be forked."""
    recipe = recipe_of(BotSource("b"), Content.read(LANGUAGES[name].folder))
    assert recipe is not None
    assert recipe.dockerfile("sha256:1", {"a": "b"}) == PLAIN.dockerfile("sha256:1", {"a": "b"})
    main = LANGUAGES[name].main.decode()
    (call,) = [node for node in ast.parse(main).body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    assert ast.literal_eval(call.value.args[0]) == [*LANGUAGES[name].command]  # type: ignore[attr-defined]


def test_the_image_stands_on_nothing_but_in_javascript() -> None:
    assert {name for name, each in LANGUAGES.items() if each.stands_on_toolchain} == {"javascript"}
    recipe = recipe_of(BotSource("b"), Content.read(LANGUAGES["go"].folder))
    assert recipe is not None
    lines = recipe.dockerfile(SCRATCH, {"a": "b"}).decode().splitlines()
    assert lines == ["FROM scratch", 'LABEL "a"="b"', 'COPY ["files", "/"]', "WORKDIR /bot", 'CMD ["/bot/bot"]']
