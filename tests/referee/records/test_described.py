"""Rules, lines and their fields as records describe them, and the published schema."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import tomli_w
from jsonschema import Draft202012Validator
from pydantic import Field, TypeAdapter, ValidationError, create_model

from pigpen.rules import PRESETS
from referee.records.lines import Described, MatchLine
from referee.records.recorded import BadRecord, Recorded
from referee.records.rules_file import RulesFileError, load_rules, rules_from, to_toml
from referee.records.schema import PLACE, record_schema
from tests.many_choices import WAYS, many_choices
from tests.referee.recorded import faulty_seats, match_lines, write_record

if TYPE_CHECKING:
    from collections.abc import Callable


class Animal(Described):
    """Something that eats."""

    name: str
    """Its name."""
    legs: int = 4
    weight: float = Field(default=1.0, description="Kilograms.")
    """Its weight."""


class Pig(Animal):
    """An animal that is chased."""

    name: str
    litter: list[Animal] = Field(default=[], alias="young")
    """Its young,
    the oldest first."""


def fields(model: type[Described]) -> dict[str, Any]:
    found: dict[str, Any] = TypeAdapter(model).json_schema()["properties"]
    return {name: field.get("description") for name, field in found.items()}


def test_what_stands_below_a_field_describes_it_unless_a_description_is_given() -> None:
    assert fields(Animal) == {"name": "Its name.", "legs": None, "weight": "Kilograms."}


def test_fields_that_are_inherited_or_have_another_name_outside_are_described_too() -> None:
    described = {"young": "Its young,\nthe oldest first.", "weight": "Kilograms."}
    assert fields(Pig) == {"name": "Its name.", "legs": None} | described


def test_a_model_within_another_is_described_as_well() -> None:
    schema = Pig.model_json_schema()
    assert schema["$defs"]["Animal"]["properties"]["name"]["description"] == "Its name."


def test_a_model_without_sources_has_no_descriptions() -> None:
    made = create_model("Made", __base__=Described, __module__="nowhere", name=(str, ...))
    assert fields(made) == {"name": None}


def test_values_are_looked_at_as_ever() -> None:
    with pytest.raises(ValidationError):
        Pig.model_validate({"name": 3})


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(PRESETS["hearts"]), encoding="utf-8-sig")
    assert load_rules(str(path)) == PRESETS["hearts"]


@pytest.mark.parametrize("title", ["a\x01", "\u202egnp", "two\nlines"])
def test_a_title_that_cannot_be_printed_is_refused_in_a_file(tmp_path: Path, title: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(replace(PRESETS["hearts"], title=title)), encoding="utf-8")
    with pytest.raises(RulesFileError, match=r"mine.toml: title: "):
        load_rules(str(path))
    assert rules_from(replace(PRESETS["hearts"], title=title).to_plain()).title == title, "records that have it stay"


def test_C_10_too_many_choices_are_refused_in_a_file_and_in_what_was_sent(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(tomli_w.dumps(many_choices()))
    with pytest.raises(RulesFileError, match=f"mine.toml: passing.cards: {WAYS}"):
        load_rules(str(path))
    with pytest.raises(RulesFileError, match=f"^passing.cards: {WAYS}"):
        rules_from(many_choices())


def test_C_10_too_many_choices_are_refused_in_a_record() -> None:
    first, *_ = match_lines("hearts", "boards:1")
    assert isinstance(first, MatchLine)
    with pytest.raises(BadRecord, match=f"cannot be understood: passing.cards: {WAYS}"):
        Recorded.of([first.model_copy(update={"rules": many_choices(), "bots": ("a", "b")})])


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
