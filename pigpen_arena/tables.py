"""Results as rows, as frames of polars or pandas, and as HTML for notebooks."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from ladder.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ladder.values.value import Value

V = TypeVar("V", bound="Value")
Cell: TypeAlias = "str | int | float | bool | None"
Row: TypeAlias = "dict[str, Cell]"
Library: TypeAlias = Literal["polars", "pandas"]
LIBRARIES: tuple[Library, ...] = ("polars", "pandas")
SHOWN = 50
"""Rows in a notebook; frames have all."""


def frame(rows: Sequence[Row], library: Library | None = None) -> Any:
    """
    Make a data frame, one column for each key.

    Args:
        rows: All with the same keys.
        library: polars or pandas; None: the first of them that is installed.

    Raises:
        UserError: If it is not installed.
    """
    name, module = _installed(library)
    return module.DataFrame(rows, infer_schema_length=None) if name == "polars" else module.DataFrame(rows)


def arrow_frame(table: Any, library: Library | None = None) -> Any:
    """
    Make a data frame of a table of pyarrow.

    Args:
        table: A `pyarrow.Table`.
        library: polars or pandas; None: the first of them that is installed.

    Raises:
        UserError: If it is not installed.
    """
    name, module = _installed(library)
    return module.from_arrow(table) if name == "polars" else table.to_pandas()


def _installed(library: Library | None) -> tuple[Library, Any]:
    """Give the library that is wanted, or the first one that is there, and its module."""
    for name in (library,) if library else LIBRARIES:
        if name not in LIBRARIES:
            raise UserError(f"There are no frames of {name!r}. Choose polars or pandas.")
        try:
            return name, importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    raise UserError(f"A frame needs {library or 'polars or pandas'}: pip install {library or 'polars'}. Or use rows().")


def table_html(rows: Sequence[Mapping[str, object]], caption: str = "") -> str:
    """Make an HTML table of rows with the same keys; numbers stand right."""
    if not rows:
        return f"<p>{escape(caption)}</p>"
    head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
    body = "".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in rows[:SHOWN])
    rest = f"<p>… and {len(rows) - SHOWN} more</p>" if len(rows) > SHOWN else ""
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"
    )


def _cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (
            f'<td style="text-align:right">{value:,.3f}</td>'
            if isinstance(value, float)
            else (f'<td style="text-align:right">{value}</td>')
        )
    return f"<td>{escape(str(value))}</td>"


@dataclass(frozen=True)
class Result(Generic[V]):
    """
    The result of a function.

    Attributes:
        value: All of it: the same fields as the command's `--json` (docs/json.md).
    """

    value: V
    """All of it, as the command prints it with --json."""
    _rows: tuple[Row, ...]
    _caption: str

    def rows(self) -> list[Row]:
        """Give its table: one row for each choice, case or bot."""
        return list(self._rows)

    def to_frame(self, library: Library | None = None) -> Any:
        """
        Give its table as a data frame.

        Args:
            library: polars or pandas; None: the first of them that is installed.

        Raises:
            UserError: If it is not installed.
        """
        return frame(self._rows, library)

    def _repr_html_(self) -> str:
        return table_html(self._rows, self._caption)

    def __repr__(self) -> str:
        return f"<{self._caption}>"
