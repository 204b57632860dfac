"""Bots that a variant lacks before a match can be played: bots of more owners. Pure functions."""

from __future__ import annotations

from ladder.values.text import counted


def missing_owners(owners: int, sides: int) -> int:
    """
    Count the owners that are missing for a match; 0: a match can be played.

    >>> missing_owners(1, 4), missing_owners(5, 4)
    (3, 0)

    Args:
        owners: Different owners of bots that may play.
        sides: Bots that play a match against each other: partners count as one.
    """
    return max(0, sides - owners)


def missing_beside_house_bots(missing: int, owners: int, house_bots: int) -> int:
    """
    Count the owners that are missing although house bots fill in, which they do where an owner waits.

    >>> missing_beside_house_bots(3, 1, 3), missing_beside_house_bots(3, 1, 1), missing_beside_house_bots(4, 0, 3)
    (0, 2, 4)

    Args:
        missing: Owners that are missing for a match, as `missing_owners` gives them.
        owners: Different owners of bots that may play, house bots aside.
        house_bots: House bots that do not play yet, and may.
    """
    return max(0, missing - house_bots) if owners else missing


def house_bots_wanted(owners: int, sides: int) -> int:
    """
    Count the house bots that fill the missing seats; 0 where no owner waits.

    >>> house_bots_wanted(0, 4), house_bots_wanted(1, 4), house_bots_wanted(4, 4)
    (0, 3, 0)

    Args:
        owners: Different owners of bots that may play, house bots aside.
        sides: As in `missing_owners`.
    """
    return missing_owners(owners, sides) if owners else 0


def waits_for(missing: int) -> str:
    """
    Say how many owners a variant waits for.

    >>> waits_for(1), waits_for(3)
    ('waits for 1 more owner', 'waits for 3 more owners')
    """
    return f"waits for {counted(missing, 'more owner')}"
