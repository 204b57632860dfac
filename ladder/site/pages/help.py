"""Contents of the pages that explain: the rules of a variant, the operations of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ladder.app import overview
from ladder.site.pages.lesson import lesson
from referee.records.rules_file import to_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ladder.app.ladder import Ladder
    from pigpen.rules import Rules


def rules(ladder: Ladder, variant: str) -> dict[str, object]:
    """
    Read the rules of a variant, as the ladder plays it, or of a preset.

    Raises:
        LadderError: If there is none of that name.
    """
    is_played = any(one.variant == variant for one in overview.variants(ladder, first=0))
    return explained(overview.rules_of(ladder, variant), is_played)


def explained(rules: Rules, is_played: bool = False) -> dict[str, object]:
    """Give what the page of some rules shows; it leads to their standings if they are played on the ladder."""
    return {"rules": rules, "is_played": is_played, "toml": to_toml(rules), "lesson": lesson(rules)}


def operations(document: Mapping[str, Any]) -> list[dict[str, object]]:
    """Give what an OpenAPI document describes, for a table."""
    return list(_operations(document))


def _operations(document: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            names = [parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "query"]
            words = operation.get("description", "")
            yield {"path": path, "method": method.upper(), "words": words, "parameters": names}
