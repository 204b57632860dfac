"""Names that bots and owners may bear."""

from __future__ import annotations

import pytest

from ladder.entry.claims import check_name
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
    with pytest.raises(LadderError, match="cannot be the name of a bot: it takes 1 to 64 letters"):
        check_name(name, "a bot")
