"""`pigpen ladder alike`: what it prints, for a person and as JSON."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from ladder.cli.organise.alike import BEING_COMPUTED, NO_VERDICT, NOT_SERVED, TOO_FEW, print_alike
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.values.alike import AlikeAnswers, AlikeBots, AlikeSources, EqualPrograms, LikeBot
from ladder.values.value import Computing
from tests.e2e.command import pigpen
from tests.ladder import ladders

if TYPE_CHECKING:
    from pathlib import Path

ONE = LikeBot(bot="Trotter", version=1, owner="ada")
OTHER = LikeBot(bot="Sno\x1b[2Jut", version=2, owner="ben")
FOUND = AlikeBots(
    equal=(EqualPrograms(identity=f"sha256:{'7' * 64}", bots=(ONE, OTHER)),),
    variant="hearts",
    variants=("hearts",),
    matches=1,
    pairs=45,
    answers=(
        AlikeAnswers(one=ONE, other=OTHER, decisions=120, equal=118, chance=0.456, p=0.0003),
        AlikeAnswers(one=OTHER, other=ONE, decisions=120, equal=120, chance=0.456, p=1e-12),
    ),
    answers_computing=None,
    answers_refused="",
    programs=7,
    waiting=2,
    unknown=3,
    sources=(AlikeSources(one=(ONE,), other=(OTHER,), shared=31, one_prints=40, other_prints=310),),
    sources_computing=None,
    sources_refused="It took too long.",
)


def printed(found: AlikeBots) -> str:
    file = io.StringIO()
    print_alike(found, Console(file=file, width=120))
    return file.getvalue()


def test_each_list_has_its_figures_and_names_cannot_move_the_cursor() -> None:
    text = printed(FOUND)
    for word in ("Trotter (ada)", "@2 (ben)", "98 %", "46 %", "1 in 3,000", "below 1 in 1,000,000", "31", "310", "777"):
        assert word in text
    assert "\x1b" not in text
    assert FOUND.sources_refused in text
    assert NO_VERDICT in text
    assert BEING_COMPUTED not in text


@pytest.mark.parametrize(("is_served", "sentence"), [(True, BEING_COMPUTED), (False, NOT_SERVED)])
def test_lists_that_are_not_the_newest_say_so_once(is_served: bool, sentence: str) -> None:
    computing = Computing(place=1, done=0, steps=0, is_served=is_served)
    text = printed(FOUND.model_copy(update={"answers_computing": computing, "sources_computing": computing}))
    assert text.count(sentence) == 1


def test_too_few_pairs_are_not_called_none_that_agree() -> None:
    assert TOO_FEW in printed(FOUND.model_copy(update={"answers": (), "pairs": 0}))
    assert TOO_FEW not in printed(FOUND.model_copy(update={"answers": ()}))


def test_the_command_lists_equal_programs_of_a_ladder(tmp_path: Path) -> None:
    ladder = ladders.new_ladder(load_settings(data_dir=tmp_path))
    with ladder.database.write() as session:
        for name in ("Trotter", "Snout"):
            session.get_one(models.Version, ladders.enter(session, name)).identity = f"sha256:{'7' * 64}"
    ladder.database.close()
    found = pigpen("ladder", "alike", "--json", PIGPEN_DATA_DIR=str(tmp_path))
    assert (found.returncode, found.stderr) == (0, "")
    (equal,) = AlikeBots.model_validate_json(found.stdout).equal
    assert [each.bot for each in equal.bots] == ["Snout", "Trotter"]
    assert "Snout" in pigpen("ladder", "alike", PIGPEN_DATA_DIR=str(tmp_path)).stdout
    refused = pigpen("ladder", "alike", "--variant", "bridge", PIGPEN_DATA_DIR=str(tmp_path))
    assert refused.returncode == 2
    assert "bridge" in refused.stderr
