"""
Names that look alike: written in letters of several scripts, or equal to another name in what a reader sees of them.

By Unicode's rules of security (UTS 39). Which character looks like which one is data of Unicode's, from the package
`confusable_homoglyphs`; it is read when the first name is compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
