"""
Environments with bots by name, the data set as they would have shown it, and records of Gongzhu Arena.

The records are written here as that server writes them.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import pigpen_arena as arena
from ladder.app.dataset.exporting import export_dataset
from ladder.app.seasons import new_season
from ladder.errors import UserError
from ladder.settings.settings import load_settings
from ladder.values.accounts import LOCAL
from pigpen import Bot, Card, View, margin
from pigpen.learn import Encoding, single_table
from pigpen.learn.single_table import Table
from pigpen.rules import PRESETS, Deal, deal_hands
from pigpen_arena.gongzhu_arena import RULES
from referee.records.lines import DealLine
from referee.records.rules_file import RulesFileError, to_toml
from referee.replay.deal_replay import DealReplay
from tests.for_two import write_for_two
from tests.ladder.ladders import new_ladder, recorded_match
from tests.referee.recorded import SEED, faulty_seats, match_lines

if TYPE_CHECKING:
    from pathlib import Path


class First(Bot):
    """Counts how often it was made."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1

    def play(self, view: View) -> Card:
        return view.legal[0]


def data_set(folder: Path, variant: str, form: str) -> list[Deal]:
    """Export a match, with faults if it is on boards; its deals as they began."""
    ladder = new_ladder(load_settings(data_dir=folder / "data", sandbox="process"))
    lines = match_lines(variant, form, faulty_seats if form.startswith("boards") else None)
    recorded_match(ladder, lines, SEED.hex())
    export_dataset(ladder, folder / "set")
    ladder.database.close()
    first: Any = lines[0]
    return [DealReplay(PRESETS[variant], first, line).moments[0].deal for line in lines if isinstance(line, DealLine)]


@pytest.mark.parametrize("form", ["boards:1", "deals:2", "game"])
@pytest.mark.parametrize("variant", PRESETS)
def test_a_data_set_has_the_observations_that_an_environment_shows(
    variant: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, rules = data_set(tmp_path, variant, form), PRESETS[variant]
    encoding, found = Encoding(rules), list(arena.load_steps(tmp_path / "set", variant))
    assert len(found) == len(begun)
    for learned, deal in zip(found, begun, strict=True):
        monkeypatch.setattr(single_table, "random_deal", lambda rules, rng, deal=deal: deal.copy())
        environment = Table(rules, seed=0)
        for observation, action, seat in zip(learned.observations, learned.actions, learned.seats, strict=True):
            assert environment.seat == seat
            assert tuple(observation.tolist()) == encoding.observe(environment.view, environment.steps)
            environment.act(int(action))
        assert environment.deal.is_over
        assert learned.rewards == pytest.approx(environment.rewards())
        assert len(learned.by_bot) == len(learned.actions) > 20
    assert any(not learned.by_bot.all() for learned in found) == form.startswith("boards")


def test_deals_of_other_variants_are_left_out(tmp_path: Path) -> None:
    data_set(tmp_path, "hearts", "deals:2")
    assert list(arena.load_steps(tmp_path / "set", "gongzhu")) == []
    assert len(list(arena.load_steps(tmp_path / "set", "hearts"))) == 2


OTHER_RULES = {
    "points": ("QS = 13", "QS = 12"),
    "legal": ('card = "2C"', 'card = "3C"'),
    "hands": ("removed = []", 'removed = ["2D", "3D", "4D", "5D"]'),
}
"""Texts in the file of Hearts, and others that could stand there."""


@pytest.mark.parametrize("name", OTHER_RULES)
def test_deals_of_other_rules_of_the_same_name_are_refused(name: str, tmp_path: Path) -> None:
    data_set(tmp_path, "hearts", "deals:2")
    path, text = tmp_path / "hearts.toml", to_toml(PRESETS["hearts"])
    path.write_text(text)
    assert len(list(arena.load_steps(tmp_path / "set", path))) == 2
    assert OTHER_RULES[name][0] in text
    path.write_text(text.replace(*OTHER_RULES[name]))
    with pytest.raises(arena.UserError, match=r"^deal \d of match 1 .* 'hearts' "):
        list(arena.load_steps(tmp_path / "set", path))


def test_one_season_can_be_read_alone(tmp_path: Path) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    recorded_match(ladder, match_lines("hearts", "deals:2"), SEED.hex())
    new_season(ladder, LOCAL, "hearts", "winter")
    recorded_match(ladder, match_lines("hearts", "deals:2"), SEED.hex())
    export_dataset(ladder, tmp_path / "set")
    ladder.database.close()
    found = {season: list(arena.load_steps(tmp_path / "set", "hearts", season=season)) for season in ("winter", None)}
    assert {season: [each.match for each in deals] for season, deals in found.items()} == {
        "winter": [2, 2],
        None: [1, 1, 2, 2],
    }
    assert list(arena.load_steps(tmp_path / "set", "hearts", season="spring")) == []


def test_a_folder_that_is_no_data_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(arena.UserError, match="pigpen ladder export"):
        list(arena.load_steps(tmp_path, "hearts"))
    with pytest.raises(RulesFileError):
        list(arena.load_steps(tmp_path, "bridge"))


def test_bots_are_classes_and_names_and_what_is_made(tmp_path: Path) -> None:
    First.made = 0
    env = arena.against(["random", First, First()], rules="hearts", seat=3)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(int(np.argmax(info["action_mask"])))
        assert info["seat"] == 3
    assert First.made == 1 + 3


def test_a_variant_may_be_a_file(tmp_path: Path) -> None:
    env: Any = arena.against(["cautious"], rules=write_for_two(tmp_path))
    assert env.encoding.rules.name == "for-two"
    env.reset(seed=1)


@pytest.mark.parametrize(
    ("bots", "rules", "message"),
    [
        (["random"], "hearts", "hearts takes 3 bots beside yours; 1 are given"),
        (["random", "random", "rondom"], "hearts", "rondom"),
        ("random", "hearts", "is one text"),
        ([7, 7, 7], "hearts", "7 is no bot"),
    ],
)
def test_what_makes_no_sense_is_named(bots: Any, rules: str, message: str) -> None:
    with pytest.raises(arena.PigpenError, match=message):
        arena.against(bots, rules=rules)


def word(card: Card) -> str:
    return str(card)[1] + str(card)[0].replace("T", "10")


def some_deal(seed: int) -> tuple[Deal, str]:
    """Play a deal at random; its record."""
    rng, hands = random.Random(seed), deal_hands(RULES, bytes(32), seed)
    deal = Deal(RULES, hands, leader=seed % 4)
    while not deal.is_over:
        deal.apply(deal.turn, rng.choice(deal.legal(deal.turn)))
    tricks = [map(Card, deal.plays[start : start + 4]) for start in range(0, 52, 4)]
    lines = [f"{leader}, {', '.join(map(word, cards))},\n" for leader, cards in zip(deal.leaders, tricks, strict=False)]
    return deal, "".join(lines) + f"\nresult:{','.join(map(str, deal.scores()))},\n\n\n"


def test_a_record_has_the_observations_that_an_environment_shows(tmp_path: Path) -> None:
    (first, one), (second, two) = some_deal(1), some_deal(2)
    (tmp_path / "a.txt").write_text(one + two, "utf-8")
    (tmp_path / "b.txt").write_text(two, "utf-8")
    found, encoding = list(arena.load_gongzhu_arena(tmp_path)), Encoding(RULES)
    assert [each.match for each in found] == [1, 1, 2]
    for played, deal in zip((first, second, second), found, strict=True):
        again, steps = Deal(RULES, played.dealt, leader=played.first_leader), []
        for card in map(Card, played.plays):
            steps += [(again.turn, *step) for step in encoding.steps(again.view(again.turn), card)]
            again.apply(again.turn, card)
        assert steps == [
            (seat, tuple(row), action)
            for seat, row, action in zip(
                deal.seats.tolist(), deal.observations.tolist(), deal.actions.tolist(), strict=True
            )
        ]
        assert deal.rewards.tolist() == [margin(RULES, played.scores(), seat) / 4 for seat in range(4)]
        assert deal.by_bot.all()
    assert len(list(arena.load_gongzhu_arena(tmp_path / "b.txt"))) == 1


def test_what_is_no_record_is_refused_with_its_line(tmp_path: Path) -> None:
    file, (deal, record) = tmp_path / "a.txt", some_deal(1)
    wrong = (
        (record.replace("result:", "result:5"), "but says"),
        (record.replace("S10", "S11"), "line .*not a card"),
        (record.replace("S10", "S9"), "not the deck"),
        (record.partition("\n")[2], "not the deck"),
        (record.partition("result")[0], "ends in line 14 without the result"),
        (f"{(deal.leaders[0] + 1) % 4}{record[1:]}", "not valid"),
        (f"{deal.leaders[0] + 4}{record[1:]}", "line 1: .*is no seat; seats are 0 to 3"),
        ("result:0,0,0,0\n", "not the deck"),
        ("hello\n", "line 1: no trick"),
    )
    for text, sentence in wrong:
        file.write_text(text, "utf-8")
        with pytest.raises(UserError, match=sentence):
            list(arena.load_gongzhu_arena(file))
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="not a text"):
        list(arena.load_gongzhu_arena(file))
    with pytest.raises(UserError, match=r"none\.txt'.* No such file"):
        list(arena.load_gongzhu_arena(tmp_path / "none.txt"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="has no files"):
        list(arena.load_gongzhu_arena(tmp_path / "empty"))
