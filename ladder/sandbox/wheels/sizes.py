"""The message for packages that are too large: which limit, how large they are, and the ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import BotRejected
from ladder.sandbox.host.memory import MIB

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMED = 3
"""How many packages are named, the largest ones."""


def too_large(sizes: Mapping[str, int], most_bytes: int, how: str) -> BotRejected:
    """
    Give the error.

    Args:
        sizes: Bytes of each package that is known by now.
        most_bytes: What all together may have.
        how: ``packed`` or ``unpacked``.
    """
    largest = sorted(sizes, key=lambda name: sizes[name], reverse=True)[:NAMED]
    named = f" (the largest: {', '.join(f'{name} with {_amount(sizes[name])}' for name in largest)})" if largest else ""
    return BotRejected(
        f"The bot's packages have at least {_amount(max(sum(sizes.values()), most_bytes + 1))}, {how}; the limit is "
        f"{_amount(most_bytes)}{named}. Ask for fewer or smaller ones, such as the variant of one for CPUs alone, "
        "or bring an image of your own, which may hold more (docs/submit.md, Packages)."
    )


def _amount(size: int) -> str:
    return f"{size / MIB:.0f} MiB" if size >= 10 * MIB else f"{size:,} bytes"
