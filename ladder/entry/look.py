"""The state of a ladder that decides about a submission."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pigpen.rules import Rules


@dataclass(frozen=True)
class SubmissionLook:
    """The state of a ladder at one moment, as far as it decides about submissions of one bot."""

    rules: Mapping[str, Rules]
    """The variants that the ladder plays, by name."""
    plays: Sequence[str]
    """The variants in which versions of the bot play."""
    entered: Mapping[str, frozenset[str]]
    """By identity of the bot's programs: the variants in which each was entered, at whatever time."""
    holders: Mapping[str, Sequence[str]]
    """By identity of all programs: the owners of bots that are exactly that, the first one first."""
    owner_of: Mapping[str, str] = field(default_factory=dict)
    """By the name of each bot of the ladder."""
    owners: Sequence[str] = ()
    """The names of all who have entered bots, or have an account."""
    sandbox: str | None = None
    """The sandbox in which the bots of this ladder run; None as long as it has none."""
