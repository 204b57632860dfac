"""Run every benchmark that needs no more than this machine has, and print a table each."""

from __future__ import annotations

from benchmarks import (
    decision,
    engine,
    fair,
    flood,
    growth,
    ladder_overhead,
    report,
    start,
    store,
    tables,
    transport,
    verify,
)
from ladder.engine import connect
from ladder.sandbox.base import SandboxError


def main() -> None:
    """Measure and print everything."""
    print(report.machine())
    engine.main()
    decision.main()
    transport.main()
    store.main()
    try:
        connect().close()
    except SandboxError as error:
        print(f"{error} Left out: start, tables, growth, verify, flood, fair.")
        return
    start.main()
    tables.main()
    growth.main()
    ladder_overhead.main(8)
    verify.main()
    flood.main()
    fair.main()


if __name__ == "__main__":
    main()
