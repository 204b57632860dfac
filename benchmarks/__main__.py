"""
Costs of Pigpen, in one table. Ratios are taken in turn in one run and are what to look at; figures are medians, with
the smallest and the largest in brackets. Without Docker its parts are left out.

`python -m benchmarks.PART --help` describes each part: engine, decision, wire, other_platforms, start, rated, tables,
growth, ladder_overhead, match_parts, live, site, pages, planning, verify, dataset, why, workers,
commands.
"""

from __future__ import annotations

from benchmarks import (
    commands,
    dataset,
    decision,
    engine,
    growth,
    ladder_overhead,
    live,
    match_parts,
    other_platforms,
    pages,
    part_runner,
    planning,
    rated,
    site,
    start,
    tables,
    verify,
    why,
    wire,
    workers,
)

PARTS = [
    module.PART
    for module in (
        engine,
        decision,
        wire,
        other_platforms,
        start,
        rated,
        tables,
        growth,
        ladder_overhead,
        match_parts,
        live,
        site,
        pages,
        planning,
        verify,
        dataset,
        why,
        workers,
        commands,
    )
]

if __name__ == "__main__":
    part_runner.run(__doc__, *PARTS)
