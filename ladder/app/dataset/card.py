"""The data card: a README.md by which `datasets` finds the tables, and that tells people what they hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ladder.app.dataset.tables import COLUMNS, type_name

if TYPE_CHECKING:
    from ladder.values.reports import DatasetManifest

CARD = "README.md"
LICENCES = {"cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0", "mit", "apache-2.0", "odbl"}
"""Licences that have a name of their own in a card; each other one is `other`, with the organiser's words."""


def data_card(manifest: DatasetManifest) -> str:
    """Write the card of a data set."""
    licence = " ".join(manifest.licence.split())
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
    return ["license: other", f"license_name: {json.dumps(words)}"]
