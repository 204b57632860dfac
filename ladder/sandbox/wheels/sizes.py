"""Limits of the size of a bot's packages, and the messages for those that are larger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import BotRejected
from ladder.sandbox.host.memory import MIB

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_PACKED_BYTES = 128 * MIB
"""All wheels of one bot together."""
MAX_BYTES = 320 * MIB
"""All packages of one bot, unpacked: with the base image's 140 MiB, what a table can keep in memory."""
MAX_FILES = 20_000
NAMED = 3
"""Packages that are named, the largest ones."""


def check_sizes(
    sizes: Mapping[str, int],
    files: int = 0,
    max_bytes: int = MAX_BYTES,
    max_files: int = MAX_FILES,
    how: str = "unpacked",
) -> None:
    """
    Make sure that packages are not too large together.

    Args:
        sizes: Bytes of each package, by its name for people.
        files: Number of their files.
        max_bytes: What all together may have.
        max_files: How many files all together may have.
        how: ``packed`` or ``unpacked``.

    Raises:
        BotRejected: If they are; the message has the limit, the size, the largest packages, and the ways out.
    """
    if files > max_files:
        raise BotRejected(f"The bot's packages have more than {max_files:,} files. Ask for fewer packages.")
    if sum(sizes.values()) > max_bytes:
        known = [name for name, size in sizes.items() if name and size]
        largest = sorted(known, key=lambda name: sizes[name], reverse=True)[:NAMED]
        named = ", ".join(f"{name} with {_amount(sizes[name])}" for name in largest)
        raise BotRejected(
            f"The bot's packages have at least {_amount(sum(sizes.values()))}, {how}; the limit is "
            f"{_amount(max_bytes)}{named and f' (the largest: {named})'}. Ask for fewer or smaller ones, such as the "
            "variant of one for CPUs alone, or bring an image of your own, which may hold more (docs/submit.md, "
            "Packages)."
        )


def _amount(size: int) -> str:
    return f"{size / MIB:.0f} MiB" if size >= 10 * MIB else f"{size:,} bytes"
