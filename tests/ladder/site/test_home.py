"""The front page says so when the bots of the ladder share a kernel: the record of the newest match tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.results.files import MatchFiles
from ladder.settings.settings import load_settings
from tests.ladder.ladders import new_ladder, recorded_match
from tests.ladder.site.visitor import Visitor
from tests.referee.recorded import SEED, faulty_seats, match_lines

if TYPE_CHECKING:
    from pathlib import Path

    from referee.records.lines import ImageFiles

SENTENCES = {"en": "not against a determined bot", "zh": "防不住蓄意传递信息的机器人"}


@pytest.mark.parametrize(
    ("image_files", "shares"), [("locked", True), ("read", True), ("isolated", False), (None, False)]
)
def test_it_says_whether_the_bots_of_the_newest_match_shared_a_kernel(
    image_files: ImageFiles | None, shares: bool, tmp_path: Path
) -> None:
    first, *rest = match_lines("hearts", "boards:1", faulty_seats)
    lines = [first.model_copy(update={"image_files": image_files}), *rest]
    made = new_ladder(load_settings(data_dir=tmp_path))
    try:
        assert SENTENCES["en"] not in Visitor(made).page("/")
        match = recorded_match(made, lines, SEED.hex())
        for language, sentence in SENTENCES.items():
            text = Visitor(made).page("/", **{"Accept-Language": language})
            assert (sentence in text) is shares, language
        assert "asks for runc" not in text
        MatchFiles(tmp_path).remove(match, 1)
        assert SENTENCES["en"] not in Visitor(made).page("/")
    finally:
        made.database.close()


@pytest.mark.parametrize(("runtime", "is_asked_for"), [("runc", True), ("auto", False), ("runsc", False)])
def test_it_says_so_if_the_settings_ask_for_the_shared_kernel(runtime: str, is_asked_for: bool, tmp_path: Path) -> None:
    first, *rest = match_lines("hearts", "boards:1", faulty_seats)
    lines = [first.model_copy(update={"image_files": "locked"}), *rest]
    made = new_ladder(load_settings(data_dir=tmp_path, sandbox="docker", runtime=runtime))
    try:
        recorded_match(made, lines, SEED.hex())
        text = Visitor(made).page("/")
        assert SENTENCES["en"] in text
        assert ("asks for runc; with" in text) is is_asked_for
        assert ("The organiser can give each of them a kernel of its own." in text) is not is_asked_for
    finally:
        made.database.close()
