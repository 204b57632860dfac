"""The sentence about the end of a deal: what the person took, what that was worth, and which place it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pigpen.rules import PRESETS
from tests.ladder.people.sessions.states import game_of
from tests.ladder.site.browser.pages import without_loop
from tests.ladder.site.browser.sitting import address, sit, tables

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.ladder.site.browser.sitting import Sit

__all__ = ["address", "sit", "tables"]
pytestmark = pytest.mark.chromium
SENTENCES = """async (ends) => {
  const from = document.querySelector("script[type=module][src*=play]").src.replace(/[^/]+$/, "");
  const { outcome, outcomeShown } = await import(from + "play_outcome.js");
  const { wordsIn, make } = await import(from + "words.js");
  const words = wordsIn(document.querySelector("person-table"));
  return ends.map(([deal, result]) => {
    const shown = make("p", "", ...outcomeShown(deal, result, words));
    return [outcome(deal, result, words), shown.textContent, shown.querySelectorAll(".inline").length];
  });
}"""
DEAL = {"bots": ["Ada", "Bo", "Cy", "Di"], "players": 4, "seat": 0, "low_is_better": True, "partners": False}


def part(card: str, points: int, reason: str = "card") -> dict[str, object]:
    return {"reason": reason, "points": points, "card": card, "factor": 1}


def end(
    scores: list[int], *parts: dict[str, object], shooter: int | None = None, mate: tuple[Any, ...] = (), **deal: object
) -> list[object]:
    """A deal, and its result for the person in seat 0."""
    return [DEAL | deal, {"deal": 0, "scores": scores, "parts": [parts, (), mate, ()], "shooter": shooter}]


def seen(part: str) -> list[str]:
    """Sentences as they are to be, of one part of the file."""
    _, _, rest = (Path(__file__).parent / "seen" / "outcomes.txt").read_text().partition(f"# {part}\n")
    return rest.partition("# ")[0].splitlines()


def sentences(page: Page, *ends: list[object]) -> list[tuple[str, str, int]]:
    """Each as it is read out, as it is shown, and its number of drawn cards."""
    return [tuple(each) for each in page.evaluate(SENTENCES, list(ends))]


def test_in_hearts_points_are_against_one(sit: Sit) -> None:
    found = sentences(
        sit("rules=hearts&deals=1"),
        end([16, 5, 3, 2], part("QS", 13), part("AH", 1), part("KH", 1), part("2H", 1)),
        end([2, 20, 2, 2], part("4H", 1), part("3H", 1)),
        end([1, 25, 0, 0], part("4H", 1)),
        end([0, 26, 0, 0]),
        end([0, 13, 12, 1]),
        end([0, 26, 26, 26], shooter=0),
        end([26, 0, 26, 26], shooter=1),
        end([0, 0, 0, 0]),
    )
    read, shown, cards = zip(*found, strict=True)
    assert [*read, shown[0]] == seen("hearts")
    assert cards[0] == 1


def test_in_gong_zhu_the_pig_and_the_sheep_have_their_names(sit: Sit) -> None:
    ends = (
        end([-240, 100, 0, -60], part("QS", -200), part("KH", -40), low_is_better=False),
        end([80, 100, 0, -60], part("JD", 100), part("JH", -20), part("4H", 0), low_is_better=False),
        end([50, 0, -60, 0], part("TC", 50, "alone"), low_is_better=False),
    )
    english = sentences(sit("rules=gongzhu&deals=1"), *ends)
    assert [each[0] for each in english] == seen("gongzhu")
    assert english[0][2] == 1
    chinese = sentences(sit("rules=gongzhu&deals=1", language="zh"), *ends)
    assert [each[0] for each in chinese] == seen("gongzhu in Chinese")


def test_partners_win_and_lose_together(sit: Sit) -> None:
    found = sentences(
        sit("rules=gongzhu-partners&deals=1"),
        end([-100, 0, -100, 0], part("QS", -200), mate=(part("JD", 100),), low_is_better=False, partners=True),
        end([0, -50, 0, -50], low_is_better=False, partners=True),
    )
    assert [each[0] for each in found] == seen("gongzhu-partners")


@pytest.mark.parametrize("name", PRESETS)
def test_every_variant_says_the_place_and_the_points_in_both_languages(sit: Sit, name: str) -> None:
    rules = PRESETS[name]
    states, _ = without_loop(game_of, rules, 3)
    results = {each.result.deal: each for each in states if each.result}
    ends: list[Any] = [[each.model_dump(mode="json")[part] for part in ("deal", "result")] for each in results.values()]
    english, chinese = (sentences(sit(f"rules={name}&deals=1", language=each), *ends) for each in ("en", "zh"))
    assert len(english) == 3
    for (read, shown, _), (in_chinese, _, _), (deal, result) in zip(english, chinese, ends, strict=True):
        scores, me = result["scores"], deal["seat"]
        sign = 1 if rules.low_is_better else -1
        ahead = sum(sign * each < sign * scores[me] for each in scores)
        if not rules.partners:
            place = "last" if ahead == len(scores) - 1 else ("first", "second", "third", "fourth")[ahead]
            assert f": {place}" in read
        assert not scores[me] or str(abs(scores[me])) in read
        for text in (read, shown, in_chinese):
            assert not re.search(r"outcome|worth-|place-|side-|nick-|list-|[{}\x01]", text), text
        assert re.search("[一-鿿]", in_chinese)
        assert not re.search("[a-z]{3}", re.sub("|".join(deal["bots"]), "", in_chinese)), in_chinese
