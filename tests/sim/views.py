"""Views as bots get them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen import View

if TYPE_CHECKING:
    from pigpen.rules import Deal


def bot_view(deal: Deal, seat: int) -> View:
    """Give the view of *seat* on *deal*, with the methods that simulate."""
    return View(*deal.known_to(seat))
