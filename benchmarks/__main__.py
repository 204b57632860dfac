"""Run every benchmark that needs no more than this machine has, and print a table each."""

from __future__ import annotations

from benchmarks import decision, elsewhere, engine, fair, flood, growth, report, start, tables, verify
from ladder.engine import connect
from ladder.sandbox.base import SandboxError


def main() -> None:
    """Measure and print everything."""
    print(report.machine())
    engine.main()
    decision.main()
    elsewhere.main()
    try:
        connect().close()
    except SandboxError as error:
        print(f"{error} Left out: start, tables, growth, verify, flood, fair.")
        return
    start.main()
    tables.main()
    growth.main()
    verify.main()
    flood.main()
    fair.main()


if __name__ == "__main__":
    main()
