"""No test gives up because the machine is busy: not after the five seconds of httpx, nor when a browser looks again."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
CALLS = {"get", "post", "put", "delete", "request", "stream", "Client", "AsyncClient"}
SAYS_SO = {"timeout", "transport"}
"""Arguments of a request that is limited by its test, or that never leaves the process."""


def impatient(source: str) -> list[int]:
    """Find the lines of requests that have the limit of httpx."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and (node.func.value.id, node.func.attr in CALLS) == ("httpx", True)
        and not {each.arg for each in node.keywords} & SAYS_SO
    ]


def test_every_request_says_how_long_it_waits() -> None:
    found = {str(path.relative_to(ROOT)): impatient(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("source", "count"),
    [("httpx.get(a)", 1), ("httpx.Client()", 1), ("httpx.get(a, timeout=9)", 0), ("client.get(a)", 0)],
)
def test_what_is_impatient(source: str, count: int) -> None:
    assert len(impatient(source)) == count


def evaluated(source: str) -> list[int]:
    """Find the lines that wait for an expression of a page; only a function may be called again."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "wait_for_function"
        and isinstance(node.args[0], ast.Constant)
        and "=>" not in str(node.args[0].value).partition("\n")[0]
    ]


def test_what_pages_are_waited_for_by_is_a_function() -> None:
    found = {str(path.relative_to(ROOT)): evaluated(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("source", "count"), [("page.wait_for_function('a > 1')", 1), ("page.wait_for_function('() => a')", 0)]
)
def test_what_is_no_function(source: str, count: int) -> None:
    assert len(evaluated(source)) == count
