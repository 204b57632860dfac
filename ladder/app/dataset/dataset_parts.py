"""
The parts of a data set: tables with their columns and rows, the files on the disk, and the data card.

`COLUMNS` says what each column of a table is; a test compares docs/dataset.md with it. The data card is a README.md by
which `datasets` finds the tables, and that tells people what they hold. Files on the disk are compared with the ones
that were written. The rows come from the ladder's database and records.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from ladder.app.matches import read_recorded
from ladder.errors import UserError
from ladder.store import lookup
from ladder.store.queries import dataset as queries
from ladder.store.queries.standings import standings
from ladder.values.text import sanitize
from ladder.values.value import time_of
from pigpen.learn import actions_of
from pigpen.rules.cards import parse_cards
from referee.records.recorded import BadRecord, rows_of_seats, rows_of_steps
from referee.records.steps import action_of
from referee.replay.deal_replay import DealReplay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.matches import MatchRow
    from ladder.values.reports import DatasetFile, DatasetManifest
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded

    Row = dict[str, Any]

VERSION = 3
"""Of the columns; it grows when one is added or changes its meaning. 2: `season`; 3: `actions`."""
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
        "owner": (_NAME, "code of the owner: which bots have one owner"),
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
        "actions": (
            pa.list_(pa.uint8()),
            "the same as numbers: the cards in canonical order; 52: no further card to expose, or subtract after a "
            "moon; 53: add; 54 and more: card 0 and more, face down",
        ),
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


CARD = "README.md"
LICENCES = {"cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0", "mit", "apache-2.0", "odbl"}
"""Licences that have a name of their own in a card; each other one is `other`, with the organiser's words."""


def data_card(manifest: DatasetManifest) -> str:
    """Write the card of a data set. It holds no name that someone has chosen: those stand in the tables alone."""
    licence = sanitize(" ".join(manifest.licence.split()))
    lines = ["---", "pretty_name: Matches of a Pigpen ladder", *_licence(licence), "configs:"]
    for table in COLUMNS:
        lines += [f"- config_name: {table}", f"  data_files: {table}/*.parquet"]
        lines += ["  default: true"] if table == "decisions" else []
    written = manifest.written.strftime("%Y-%m-%d %H:%M UTC")
    lines += [
        "---", "# Matches of a Pigpen ladder", "", f"Written on {written}. Licence: {licence or 'none was given'}.", "",
        "`manifest.json` has the number of rows of each table, and size and SHA-256 of each file. Cards are numbers "
        "from 0 to 51: 2♣ … A♣, then diamonds, hearts and spades; a set of cards is a number in which bit n is card n.",
    ]  # fmt: skip
    for table, columns in COLUMNS.items():
        lines += ["", f"## {table}", "", f"{manifest.rows.get(table, 0):,} rows.", ""]
        lines += ["| column | type | what it holds |", "|---|---|---|"]
        lines += [f"| `{name}` | {type_name(kind)} | {words} |" for name, (kind, words) in columns.items()]
    return "\n".join(lines) + "\n"


def _licence(words: str) -> list[str]:
    if not words:
        return []
    if words.lower() in LICENCES:
        return [f"license: {words.lower()}"]
    return ["license: other", f"license_name: {json.dumps(words, ensure_ascii=False)}"]


TABLES = ("deals", "decisions", "seats", "matches")
"""Tables that have a file for each part, in the order in which they are written."""
NAME = re.compile(r"\d+-\d+")
"""Name of a part: the numbers of its first and its last match."""
Harm = Literal["missing", "damaged"]


@dataclass(frozen=True)
class Part:
    """Some matches: a file of the same name in each of `TABLES`."""

    folder: Path
    """Of the data set."""
    name: str
    harms: Mapping[str, Harm]
    """By table: why its file cannot be used."""
    is_listed: bool
    """True if the last manifest names it; else a process was killed before it wrote one."""

    def file(self, table: str) -> Path:
        """Return the path of its file in a table."""
        return part_file(self.folder, table, self.name)

    def relative(self, table: str) -> str:
        """Return the name of its file in a table, as the manifest has it."""
        return f"{table}/{self.name}.parquet"

    def matches(self) -> list[int] | None:
        """Read the numbers of its matches; None: no file that has all of them can be used."""
        for table in ("matches", "seats"):
            if table not in self.harms:
                return sorted(set(self._column(table, "match")))
        return None

    def recorded(self) -> set[int] | None:
        """Read the numbers of its matches whose deals were exported; None: no file says it."""
        if "matches" not in self.harms:
            has_record = self._column("matches", "has_record")
            return {match for match, has in zip(self._column("matches", "match"), has_record, strict=True) if has}
        whole = [table for table in ("deals", "decisions") if table not in self.harms]
        return set(self._column(whole[0], "match")) if whole else None

    def remove(self) -> None:
        """Remove its files."""
        for table in reversed(TABLES):
            self.file(table).unlink(missing_ok=True)

    def _column(self, table: str, column: str) -> list[int]:
        found: list[int] = pq.read_table(self.file(table), columns=[column])[column].to_pylist()
        return found


def part_file(folder: Path, table: str, name: str) -> Path:
    """Return the path of a part's file in a table."""
    return folder / table / f"{name}.parquet"


def part_files(folder: Path, table: str) -> list[Path]:
    """List the files of a table that are parts."""
    return [path for path in (folder / table).glob("*.parquet") if NAME.fullmatch(path.stem)]


def check_parts(folder: Path, manifest: DatasetManifest | None) -> list[Part]:
    """
    Compare the files with the last manifest: each must be there, with the size and SHA-256 that it had.

    A file that the manifest does not name is read as a whole: checksums of its pages tell whether it was cut off.
    """
    listed = {file.name: file for file in manifest.files} if manifest else {}
    known = {name for name in listed if name.partition("/")[0] in TABLES}
    known |= {f"{table}/{path.name}" for table in TABLES for path in part_files(folder, table)}
    parts = []
    for name in sorted({each.partition("/")[2].removesuffix(".parquet") for each in known}):
        files = {table: listed.get(f"{table}/{name}.parquet") for table in TABLES}
        harms = {table: harm for table, file in files.items() if (harm := _harm(folder, table, name, file))}
        parts.append(Part(folder, name, harms, any(files.values())))
    return parts


def _harm(folder: Path, table: str, name: str, listed: DatasetFile | None) -> Harm | None:
    path = part_file(folder, table, name)
    if not path.is_file():
        return "missing"
    if listed:
        return None if path.stat().st_size == listed.bytes and sha256(path) == listed.sha256 else "damaged"
    try:
        found = pq.read_table(path, page_checksum_verification=True, partitioning=None)
    except (OSError, pa.ArrowException):
        return "damaged"
    return None if found.schema.equals(schema(table)) else "damaged"


def sha256(path: Path) -> str:
    """Compute the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def match_row(match: MatchRow, season: str | None, has_record: bool) -> Row:
    """Give the row of a match."""
    return {
        "match": match.id, "variant": match.variant, "format": match.format, "finished": match.finished,
        "ordinal": match.ordinal, "season": season, "deals": match.deals, "seed": match.seed,
        "commitment": match.commitment, "has_record": has_record,
    }  # fmt: skip


def seat_rows(match: MatchRow) -> Iterator[Row]:
    """Give a row for each seat of a match."""
    for one in match.seats:
        yield {
            "match": match.id, "number": one.seat, "bot": one.bot, "version": one.version, "place": one.place,
            "points_per_deal": one.points_per_deal, "standard_error": one.standard_error, "faults": one.faults,
            "taken_over": one.taken_over, "median_ms": one.median_ms, "elo_before": one.rating_before,
            "elo_after": one.rating_after,
        }  # fmt: skip


def record_rows(ladder: Ladder, match: MatchRow, tell: Callable[[str], None]) -> tuple[list[Row], list[Row]] | None:
    """
    Give the rows of deals and of decisions of a match; None: its record was removed, or cannot be read.

    *tell* is called with a sentence about a record that cannot be read.
    """
    if not match.record_kept:
        return None
    try:
        return _rows(match.id, read_recorded(ladder.files.record(match.id, match.attempt)).recorded)
    except (UserError, BadRecord) as error:
        tell(f"The deals of match {match.id} are left out. {error}")
        return None


def _rows(match: int, recorded: Recorded) -> tuple[list[Row], list[Row]]:
    seats: list[Row] = []
    steps: list[Row] = []
    for line in recorded.deals:
        seats += (
            {**row, "match": match, "hand": parse_cards(str(row["hand"]).split())}
            for row in rows_of_seats(recorded.first, line)
        )
        steps += (
            {**{name: row[name] for name in row if name != "why"}, "match": match, **known}
            for row, known in zip(rows_of_steps(recorded.first, line), _known(recorded, line), strict=True)
        )
    return seats, steps


def _known(recorded: Recorded, line: DealLine) -> Iterator[Row]:
    """Yield what each seat knew before each step, as far as no other column has it; in the order of `rows_of_steps`."""
    players = recorded.rules.players
    for before, after in pairwise(DealReplay(recorded.rules, recorded.first, line).moments):
        deal = before.deal
        played = sum(1 << card for card in deal.plays)
        table = deal.plays[len(deal.plays) - len(deal.plays) % players :]
        for step, _, _ in after.done:
            hand = deal.hands[step.seat]
            legal = 0 if step.moon is not None else deal.legal_mask(step.seat)
            actions = list(actions_of(action_of(step), legal))
            yield {"hand": hand, "legal": legal, "table": list(table), "played": played, "actions": actions}


def version_rows(ladder: Ladder) -> Iterator[Row]:
    """Give a row for each version of a bot."""
    with ladder.database.read() as session:
        found = queries.all_versions(session)
    for bot, number, owner, identity, added in found:
        yield {"bot": bot, "version": number, "owner": owner, "identity": identity, "added": time_of(added)}


def rating_rows(ladder: Ladder) -> Iterator[Row]:
    """Give a row for each version in the standings of a variant, also of those that play no more."""
    with ladder.database.read() as session:
        found = [(each, standings(session, each, everyone=True)) for each in lookup.find_variants(session, None)]
    for variant, table in found:
        for row in table.standings:
            yield {
                "variant": variant.name, "season": variant.season_name, "bot": row.bot,
                "version": row.version, "state": row.state, "rank": row.rank, "elo": row.elo,
                "elo_error": row.error, "margin": row.margin, "margin_error": row.margin_error, "matches": row.matches,
            }  # fmt: skip
