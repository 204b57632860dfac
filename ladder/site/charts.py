"""Charts as SVG: small ones in tables, and that of a rating; each page has the numbers as words, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.site.table_pages import Span

SPARK = (90.0, 24.0)
BAND = (150.0, 20.0)
PLACES = (100.0, 12.0)


def spark(history: Sequence[float]) -> Markup:
    """The course of a rating in a line of text; empty for less than two points."""
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


def band(elo: float, error: float | None, span: Span, mean: float) -> Markup:
    """A rating and its 95 % interval on a scale that all rows share; the line is the mean."""
    width, height = BAND
    middle = height / 2
    inside = f'<line class="mean" x1="{span.at(mean, width)}" x2="{span.at(mean, width)}" y1="0" y2="{height}"/>'
    if error is not None:
        left, right = span.at(elo - error, width), span.at(elo + error, width)
        inside += f'<rect class="band-bar" x="{left}" y="{middle - 4}" width="{right - left:.1f}" height="8" rx="4"/>'
    inside += f'<circle class="dot" cx="{span.at(elo, width)}" cy="{middle}" r="4"/>'
    return _svg("band", BAND, inside)


def places(shares: Sequence[float]) -> Markup:
    """How often the first place, the second, …, as parts of one bar."""
    width, height = PLACES
    left, parts = 0.0, []
    for place, share in enumerate(shares):
        parts.append(
            f'<rect class="p{min(place, 3)}" x="{left:.1f}" y="0" width="{share * width:.1f}" height="{height}"/>'
        )
        left += share * width
    return _svg("places", PLACES, "".join(parts)) if parts else Markup()


def _svg(name: str, size: tuple[float, float], inside: str) -> Markup:
    """A small picture that says nothing which the text beside it does not."""
    return Markup(f'<svg class="{name}" viewBox="0 0 {size[0]:g} {size[1]:g}" aria-hidden="true">{inside}</svg>')
