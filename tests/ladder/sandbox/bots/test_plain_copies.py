"""Copies that a Dockerfile asks for, made without the engine: where each file comes to lie."""

from __future__ import annotations

import pytest

from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.members import MAX_LEVELS, MAX_MEMBERS, MAX_NAME, FolderMember, Kind
from ladder.sandbox.bots.plain_copies import copied
from ladder.sandbox.bots.recipes import PLAIN, read_recipe

RUN = 'CMD ["python", "bot.py"]'
FOLDER = Content(()).with_files({"bot.py": b"1", "net/a.bin": b"2", "net/deep/b.bin": b"3", "net.py": b"4"})


def places(dockerfile: str, content: Content = FOLDER, *there: str) -> list[str] | None:
    """List the files of the image in the bot's folder, folders with a slash; None if the engine has to copy."""
    made = copied(read_recipe(f"FROM pigpen/bot\n{dockerfile}\n{RUN}\n".encode()), content, there)
    if made is None:
        return None
    recipe, files = made
    assert (recipe.lines[0], recipe.place) == (PLAIN.lines[0], PLAIN.place)
    assert recipe.lines[-1] == RUN
    return [f"{each.name}/" if each.kind is Kind.FOLDER else each.name for each in files.members]


ALL = ["bot.py", "net/", "net/a.bin", "net/deep/", "net/deep/b.bin", "net.py"]


PLAIN_COPIES = [
    ("COPY bot.py .", ["bot.py"]),
    ("COPY bot.py ./", ["bot.py"]),
    ("COPY bot.py /bot", ["bot.py"]),
    ("COPY bot.py other.py", ["other.py"]),
    ("COPY bot.py new", ["new"]),
    ("COPY bot.py new/", ["new/", "new/bot.py"]),
    ("COPY bot.py new/.", ["new"]),
    ("COPY bot.py a/b/c.py", ["a/", "a/b/", "a/b/c.py"]),
    ("COPY bot.py net.py ./", ["bot.py", "net.py"]),
    ("COPY . .", ALL),
    ("COPY . /bot/", ALL),
    ("WORKDIR /bot\nCOPY . .", ALL),
    ("COPY net .", ["a.bin", "deep/", "deep/b.bin"]),
    ("COPY net/ net/", ["net/", "net/a.bin", "net/deep/", "net/deep/b.bin"]),
    ("COPY net bot.py all/", ["all/", "all/a.bin", "all/bot.py", "all/deep/", "all/deep/b.bin"]),
    ("COPY net n\nCOPY bot.py n", ["n/", "n/a.bin", "n/bot.py", "n/deep/", "n/deep/b.bin"]),
    ("COPY net.py bot.py\nCOPY bot.py bot.py", ["bot.py"]),
]
"""Lines, and what they add."""


@pytest.mark.parametrize(("dockerfile", "found"), PLAIN_COPIES)
def test_each_file_comes_to_the_place_that_a_plain_copy_names(dockerfile: str, found: list[str]) -> None:
    assert places(dockerfile) == found


@pytest.mark.parametrize(
    "dockerfile",
    [
        "COPY *.py .",
        "COPY bot.? .",
        "COPY none.py .",
        "COPY bot.py net.py .",
        "COPY bot.py /opt/",
        "COPY bot.py b\nCOPY net b",
        "COPY bot.py b\nCOPY bot.py b/c",
        "ENV A=1\nCOPY bot.py .",
        "USER 1\nCOPY bot.py .",
        "WORKDIR /bot/net\nCOPY bot.py .",
        "COPY . .\nCOPY . again/",
        "COPY bot.py .\nCOPY net net/\nCOPY net.py .\nCOPY net/a.bin b.bin",
    ],
)
def test_what_is_not_plain_or_cannot_be_is_left_to_the_engine(dockerfile: str) -> None:
    assert places(dockerfile) is None


@pytest.mark.parametrize("name", ["a*", "a?b"])
def test_a_folder_whose_name_is_a_pattern_is_left_to_the_engine(name: str) -> None:
    """It would copy all that fits."""
    content = Content(()).with_files({f"{name}/one": b"1", "a2b/two": b"2"})
    assert places(f"COPY {name} ./", content) is None
    assert places("COPY a2b ./", content) == ["two"]


@pytest.mark.parametrize("line", ["COPY net/a.bin vendor", "COPY net vendor/numpy/", "COPY . ./"])
def test_what_comes_among_the_packages_is_left_to_the_engine(line: str) -> None:
    content = FOLDER.with_files({"vendor/own.py": b"5"})
    assert places(line, content, "vendor") is None
    assert places(line, content) is not None


@pytest.mark.parametrize(
    ("target", "is_copied"),
    [
        ("x" * 255, True),
        ("x" * 256, False),
        ("é" * 128, False),
        ("a/" * (MAX_LEVELS - 1) + "b", True),
        ("a/" * MAX_LEVELS + "b", False),
        ("a/" * 30_000 + "b", False),
        (("x" * 99 + "/") * 9 + "x" * (MAX_NAME - 900), True),
        (("x" * 99 + "/") * 9 + "x" * (MAX_NAME - 899), False),
    ],
)
def test_a_place_that_is_too_long_is_the_engines_to_refuse(target: str, is_copied: bool) -> None:
    """Each level is a member with its whole path: thousands of them would take gigabytes."""
    assert (places(f"COPY bot.py {target}") is not None) == is_copied


def test_a_source_that_is_named_again_and_again_is_left_to_the_engine() -> None:
    many = Content(tuple(FolderMember(f"{number}", Kind.FOLDER) for number in range(MAX_MEMBERS // 2)))
    assert places("COPY . . ./", many) is not None
    assert places("COPY . . . ./", many) is None


def test_a_folder_with_a_link_is_left_to_the_engine() -> None:
    linked = Content((*FOLDER.members, FolderMember("z", Kind.LINK, b"bot.py")))
    assert places("COPY bot.py .", linked) is None


def test_the_last_copy_to_a_place_counts_and_a_program_stays_one() -> None:
    content = Content((FolderMember("a", Kind.EXECUTABLE, b"a"), FolderMember("b", Kind.FILE, b"b")))
    made = copied(read_recipe(f"FROM pigpen/bot\nCOPY b c\nCOPY a c\n{RUN}\n".encode()), content)
    assert made is not None
    assert made[1].members == (FolderMember("c", Kind.EXECUTABLE, b"a"),)


def test_folders_that_are_copied_again_and_again_are_left_to_the_engine() -> None:
    """They have no bytes, but a member each."""
    many = Content(tuple(FolderMember(f"{number}", Kind.FOLDER) for number in range(MAX_MEMBERS // 2)))
    assert places("COPY . .", many) is not None
    assert places("COPY . .\nCOPY . again/\nCOPY . more/", many) is None
