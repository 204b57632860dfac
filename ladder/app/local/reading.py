"""Reading a record for a command, and finding the deals and bots that the command names."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from ladder.errors import UserError
from referee.records.file import read_record
from referee.records.framing import RecordError
from referee.records.recorded import BadRecord, Recorded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    from referee.records.recorded import Deals


class Where(NamedTuple):
    """A choice of deals of a match, by numbers from 1; None: any. Only boards have rotations."""

    deal: int | None = None
    board: int | None = None
    rotation: int | None = None

    def __str__(self) -> str:
        return " ".join(f"--{name} {number}" for name, number in self._asdict().items() if number is not None)


ANYWHERE = Where()


class Source(NamedTuple):
    """A record, and how people call it."""

    path: Path
    word: str
    """In commands: the number of a match of the ladder, or the path."""
    name: str
    """In messages."""

    @classmethod
    def of(cls, path: Path, match: str = "") -> Self:
        """Name a file, or the record of a match of the ladder, whose number *match* then is; messages hide its path."""
        return cls(path, match, f"match {match}") if match else cls(path, str(path), repr(str(path)))

    @classmethod
    def piped(cls, path: Path) -> Self:
        """Name a file that holds what came on standard input."""
        return cls(path, "-", "standard input")


def read_match(source: Source) -> Recorded:
    """Read the record of a match, finished or not, that holds a deal at least."""
    with understanding(source):
        recorded = Recorded.of(read_record(source.path))
    if not recorded.deals:
        raise UserError(f"{source.name} holds no deal yet: a deal is written when it is over.")
    return recorded


@contextmanager
def understanding(source: Source) -> Iterator[None]:
    """Put into words why a record makes no sense, without a path that its user does not know."""
    try:
        yield
    except BadRecord as error:
        raise UserError(f"{source.name} cannot be replayed: {error}.") from None
    except RecordError as error:
        raise type(error)(str(error).replace(repr(str(source.path)), source.name)) from None


def bot_in(recorded: Recorded, word: str, source: Source) -> int:
    """Find the number of the bot that *word* names or numbers."""
    try:
        return recorded.bot(word)
    except ValueError as error:
        raise UserError(f"{source.name}: {error}.") from None


def deals_in(recorded: Recorded, source: Source, where: Where) -> Deals:
    """Choose deals by what is given of their numbers; there is one at least."""
    found = recorded.deals.where(*where)
    if not found:
        raise UserError(f"{source.name} has no deal for {where}; it holds {_extent(recorded)}.")
    return found


def _extent(recorded: Recorded) -> str:
    last = recorded.deals[-1]
    if last.board is None:
        return f"the deals 1 to {last.deal + 1}"
    return f"the boards 1 to {last.board + 1}, rotations 1 to {max(line.rotation or 0 for line in recorded.deals) + 1}"
