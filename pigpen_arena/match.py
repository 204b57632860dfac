"""A match that was played: its result, its record, and what can be asked of it."""

from __future__ import annotations

import shutil
import weakref
from copy import copy
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Literal

from ladder.app.local.verification import verify_record
from ladder.app.local.why import Source, Where, costliest_in_record, read_match, why_in_record
from ladder.errors import UserError
from ladder.values.text import counted
from pigpen_arena.html import match_html
from pigpen_arena.tables import Result, Row, frame
from referee.records.recorded import deal_rows, decision_rows

if TYPE_CHECKING:
    from typing import Self

    from ladder.values.local_results import PlayedMatch, Verification
    from ladder.values.why import Costliest, Why
    from pigpen_arena.tables import Library
    from referee.records.lines import BotResult
    from referee.records.recorded import Recorded

Tables = Literal["bots", "deals", "decisions"]
OWN_FOLDER = "pigpen-match-"
"""Beginning of the name of a folder whose record goes with its match."""


class Match:
    """
    A match, from its record.

    Attributes:
        path: The record.
        recorded: What it says.
        played: The result with what each bot printed and why it was at fault; None where only the record is known.
    """

    def __init__(self, path: Path, played: PlayedMatch | None = None, folder: Path | None = None) -> None:
        """
        Read a record.

        Args:
            path: The record.
            played: The result, if the match has just been played.
            folder: Holds the record, and goes with this object.

        Raises:
            RecordError: If it cannot be read.
            UserError: If it is none, or holds no deal.
        """
        self.path = path
        self.played = played
        self.recorded: Recorded = read_match(Source.of(path))
        self._folder = folder
        self._drop_with_match()

    def __deepcopy__(self, memo: object) -> Self:
        return copy(self)  # only the record that goes with it is a second one

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_folder": self.path.read_bytes() if self._folder else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        record: bytes | None = state["_folder"]
        vars(self).update(state)
        if record is not None:
            self._folder = Path(mkdtemp(prefix=OWN_FOLDER))
            self._drop_with_match()
            self.path = self._folder / self.path.name
            self.path.write_bytes(record)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """
        Read the record of a match, finished or not, as `pigpen play --record` writes it and ladders offer it.

        Raises:
            RecordError: If it cannot be read.
            UserError: If it is none, or holds no deal.
        """
        return cls(Path(path))

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots' names, by their numbers."""
        return self.recorded.first.bots

    @property
    def results(self) -> tuple[BotResult, ...]:
        """Result of each bot, by its number; empty while the match is not finished."""
        return self.recorded.result.results if self.recorded.result else ()

    @property
    def seed(self) -> str | None:
        """The match's seed, 64 hex digits; None while it is not finished."""
        return self.recorded.result.seed if self.recorded.result else None

    def rows(self, of: Tables = "bots") -> list[Row]:
        """
        Give a table of the match, as plain values.

        Args:
            of: ``bots``: the result; ``deals``: each seat of each deal; ``decisions``: each step of each deal, forced
                cards included.

        Raises:
            UserError: If there is no such table.
        """
        if of == "bots":
            return [_bot(result) for result in sorted(self.results, key=lambda one: (one.place, one.seat))]
        if of == "deals":
            return list(deal_rows(self.recorded))
        if of == "decisions":
            return list(decision_rows(self.recorded))
        raise UserError(f"A match has no table {of!r}. Choose bots, deals or decisions.")

    def to_frame(self, of: Tables = "bots", library: Library | None = None) -> Any:
        """
        Give a table of the match as a data frame.

        Args:
            of: As in `rows`.
            library: polars or pandas; None: the first of them that is installed.

        Raises:
            UserError: If there is no such table, or neither is installed.
        """
        return frame(self.rows(of), library)

    def why(
        self,
        step: int,
        *,
        deal: int | None = None,
        board: int | None = None,
        rotation: int | None = None,
        bot: str | None = None,
    ) -> Result[Why]:
        """
        Estimate what each choice of one decision was worth, from what its seat knew.

        Args:
            step: The place of the decision among the steps of the deal, from 1.
            deal: The deal, from 1, in a match without boards.
            board: The board, from 1.
            rotation: Its rotation, from 1.
            bot: The bot that must have made it; None: any.

        Raises:
            UserError: If the deal is not exactly one, the step is not there, was forced, is another bot's, or has too
                many choices.
        """
        found = why_in_record(Source.of(self.path), step, Where(deal, board, rotation), bot)
        rows: tuple[Row, ...] = tuple(
            {
                "choice": each.choice, "chosen": each.chosen, "points": each.points, "behind": each.behind,
                "behind_error": each.behind_error, "as_dealt": each.as_dealt,
            }
            for each in found.choices
        )  # fmt: skip
        return Result(
            found, rows, f"{found.bot}, {found.place}, step {found.step}: {found.chosen} cost {found.cost:.2f}"
        )

    def costliest(self, bot: str | int, worst: int = 5) -> Result[Costliest]:
        """
        Find the decisions of a bot that cost it most, by estimate.

        Args:
            bot: Its name or number.
            worst: How many decisions to give at most.

        Raises:
            UserError: If there is no such bot.
        """
        found = costliest_in_record(Source.of(self.path), str(bot), worst)
        rows: tuple[Row, ...] = tuple(
            {
                "deal": each.deal, "board": each.board, "rotation": each.rotation, "step": each.step, "at": each.at,
                "chosen": each.chosen, "best": each.choices[0].choice, "cost": each.cost, "cost_error": each.cost_error,
            }
            for each in found.costliest
        )  # fmt: skip
        return Result(found, rows, f"{found.bot}: the costliest of {counted(found.decisions, 'decision')}")

    def verify(self) -> Verification:
        """Find out whether the record holds: deal again, play every action again, count again."""
        return verify_record(self.path)

    def save(self, path: str | Path) -> Path:
        """
        Copy the record to a file that is not there yet.

        Raises:
            UserError: If it is there, or cannot be written.
        """
        target = Path(path)
        try:
            with open(self.path, "rb") as source, open(target, "xb") as copy:
                shutil.copyfileobj(source, copy)
        except FileExistsError:
            raise UserError(f"{str(target)!r} is there already. Name another file; nothing was changed.") from None
        except OSError as error:
            raise UserError(f"{str(target)!r} cannot be written: {error.strerror}.") from None
        return target

    def _drop_with_match(self) -> None:
        if self._folder:
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def __repr__(self) -> str:
        rules = self.recorded.rules.name
        places = ", ".join(f"{row['place']}. {row['bot']}" for row in self.rows())
        return f"<Match of {rules}, {counted(len(self.recorded.deals), 'deal')}: {places or 'not finished'}>"

    def _repr_html_(self) -> str:
        title, deals = self.recorded.rules.title, len(self.recorded.deals)
        caption = f"{title}: {counted(deals, 'deal')}, seed {self.seed or 'not known before the end'}"
        return match_html(self.path, caption, self.rows())


def _bot(result: BotResult) -> Row:
    return {
        "place": result.place,
        "bot": result.bot,
        "points_per_deal": result.points_per_deal,
        "standard_error": result.standard_error,
        "total": result.total,
        "faults": result.faults,
        "taken_over": result.taken_over,
        "median_ms": result.think_ms["median"],
        "worst_ms": result.think_ms["worst"],
    }
