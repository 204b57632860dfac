"""Answers of the API that are for one person: made for each request, kept nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.value import Value

HEADERS = {"Cache-Control": "no-store", "Vary": "Authorization, Cookie"}


def fresh(value: Value | Sequence[Value], status: int = 200) -> Response:
    """Answer with a value, or several, as JSON that neither the site nor anybody between keeps."""
    return Response(json_of(value), status, HEADERS, "application/json")


def json_of(value: Value | Sequence[Value]) -> bytes:
    """Write a value, or several, as JSON."""
    if not isinstance(value, list | tuple):
        return value.model_dump_json().encode()  # type: ignore[union-attr]
    return b"[" + b",".join(each.model_dump_json().encode() for each in value) + b"]"
