"""
Tests say what happens, not how it is worded: a message may be worded anew without a change of tests.

A test names the error's class, what the message must name (the input, a number, a way out), or the message's own
constant; a fragment of a few words tells one reason from another. A text of `PINNED` words and more in an assertion
repeats a sentence. What a command shows as a whole is compared with a file beside the tests (`seen`, `replays`).
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent
PINNED = 5
ALLOWED = {
    "benchmarks/test_parts.py": (7, "names of rows, by which a table of one run is compared with that of another"),
    "benchmarks/test_table.py": (2, "the table that make bench prints, as a whole"),
    "e2e/test_readme.py": (1, "output of the test's own program"),
    "ladder/cli/organise/test_run.py": (1, "the lines of a running ladder off a terminal, as a whole"),
    "ladder/cli/organise/test_webhook.py": (2, "the list of webhooks, as a whole"),
    "ladder/cli/play/test_check.py": (2, "a case by its name; a crash as it is shown once for many rotations"),
    "ladder/cli/submit/test_submit.py": (1, "a refusal as JSON, as a whole"),
    "ladder/cli/test_bad_input.py": (1, "a traceback of Python's"),
    "ladder/cli/test_seen.py": (1, "output of the test's own bot"),
    "ladder/sandbox/docker/test_launcher.py": (1, "names that the test's own program gives to system calls"),
    "ladder/sandbox/docker/test_warm_containers.py": (1, "output of the test's own bot"),
    "ladder/sandbox/test_excerpt.py": (3, "output of the test's own bot, and the excerpt of it"),
    "ladder/sandbox/wheels/test_requirements.py": (1, "requirements as pip writes them"),
    "ladder/site/ladder_with_people.py": (1, "a reason of the test's own"),
    "ladder/site/pages/test_built_docs.py": (1, "a policy that browsers read"),
    "ladder/site/test_admin_pages.py": (2, "a reason of the test's own"),
    "ladder/site/test_answers.py": (1, "a cookie"),
    "ladder/site/test_login.py": (3, "cookies"),
    "ladder/site/test_openapi.py": (1, "generated code"),
}
"""Texts that are no messages, or a golden screen: how many assertions of a file have one, and the reason."""


def texts(node: ast.AST) -> Iterator[str]:
    """Yield all texts of an expression; what is computed in one counts as no word."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.Constant):
        yield str(node.value)
    else:
        for child in ast.iter_child_nodes(node):
            yield from texts(child)


def words(text: str) -> int:
    """Count words; neither cards nor numbers, and none of a command that is to be typed."""
    is_command = text.startswith(("pigpen ", "docker "))
    return 0 if is_command else sum(bool(re.search("[a-z]{2}", word)) for word in text.split())


def pinned(source: str) -> list[int]:
    """Find the lines of assertions, and of patterns for errors, that repeat a sentence."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert):
            parts = [node.test]
        elif isinstance(node, ast.Call):
            parts = [keyword.value for keyword in node.keywords if keyword.arg == "match"]
        else:
            continue
        if any(words(text) >= PINNED for part in parts for text in texts(part)):
            found.append(node.lineno)
    return sorted(found)


def test_no_test_repeats_a_sentence() -> None:
    found = {path.relative_to(TESTS).as_posix(): pinned(path.read_text()) for path in sorted(TESTS.rglob("*.py"))}
    allowed = {name: ALLOWED.get(name, (0, ""))[0] for name in found}
    assert {name: lines for name, lines in found.items() if len(lines) != allowed[name]} == {}
    assert ALLOWED.keys() <= found.keys()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("assert str(error) == 'There is no bot of that name.'", [1]),
        ("assert f'There is no bot {name} here' in output", [1]),
        ("assert 'no bot of that' in output", []),
        ("assert b'There is no bot here' in output", [1]),
        ("assert output, 'there is something in the output'", []),
        ("x = 1\nwith raises(UserError, match=rf'^There is no bot {name} here'):\n    pass", [2]),
        ("assert (code, text) == (2, 'Give the name of one bot')", [1]),
        ("assert names == '2S 3S 4S 5S 6S 7S'", []),
        ("assert line == 'pigpen check mybot --rules hearts --sandbox process'", []),
        ("assert line == 'pigpen: There is no bot of that name.'", [1]),
    ],
)
def test_a_sentence_is_found(source: str, found: list[int]) -> None:
    assert pinned(source) == found
