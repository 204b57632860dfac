"""A table as it is ordered in words, on a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ladder.entry.variants import choices
from ladder.errors import UserError
from ladder.matches.house import HOUSE_BOTS
from ladder.values.people import ChairKind, ChairOrder, TableOrder
from ladder.values.submission import VariantFile

if TYPE_CHECKING:
    from collections.abc import Sequence

PERSON = "person"
"""The word for a chair that is left to a person."""


def ordered_table(variant: str, chairs: Sequence[str], **more: Any) -> TableOrder:
    """
    Make an order from words of a command line.

    Args:
        variant: A variant of the ladder, a preset, or a TOML file here.
        chairs: For each chair `PERSON`, a house bot, or a bot of the ladder; none: one person, and house bots.
        more: Other fields of the order.

    Raises:
        RulesFileError: If the file holds no rules.
        UserError: If the order makes no sense.
    """
    (wanted,) = choices([variant])
    rules = {"rules": wanted.rules} if isinstance(wanted, VariantFile) else {"variant": wanted}
    try:
        return TableOrder(**rules, chairs=tuple(map(_chair, chairs)), **more)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        raise UserError(f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}.") from None


def _chair(word: str) -> ChairOrder:
    if word == PERSON:
        return ChairOrder()
    return ChairOrder(kind=ChairKind.HOUSE if word in HOUSE_BOTS else ChairKind.BOT, name=word)
