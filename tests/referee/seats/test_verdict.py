from __future__ import annotations

import re
from pathlib import Path

from referee.seats.deadlines import RECONNECT_SECONDS
from referee.seats.stream_seat import MAX_STREAMS, MAX_UNASKED
from referee.seats.verdict import Verdict

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "faults.md").read_text(encoding="utf-8")


def test_every_code_has_its_row_on_the_page_of_faults() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(Verdict)


def test_the_numbers_on_the_page_are_those_that_hold() -> None:
    assert f"within {RECONNECT_SECONDS:g} s" in PAGE
    assert f"more than {MAX_UNASKED} messages" in PAGE
    assert f"more than {MAX_STREAMS} streams" in PAGE
