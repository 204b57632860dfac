"""What a variant lacks before a match can be played: bots of more owners. Pure functions."""

from __future__ import annotations


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
    return f"waits for {missing} more owner{'s' * (missing != 1)}"
