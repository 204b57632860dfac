"""A chart of several ratings over time: lines with the bots' names at their ends, set apart so that all can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from markupsafe import escape

from ladder.values.text import sanitize
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from ladder.values.standings import RatingCurve

COURSES = (800.0, 360.0)
LEFT, RIGHT, TOP, BOTTOM = 72.0, 215.0, 20.0, 36.0
APART = 28.0
"""Between two names: on a narrow screen letters are 24 units high."""
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


def parts_of(curves: Sequence[RatingCurve]) -> Iterator[str]:
    """Give the elements of the chart."""
    drawn = [curve for curve in curves if curve.points]
    if not drawn:
        return
    scale = Scale.of(drawn)
    yield from _grid(scale)
    heights = set_apart([scale.y(curve.points[-1].elo) for curve in drawn], TOP + 8, COURSES[1] - BOTTOM)
    for kind, (curve, height) in enumerate(zip(drawn, heights, strict=True)):
        yield from _course(curve, scale, kind % KINDS, height)


def _grid(scale: Scale) -> Iterator[str]:
    width, height = COURSES
    for elo in round_values(scale.low, scale.high):
        y = scale.y(elo)
        yield f'<line class="grid" x1="{LEFT:g}" x2="{width - RIGHT:g}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 6:g}" y="{y + 4:.1f}" text-anchor="end">{elo}</text>'
    for time, x, anchor in ((scale.begin, LEFT, "start"), (scale.end, width - RIGHT, "end")):
        day = f"{time_of(time):%Y-%m-%d}"
        yield f'<text x="{x:g}" y="{height - 8:g}" text-anchor="{anchor}">{day}</text>'


def _course(curve: RatingCurve, scale: Scale, kind: int, height: float) -> Iterator[str]:
    """Draw one line, and one from its end to the name at *height*."""
    places = [(scale.x(point.finished.timestamp()), scale.y(point.elo)) for point in curve.points]
    line = " ".join(f"{x:.0f},{y:.0f}" for x, y in places)
    (x, y), name = places[-1], COURSES[0] - RIGHT + 18
    yield f'<polyline class="line c{kind}" points="{line}"/>'
    yield f'<polyline class="lead c{kind}" points="{x:.0f},{y:.0f} {name - 4:g},{height:.0f}"/>'
    yield f'<text x="{name:g}" y="{height + 4:.0f}">{escape(shortened(curve.bot))}</text>'


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
