"""Rules by which a decision has millions of choices, as a user may write or send them."""

from __future__ import annotations

from typing import Any

from pigpen.rules import PRESETS

WAYS = "there are 10,400,600 ways to pass 13 of 26 cards, and a decision has at most 100,000 choices"


def many_choices() -> dict[str, Any]:
    """Hearts for two with 13 of 26 cards to pass: what no `Rules` can be made of."""
    plain = PRESETS["hearts"].to_plain()
    return plain | {"name": "mine", "players": 2, "passing": {"cards": 13, "directions": ["left"]}}
