"""The keys of `pigpen replay`, and the screen that explains them."""

from __future__ import annotations

from rich.text import Text

KEYS = "←→ card   ↑↓ trick   [ ] deal   Home End   f fault   v view   ? help   q quit"
HELP = """\
→  l  space        next card               ←  h      previous card
↓  j  PgDn         to the end of a trick   ↑  k  PgUp  previous trick
]  n               the next deal           [  p      the deal before
Home  g            the cards as dealt      End  G    the result
f                  the next fault of a bot
v                  look from the next seat, or from all
q  Esc             quit

▶ must decide now      › led the trick      * wins it
[Q] exposed face up, (Q) face down, as long as it is in the hand
underlined: just passed to this seat; dim: may not be played now
Below a hand: the cards taken that count; beside the name: what they are
worth so far.

Any key goes back to the table."""


def help_screen(height: int) -> list[Text]:
    """Say what the keys do, and what the signs mean."""
    return [Text(line) for line in HELP.splitlines()][:height]
