"""The analysis board without a browser: positions by address, from matches, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from html import unescape
from random import Random
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from ladder.app.computing.analysis import is_of_ladder, worth
from ladder.errors import UserError
from ladder.settings.settings import load_settings
from pigpen.rules import PRESETS
from referee.replay.position import Position
from tests.ladder.computing_here import computed
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.site.visitor import Visitor

if TYPE_CHECKING:
    from pathlib import Path

HANDS = "AKQJT98765432..._.AKQJT98765432.._..AKQJT98765432._...AKQJT98765432"
BOARD = f"/analysis/hearts?hands={HANDS}&deal=3"
"""No cards are passed in this deal."""


def query(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def test_a_visitor_is_led_to_cards_of_some_variant_that_is_played(site: Visitor) -> None:
    first = site.get("/analysis").headers["location"]
    assert first.startswith("/analysis/")
    dealt = [site.get(first).headers["location"] for _ in range(2)]
    assert dealt[0] != dealt[1]
    assert site.page(dealt[0])


def test_a_form_that_leaves_cards_out_leads_to_a_whole_deal(site: Visitor) -> None:
    answer = site.get("/analysis/hearts?deal=2&hand=QS+JD&hand=&hand=AKQ...&hand=")
    assert answer.status_code == 422, "the queen of spades is given twice"
    answer = site.get("/analysis/hearts?deal=2&hand=QS+JD&hand=&hand=AK...&hand=")
    assert (answer.status_code, answer.headers["cache-control"]) == (303, "no-store")
    found = query(answer.headers["location"])
    position = Position.parse(PRESETS["hearts"], found["hands"].split("_"), number=int(found["deal"]))
    assert position.is_complete
    assert found["deal"] == "2"
    assert "Q" in found["hands"].split("_")[0].split(".")[0]


def test_moves_of_a_form_without_scripts_lead_on(site: Visitor) -> None:
    text = unescape(site.page(BOARD))
    assert "East plays" in text, "it holds the two of clubs (H-2)"
    answer = site.get(f"{BOARD}&move=2c")
    assert query(answer.headers["location"])["moves"] == "2C"
    later = site.page(answer.headers["location"])
    assert "South plays" in later
    passing = site.get(f"/analysis/hearts?hands={HANDS}&move=AS+KS+QS&move=AH+KH+QH&move=AD+KD+QD&move=AC+KC+QC")
    assert query(passing.headers["location"])["moves"] == "QSKSAS_QHKHAH_QDKDAD_QCKCAC"


def test_no_card_exposed_is_an_empty_field(site: Visitor) -> None:
    first = site.get(f"/analysis/gongzhu?hands={HANDS}&move=&move=&move=&move=")
    assert first.status_code == 303, first.text
    assert query(first.headers["location"])["moves"].startswith("-_-")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("hand=XX", "4"),
        ("hand=XX&hand=&hand=&hand=", "XX"),
        ("hand=2S&hand=2S&hand=&hand=", "2S"),
        (f"hands={HANDS}&deal=3&moves=2C_7D", "7D"),
        (f"hands={HANDS}&deal=3&moves=<b>", "&lt;b&gt;"),
    ],
)
def test_what_is_no_position_is_said_with_the_form_to_mend_it(site: Visitor, wrong: str, named: str) -> None:
    answer = site.get(f"/analysis/hearts?{wrong}")
    assert answer.status_code == 422
    alert = answer.text.partition('role="alert">')[2].partition("</p>")[0]
    assert named in alert
    assert answer.text.count('name="hand"') == 4
    if "hands=" in wrong:
        assert site.get(f"/analysis/hearts/deal?{wrong}").status_code == 422
        assert site.get(f"/analysis/hearts/worth?{wrong}").status_code == 422


@pytest.mark.parametrize(
    ("variant", "moves"),
    [("hearts", "2C_7D"), ("hearts", "2C_QS"), ("hearts", "2C_XX"), ("hearts", "3C"), ("gongzhu", "7S")],
)
def test_a_typed_move_that_cannot_be_made_is_explained_in_the_readers_language(
    site: Visitor, variant: str, moves: str
) -> None:
    address = f"/analysis/{variant}?hands={HANDS}&deal=3&moves={moves}"
    alerts = [
        unescape(site.get(address, accept_language=language).text).partition('role="alert">')[2].partition("</p>")[0]
        for language in ("en", "zh")
    ]
    assert all(moves.rpartition("_")[2] in alert for alert in alerts)
    words = re.findall(r"[a-z]{3,}", alerts[1])
    assert words == [], "all of it is Chinese"


def test_a_seat_that_is_not_there_and_cards_that_are_missing_are_named(site: Visitor) -> None:
    assert "seat 6" in site.get(f"{BOARD}&leader=6").text
    for path in ("deal", "worth"):
        answer = site.get(f"/analysis/hearts/{path}?hands=AK..._..._..._...")
        assert (answer.status_code, "all cards" in answer.text) == (422, True)


def test_there_is_no_board_of_a_variant_that_nobody_knows(site: Visitor) -> None:
    assert site.get("/analysis/nothing").status_code == 404


def test_a_deal_of_a_match_leads_to_its_position(tmp_path: Path) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    recorded_match(ladder, played("hearts", form="boards:2"))
    site = Visitor(ladder)
    assert "/m/1/boards/1/2/analysis" in site.page("/m/1/boards/1/2")
    address = site.get("/m/1/boards/1/2/analysis").headers["location"]
    found = site.get(address.replace("?", "/deal?")).json()
    recorded = site.value("/matches/1/boards/1/rotations/2")
    assert found["hands"] == recorded["hands"]
    assert [moment["cards"] for moment in found["moments"]] == [moment["cards"] for moment in recorded["moments"]]
    assert found["moments"][-1]["scores"] == recorded["moments"][-1]["scores"]
    assert site.get("/m/1/boards/99/1/analysis").status_code == 404
    seen = site.get(address.replace("?", "/deal?") + "&seat=1").json()
    assert [bool(hand) for hand in seen["hands"]] == [False, True, False, False]
    ladder.database.close()


def test_a_deal_by_rules_of_its_own_has_no_board(tmp_path: Path) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    own = replace(PRESETS["hearts"], passing=None)
    assert is_of_ladder(ladder, PRESETS["hearts"])
    assert not is_of_ladder(ladder, own)
    assert not is_of_ladder(ladder, replace(own, name="mine"))
    ladder.database.close()


@pytest.mark.usefixtures("few_playouts")
@pytest.mark.parametrize(
    ("variant", "number"), [("hearts", 0), ("gongzhu", 0), ("gongzhu-sale", 0), ("chinese-hearts", 0)]
)
def test_each_choice_is_estimated_from_what_the_seat_knows(tmp_path: Path, variant: str, number: int) -> None:
    """C-9: the cards of two others are exchanged; what they would be as dealt is another matter."""
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    whole = Position.parse(PRESETS[variant], [""] * 4, number=number).completed(Random(1))
    seat = whole.deal().to_act[0]
    one, other = [each for each in range(4) if each != seat][:2]
    hands = list(whole.hands)
    hands[one], hands[other] = hands[other], hands[one]
    first, second = (
        computed(ladder, partial(worth, ladder, position, seat))
        for position in (whole, replace(whole, hands=tuple(hands)))
    )
    assert first.legal >= len(first.choices) > 1
    assert (first.seat, first.choices[0].behind) == (seat, 0)
    hidden = {"choices": {"__all__": {"as_dealt"}}}
    assert first.model_dump(exclude=hidden) == second.model_dump(exclude=hidden)
    assert first != second, "as the cards lie, something changes"
    ladder.database.close()


def test_a_seat_that_has_nothing_to_decide_gets_no_estimate(tmp_path: Path) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    position = Position.parse(PRESETS["hearts"], HANDS.split("_"), number=3)
    with pytest.raises(UserError):
        worth(ladder, position, 0)
    ladder.database.close()
