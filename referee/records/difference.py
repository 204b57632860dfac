"""The first difference of two JSON texts, in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pydantic

from referee.records.framing import RecordDiffers, shortened
from referee.records.lines import from_json, objection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.records.lines import AnyLine

_ABSENT = object()


def readable(text: bytes) -> AnyLine:
    """
    Read one line, without its chain.

    Raises:
        RecordDiffers: If it is none; the message names the field.
    """
    try:
        return from_json(text)
    except pydantic.ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        place = _join("", detail["loc"][1:])
        raise RecordDiffers(f"{place}: {objection(detail)}" if place else objection(detail)) from None


def compare(text: bytes, expected: str) -> None:
    """
    Compare a line with the one that is *expected*.

    Raises:
        RecordDiffers: If they differ, be it in a space; the message says where.
    """
    if text == expected.encode():
        return
    expect("", json.loads(text), json.loads(expected))
    raise RecordDiffers("it is not written as the referee writes it: order of the keys, spaces, or a key twice")


def expect(place: str, found: Any, expected: Any) -> None:
    """
    Compare what is *found* at *place* in a line, parsed JSON, with what is *expected* there.

    Raises:
        RecordDiffers: If they differ; the message says where first.
    """
    if found != expected or place == "":
        for where, value, wanted in _differences(place, found, expected):
            raise RecordDiffers(_sentence(where, value, wanted))


def _differences(place: str, found: Any, expected: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield each place where they differ, with what is there and what should be."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in {**expected, **found}:
            inner = f"{place}.{shortened(key)}" if place else shortened(key)
            yield from _differences(inner, found.get(key, _ABSENT), expected.get(key, _ABSENT))
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for number, (item, wanted) in enumerate(zip(found, expected, strict=True)):
            yield from _differences(f"{place}[{number}]", item, wanted)
    elif type(found) is not type(expected) or found != expected:
        yield place, found, expected


def _sentence(place: str, found: Any, expected: Any) -> str:
    if found is _ABSENT:
        return f"{place} is missing; it should be {_shown(expected)}"
    if expected is _ABSENT:
        return f"{place} is {_shown(found)}, but should not be there"
    return f"{place} is {_shown(found)}, but should be {_shown(expected)}"


def _shown(value: Any) -> str:
    return shortened(json.dumps(value, ensure_ascii=False))


def _join(place: str, parts: tuple[int | str, ...]) -> str:
    for part in parts:
        word = shortened(str(part))
        place += f"[{word}]" if isinstance(part, int) else f".{word}" if place else word
    return place
