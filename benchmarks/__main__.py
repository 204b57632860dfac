"""
Costs of Pigpen, in one table. Ratios are taken in turn in one run and are what to look at; figures are medians, with
the smallest and the largest in brackets. Without Docker its parts are left out.

A part also runs alone, as the only one that is named. The modules of this package say what each of them measures:
`python -m benchmarks.decision --help`.
"""

from __future__ import annotations

from benchmarks import (
    commands,
    decision,
    demo,
    engine,
    growth,
    kernel,
    ladder_overhead,
    other_platforms,
    pages,
    part_runner,
    rated,
    records,
    site,
    start,
    states,
    wire,
)

PARTS = [
    *engine.PARTS,
    *decision.PARTS,
    *wire.PARTS,
    *other_platforms.PARTS,
    *start.PARTS,
    *kernel.PARTS,
    *rated.PARTS,
    *growth.PARTS,
    *ladder_overhead.PARTS,
    *site.PARTS,
    *pages.PARTS,
    *records.PARTS,
    *commands.PARTS,
    *demo.PARTS,
    *states.PARTS,
]

if __name__ == "__main__":
    part_runner.run(__doc__, *PARTS)
