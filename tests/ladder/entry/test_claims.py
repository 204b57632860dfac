"""Names that bots and owners may bear, and those that look like another's."""

from __future__ import annotations

import pytest

from ladder.entry.claims import (
    SubmissionLook,
    check_account_name,
    check_claim,
    check_name,
    similar,
    skeleton,
    spelling_mistake,
)
from ladder.errors import LadderError
from ladder.values.names import NAME_LENGTH


@pytest.mark.parametrize("name", ["Trotter", "t", "_x", "猪", "Ärger-2.1", "हिन्दी", "7", "x" * NAME_LENGTH])
def test_letters_and_digits_of_any_script_make_a_name(name: str) -> None:
    check_name(name, "a bot")


@pytest.mark.parametrize(
    "name",
    ["", "x" * (NAME_LENGTH + 1), "a b", " a", "a@2", "a#2", "a/b", "a\nb", "a\x1b[31m", ".a", "-a", "🐷", "e\u0301",
     "\u0301a", "a\u202eb", "a:b"],
)  # fmt: skip
def test_what_has_a_meaning_elsewhere_or_cannot_be_seen_is_in_no_name(name: str) -> None:
    with pytest.raises(LadderError, match=r"name of a bot: .* 64 letters"):
        check_name(name, "a bot")


@pytest.mark.parametrize("name", ["house-counting", "house-tree", "House-counting", "h0use-random", "house-"])
def test_names_of_house_bots_are_no_contestants(name: str) -> None:
    """Else a house bot that is entered later would be the contestant's, or could not be entered."""
    look = SubmissionLook(rules={}, plays=[], entered={}, holders={})
    check_claim(look, name, name, "docker")  # on the ladder's machine
    with pytest.raises(LadderError, match="house-"):
        check_account_name(name)
    with pytest.raises(LadderError, match="house-"):
        check_claim(look, name, "ada", "docker")
    for other in ("house", "houses-1", "ahouse-counting"):
        check_account_name(other)
        check_claim(look, other, "ada", "docker")


ALIKE = [
    ("Solo", "S\u043elo"),  # Cyrillic о in a Latin name
    ("ada", "\u0430da"),
    ("copa", "\u0441\u043e\u0440\u0430"),  # all of it Cyrillic
    ("HAT", "\u041d\u0410\u0422"),
    ("hat", "\u041d\u0410\u0422"),
    ("Solo", "\uff33olo"),  # full width
    ("Solo", "S0lo"),
    ("Solo", "SoIo"),
    ("Amold", "Arnold"),
    ("Bot1", "Botl"),
    ("Bill", "BILL"),
    ("Bill", "bill"),
    ("\u039d\u03af\u03ba\u03b7", "\u03bd\u03af\u03ba\u03b7"),  # Greek Νίκη, in small letters
    ("straße", "STRASSE"),
    ("Solo", "Solo\ufe0f"),  # a variation selector
    ("Solo", "So\u034flo"),  # a combining grapheme joiner
    ("\u5de5", "\u30a8"),  # Chinese 工, Katakana エ
]
DIFFERENT = [
    ("Bill", "Blll"),
    ("Yan", "Uan"),
    ("Nan", "Van"),
    ("猪", "羊"),
    ("bot-1", "bot_1"),
    ("B1", "B2"),
    ("o", "ö"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_are_found_whichever_is_there_first(one: str, other: str) -> None:
    assert similar(other, ["Trotter", one]) == one
    assert similar(one, [other]) == other


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_names_that_a_reader_tells_apart_are_not_alike(one: str, other: str) -> None:
    assert similar(one, [other]) is None
    assert skeleton(one) != skeleton(other)


def test_a_name_does_not_look_like_itself() -> None:
    assert similar("Solo", ["Solo"]) is None


@pytest.mark.parametrize(
    "name",
    [
        "Trotter",
        "拱猪Bot",
        "ボットBot",
        "봇Bot",
        "Бот-2",
        "हिन्दी",
        "Ärger",
        "straße",
        "Bot_1.b",
        "한글",
        "漢字ㄅ",
        "İda",
    ],
)
def test_one_script_is_a_name_and_so_are_latin_letters_beside_those_of_east_asia(name: str) -> None:
    assert spelling_mistake(name) == ""


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        ("S\u043elo", "mixes the scripts of 'Slo' (Latin) and '\u043e' (Cyrillic)"),
        ("\u03bdan", "mixes the scripts of '\u03bd' (Greek) and 'an' (Latin)"),
        ("ボ봇", "mixes the scripts of"),  # Japanese and Korean
        ("猪\u043e", "mixes the scripts of"),
        ("\uff33olo", "write 'Solo'"),
        ("m²", "write 'm2'"),
        ("Solo\ufe0f", "write 'Solo'"),
        ("So\u034flo", "write 'Solo'"),
        ("\u0227\u0307b", "same mark twice"),
        ("i\u0307da", "same mark twice"),
    ],
)
def test_what_makes_look_alikes_is_named(name: str, mistake: str) -> None:
    assert mistake in spelling_mistake(name)
