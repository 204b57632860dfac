"""A chart of several ratings: all of it lies within the picture, and names do not cover each other."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.site.rendering import charts
from ladder.site.rendering.courses import APART, COURSES, set_apart
from ladder.values.standings import RatingCurve
from tests.ladder.site.rendering.test_charts import course, drawn

several = st.lists(st.lists(st.floats(0, 4000), max_size=5), max_size=10)
some = settings(deadline=None, derandomize=True, max_examples=20)


@some
@given(several)
def test_all_of_it_lies_within_the_picture(elos: list[list[float]]) -> None:
    curves = [course(each) for each in elos]
    picture = drawn(charts.courses(curves, "Ratings"))
    lines = [each for each in picture.iter() if each.attrib.get("class", "").startswith("line c")]
    assert len(lines) == sum(bool(each) for each in elos)
    assert len({each.attrib["class"] for each in lines}) == len(lines), "each has a look of its own"


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
