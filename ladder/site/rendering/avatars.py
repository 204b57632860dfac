"""Faces for bots and owners: drawn from a hash of the name, so that a reader finds it again at a glance."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from markupsafe import Markup

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


@lru_cache(maxsize=4096)
def avatar(name: str) -> Markup:
    """Draw the face of a name: one of 1,296. It says nothing that the name beside it does not."""
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")

    def choose(count: int) -> int:
        nonlocal number
        number, found = divmod(number, count)
        return found

    ground, skin = choose(GROUNDS), choose(SKINS)
    ears, eyes, spot = EARS[choose(len(EARS))], EYES[choose(len(EYES))], SPOTS[choose(len(SPOTS))]
    across, up = SNOUTS[choose(len(SNOUTS))]
    return Markup(
        f'<svg class="avatar ground-{ground} skin-{skin}" viewBox="0 0 32 32" aria-hidden="true" focusable="false">'
        f'<rect width="32" height="32" rx="8"/><path class="ears" d="{ears}"/>'
        '<circle class="skin" cx="16" cy="17" r="9"/>'
        f'{spot}{eyes}<ellipse class="snout" cx="16" cy="19.5" rx="{across}" ry="{up}"/>'
        '<circle class="hole" cx="14.4" cy="19.5" r="1"/><circle class="hole" cx="17.6" cy="19.5" r="1"/></svg>'
    )
