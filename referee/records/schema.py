"""
The JSON Schema of a record's lines as they stand in a file, made from the models in referee/records/lines.py.

`python -m referee.records.schema` writes it to docs/record.schema.json; with `--check` it says whether it is fresh.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pydantic

from pigpen.rules import Rules
from referee.records.lines import CHAIN, READABLE, VERSION, AnyLine

PLACE = Path(__file__).resolve().parents[2] / "docs" / "record.schema.json"
LINES = ("MatchLine", "DealLine", "ResultLine")
_CHAIN = {
    "description": "SHA-256 in hex of the chain of the line before, if there is one, and this line without its chain.",
    "pattern": "^[0-9a-f]{64}$",
    "type": "string",
}
_NOTHING = {"type": "null"}


def record_schema() -> dict[str, Any]:
    """Make the schema of one line, chain included."""
    lines = pydantic.TypeAdapter(AnyLine).json_schema(mode="serialization")
    rules = pydantic.TypeAdapter(Rules).json_schema()
    parts = lines["$defs"] | rules.pop("$defs") | {"Rules": rules}
    parts["MatchLine"]["properties"]["rules"] = {"$ref": "#/$defs/Rules"}
    parts["MatchLine"]["properties"]["version"]["enum"] = [*READABLE]
    parts["Step"]["oneOf"] = [{"required": [kind]} for kind in ("pass", "expose", "play", "moon")]
    for name in LINES:
        parts[name]["properties"][CHAIN] = _CHAIN
    for part in parts.values():
        _simplify(part)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a record of Pigpen, version {VERSION}",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in LINES],
        "$defs": parts,
    }


def _simplify(part: dict[str, Any]) -> None:
    """Simplify a part: a field without a value is left out and never null; a docstring's first paragraph stays."""
    part.pop("title", None)
    if "description" in part:
        part["description"] = part["description"].partition("\n\n")[0]
    fields = part.get("properties", {})
    if fields:
        part["required"] = [name for name, field in fields.items() if _NOTHING not in field.get("anyOf", ())]
    for field in fields.values():
        field.pop("title", None)
        field.pop("default", None)
        if _NOTHING in field.get("anyOf", ()):
            (kind,) = (each for each in field.pop("anyOf") if each != _NOTHING)
            field.update(kind)


def write_or_check(place: Path, schema: object) -> None:
    """
    Write a schema to its file; with `--check` on the command line, end with exit code 1 if the file says otherwise.

    Args:
        place: The file, in docs/.
        schema: What belongs there.
    """
    text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    if "--check" not in sys.argv:
        place.write_text(text, encoding="utf-8")
    elif not place.exists() or place.read_text(encoding="utf-8") != text:
        sys.exit(f"docs/{place.name} is stale; run: make schema")


if __name__ == "__main__":
    write_or_check(PLACE, record_schema())
