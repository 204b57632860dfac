"""
The TypeScript declarations of what the site's scripts are sent, made from the values in `ladder.values`.

`python -m ladder.site.shapes` writes them to ladder/site/static/shapes.d.ts; with `--check` it says whether they are
fresh.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from ladder.values.matches import DealReplayed, TvNext
from ladder.values.person_state import PersonState, TableShown
from ladder.values.value import Computing
from ladder.values.why import Analysis, Costliest, Hint, Mistakes

PLACE = Path(__file__).parent / "static" / "shapes.d.ts"
SENT = (DealReplayed, Hint, Analysis, Costliest, Mistakes, TvNext, PersonState, TableShown, Computing)
"""With all that is in them."""
NAMES = {"DealReplayed": "Deal", "DealPlace": "Place", "FaultPlace": "Fault"}
"""Names that are different in the scripts."""
SCALARS = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}
HEAD = "// Written by `python -m ladder.site.shapes`: what the fields mean is in ladder/values.\n"


def declarations() -> str:
    """Write an interface for each value, in the order of their names."""
    inputs = [(value.__name__, "serialization", TypeAdapter(value)) for value in SENT]
    _, schema = TypeAdapter.json_schemas(inputs)  # type: ignore[arg-type]
    parts = sorted((_name(name), part) for name, part in schema["$defs"].items())
    return HEAD + "".join(f"\n{_interface(name, part)}" for name, part in parts)


def _interface(name: str, part: dict[str, Any]) -> str:
    fields = "".join(f"  {field}: {_type(of)};\n" for field, of in part["properties"].items())
    description = " ".join(part["description"].partition("\n\n")[0].split())
    return f"/** {description} */\nexport interface {name} {{\n{fields}}}\n"


def _type(part: dict[str, Any]) -> str:
    """
    Write the type of a field.

    >>> _type({"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}})
    '(number | null)[]'
    """
    if "$ref" in part:
        return _name(part["$ref"].rpartition("/")[2])
    if "anyOf" in part:
        return " | ".join(map(_type, part["anyOf"]))
    if "enum" in part or "const" in part:
        return " | ".join(map(json.dumps, part.get("enum") or [part["const"]]))
    if part["type"] == "array":
        inner = _type(part["items"])
        return f"({inner})[]" if part["items"].keys() & {"anyOf", "enum"} else f"{inner}[]"
    if part["type"] == "object":
        return f"Record<string, {_type(part['additionalProperties'])}>"
    return SCALARS[part["type"]]


def _name(name: str) -> str:
    return NAMES.get(name, name)


if __name__ == "__main__":
    if "--check" not in sys.argv:
        PLACE.write_text(declarations(), encoding="utf-8")
    elif PLACE.read_text(encoding="utf-8") != declarations():
        sys.exit(f"{PLACE.name} is stale; run: make schema")
