"""The types of the site's scripts are those of the values that it sends them."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel

from ladder.site import shapes


def test_the_declarations_are_fresh() -> None:
    assert shapes.PLACE.read_text(encoding="utf-8") == shapes.declarations(), "run: make schema"


def test_each_kind_of_field_has_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    class DealPlace(BaseModel):
        """A part."""

        number: int

    class Whole(BaseModel):
        """
        The whole, in
        two lines.

        And more.
        """

        kind: Literal["a", "b"]
        only: Literal["c"] | None
        parts: tuple[DealPlace, ...]
        rows: tuple[tuple[float | None, ...], ...]
        by_name: dict[str, DealPlace]
        is_over: bool = False

    monkeypatch.setattr(shapes, "SENT", (Whole,))
    assert shapes.declarations() == (
        shapes.HEAD
        + "\n/** A part. */\nexport interface Place {\n  number: number;\n}\n"
        + "\n/** The whole, in two lines. */\nexport interface Whole {\n"
        + '  kind: "a" | "b";\n  only: "c" | null;\n  parts: Place[];\n  rows: (number | null)[][];\n'
        + "  by_name: Record<string, Place>;\n  is_over: boolean;\n}\n"
    )
