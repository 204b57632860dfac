"""Charts as SVG, of boards and of ratings: whatever the values are, all of it lies within the picture."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.site.rendering import charts
from ladder.site.rendering.boards import SHADES, board_rows, decisive, shades
from ladder.site.rendering.charts import APART, COURSES, set_apart
from ladder.site.rendering.long_tables import Span
from ladder.values.matches import DealScores, MatchScores
from ladder.values.standings import CurvePoint, RatingCurve
from ladder.values.value import time_of

BOTS = ("A", "B", "C", "D")


def scores(*boards: tuple[tuple[int, ...], ...], low_is_better: bool = False) -> MatchScores:
    """Make the scores of boards: for each of them those of its rotations."""
    deals = tuple(
        DealScores(board=board, rotation=rotation, name=f"board {board}", scores=each, faults=(rotation, 0, 0, 0))
        for board, rotations in enumerate(boards, 1)
        for rotation, each in enumerate(rotations, 1)
    )
    return MatchScores(match=1, bots=BOTS, low_is_better=low_is_better, deals=deals)


SMALL = ((1, 0, -1, 0), (1, 2, 1, 0))
LARGE = ((100, -100, 0, 0), (60, -60, 0, 0))


def test_a_board_is_one_row_of_the_means_of_its_rotations() -> None:
    [row] = board_rows(scores(SMALL))
    assert row.points == (1, 1, 0, 0)
    assert row.ahead == (0.5, 0.5, -0.5, -0.5)
    assert row.faults == (3, 0, 0, 0)
    assert [deal.rotation for deal in row.deals] == [1, 2]


def test_boards_are_sorted_by_swing_and_deals_without_rotations_are_not() -> None:
    assert [row.board for row in board_rows(scores(SMALL, LARGE, SMALL))] == [2, 1, 3]
    assert [row.board for row in board_rows(scores(SMALL[:1], LARGE[:1]))] == [1, 2]


def test_where_fewer_points_are_better_the_lowest_is_ahead() -> None:
    [row] = board_rows(scores(LARGE, low_is_better=True))
    assert row.ahead == (-80, 80, 0, 0)


def test_the_greatest_difference_of_the_match_has_the_strongest_shade() -> None:
    found = shades(board_rows(scores(SMALL, LARGE)))
    assert found == {1: (0, 0, 0, 0), 2: (SHADES, -SHADES, 0, 0)}
    assert shades(board_rows(scores(((5, 5, 5, 5),)))) == {1: (0, 0, 0, 0)}


def test_the_boards_without_which_the_second_would_not_be_behind_have_decided() -> None:
    even = ((0, 10, 0, 0), (0, 10, 0, 0))
    given = scores(even, LARGE, even, even)
    found = decisive(given, board_rows(given))
    assert found is not None
    assert (found.boards, found.first, found.second) == ((2,), "A", "C")


@pytest.mark.parametrize(
    ("lead", "boards"),
    [(0.5, (1,)), (1, (1,)), (40, (1,)), (40.5, (1, 2)), (70, (1, 2)), (70.5, (1, 2, 3)), (90, (1, 2, 3)), (91, None)],
)
def test_as_many_boards_have_decided_as_the_lead_needs_but_for_more_than_a_few(
    lead: float, boards: tuple[int, ...] | None
) -> None:
    """A gains points on B at each of four boards, of which the fifth gives back all but the lead."""
    gained = [((points, 0, 0, 0),) * 2 for points in (40, 30, 20, 10)]
    back = int(2 * (100 - lead))
    given = scores(*gained, ((0, back // 2, 0, 0), (0, back - back // 2, 0, 0)), *[((0, 0, 0, 0),) * 2] * 8)
    found = decisive(given, board_rows(given))
    assert (found and (found.boards, found.first, found.second)) == (boards and (boards, "A", "B"))


def test_no_few_boards_decide_where_all_bring_the_same_or_two_bots_are_equal() -> None:
    same = scores(*[((10, 5, 0, 0),)] * 9)
    assert decisive(same, board_rows(same)) is None
    level = scores(*[((5, 5, 0, 0),)] * 9)
    assert decisive(level, board_rows(level)) is None


ratings = st.floats(0, 4000)
errors = st.none() | st.floats(0, 500)
some = settings(deadline=None, derandomize=True, max_examples=20)


def course(elos: list[float], versions: list[int] | None = None) -> RatingCurve:
    numbers = versions or [1] * len(elos)
    points = [
        CurvePoint(match=place, finished=time_of(1_800_000_000 + place), version=version, matches=place, elo=elo)
        for place, (elo, version) in enumerate(zip(elos, numbers, strict=True), 1)
    ]
    return RatingCurve(bot="Mud", variant="hearts", points=tuple(points))


def drawn(markup: str) -> ElementTree.Element:
    """The picture, when all of it lies within its box."""
    picture = ElementTree.fromstring(markup)
    left, top, width, height = map(float, picture.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    for element in picture.iter():
        for x, y in corners(element):
            assert math.isfinite(x)
            assert -1.5 <= x <= width + 1.5, element.attrib
            assert -1.5 <= y <= height + 1.5, element.attrib
    return picture


def corners(element: ElementTree.Element) -> list[tuple[float, float]]:
    def of(*names: str) -> tuple[float, ...]:
        return tuple(float(element.attrib.get(name, 0)) for name in names)

    if "points" in element.attrib:
        return [tuple(map(float, each.split(","))) for each in element.attrib["points"].split()]  # type: ignore[misc]
    if element.tag == "line":
        x1, y1, x2, y2 = of("x1", "y1", "x2", "y2")
        return [(x1, y1), (x2, y2)]
    if element.tag == "rect":
        x, y, width, height = of("x", "y", "width", "height")
        assert width >= 0
        assert height >= 0
        return [(x, y), (x + width, y + height)]
    return [of("cx", "cy")] if element.tag == "circle" else [of("x", "y")] if element.tag == "text" else []  # type: ignore[list-item]


@pytest.mark.parametrize("count", [0, 1])
def test_one_value_makes_no_line(count: int) -> None:
    assert charts.spark([1500.0] * count) == ""
    assert charts.curve(course([1500.0] * count), 20.0, "Mud") == ""


def test_nothing_makes_no_bars() -> None:
    assert charts.places(()) == charts.histogram([], [], "none") == charts.histogram([0, 0], ["a", "b"], "none") == ""


@some
@given(st.lists(ratings, min_size=2, max_size=30))
def test_a_spark_stays_in_its_line(history: list[float]) -> None:
    picture = drawn(charts.spark(history))
    assert picture.attrib["aria-hidden"] == "true"
    (line,) = picture.iter("polyline")
    assert len(line.attrib["points"].split()) == len(history)


@some
@given(st.lists(st.tuples(ratings, st.integers(1, 4)), min_size=2, max_size=40), errors)
def test_a_curve_stays_in_its_axes(points: list[tuple[float, int]], error: float | None) -> None:
    picture = drawn(charts.curve(course([elo for elo, _ in points], [version for _, version in points]), error, "Mud"))
    marks = [text.text or "" for text in picture.iter("text") if (text.text or "").startswith("@")]
    assert sorted(marks) == [f"@{version}" for version in sorted({version for _, version in points})]
    assert (len(list(picture.iter("rect"))) == 1) == (error is not None)


def test_a_higher_rating_is_drawn_higher_and_later_ones_to_the_right() -> None:
    (line,) = drawn(charts.curve(course([1400, 1500, 1450]), None, "Mud")).iter("polyline")
    (x1, y1), (x2, y2), (x3, y3) = corners(line)
    assert x1 < x2 < x3
    assert y2 < y3 < y1


@pytest.mark.parametrize(("low", "high"), [(1500, 1500), (1490, 1510), (1000, 2000), (0, 4000), (-20000, 20000)])
def test_the_grid_has_some_lines_at_round_ratings(low: float, high: float) -> None:
    picture = drawn(charts.curve(course([low, high]), None, "Mud"))
    labels = [int(text.text or "") for text in picture.iter("text") if text.attrib.get("text-anchor") == "end"]
    assert 2 <= len(labels) <= 21
    (step,) = {b - a for a, b in pairwise(labels)}
    assert re.fullmatch("(1|2|5|25)0*", str(step))


@some
@given(ratings, errors)
def test_a_band_stays_on_its_scale(elo: float, error: float | None) -> None:
    drawn(charts.band(elo, error, Span(1400, 1600), 1500))


@some
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=5).filter(any))
def test_places_fill_their_bar(counts: list[int]) -> None:
    shares = [count / sum(counts) for count in counts]
    picture = drawn(charts.places(shares))
    assert sum(float(part.attrib["width"]) for part in picture.iter("rect")) == pytest.approx(100, abs=0.3)


@some
@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=22).filter(any))
def test_a_histogram_stays_in_its_axes(counts: list[int]) -> None:
    picture = drawn(charts.histogram(counts, ["<&>"] * len(counts), "following"))
    bars = [float(bar.attrib["height"]) for bar in picture.iter("rect")]
    assert bars.index(max(bars)) == counts.index(max(counts))
    assert all(bar > 0 for bar, count in zip(bars, counts, strict=True) if count)


def test_words_in_a_chart_are_text() -> None:
    for markup in (
        charts.curve(course([1500, 1501]), None, '"><script>alert(1)</script>'),
        charts.histogram([1], ['"><script>'], '"><script>'),
    ):
        picture = drawn(markup)
        assert not list(picture.iter("script"))
        assert "<script>" in picture.attrib["aria-label"]


several = st.lists(st.lists(st.floats(0, 4000), max_size=5), max_size=10)


@some
@given(several)
def test_all_of_it_lies_within_the_picture(elos: list[list[float]]) -> None:
    curves = [course(each) for each in elos]
    picture = drawn(charts.courses(curves, "Ratings"))
    lines = [each for each in picture.iter() if each.attrib.get("class", "").startswith("line c")]
    assert len(lines) == sum(bool(each) for each in elos)
    assert len({each.attrib["class"] for each in lines}) == len(lines), "each has a look of its own"
    ends = list(picture.iter("path"))
    assert [each.attrib["class"] for each in ends] == [f"line of-name c{kind}" for kind in range(len(lines))]
    plot = COURSES[0] - charts.RIGHT
    assert all(float(x) <= plot for each in lines for x in re.findall(r"(\d+),", each.attrib["points"]))
    assert all(float(each.attrib["d"][1:].split()[0]) > plot for each in ends), "no data lies beside the names"


def test_days_are_written_as_on_pages() -> None:
    found = course([1500.0, 1510.0])
    for language, day in (("en", "15 Jan 2027"), ("zh", "2027年1月15日")):
        for picture in (charts.curve(found, 20.0, "Mud", language), charts.courses([found], "Ratings", language)):
            assert f'data-day="2027-01-15">{day}</text>' in picture


@some
@given(st.lists(st.floats(0, 340), max_size=10))
def test_names_keep_their_order_and_their_distance(heights: list[float]) -> None:
    moved = set_apart(heights, 28.0, 324.0)
    assert all(28.0 - 1e-6 <= height <= 324.0 + 1e-6 for height in moved)
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    assert all(moved[b] - moved[a] >= APART - 1e-6 for a, b in pairwise(order))


def test_a_name_is_shortened_and_is_text_and_no_markup() -> None:
    curve = course([1500.0, 1510.0]).model_copy(update={"bot": "<b>&amp;" + "x" * 50})
    markup = str(charts.courses([curve], "Ratings"))
    assert "&lt;b&gt;&amp;amp;xxxx…" in markup
    assert "<b>" not in markup


def test_without_a_rating_nothing_is_drawn() -> None:
    nothing = RatingCurve(bot="Mud", variant="hearts", points=())
    assert not re.search("<(line|polyline|text)", charts.courses([nothing], "Ratings"))
    assert COURSES[0] > 0
