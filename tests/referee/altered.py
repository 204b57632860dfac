"""Damage of editors and transfers to a record: for each the bytes that are left, and the message with its line."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

Change = tuple["Callable[[bytes], bytes]", int, str]


def with_windows_line_ends(record: bytes) -> bytes:
    return record.replace(b"\n", b"\r\n")


def with_windows_line_ends_from_the_second_line_on(record: bytes) -> bytes:
    first, _, rest = record.partition(b"\n")
    return first + b"\n" + with_windows_line_ends(rest)


ALTERED: dict[str, Change] = {
    "Windows line ends": (with_windows_line_ends, 1, "the file has Windows line ends (CR LF), and a record has LF; "),
    "mixed line ends": (with_windows_line_ends_from_the_second_line_on, 2, "the file has Windows line ends (CR LF)"),
    "a byte order mark": (lambda record: codecs.BOM_UTF8 + record, 1, "the file begins with a byte order mark (BOM)"),
    "UTF-16": (
        lambda record: record.decode().encode("utf-16"),
        1,
        "the file has been saved as UTF-16, and a record is",
    ),
    "a blank first line": (lambda record: b"\n" + record, 1, "it is blank, and a record has no blank lines; remove it"),
}
