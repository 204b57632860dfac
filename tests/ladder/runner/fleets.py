"""Workers on other machines, as a fleet hears of them."""

from __future__ import annotations

from dataclasses import dataclass

from ladder.runner.fleet import Fleet
from ladder.runner.fleet_admission import Demands
from ladder.values.cluster import MachineClass, WorkerFacts, WorkerReport

VERSION = "1.0"
GIB = 1 << 30
DEMANDS = Demands(VERSION)


@dataclass
class HandClock:
    """One that continues when it is told to."""

    time: float = 1000.0

    def __call__(self) -> float:
        """The time, in seconds."""
        return self.time


def facts(
    name: str = "barn", slots: int = 2, version: str = VERSION, process: str = "1", **more: object
) -> WorkerFacts:
    """Give the facts that a worker reports of itself."""
    machine = MachineClass(architecture=str(more.pop("architecture", "x86_64")), processor="Babbage 1", cores=2)
    given = {"memory": 8 * GIB, "engine": "27.0", "runtimes": ("runc",), "clock": 1000.0} | more
    return WorkerFacts.model_validate(
        {"name": name, "process": process, "version": version, "machine": machine, "slots": slots} | given
    )


def joined(name: str = "barn", connection: str = "", **more: object) -> WorkerReport:
    """That a worker has come."""
    return WorkerReport(event="joined", worker=connection or f"tls://{name}", facts=facts(name, **more))  # type: ignore[arg-type]


def left(name: str = "barn", connection: str = "") -> WorkerReport:
    """That it has gone."""
    return WorkerReport(event="left", worker=connection or f"tls://{name}", reason="Its connection was closed.")


def calibrate(fleet: Fleet, speed: float = 100.0) -> None:
    """Let everyone who is to be checked pass."""
    for check in fleet.checks():
        fleet.checked(check, "", None if check.is_probe else speed)


def fleet_of(*names: str, clock: HandClock | None = None, slots: int = 2) -> Fleet:
    """A fleet of calibrated workers."""
    clock = clock or HandClock()
    fleet = Fleet(DEMANDS, clock, clock)
    for name in names:
        assert fleet.take_report(joined(name, slots=slots)) == ""
    calibrate(fleet)
    return fleet
