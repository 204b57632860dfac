"""Input as nobody in his right mind would write it, for hypothesis."""

from __future__ import annotations

import copy
import gzip
import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from referee.records.framing import START, chained, pack

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTROLS = "\x1b[2J\x1b]0;x\x07\x9b31m\x85\x7f\x08\r\u200e\u202e\u2066\u061c\u2028\ufeff[bold]猪"
"""ESC, C1, bidi controls, line separators, markup."""
DIGITS = "1" * 5000
BIDI = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0x9B, 0x1B]
words = st.one_of(
    st.sampled_from(
        [
            CONTROLS,
            DIGITS,
            "",
            " ",
            "-1",
            "0x10",
            "~no-such-user",
            "~",
            ".",
            "..",
            "/",
            "/dev/null",
            "a" * 5000,
            "\n",
            "[/]",
        ]
    ),
    st.text(max_size=20),
    st.builds("".join, st.lists(st.sampled_from([chr(number) for number in BIDI] + ["a", "[", "]", "\\"]), max_size=8)),
)
numbers = st.sampled_from(
    [-1, 0, 1, 7, 8, 99, 100_000, -(2**31), 2**31, 2**63, 2**64, 10**30, 10**200, 10**4000, -(10**4000)]
)
floats = st.sampled_from([0.5, -0.5, 1e9, 1e300, -1e300, 5e-324])
nested = st.integers(1, 300).map(lambda levels: json.loads("[" * levels + "]" * levels))
values: st.SearchStrategy[Any] = st.one_of(
    words, numbers, floats, st.booleans(), nested, st.sampled_from([[], {}, [[]], [1, "a", {}], {"a": 1}])
)
"""Values that can stand in JSON and in TOML."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in nested dicts and lists."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


@st.composite
def changed(draw: st.DrawFn, plain: Any, most: int = 3) -> Any:
    """Nested dicts and lists with something else in one place or in a few."""
    plain = copy.deepcopy(plain)
    for _ in range(draw(st.integers(1, most))):
        found = list(places(plain))
        if not found:
            return plain
        *path, last = draw(st.sampled_from(found))
        holder = plain
        for key in path:
            holder = holder[key]
        what = draw(st.sampled_from(["put", "put", "put", "remove", "add"]))
        if what == "put":
            holder[last] = copy.deepcopy(draw(values))
        elif what == "remove":
            del holder[last]
        elif isinstance(holder, dict):
            holder[draw(words)] = copy.deepcopy(draw(values))
        else:
            holder.insert(last, copy.deepcopy(draw(values)))
    return plain


@st.composite
def records(draw: st.DrawFn, matches: list[list[dict[str, Any]]]) -> bytes:
    """The file of a record whose lines were changed, with a chain that fits, or whose bytes were."""
    lines = draw(st.sampled_from(matches))
    if draw(st.booleans()):
        lines = draw(changed(lines))
    texts = [json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in lines if isinstance(line, dict)]
    packed = draw(st.sampled_from(["no", "ours", "gzip"]))
    content, before = b"", START
    for text in texts:
        line, before = chained(text.encode("utf-8", "surrogatepass"), before)
        content += pack(line + b"\n") if packed == "ours" else line + b"\n"
    if packed == "gzip":
        content = gzip.compress(content)
    return draw(damaged(content)) if draw(st.integers(0, 3)) == 0 else content


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """Bytes of which some were changed, cut out or put in."""
    place = draw(st.integers(0, len(content)))
    junk = draw(st.one_of(st.binary(max_size=20), st.sampled_from([b"[" * 5000, b"\x1f\x8b", b'"', b"\n", b"\0" * 99])))
    return content[:place] + junk + content[place + draw(st.integers(0, 40)) :]
