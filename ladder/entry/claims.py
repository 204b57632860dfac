"""
The check of a bot's entry: its owner, its name, and its variants.

It looks at the state of a ladder that decides about a submission. Names that look alike are found by Unicode's rules of
security (UTS 39): those written in letters of several scripts, or equal to another name in what a reader sees of them.
Which character looks like which one is data of Unicode's, from the package `confusable_homoglyphs`; it is read when the
first name is compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from ladder.entry.deadlines import check_in_time
from ladder.entry.house_bots import HOUSE
from ladder.errors import LadderError
from ladder.registry.image_names import proves_owner
from ladder.values.names import NAME_LENGTH, NONE, names_owner
from ladder.values.text import why_odd
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pigpen.rules import Rules

MIXTURES = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
"""Scripts that stand side by side in one name (UTS 39, "highly restrictive"): 拱猪Bot is a name, Sоlo is none."""
EVERYWHERE = frozenset({"COMMON", "INHERITED"})
"""Scripts of characters that belong to none: digits, `_`, `-`, `.`, and marks that letters of any script bear."""
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Invisible letters and marks (Default_Ignorable_Code_Point)."""
DOTTED_TWICE = re.compile("[ijıȷіј]\u0307")
REPEATED = re.compile(r"(.)\1")
LEFT_TO_RIGHT = "\u200e"
"""Stands around letters of right-to-left scripts in Unicode's list, where it is printed."""


def looks(name: str) -> frozenset[str]:
    """
    Give what a reader sees of a name, as it is written and in small letters; names that share one of these look alike.

    >>> bool(looks("Solo") & looks("S0lo")), bool(looks("Solo") & looks("SOLO")), bool(looks("Solo") & looks("Salo"))
    (True, True, False)
    """
    return frozenset({skeleton(name), _prototypes_of(name.casefold())})


@lru_cache(maxsize=65536)
def skeleton(name: str) -> str:
    """
    Give what a reader sees of a name: each letter is put in the place of those that look like it (UTS 39), case aside.

    Of each name of a ladder, the database holds this as a key.
    """
    return _prototypes_of(_prototypes_of(INVISIBLE.sub("", name)).casefold())


def similar(name: str, known: Iterable[str]) -> str | None:
    """Give the first of the *known* names that looks like *name* and is another one; None if there is none."""
    own = looks(name)
    return next((other for other in known if other != name and own & looks(other)), None)


def spelling_mistake(name: str) -> str:
    """
    Say why a name is not written as a new name must be; empty if it is.

    Args:
        name: Letters and digits, composed (NFC).
    """
    usual = unicodedata.normalize("NFKC", name)
    if usual != name:
        return f"has letters of a special width or shape: write {usual!r}"
    if INVISIBLE.search(name):
        return f"has invisible characters: write {INVISIBLE.sub('', name)!r}"
    repeated = REPEATED.findall(unicodedata.normalize("NFD", name))
    if DOTTED_TWICE.search(name) or any(unicodedata.category(each)[0] == "M" for each in repeated):
        return "has the same mark twice on one letter: write it once"
    by_script = _letters_by_script(name)
    if len(by_script) < 2 or any(by_script.keys() <= mixture for mixture in MIXTURES):
        return ""
    letters = " and ".join(f"{''.join(letters)!r} ({script.title()})" for script, letters in by_script.items())
    return (
        f"mixes the scripts of {letters}: use one script; only Latin letters may stand beside Chinese, Japanese or "
        "Korean ones"
    )


def _letters_by_script(name: str) -> dict[str, list[str]]:
    from confusable_homoglyphs.categories import alias

    found: dict[str, list[str]] = defaultdict(list)
    for letter in name:
        if (script := alias(letter)) not in EVERYWHERE:
            found[script].append(letter)
    return dict(found)


def _prototypes_of(text: str) -> str:
    prototypes = _prototypes()
    letters = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", "".join(prototypes.get(letter, letter) for letter in letters))


@cache
def _prototypes() -> Mapping[str, str]:
    """
    Give what to put in the place of each character that looks like another one, or like several.

    The package lists pairs, without saying which of the two is Unicode's prototype. That is the one of many partners;
    of two that are each other's only partners either may be chosen.
    """
    from confusable_homoglyphs.confusables import confusables_data

    partners = {
        letter.strip(LEFT_TO_RIGHT): {other["c"].strip(LEFT_TO_RIGHT) for other in others}
        for letter, others in confusables_data.items()
    }
    found = {}
    for letter, others in partners.items():
        if len(letter) == 1 and len(others) == 1:
            (other,) = others
            if len(other) > 1 or len(partners[other]) > 1 or other < letter:
                found[letter] = other
    return {letter: "".join(found.get(each, each) for each in prototype) for letter, prototype in found.items()}


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
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By the name of each team: its members, who push images for it under their own names."""
    owner_of: Mapping[str, str] = field(default_factory=dict)
    """By the name of each bot of the ladder."""
    owners: Sequence[str] = ()
    """The names of all who have entered bots, or have an account."""
    sandbox: str | None = None
    """The sandbox in which the bots of this ladder run; None as long as it has none."""
    deadlines: Mapping[str, float] = field(default_factory=dict)
    """By variant, in Unix time (`ladder.entry.deadlines`); a trial knows of none."""
    accepted: float = 0.0
    """Unix time at which the submission was accepted."""


NO_NAME = (
    "{name!r} cannot be the name of {what}: it takes 1 to {limit} letters and digits of any script (composed, NFC), "
    "'_', '-' and '.', and does not begin with '-' or '.'."
)
MEANS_NONE = "{name!r} cannot be the name of {what}: in commands it means that there is none. Choose another name."
HOUSE_NAME = "{name!r} is the name of a house bot: those begin with 'house-'. Choose another name."
LOOKS_LIKE = "The name {name!r} looks like {taken!r}, which is taken. Choose another name."
LOOKS_LIKE_BOT = (
    "The name {name!r} looks like {taken!r}, which is taken. Write --name {taken} if you mean it, or choose a name "
    "less like it."
)
LOOKS_LIKE_OWNER = (
    "The name {name!r} looks like {taken!r}, which is taken. Write --owner {taken} if you mean it, or choose a name "
    "less like it."
)
LOOKS_LIKE_VARIANT = (
    "The name {name!r} looks like {taken!r}, which is taken. Give yours another name in their TOML file."
)
LETTERS_AND_DIGITS = ("L", "M", "N")
"""First letters of the Unicode categories that a name may hold, in any script, besides `_`, `-` and `.`."""


def check_name(name: str, what: str) -> None:
    """
    Make sure that *name* can be the name of a bot, an owner or a variant (*what*).

    Raises:
        LadderError: If it cannot.
    """
    fits = 0 < len(name) <= NAME_LENGTH and name == unicodedata.normalize("NFC", name)
    if not fits or not all(_is_fit(letter) for letter in name) or name[0] in "-." or _is_mark(name[0]):
        raise LadderError(NO_NAME, name=name, what=what, limit=NAME_LENGTH)


def check_account_name(name: str) -> None:
    """
    Make sure that *name* can be the name of an account or a team: it is not that of a house bot.

    Raises:
        LadderError: If it cannot.
    """
    check_name(name, "an account")
    if _is_house_name(name):
        raise LadderError(HOUSE_NAME, name=name)


def check_new_name(name: str, what: str, taken: Iterable[str], looks_like: str = LOOKS_LIKE) -> None:
    """
    Make sure that *name* can be the name of something new: it looks like none that is taken, and is written in one way.

    Args:
        name: The name.
        what: Of what.
        taken: The names that others of its kind have.
        looks_like: Sentence of the refusal if it looks like one of them, ``{taken}``.

    Raises:
        LadderError: If it cannot.
    """
    check_name(name, what)
    other = similar(name, taken)
    if other is not None:
        raise LadderError(looks_like, name=name, taken=other)
    mistake = spelling_mistake(name)
    if mistake:
        raise LadderError(f"{name!r} cannot be the name of {what}: it {mistake}.")


def check_not_none(name: str, what: str) -> None:
    """
    Make sure that a name is not the word that commands have for no group and no team.

    Raises:
        LadderError: If it is.
    """
    if name.casefold() == NONE:
        raise LadderError(MEANS_NONE, name=name, what=what)


def check_claim(look: SubmissionLook, bot: str, owner: str, sandbox: str) -> None:
    """
    Make sure that *owner* may enter a bot of this name from this sandbox.

    Raises:
        LadderError: If not: the name is another's or looks like one, or the ladder's bots play in another sandbox.
    """
    check_name(bot, "a bot (--name)")
    check_name(owner, "an owner (--owner)")
    if bot not in look.owner_of:
        check_new_name(bot, "a bot (--name)", look.owner_of, LOOKS_LIKE_BOT)
    if owner not in look.owners:
        check_new_name(owner, "an owner (--owner)", look.owners, LOOKS_LIKE_OWNER)
    if bot != owner and _is_house_name(bot):
        raise LadderError(HOUSE_NAME, name=bot)
    holder = look.owner_of.get(bot, owner)
    if holder != owner:
        raise LadderError(f"The name {bot!r} belongs to a bot of {holder}'s. Choose another one: --name")
    if look.sandbox not in (None, sandbox):
        raise LadderError(
            f"The bots of this ladder run in the {look.sandbox} sandbox, and all of them must run alike: their clocks "
            f"differ. Submit with --sandbox {look.sandbox}, or begin another ladder (PIGPEN_DATA_DIR)."
        )


def check_possession(look: SubmissionLook, owner: str, identity: str, reference: str | None, registry: str) -> None:
    """
    Check that an image which *owner* names is not a bot of another owner.

    A folder shows what is in it, and two owners may submit the same one. The name of an image shows nothing: the
    engine that builds and plays all bots knows all of their images. Only a name in the ladder's registry proves its
    owner; a team's images are in the namespaces of its members.

    Args:
        look: The ladder.
        owner: The owner who submits it.
        identity: The image's id.
        reference: The image's name, as it was submitted; None: it is a folder.
        registry: The address of the ladder's registry; empty: it has none.

    Raises:
        LadderError: If another owner's bot has that identity and none of this owner's has, or if only the ladder can
            have given the image that name.
    """
    holders = look.holders.get(identity, ())
    if reference is None or owner in holders:
        return
    if any(proves_owner(reference, name, registry) for name in (owner, *look.members.get(owner, ()))):
        return
    if holders:
        raise LadderError(
            f"The image {reference} is a bot of {holders[0]}'s already. Submit one that you have made: a folder, or "
            "another image."
        )
    if not names_owner(reference):
        raise LadderError(
            f"{reference} is a name that many images share, so it does not show whose this one is. Submit its folder, "
            "or give it a name of your own (docker tag) and submit that."
        )


def check_variant(look: SubmissionLook, rules: Rules) -> None:
    """
    Make sure that a bot can be entered where *rules* are played, which may be new to the ladder.

    Raises:
        LadderError: If the ladder plays something else under that name, or the name or title cannot be, or a preset
            has it, or the submission came after the deadline.
    """
    check_in_time(look.deadlines, rules.name, look.accepted)
    check_name(rules.name, "a variant")
    if rules.title and (odd := why_odd(rules.title)):
        raise LadderError(f"The title of {rules.name!r} cannot be shown: {odd}. Write another one in its TOML file.")
    known = look.rules.get(rules.name)
    if known is None and rules.name not in PRESETS:
        check_new_name(rules.name, "a variant", {**PRESETS, **look.rules}, LOOKS_LIKE_VARIANT)
    if known is None and PRESETS.get(rules.name, rules) != rules:
        raise LadderError(
            f"There is a preset {rules.name!r} with other rules. Give yours another name in their TOML file."
        )
    if known not in (None, rules):
        raise LadderError(
            f"This ladder plays {rules.name!r} by other rules than these. Give yours another name in their TOML file, "
            f"or enter the bot for the ladder's own: --variant {rules.name}. To change the ladder's rules, the "
            f"organiser begins a new season: pigpen ladder season new --variant {rules.name} --rules FILE"
        )


def _is_house_name(name: str) -> bool:
    """True if a reader sees the prefix of house bots in it, whose owners have their names."""
    return any(seen.startswith(tuple(looks(HOUSE))) for seen in looks(name))


def _is_fit(letter: str) -> bool:
    return letter in "_-." or unicodedata.category(letter)[0] in LETTERS_AND_DIGITS


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "M"
