"""The notebook of the examples runs from the first cell to the last one, as in Jupyter: while an event loop runs."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook" / "match.ipynb"


async def test_every_cell_runs_and_shows_something() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = [run_cell("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"]
    assert all(value._repr_html_() for value in shown)
    assert [type(value).__name__ for value in shown] == ["Match", "DataFrame", "Result", "Result", "Result", "Result"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")


def run_cell(text: str, names: dict[str, Any]) -> Any:
    """Run a cell, and give the value of its last line."""
    body = ast.parse(text)
    last = body.body.pop()
    assert isinstance(last, ast.Expr)
    exec(compile(body, str(NOTEBOOK), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)
