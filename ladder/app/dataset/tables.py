"""The tables of the data set: their columns, and what each is. docs/dataset.md is compared with them by a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = 2
"""Of the columns; it grows when one is added or changes its meaning. 2: `season`."""
_TEXT, _NUMBER, _SMALL, _MASK, _REAL = pa.string(), pa.int64(), pa.int16(), pa.uint64(), pa.float64()
_NAME = pa.dictionary(pa.int32(), pa.string())
_TIME, _TRUTH = pa.timestamp("us", tz="UTC"), pa.bool_()
_DEAL = {
    "match": (_NUMBER, "`matches.match`"),
    "deal": (pa.int32(), "from 1, within the match"),
    "board": (pa.int32(), "from 1; null if the match has no boards"),
    "rotation": (_SMALL, "from 1; null if the match has no boards"),
}
COLUMNS: Mapping[str, Mapping[str, tuple[Any, str]]] = {
    "matches": {
        "match": (_NUMBER, "number of the match"),
        "variant": (_NAME, "its rules"),
        "format": (_NAME, "`boards:N`, `deals:N` or `game`"),
        "finished": (_TIME, "when it was recorded"),
        "ordinal": (_NUMBER, "which result of the ladder it was; null: it is not rated (a match of an event)"),
        "season": (_NAME, "name of the season whose ratings it moved; null: of none (a match of an event)"),
        "deals": (pa.int32(), "deals played"),
        "seed": (_TEXT, "hex; all cards follow from it"),
        "commitment": (_TEXT, "SHA-256 of the seed, published before the match"),
        "has_record": (_TRUTH, "whether its deals and decisions are here: old records may have been removed"),
    },
    "seats": {
        "match": (_NUMBER, "`matches.match`"),
        "number": (_SMALL, "the bot's number in the match, from 0; its seat in rotation 1"),
        "bot": (_NAME, "name of the bot"),
        "version": (_SMALL, "its number among the versions of the bot"),
        "place": (_SMALL, "1: first; equal places are shared"),
        "points_per_deal": (_REAL, "as the variant counts"),
        "standard_error": (_REAL, "of that; null if unknown"),
        "faults": (pa.int32(), "answers that were late, illegal or malformed"),
        "taken_over": (_TRUTH, "whether the default policy played in its place at the end"),
        "median_ms": (_REAL, "median think time"),
        "elo_before": (_REAL, "as it is stored; null: not rated"),
        "elo_after": (_REAL, "the same after the match"),
    },
    "versions": {
        "bot": (_NAME, "name of the bot"),
        "version": (_SMALL, "from 1"),
        "owner": (_NAME, "name of the owner's account"),
        "identity": (_TEXT, "SHA-256 of its image, or of the content of its folder"),
        "added": (_TIME, "when it was entered"),
    },
    "ratings": {
        "variant": (_NAME, "its rules"),
        "season": (_NAME, "name of the season that is played now"),
        "bot": (_NAME, "name of the bot"),
        "version": (_SMALL, "its number among the versions of the bot"),
        "state": (_NAME, "`active`, `suspended` or `retired`"),
        "rank": (pa.int32(), "null if it is not active"),
        "elo": (_REAL, "after its last match"),
        "elo_error": (_REAL, "half of the 95 % interval"),
        "margin": (_REAL, "points a deal against the field"),
        "margin_error": (_REAL, "half of the 95 % interval"),
        "matches": (_NUMBER, "rated ones"),
    },
    "deals": _DEAL
    | {
        "seat": (_SMALL, "from 0, clockwise"),
        "bot": (_NAME, "who sits there"),
        "hand": (_MASK, "the cards dealt to it"),
        "score": (pa.int32(), "what the deal brought"),
        "total": (pa.int32(), "with all deals before it"),
    },
    "decisions": _DEAL
    | {
        "step": (_SMALL, "from 1, within the deal; forced cards included"),
        "seat": (_SMALL, "whose it is"),
        "bot": (_NAME, "who sits there"),
        "kind": (_NAME, "`pass`, `expose`, `play` or `moon`"),
        "trick": (_SMALL, "from 1; null unless a card is played"),
        "hand": (_MASK, "the cards that the seat holds"),
        "legal": (_MASK, "the cards that it may choose from; of `pass` its hand, of `moon` none"),
        "table": (pa.list_(pa.uint8()), "the cards of the trick so far, the one that was led first"),
        "played": (_MASK, "all cards played before, by everybody"),
        "choice": (_TEXT, "what was chosen, as a record writes it"),
        "by": (
            _NAME,
            "`bot`; `forced`: nothing else was legal; `default:` and a verdict, `takeover`: the default policy",
        ),
        "took_ms": (_REAL, "wall time"),
        "cpu_ms": (_REAL, "CPU time; null if it was not measured"),
    },
}
"""By table and column: its type, and what it holds."""


def schema(table: str) -> pa.Schema:
    """Give the Parquet schema of a table."""
    return pa.schema([pa.field(name, kind) for name, (kind, _) in COLUMNS[table].items()])


def type_name(kind: pa.DataType) -> str:
    """Give the name of a type that people read."""
    return "text" if pa.types.is_dictionary(kind) or pa.types.is_string(kind) else str(kind).replace("item: ", "")
