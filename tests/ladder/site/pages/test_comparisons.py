"""The pages on which two bots are compared."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.computing.comparing import compare_bots
from ladder.matches import compared_records
from ladder.site.pages import comparisons
from ladder.site.pages.comparisons import address
from ladder.values.bot_comparison import BotComparison, Favour, MeanOfBoards
from ladder.values.value import Computing
from tests.ladder.computing_here import compute_all
from tests.ladder.site.chinese_words import text_of
from tests.ladder.site.visitor import Visitor, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator

ONE, TWO = "/compare/Trotter/Snout", "/compare/Trotter@1/Snout@1"


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A site on which the records of `ONE` have been read."""
    with small_site(tmp_path_factory.mktemp("read")) as site, pytest.MonkeyPatch.context() as patch:
        patch.setattr(compared_records, "MIN_BOARDS", 2)
        assert site.get(ONE).status_code == 200
        assert compute_all(site.ladder) == 1
        yield site


def test_before_the_records_are_read_the_page_has_the_rest(site: Visitor) -> None:
    page = site.page(ONE)
    assert "<being-computed>" in page
    assert 'id="h-all"' in page
    assert 'id="h-boards"' in page
    assert 'id="h-phases"' not in page
    answer = site.get("/api/v1/bots/Trotter/against/Snout")
    assert (answer.status_code, answer.headers["cache-control"]) == (202, "no-store")
    assert answer.json()["computing"]["place"] >= 1  # other tests may have asked this site before


def test_then_it_has_phases_favours_and_boards_with_their_errors(read: Visitor) -> None:
    page, found = read.page(ONE), read.value("/bots/Trotter/against/Snout?variant=gongzhu")
    assert "<being-computed>" not in page
    assert page.count('scope="row"') == 3 + 2 + len(found["differing"])
    for each in (*(phase["difference"] for phase in found["phases"]), *(each["points"] for each in found["favours"])):
        assert f"± {each['error']:.2f}" in page
    assert "p times 20, " in page
    assert page.count("more than chance allows") >= 1 + sum(each["adjusted_p"] >= 0.05 for each in found["favours"])
    match, board = found["differing"][0]["match"], found["differing"][0]["board"]
    assert f'href="/m/{match}/boards/{board}/1"' in page
    assert read.get(f"/m/{match}/boards/{board}/1").status_code == 200
    other = page.replace('value="Trotter"', 'value="Trotter@1"', 1).replace('value="Snout"', 'value="Snout@1"', 1)
    back = '{}/Trotter{}/Snout{}">'  # the address to which the reader comes back after logging in
    assert read.page(TWO) == other.replace(back.format("", "", ""), back.format("", "%401", "%401"), 1)
    chinese = " ".join(text_of(read.get(ONE, accept_language="zh").text).texts)
    assert "p times" not in chinese


@pytest.mark.parametrize(
    ("mean", "p", "adjusted", "finding"),
    [
        (9.0, 0.01, 0.2, "<td>no more than chance allows</td>"),
        (9.0, 0.0001, 0.002, "<td><strong>more than chance allows</strong></td>"),
        (-9.0, 0.0001, 0.002, "<td><strong>less than chance allows</strong></td>"),
    ],
)
def test_the_finding_is_that_for_all_pairs(
    read: Visitor, monkeypatch: pytest.MonkeyPatch, mean: float, p: float, adjusted: float, finding: str
) -> None:
    found = BotComparison.model_validate(read.value("/bots/Trotter/against/Snout?variant=gongzhu"), strict=False)
    points = MeanOfBoards(mean=mean, error=2.0, boards=40)
    changed = found.model_copy(update={"favours": (Favour(by="bot", points=points, p=p, adjusted_p=adjusted),)})
    monkeypatch.setattr("ladder.site.pages.comparisons.compare_bots", lambda *_: changed)
    assert finding in Visitor(read.ladder).page(ONE)


def test_the_form_leads_to_the_comparison_and_keeps_what_was_chosen(read: Visitor) -> None:
    form = read.page("/compare")
    assert form.count("<option value=") == 5 + 2, "five bots, one variant, and that where they met most often"
    answer = read.get("/compare?one=Trotter%402&two=%20Snout&v=gongzhu")
    assert (answer.status_code, answer.headers["location"]) == (303, "/compare/Trotter%402/Snout?v=gongzhu")
    assert 'value="Trotter"' in read.page("/compare?one=Trotter").partition("<datalist")[0]
    answer = read.get("/compare/trotter/snout?v=gongzhu")
    assert (answer.status_code, answer.headers["location"]) == (307, "/compare/Trotter/Snout?v=gongzhu")
    assert address("a b", "c/d") == "/compare/a%20b/c%2Fd"


def test_what_cannot_be_compared_is_said_and_leads_on(read: Visitor) -> None:
    for path, words in (
        ("/compare/Trotter/Trotter", "are the same version"),
        ("/compare/Trotter/Nil", "There is no bot 'Nil'"),
        ("/compare/Trotter/Snout?v=bridge", "does not play 'bridge'"),
    ):
        answer = read.get(path)
        assert answer.status_code == 404
        assert words in unescape(answer.text)


def test_bots_and_match_ups_lead_there(read: Visitor) -> None:
    assert 'href="/compare/Trotter@1/Snout@1?v=gongzhu"' in read.page("/b/Trotter")
    assert 'href="/compare?one=Trotter"' in read.page("/b/Trotter")
    page = read.page("/v/gongzhu/matchups")
    assert 'href="/compare/Trotter@1/Snout@1?v=gongzhu"' in page.replace("%40", "@")
    assert 'href="/compare?v=gongzhu"' in page


def test_a_ladder_without_a_bot_has_the_form(empty: Visitor) -> None:
    assert "<form" in empty.page("/compare")
    assert empty.get("/compare/a/b").status_code == 404


@pytest.mark.parametrize("path", [ONE, "/api/v1/bots/Trotter/against/Snout"])
def test_a_comparison_is_made_once_for_all_readers_as_soon_as_it_is_whole(
    read: Visitor, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    made = []

    def counted(*arguments: Any) -> BotComparison:
        made.append(arguments)
        found = compare_bots(*arguments)
        return (
            found.model_copy(update={"computing": Computing(place=None, done=0, steps=1, is_served=True)})
            if len(made) < 3
            else found
        )

    monkeypatch.setattr(comparisons, "compare_bots", counted)
    site = Visitor(read.ladder)
    site.app._app._app.state.site.answers._seconds = 1e9  # type: ignore[attr-defined]
    for number in (1, 2, 3, 3, 3):  # the first two times some was still being computed
        assert site.get(f"{path}?reader=a{number}").status_code == 200
        assert len(made) == number
