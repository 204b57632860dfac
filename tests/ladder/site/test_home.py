"""The front page says so when the bots of the ladder share a kernel: the record of the newest match tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.results.files import MatchFiles
from ladder.settings.settings import load_settings
from tests.ladder.recorded_ladders import new_ladder, recorded_match
from tests.ladder.site.visitor import Visitor
from tests.referee.recorded import SEED, faulty_seats, match_lines

if TYPE_CHECKING:
    from pathlib import Path

    from referee.records.lines import ImageFiles

SENTENCES = {"en": "not against a determined bot", "zh": "防不住蓄意传递信息的机器人程序"}


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
        MatchFiles(tmp_path).remove(match, 1)
        assert SENTENCES["en"] not in Visitor(made).page("/")
    finally:
        made.database.close()
