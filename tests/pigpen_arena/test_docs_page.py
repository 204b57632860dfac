"""The code of docs/python.md runs, and its tables are those of a match."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.e2e.test_readme import blocks

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text("utf-8")
COLUMNS = re.compile(r'^\| `"(\w+)"` \| [^|]+ \| ([^|]+) \|$', flags=re.MULTILINE)


def test_the_code_runs_from_the_first_block_to_the_last_one() -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for code in blocks("python", PAGE):
        exec(code, names)
    tables = {
        of: re.findall(r"`(\w+)`", columns)
        for of, columns in COLUMNS.findall(PAGE)
        if of in ("bots", "deals", "decisions")
    }
    assert tables == {of: list(names["match"].rows(of)[0]) for of in ("bots", "deals", "decisions")}
