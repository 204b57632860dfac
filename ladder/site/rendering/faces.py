"""
Faces of bots, owners and players, and emblems of events: pictures that are drawn from a hash of the name.

So a reader finds a name again at a glance. They say nothing that the name beside them does not.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable

GROUNDS = 8
"""Colours behind the face; the style sheet has one for each number."""
SKINS = 3
EARS = (
    "M8 12l2-6 5 3M24 12l-2-6-5 3",
    "M7 14l0-8 7 3M25 14l0-8-7 3",
    "M6 10l6-3 3 3M26 10l-6-3-3 3",
)
EYES = (
    '<circle class="eye" cx="12.6" cy="14.5" r="1.2"/><circle class="eye" cx="19.4" cy="14.5" r="1.2"/>',
    '<path class="brow" d="M11 14.5h3M18 14.5h3"/>',
    '<circle class="eye" cx="12.6" cy="14" r="1.8"/><circle class="eye" cx="19.4" cy="14" r="1.8"/>',
)
SPOTS = (
    "",
    '<circle class="spot-of" cx="11" cy="11.5" r="2.6"/>',
    '<circle class="spot-of" cx="21.5" cy="20" r="2.4"/>',
)
SNOUTS = ((4.6, 3.4), (5.6, 3.0))


FIELDS = (
    "",
    '<path class="{other}" d="M32 3h28v37c0 15-14 24-28 29z"/>',
    '<path class="{other}" d="M4 3h56v19H4z"/>',
    '<path class="{other}" d="M4 22L32 50 60 22v18c0 15-14 24-28 29C18 64 4 55 4 40z"/>',
    '<path class="{other}" d="M60 3v37c0 3-.6 5.8-1.6 8.4L6 3z"/>',
)
"""Divisions of a shield: its second colour."""
SUITS = (
    "M0-7C3-3.5 6-1 6 2.2 6 5 2.8 5.8.9 3.8L2 7h-4L-.9 3.8C-2.8 5.8-6 5-6 2.2-6-1-3-3.5 0-7z",
    "M0 7C-3.5 3.5-6.5 1-6.5-2.5-6.5-6.5-1.5-7 0-3.5 1.5-7 6.5-6.5 6.5-2.5 6.5 1 3.5 3.5 0 7z",
    "M0-7l5 7-5 7-5-7z",
    "M-1-1.2C-4.5-3.5-2.8-7 0-7s4.5 3.5 1 5.8C4-2.300 6.5-.5 6.5 1.8c0 3-4 3.700-5.5 1.4L2 7h-4l1-3.8C-2.5 5.5-6.5 4.8"
    "-6.5 1.8-6.5-.5-4-2.300-1-1.2z",
)
"""The signs of spades, hearts, diamonds and clubs, around a middle of 0, 0."""


def _chooser(name: str) -> Callable[[int], int]:
    """Make a function that chooses a number below its argument; the same for a name each time."""
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")

    def choose(count: int) -> int:
        nonlocal number
        number, found = divmod(number, count)
        return found

    return choose


def _features(choose: Callable[[int], int]) -> tuple[int, str]:
    """Choose the skin, and draw the face on a square of 32 by 32."""
    skin = choose(SKINS)
    ears, eyes, spot = EARS[choose(len(EARS))], EYES[choose(len(EYES))], SPOTS[choose(len(SPOTS))]
    across, up = SNOUTS[choose(len(SNOUTS))]
    return skin, (
        f'<path class="ears" d="{ears}"/><circle class="skin" cx="16" cy="17" r="9"/>'
        f'{spot}{eyes}<ellipse class="snout" cx="16" cy="19.5" rx="{across}" ry="{up}"/>'
        '<circle class="hole" cx="14.4" cy="19.5" r="1"/><circle class="hole" cx="17.6" cy="19.5" r="1"/>'
    )


@lru_cache(maxsize=4096)
def avatar(name: str) -> Markup:
    """Draw the face of a name: one of 1,296."""
    choose = _chooser(name)
    ground = choose(GROUNDS)
    skin, face = _features(choose)
    return Markup(
        f'<svg class="avatar ground-{ground} skin-{skin}" viewBox="0 0 32 32" aria-hidden="true" focusable="false">'
        f'<rect width="32" height="32" rx="8"/>{face}</svg>'
    )


@lru_cache(maxsize=256)
def emblem(name: str) -> Markup:
    """Draw the emblem of an event: a shield of two colours, a pig, and the sign of a suit."""
    choose = _chooser(f"emblem {name}")
    ground = choose(GROUNDS)
    other = (ground + 1 + choose(GROUNDS - 1)) % GROUNDS
    field = FIELDS[choose(len(FIELDS))].format(other=f"tint-{other}")
    suit = SUITS[choose(len(SUITS))]
    skin, face = _features(choose)
    return Markup(
        f'<svg class="emblem avatar skin-{skin}" viewBox="0 0 64 72" aria-hidden="true" focusable="false">'
        f'<path class="tint-{ground}" d="M4 3h56v37c0 15-14 24-28 29C18 64 4 55 4 40z"/>{field}'
        f'<path class="suit" transform="translate(32 13)" d="{suit}"/>'
        f'<g transform="translate(8 17) scale(1.5)">{face}</g>'
        '<path class="rim" d="M4 3h56v37c0 15-14 24-28 29C18 64 4 55 4 40z"/></svg>'
    )
