"""The descriptions of fields in a JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field, TypeAdapter, ValidationError, create_model

from referee.records.lines import Described


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
