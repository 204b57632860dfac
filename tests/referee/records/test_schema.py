"""The published schema describes the lines of records, and nothing else."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from pigpen.rules import PRESETS
from referee.records.schema import PLACE, record_schema
from tests.referee.recorded import faulty_seats, match_lines, write_record

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = record_schema()
FITS = Draft202012Validator(SCHEMA).is_valid
DOCS = Path(__file__).resolve().parents[3] / "docs"


def lines_of(folder: Path, rules: str, form: str) -> list[dict[str, Any]]:
    path = write_record(folder / "match.jsonl", match_lines(rules, form, faulty_seats))
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_is_published_is_fresh() -> None:
    assert json.loads(PLACE.read_text()) == SCHEMA
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("form", ["game", "deals:2", "boards:2"])
@pytest.mark.parametrize("rules", PRESETS)
def test_every_line_of_every_record_fits(tmp_path: Path, rules: str, form: str) -> None:
    lines = lines_of(tmp_path, rules, form)
    assert [line["type"] for line in lines if not FITS(line)] == []


CHANGES: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "an unknown field": lambda lines: lines[0].update(luck=7),
    "an unknown field of the rules": lambda lines: lines[0]["rules"].update(luck=7),
    "an unknown type": lambda lines: lines[0].update(type="luck"),
    "a version to come": lambda lines: lines[0].update(version=2),
    "no version": lambda lines: lines[0].pop("version"),
    "no chain": lambda lines: lines[0].pop("chain"),
    "a chain that is none": lambda lines: lines[0].update(chain="0"),
    "null for a field that is not there": lambda lines: lines[0].update(board=None),
    "a seat in words": lambda lines: lines[1]["steps"][0].update(seat="south"),
    "a step that does nothing": lambda lines: lines[1]["steps"][-1].pop("play"),
    "a step that does two things": lambda lines: lines[1]["steps"][-1].update(moon="add"),
    "a result without a place": lambda lines: lines[-1]["results"][0].pop("place"),
}


@pytest.mark.parametrize("change", list(CHANGES.values()), ids=list(CHANGES))
def test_what_is_no_line_of_a_record_does_not_fit(tmp_path: Path, change: Callable[[Any], object]) -> None:
    lines = lines_of(tmp_path, "hearts", "deals:1")
    changed = copy.deepcopy(lines)
    change(changed)
    assert [FITS(line) for line in changed] == [line == other for line, other in zip(lines, changed, strict=True)]


@pytest.mark.parametrize("part", ["MatchLine", "ClockLine", "DealLine", "Step", "ResultLine", "BotResult"])
def test_every_field_is_described_in_the_schema_and_in_the_documentation(part: str) -> None:
    named = set(re.findall(r"`(\w+)`", (DOCS / "records.md").read_text()))
    fields = SCHEMA["$defs"][part]["properties"]
    assert set(fields) - named == set()
    assert [
        name
        for name, field in fields.items()
        if name not in {"type", "version", "rules", "clock"} and not field.get("description")
    ] == []
