"""Values shown to a person at the table, with a question or without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pigpen.values.view import View


@dataclass(frozen=True, slots=True)
class Seen:
    """One moment of a deal, as a person's seat may see it."""

    view: View
    """All that the seat may know. It asks nothing: its decision, limit and bank are zero."""
    names: tuple[str, ...]
    """Name of the player in each seat."""
    away: bool = False
    """True while the default policy plays the seat, until the person is back."""
