"""The form for a table: its fields, and the choices made there."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING
from urllib.parse import quote

from ladder.app import overview
from ladder.errors import LadderError, UserError
from ladder.matches.house import HOUSE_BOTS
from ladder.people.tables.table_states import bots_to_play_with
from ladder.site.rendering.words import to_translate
from ladder.values.people import ChairKind, ChairOrder, TableOrder
from ladder.values.person_seconds import MAX_SECONDS, MIN_SECONDS
from pigpen.rules import PRESETS
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.app.ladder import Ladder
    from ladder.values.people import TableState
    from pigpen.rules import Rules

USUAL_VARIANT = "gongzhu"
OWN = "own"
"""In the place of a variant: rules that come with the form."""
FRIEND = "friend"
USUAL_BOTS = ("counting", "cautious", "counting", "cautious", "random", "counting", "cautious")
LEVELS = {"easy": "cautious", "steady": "counting", "strong": "tree"}
"""Strengths of all opponents: the house bot that plays so."""
CHOSEN = "chosen"
"""In the place of a level: each chair as it was chosen."""
LENGTHS = {
    "game": to_translate("a whole game"),
    "deals:1": to_translate("one deal"),
    "deals:4": to_translate("4 deals"),
}
SECONDS = (10, 20, 30, 60, 120, 600)
PACES = {"1": to_translate("slow"), "0.5": to_translate("normal"), "0.2": to_translate("fast")}
MAX_OPPONENTS = 7
_AT_FIRST = {
    "level": "steady", "length": "game", "seconds": "30", "pace": "0.5", "practice": "", "toml": "", "friends": "0",
    "chair1": USUAL_BOTS[0],
}  # fmt: skip
BAD_RULES = to_translate("These rules cannot be read as TOML: look at the page of a variant for an example.")
BAD_CHOICE = to_translate("Something in this form cannot be chosen; load the page again.")


def form_values(ladder: Ladder, variant: str, form: Mapping[str, str]) -> dict[str, object]:
    """
    Give what the form shows.

    Args:
        ladder: The ladder.
        variant: A variant of the ladder's, a preset, or `OWN`.
        form: What was chosen before.

    Raises:
        LadderError: If there is no such variant.
    """
    rules = None if variant == OWN else overview.rules_of(ladder, variant)
    opponents = rules.players - 1 if rules else 0
    return {
        "variant": variant,
        "rules": rules,
        "own": OWN,
        "friend": FRIEND,
        "variants": names_of_variants(ladder),
        "house": HOUSE_BOTS,
        "bots": bots_to_play_with(ladder, variant) if rules else [],
        "opponents": [form.get(f"chair{number}", USUAL_BOTS[number - 1]) for number in range(1, opponents + 1)],
        "levels": LEVELS,
        "lengths": LENGTHS,
        "seconds": SECONDS,
        "paces": PACES,
        "most": MAX_OPPONENTS,
        "form": _AT_FIRST | dict(form),
    }


def are_own(ladder: Ladder, rules: Rules) -> bool:
    """Tell whether rules are a person's own: neither those of the ladder's variant of that name, nor the preset's."""
    try:
        return rules != overview.rules_of(ladder, rules.name)
    except LadderError:
        return True


def rules_path(ladder: Ladder, state: TableState, key: str = "") -> str:
    """Give the address of the page that explains the rules of a table; *key* is a spectator's."""
    rules = rules_from(state.rules)
    if not are_own(ladder, rules):
        return f"/rules/{quote(rules.name)}"
    return f"/play/{state.name}/rules" + (f"?key={quote(key)}" if key else "")


def names_of_variants(ladder: Ladder) -> dict[str, str]:
    """Give the titles of all variants that can be played, by their names."""
    found = {name: rules.title for name, rules in PRESETS.items()}
    return found | {each.variant: each.title for each in overview.variants(ladder, first=0)}


def order_of(ladder: Ladder, form: Mapping[str, str]) -> TableOrder:
    """
    Read what was chosen.

    Raises:
        LadderError: If there is no such variant.
        RulesFileError: If rules of one's own are not good.
        UserError: If something was chosen that cannot be.
    """
    own = _own_rules(form.get("toml", "")) if form.get("variant") == OWN else None
    rules = overview.rules_of(ladder, form.get("variant", "")) if own is None else rules_from(own)
    chairs = _beside_friends(form, rules) if own is not None else _chosen(form, rules)
    length = form.get("length", "game")
    if length not in LENGTHS:
        raise UserError(BAD_CHOICE)
    return TableOrder(
        variant=rules.name,
        rules=own,
        chairs=(ChairOrder(), *chairs),
        format=length,
        seconds=_number(form, "seconds", "30", MIN_SECONDS, MAX_SECONDS),
        pace=_number(form, "pace", "0.5", 0.0, 10.0),
        practice="practice" in form,
    )


def _chosen(form: Mapping[str, str], rules: Rules) -> list[ChairOrder]:
    """Read what was chosen for the other chairs: a level for all of them, or each."""
    level = form.get("level", CHOSEN)
    if level in LEVELS:
        return [ChairOrder(kind=ChairKind.HOUSE, name=LEVELS[level])] * (rules.players - 1)
    if level != CHOSEN:
        raise UserError(BAD_CHOICE)
    return [_chair(form.get(f"chair{number}", USUAL_BOTS[number - 1])) for number in range(1, rules.players)]


def _beside_friends(form: Mapping[str, str], rules: Rules) -> list[ChairOrder]:
    """Put friends beside the opener, and one bot in all other chairs; the form cannot know how many chairs are left."""
    friends = round(_number(form, "friends", "0", 0, rules.players - 1))
    bot = _chair(form.get("chair1", USUAL_BOTS[0]))
    return [_chair(FRIEND)] * friends + [bot] * (rules.players - 1 - friends)


def _chair(words: str) -> ChairOrder:
    if words == FRIEND:
        return ChairOrder()
    if words in HOUSE_BOTS:
        return ChairOrder(kind=ChairKind.HOUSE, name=words)
    kind, _, name = words.partition(":")
    if kind != "bot" or not 0 < len(name) <= 64:
        raise UserError(BAD_CHOICE)
    return ChairOrder(kind=ChairKind.BOT, name=name)


def _own_rules(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):  # a plain ValueError: a number of more than 4,300 digits
        raise UserError(BAD_RULES) from None


def _number(form: Mapping[str, str], name: str, usual: str, least: float, maximum: float) -> float:
    try:
        number = float(form.get(name, usual))
    except ValueError:
        raise UserError(BAD_CHOICE) from None
    if not least <= number <= maximum:
        raise UserError(BAD_CHOICE)
    return number
