"""A bar for long work."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from ladder.terminal.sanitize import in_markup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress(what: str, total: int | None, done: int = 0, *, hidden: bool = False) -> Iterator[Callable[..., None]]:
    """
    Give a function to call after each piece of work, with another word for *what* if need be.

    The bar shows on a terminal only.

    Args:
        what: What the pieces are called.
        total: How many there are; None where it is not known.
        done: How many are done already.
        hidden: Show no bar.
    """
    console = Console(stderr=True)
    if hidden or not console.is_terminal:
        yield lambda description=what: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(in_markup(what), total=total, completed=done)
        yield lambda description=what: bar.update(task, advance=1, description=in_markup(description))
