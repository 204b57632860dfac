"""
Charts as SVG: small ones in tables, that of a rating, and several ratings over time; pages have the numbers as words.

Names at the ends of lines are set apart so that all can be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup, escape

from ladder.site.rendering.translations import day
from ladder.values.text import sanitize
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from typing import Self

    from ladder.site.rendering.long_tables import Span
    from ladder.values.standings import CurvePoint, RatingCurve

COURSES = (800.0, 360.0)
LEFT, RIGHT, TOP, BOTTOM = 72.0, 225.0, 20.0, 36.0
APART = 28.0
"""Between two names: on a narrow screen letters are 24 units high."""
KEY = 22.0
"""Length of the piece of a line beside its name."""
LONGEST = 13
"""Letters of a name that are shown."""
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000)
"""Distances between two lines of a grid."""
KINDS = 10
"""Kinds of lines: five colours, solid and dashed."""


def round_values(low: float, high: float) -> range:
    """
    Give round values between two others, at most seven of them where a step is large enough.

    >>> list(round_values(1432.5, 1561.0))
    [1450, 1475, 1500, 1525, 1550]
    """
    step = next((step for step in STEPS if (high - low) / step <= 6), STEPS[-1])
    return range(int(-(-low // step)) * step, int(high) + 1, step)


class Scale(NamedTuple):
    """The scale of times and ratings in the chart."""

    begin: float
    end: float
    low: float
    high: float

    @classmethod
    def of(cls, curves: Sequence[RatingCurve]) -> Self:
        """Take in all points, of which there is at least one."""
        points = [point for curve in curves for point in curve.points]
        times, elos = [point.finished.timestamp() for point in points], [point.elo for point in points]
        return cls(min(times), max(times), min(elos) - 10, max(elos) + 10)

    def x(self, time: float) -> float:
        """Give the place of a time."""
        return LEFT + (time - self.begin) / ((self.end - self.begin) or 1.0) * (COURSES[0] - LEFT - RIGHT)

    def y(self, elo: float) -> float:
        """Give the place of a rating."""
        return COURSES[1] - BOTTOM - (elo - self.low) / (self.high - self.low) * (COURSES[1] - TOP - BOTTOM)


def parts_of(curves: Sequence[RatingCurve], language: str) -> Iterator[str]:
    """Give the elements of the chart; days are written as in a language of the site."""
    drawn = [curve for curve in curves if curve.points]
    if not drawn:
        return
    scale = Scale.of(drawn)
    yield from _grid(scale, language)
    heights = set_apart([scale.y(curve.points[-1].elo) for curve in drawn], TOP + 8, COURSES[1] - BOTTOM)
    for kind, (curve, height) in enumerate(zip(drawn, heights, strict=True)):
        yield from _course(curve, scale, kind % KINDS, height)


def _grid(scale: Scale, language: str) -> Iterator[str]:
    width, height = COURSES
    for elo in round_values(scale.low, scale.high):
        y = scale.y(elo)
        yield f'<line class="grid" x1="{LEFT:g}" x2="{width - RIGHT:g}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 6:g}" y="{y + 4:.1f}" text-anchor="end">{elo}</text>'
    for time, x, anchor in ((scale.begin, LEFT, "start"), (scale.end, width - RIGHT, "end")):
        yield _day(time_of(time), x, height - 8, anchor, language)


def _course(curve: RatingCurve, scale: Scale, kind: int, height: float) -> Iterator[str]:
    """Draw one line, and beside it at *height* the name with a piece of the line."""
    places = [(scale.x(point.finished.timestamp()), scale.y(point.elo)) for point in curve.points]
    line = " ".join(f"{x:.0f},{y:.0f}" for x, y in places)
    (x, y), name = places[-1], COURSES[0] - RIGHT + KEY + 14
    yield f'<polyline class="line c{kind}" points="{line}"/>'
    yield f'<circle class="end c{kind}" cx="{x:.0f}" cy="{y:.0f}" r="3.5"/>'
    yield f'<path class="line of-name c{kind}" d="M{name - KEY - 4:g} {height:.0f}h{KEY - 2:g}"/>'
    yield f'<text x="{name:g}" y="{height + 4:.0f}">{escape(shortened(curve.bot))}</text>'


def _day(when: datetime, x: float, y: float, anchor: str, language: str) -> str:
    """Write a day at a place of a chart; the page's script writes it as the reader does."""
    words = day(when.date(), language)
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" data-day="{when:%Y-%m-%d}">{words}</text>'


def set_apart(heights: Sequence[float], top: float, bottom: float) -> list[float]:
    """
    Move heights as little as needed so that they are `APART` from each other, in the same order, and within bounds.

    >>> set_apart([100.0, 110.0, 300.0], 0.0, 310.0)
    [100.0, 128.0, 300.0]
    >>> set_apart([300.0, 305.0], 0.0, 310.0)
    [282.0, 310.0]
    """
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    moved, least = list(heights), top
    for place in order:
        moved[place] = least = max(least, heights[place])
        least += APART
    most = bottom
    for place in reversed(order):
        moved[place] = most = min(most, moved[place])
        most -= APART
    return moved


def shortened(name: str) -> str:
    """
    Shorten a name for the margin of the chart.

    >>> shortened("Trotter@2"), shortened("Thoroughbred_of_the_longest")
    ('Trotter@2', 'Thoroughbred…')
    """
    name = sanitize(name)
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


SPARK = (90.0, 24.0)
BAND = (150.0, 20.0)
PLACES = (100.0, 12.0)
CURVE = (520.0, 230.0)
CURVE_LEFT, CURVE_RIGHT, CURVE_TOP, CURVE_BOTTOM = 62.0, 12.0, 26.0, 28.0
"""Margins of a chart with axes."""
HISTOGRAM = (400.0, 110.0)


def spark(history: Sequence[float]) -> Markup:
    """Draw the course of a rating in a line of text; empty for less than two points."""
    if len(history) < 2:
        return Markup()
    width, height = SPARK
    low, high = min(history), max(history)
    scale = (height - 6) / ((high - low) or 1)
    step = (width - 6) / (len(history) - 1)
    points = [(3 + number * step, height - 3 - (value - low) * scale) for number, value in enumerate(history)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    return _svg("spark", SPARK, f'<polyline points="{line}"/><circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>')


def band(value: float, error: float | None, span: Span, start: float) -> Markup:
    """Draw a rating or margin and its 95 % interval on a scale that all rows share; the line is at *start*."""
    width, height = BAND
    middle = height / 2
    inside = f'<line class="start" x1="{span.at(start, width)}" x2="{span.at(start, width)}" y1="0" y2="{height}"/>'
    if error is not None:
        left, right = span.at(value - error, width), span.at(value + error, width)
        inside += f'<rect class="band-bar" x="{left}" y="{middle - 4}" width="{right - left:.1f}" height="8" rx="4"/>'
    inside += f'<circle class="dot" cx="{span.at(value, width)}" cy="{middle}" r="4"/>'
    return _svg("band", BAND, inside)


def share(value: float, error: float, median: float | None) -> Markup:
    """Draw a share, 0 to 1, as a bar with its 95 % interval, and a line at the median of others."""
    width, height = BAND
    low, high = (min(1.0, max(0.0, end)) * width for end in (value - error, value + error))
    inside = f'<rect class="bar-fill" x="0" y="5" width="{value * width:.1f}" height="10" rx="2"/>'
    inside += f'<rect class="band-bar" x="{low:.1f}" y="2" width="{high - low:.1f}" height="16" rx="3"/>'
    if median is not None:
        inside += f'<line class="median" x1="{median * width:.1f}" x2="{median * width:.1f}" y1="0" y2="{height}"/>'
    return _svg("band", BAND, inside)


def places(shares: Sequence[float]) -> Markup:
    """Draw how often a bot had the first place, the second, …, as parts of one bar."""
    width, height = PLACES
    left, parts = 0.0, []
    for place, share in enumerate(shares):
        parts.append(
            f'<rect class="p{min(place, 3)}" x="{left:.1f}" y="0" width="{share * width:.1f}" height="{height}"/>'
        )
        left += share * width
    return _svg("places", PLACES, "".join(parts)) if parts else Markup()


def curve(found: RatingCurve, error: float | None, title: str, language: str = "en") -> Markup:
    """
    Draw the rating of a bot over its results, today's 95 % interval at its end and a mark at each new version.

    Args:
        found: The ratings.
        error: Half the width of the interval; None: not known.
        title: What it shows, in a few words.
        language: One of the site's, in which days are written.
    """
    width, height = CURVE
    points = found.points
    if len(points) < 2:
        return Markup()
    low, high = _elo_range(points, error or 0.0)
    across = (width - CURVE_LEFT - CURVE_RIGHT) / (len(points) - 1)
    up = (height - CURVE_TOP - CURVE_BOTTOM) / (high - low)

    def at(place: int, elo: float) -> tuple[float, float]:
        return CURVE_LEFT + place * across, height - CURVE_BOTTOM - (elo - low) * up

    parts = list(_curve_grid(low, high, up))
    parts += _versions(points, across, language)
    if error is not None:
        x, y = at(len(points) - 1, points[-1].elo + error)
        parts.append(
            f'<rect class="area" x="{x - 5:.1f}" y="{y:.1f}" width="10" height="{2 * error * up:.1f}" rx="4"/>'
        )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(place, point.elo) for place, point in enumerate(points)))
    x, y = at(len(points) - 1, points[-1].elo)
    parts.append(f'<polyline class="line" points="{line}"/><circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
    return _chart(CURVE, title, "".join(parts))


def courses(found: Sequence[RatingCurve], title: str, language: str = "en") -> Markup:
    """
    Draw the ratings of several bots over time, each with its name at its end; see `ladder.site.rendering.charts`.

    Args:
        found: Their ratings; those with a single point are a dot.
        title: What it shows, in a few words.
        language: One of the site's, in which days are written.
    """
    return _chart(COURSES, title, "".join(parts_of(found, language)))


def histogram(counts: Sequence[int], edges: Sequence[str], title: str) -> Markup:
    """
    Draw how many decisions fell in each bin.

    Args:
        counts: By bin.
        edges: Where each bin begins, in words.
        title: What it shows, in a few words.
    """
    width, height = HISTOGRAM
    most = max(counts, default=0)
    if not most:
        return Markup()
    wide, scale = width / len(counts), (height - 34) / most
    parts = []
    for place, count in enumerate(counts):
        tall = max(count * scale, 1.0 if count else 0.0)
        parts.append(
            f'<rect class="bar-fill" x="{place * wide + 1:.1f}" y="{height - 18 - tall:.1f}" '
            f'width="{wide - 2:.1f}" height="{tall:.1f}" rx="1.5"/>'
        )
        if edges[place]:
            parts.append(f'<text x="{place * wide:.1f}" y="{height - 4}">{escape(edges[place])}</text>')
    return _chart(HISTOGRAM, title, "".join(parts))


def _elo_range(points: Sequence[CurvePoint], error: float) -> tuple[float, float]:
    values = [point.elo for point in points]
    low, high = min([*values, values[-1] - error]), max([*values, values[-1] + error])
    room = max(10.0, (high - low) * 0.05)
    return low - room, high + room


def _curve_grid(low: float, high: float, up: float) -> Iterator[str]:
    """Draw lines at round ratings, four of them or a few more."""
    for elo in round_values(low, high):
        y = CURVE[1] - CURVE_BOTTOM - (elo - low) * up
        yield f'<line class="grid" x1="{CURVE_LEFT}" x2="{CURVE[0] - CURVE_RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{CURVE_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{elo}</text>'


def _versions(points: Sequence[CurvePoint], across: float, language: str) -> Iterator[str]:
    """Draw a mark where a version played for the first time, and below it the number of the match."""
    known: set[int] = set()
    for place, point in enumerate(points):
        if point.version in known:
            continue
        known.add(point.version)
        x = CURVE_LEFT + place * across
        yield f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{CURVE_TOP}" y2="{CURVE[1] - CURVE_BOTTOM}"/>'
        yield f'<text x="{x + 4:.1f}" y="{CURVE_TOP - 4}">@{point.version}</text>'
        yield _day(point.finished, round(x, 1), CURVE[1] - 8, "start", language)


def _chart(size: tuple[float, float], title: str, inside: str) -> Markup:
    """Make a picture that stands for itself, with a name."""
    box = f"0 0 {size[0]:g} {size[1]:g}"
    return Markup(f'<svg class="chart" viewBox="{box}" role="img" aria-label="{escape(title)}">{inside}</svg>')


def _svg(name: str, size: tuple[float, float], inside: str) -> Markup:
    """Make a small picture that says nothing which the text beside it does not."""
    return Markup(f'<svg class="{name}" viewBox="0 0 {size[0]:g} {size[1]:g}" aria-hidden="true">{inside}</svg>')
