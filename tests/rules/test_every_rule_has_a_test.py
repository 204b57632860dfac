"""
Each rule of docs/rules.md is named by a test.

A rule counts as tested when the name of a test function in this folder holds its id (``GZ_7`` for GZ-7, so that
``pytest -k GZ_7`` finds it) and that function checks something. A mention in a comment or docstring is not enough.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SHEET = HERE.parents[1] / "docs" / "rules.md"
ID = r"(?:C|HA|HB|GZ|GP|G5|GS|CH)"


def ids_of_the_sheet(text: str) -> set[str]:
    """The ids that head a line of the rule sheets."""
    return set(re.findall(rf"^- \*\*({ID}-\d+)\*\*", text, re.MULTILINE))


def ids_tested(source: str) -> set[str]:
    """The ids in the names of those test functions that check something."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    helpers = {function.name for function in functions if _asserts(function)}
    found = set()
    for function in functions:
        if function.name.startswith("test_") and (function.name in helpers or _calls(function, helpers)):
            found |= {f"{kind}-{number}" for kind, number in re.findall(rf"_({ID})_(\d+)(?=_)", function.name)}
    return found


def _asserts(function: ast.FunctionDef) -> bool:
    """True if it has an assertion about something that it computes, or expects an error."""
    nodes = list(ast.walk(function))
    checks = any(isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant) for node in nodes)
    return checks or any(isinstance(node, ast.Attribute) and node.attr == "raises" for node in nodes)


def _calls(function: ast.FunctionDef, helpers: set[str]) -> bool:
    called = {
        node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return bool(called & helpers)


def test_every_rule_of_the_sheets_is_named_by_a_test() -> None:
    sheet = ids_of_the_sheet(SHEET.read_text("utf-8"))
    tested = set().union(*(ids_tested(path.read_text("utf-8")) for path in sorted(HERE.glob("test_*.py"))))
    assert sheet - tested == set(), "rules without a test"
    assert tested - sheet == set(), "tests of rules that the sheets do not have"


def test_all_rules_of_the_sheets_are_found() -> None:
    counts = {"C": 10, "HA": 7, "HB": 9, "GZ": 14, "GP": 1, "G5": 1, "GS": 3, "CH": 9}
    ids = {f"{kind}-{number}" for kind, count in counts.items() for number in range(1, count + 1)}
    assert ids_of_the_sheet(SHEET.read_text("utf-8")) == ids


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        ("def test_GZ_7_x():\n    assert f() == 1", {"GZ-7"}),
        ("def test_GZ_14_x():\n    assert f() == 1", {"GZ-14"}),
        ("def test_C_6_GZ_3_x():\n    with pytest.raises(ValueError):\n        f()", {"C-6", "GZ-3"}),
        ("def check():\n    assert f()\ndef test_HB_1_x():\n    check()", {"HB-1"}),
        ("def test_GZ_7_x():\n    f()", set()),
        ("def test_GZ_7_x():\n    assert True", set()),
        ("def test_x():\n    '''GZ-7 and GZ_7'''\n    assert f()  # GZ_7", set()),
        ("def helper_GZ_7_x():\n    assert f()", set()),
        ("# def test_GZ_7_x(): assert f()", set()),
        ("def test_GZ_x():\n    assert f()", set()),
    ],
)
def test_a_mention_is_not_a_test(source: str, ids: set[str]) -> None:
    assert ids_tested(source) == ids


def test_a_rule_without_a_test_would_be_noticed() -> None:
    sheet = SHEET.read_text("utf-8") + "\n- **GZ-15** A new rule.\n"
    assert "GZ-15" in ids_of_the_sheet(sheet)
