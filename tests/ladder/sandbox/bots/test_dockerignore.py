"""Files that `.dockerignore` leaves out, and files of that name that were made to hang, or are no text at all."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from docker.utils.build import exclude_paths

from ladder.errors import BotRejected
from ladder.sandbox.bots import dockerignore
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.dockerignore import without_ignored
from ladder.sandbox.bots.members import FolderMember, Kind

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
        (b"x\n" * 6000, "has more than 10,000 bytes"),
        (b"[a]\n" * 51, "more than 50 lists of letters"),
        (b"[" + b"a-b" * 101 + b"]", "more than 100 letters and ranges"),
    ],
)
def test_what_is_no_list_of_patterns_is_refused(content: bytes, why: str) -> None:
    folder = Content((FolderMember(".dockerignore", Kind.FILE, content),))
    with pytest.raises(BotRejected, match=f"bot: {why}|bot: .*{why}"):
        without_ignored(folder, "bot")
