"""The score sheet: what each deal brought everybody, and the totals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from ladder.terminal.card_text import points
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pigpen.values.notices import DealResult

MIN_WIDTH = 14


@dataclass(frozen=True)
class SheetRow:
    """One deal."""

    deal: int
    scores: Mapping[str, int]
    """By the names of those at the table."""
    totals: Mapping[str, int]


class ScoreSheet:
    """All deals of a match so far, in columns that keep to the names even where the seats change."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.rows: list[SheetRow] = []

    def add(self, result: DealResult, names: Sequence[str]) -> None:
        """Write a deal down; *names* are by seat."""
        self.names = self.names or tuple(names)
        scores, totals = dict(zip(names, result.scores, strict=True)), dict(zip(names, result.totals, strict=True))
        self.rows.append(SheetRow(result.deal, scores, totals))

    def lines(self, width: int, height: int) -> Iterator[Text]:
        """Draw it in at most *height* lines; if they are too few, show the last deals."""
        if not self.rows:
            yield Text("No deal is over yet.")
            return
        column = min(max(MIN_WIDTH, *(cell_len(name) + 2 for name in self.names)), (width - 6) // len(self.names))
        heads = (_right(name, column) for name in self.names)
        yield Text(f"{'deal':<6}{''.join(heads)}", style="bold")
        room = max(1, height - 3)
        shown = self.rows[-room:]
        if len(shown) < len(self.rows):
            shown = shown[1:]
            yield Text(f"…     {counted(len(self.rows) - len(shown), 'earlier deal')}", style="dim")
        for row in shown:
            cells = (f"{points(row.scores[name]):>{column}}" for name in self.names)
            yield Text(f"{row.deal + 1:<6}{''.join(cells)}")
        totals = (f"{points(self.rows[-1].totals[name]):>{column}}" for name in self.names)
        yield Text(f"{'total':<6}{''.join(totals)}", style="bold")


def _right(name: str, column: int) -> str:
    cut = set_cell_size(name, min(cell_len(name), column - 2))
    return " " * (column - cell_len(cut)) + cut
