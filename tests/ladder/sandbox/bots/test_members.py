"""Files of strangers' folders and of `.dockerignore`: made to hang, to fill the memory, or to be something else."""

from __future__ import annotations

import os
import random
import re
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from docker.utils.build import exclude_paths

from ladder.errors import BotRejected
from ladder.sandbox.bots import dockerignore, members
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.dockerignore import without_ignored
from ladder.sandbox.bots.members import FolderMember, Kind
from tests.ladder.locked import locked

HUGE = 64 * 1024**3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "data").mkdir(parents=True)
    (folder / "bot.py").write_text("print()")
    (folder / "data" / "table").write_bytes(b"\0\1")
    return folder


def refused(folder: Path, why: str, max_bytes: int = members.MAX_BYTES) -> None:
    with pytest.raises(BotRejected, match=why):
        Content.read(folder, max_bytes)


def test_a_sparse_file_of_64_gb_is_refused_before_it_is_read(folder: Path) -> None:
    with (folder / "weights").open("wb") as file:
        file.truncate(HUGE)
    refused(folder, r"holds more than 536,870,912 bytes, .*'weights'\. Leave out what")


def test_the_limit_is_for_all_files_together(folder: Path) -> None:
    assert len(Content.read(folder, 9).members) == 3
    refused(folder, "more than 8 bytes", 8)


def test_a_file_that_grows_while_it_is_read_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "data" / "table").unlink()
    fstat = os.fstat

    def before(number: int) -> os.stat_result:
        found = fstat(number)
        if stat.S_ISREG(found.st_mode):
            with (folder / "bot.py").open("ab") as file:
                file.write(bytes(1000))
        return found

    monkeypatch.setattr(os, "fstat", before)
    refused(folder, "more than 100 bytes", 100)


@pytest.fixture
def deep(folder: Path) -> Iterator[Path]:
    """A folder of 1,200 levels, which few programs can remove."""
    levels = [os.path.join(folder, *["d"] * level) for level in range(1, 1201)]
    for level in levels:
        os.mkdir(level)
    yield folder
    for level in reversed(levels):
        os.rmdir(level)


def test_folders_1_200_levels_deep_are_refused(deep: Path) -> None:
    refused(deep, "more than 64 folders within each other")


def test_very_many_files_are_refused(folder: Path) -> None:
    (folder / "data" / "one").write_text("")
    assert len(members.read_members(folder, members.MAX_BYTES, max_members=4)) == 4
    (folder / "data" / "two").write_text("")
    with pytest.raises(BotRejected, match="4 files and folders"):
        members.read_members(folder, members.MAX_BYTES, max_members=4)


def test_a_name_that_is_not_utf_8_is_refused_in_words_that_can_be_printed(folder: Path) -> None:
    (folder / os.fsdecode(b"bot\xff.py")).write_text("")
    with pytest.raises(BotRejected, match=r"not UTF-8: 'bot\\udcff\.py'\.") as caught:
        Content.read(folder)
    str(caught.value).encode()


def test_a_link_to_a_name_that_is_not_utf_8_is_refused(folder: Path) -> None:
    (folder / "link").symlink_to(os.fsdecode(b"bot\xff.py"))
    refused(folder, "a name that is not UTF-8")


def test_a_long_path_is_refused(folder: Path) -> None:
    below = folder
    for _ in range(5):
        below /= "d" * 250
        below.mkdir()
    refused(folder, "has a path of more than 1000 bytes")


@pytest.mark.parametrize("target", ["../outside", "/etc/passwd", "data/../../outside", "up/../x", "{folder}/bot.py"])
def test_a_link_out_of_the_folder_would_not_be_pinned(folder: Path, target: str) -> None:
    (folder / "data" / "deep").mkdir()
    (folder / "up").symlink_to("data/deep/root")
    (folder / "data" / "deep" / "root").symlink_to("../..")
    Content.read(folder)
    (folder / "out").symlink_to(target.format(folder=folder))
    refused(folder, re.escape(str(folder / "out")) + " is a link that leads out of the bot's folder")


def test_links_in_a_circle_are_refused(folder: Path) -> None:
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    refused(folder, "one is a link that leads out")


@pytest.mark.parametrize("target", ["bot.py", "data", "nowhere", "data/../bot.py", "data/table"])
def test_a_link_within_the_folder_is_content(folder: Path, target: str) -> None:
    (folder / "link").symlink_to(target)
    assert Content.read(folder).by_name["link"].content == target.encode()


def test_a_pipe_and_a_socket_are_no_content_and_do_not_block(folder: Path) -> None:
    before = Content.read(folder)
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
        assert before == Content.read(folder)


@pytest.mark.parametrize("becomes", ["pipe", "link"])
def test_a_file_that_becomes_something_else_meanwhile_is_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, becomes: str
) -> None:
    def exchange(name: str, flags: int, *, dir_fd: int | None = None) -> int:
        if name == "bot.py":
            (folder / name).unlink()
            os.mkfifo(folder / name) if becomes == "pipe" else (folder / name).symlink_to("/etc/passwd")
        return opened(name, flags, dir_fd=dir_fd)

    opened = os.open
    monkeypatch.setattr(os, "open", exchange)
    refused(folder, "changed while it was read|bot.py: Too many levels of symbolic links")


@pytest.mark.parametrize("name", [".", "data", "bot.py"])
def test_what_cannot_be_read_is_told_to_the_owner(folder: Path, name: str) -> None:
    with locked(folder / name):
        refused(folder, rf"cannot be read: {re.escape(str(folder / name))}: Permission denied")


PATTERNS = (
    "a", "*", "*.py", "**/x.py", "a/b", "a/*", "a/**", "a/**/x.py", "/a", "b/", "!a", "?", "a?", "[ab]",
    "*/a", "*/*", "data/*.py", "!data/x.py", "lib", "!lib/a", "**/*.py", "a*b", "./a", "a/../b", "ab*",
    "!*.md",
)  # fmt: skip
FOLDERS = ("a", "b", "ab", "data", "lib")
FILES = ("x.py", "bot.py", "README.md", "notes", "acb", "c")


def kept(names: set[str], patterns: list[str]) -> set[str]:
    """Give those of these files that stay, as we have it."""
    content = Content(()).with_files(dict.fromkeys(names, b"") | {".dockerignore": "\n".join(patterns).encode()})
    found = without_ignored(content, "bot").members
    return {member.name for member in found if member.kind is not Kind.FOLDER} - {".dockerignore"}


@pytest.mark.parametrize("seed", range(40))
def test_ordinary_patterns_mean_what_they_mean_to_docker(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    names = {"/".join([*rng.choices(FOLDERS, k=rng.randint(0, 3)), rng.choice(FILES)]) for _ in range(20)}
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    for _ in range(20):
        patterns = rng.choices(PATTERNS, k=rng.randint(1, 4))
        theirs = {name for name in exclude_paths(str(tmp_path), list(patterns)) if (tmp_path / name).is_file()}
        assert kept(names, patterns) == theirs, patterns


@pytest.mark.parametrize(
    ("pattern", "names", "left"),
    [
        ("[^a]", {"a", "b", "c"}, {"a"}),
        ("[a-c]x", {"ax", "cx", "dx"}, {"dx"}),
        (r"\*", {"*", "a"}, {"a"}),
        (r"[\]]", {"]", "a"}, {"a"}),
        ("a**b", {"ab", "a/b", "a/c/b", "axb"}, {"axb"}),
        ("**/**/x", {"x", "a/x", "a/b/x", "ax"}, {"ax"}),
        ("***/x", {"a/x", "x"}, {"x"}),
        ("../a", {"a"}, {"a"}),
        ("**/lib", {"lib/a/b/x", "a/lib/x", "libs/x"}, {"libs/x"}),
        ("拱*", {"拱猪", "猪"}, {"猪"}),
    ],
)
def test_other_patterns_mean_what_dockers_own_program_makes_of_them(
    pattern: str, names: set[str], left: set[str]
) -> None:
    assert kept(names, [pattern]) == left


def test_comments_and_blank_lines_are_no_patterns() -> None:
    assert kept({"# a", "a", "b"}, ["# a", "", "  ", "b\r"]) == {"# a", "a"}


def test_the_last_pattern_that_matches_decides() -> None:
    assert kept({"a/x", "a/y", "b"}, ["*", "!a", "a/y"]) == {"a/x"}


@pytest.mark.parametrize("pattern", ["*a" * 2000 + "b", "**/" * 1500 + "b", "*?" * 2000 + "b", "**/*a" * 1500 + "b"])
def test_the_work_follows_the_letters_and_not_the_ways_to_match_them(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = count_steps(monkeypatch)
    names = {f"{'a' * 200}{number}" for number in range(50)}
    assert kept(names, [pattern]) == names
    assert len(steps) <= sum(len(name) + 1 for name in names | {".dockerignore"})


def count_steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The letters that the automaton reads from now on."""
    steps: list[str] = []
    step = dockerignore._Automaton._step

    def counted(automaton: dockerignore._Automaton, states: int, letter: str) -> int:
        steps.append(letter)
        return step(automaton, states, letter)

    monkeypatch.setattr(dockerignore._Automaton, "_step", counted)
    return steps


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[z-a]", r"line 1 of \.dockerignore, '\[z-a\]', is no pattern: the range z-a runs backwards"),
        (b"ok\n[abc", "line 2 .* a '\\[' without its '\\]'"),
        (b"[]", "without its"),
        (b"!", "nothing follows the '!'"),
        (b"a\\", "nothing follows the backslash"),
        (b"\xff\xfe\x00", "is no text in UTF-8"),
        (b"\x7fELF\x00\x01", "is no text in UTF-8"),
    ],
)
def test_what_is_no_list_of_patterns_is_refused(content: bytes, why: str) -> None:
    folder = Content((FolderMember(".dockerignore", Kind.FILE, content),))
    with pytest.raises(BotRejected, match=f"bot: {why}|bot: .*{why}"):
        without_ignored(folder, "bot")
