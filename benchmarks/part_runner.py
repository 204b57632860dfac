"""Commands of the benchmarks: measure, show progress, and print one table, with the machine that it is of."""

from __future__ import annotations

import argparse
import datetime
import multiprocessing
import os
import platform
import subprocess
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.report import Row, sections, show
from ladder.errors import SandboxError
from ladder.sandbox.docker.base_image import LATEST, ensure_base_image
from ladder.sandbox.docker.engine import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from benchmarks.report import Part


HEADINGS = ("part", "what", "figure", "against", "ratio")

WORDS = (0, 1, 3)
"""The columns that hold words."""

FROM, TO = "<!-- the table of make bench begins -->\n", "<!-- the table of make bench ends -->\n"


def run(about: str | None, *parts: Part) -> None:
    """Run the command: the parts that are named, or all that belong to the table."""
    known = {part.name: part for part in parts}
    parser = parser_of(about, parts=known if len(known) > 1 else ())
    parser.set_defaults(write=None, part=[])
    if len(parts) > 1:  # one part alone is not the table
        text = "put the table between its marks in a Markdown file"
        parser.add_argument("--write", type=Path, metavar="FILE", help=text)
    options = parser.parse_args()
    if options.write and options.part:
        parser.error("--write: the table is of all parts; name none")
    if options.write and not _has_marks(options.write):
        parser.error(f"--write {options.write}: name a file that holds the lines {FROM.strip()} and {TO.strip()}")
    parts = tuple(known[name] for name in options.part) or tuple(part for part in parts if part.in_table) or parts
    where, began = machine(), time.monotonic()
    found, busy = dict[str, list[Row]](), dict[str, float]()
    for part in parts:
        busy[part.name] = busy_share()
        found[part.name] = measured(part, options.rounds)
    minutes = (time.monotonic() - began) / 60
    command = " ".join(["python", *sys.orig_argv[1:]])
    title = [
        where,
        how_quiet(busy),
        f"{datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}, `{command}`, {minutes:.1f} minutes",
    ]
    show("\n".join(title), HEADINGS, *sections(found), words=WORDS)
    if options.write:
        text = options.write.read_text(encoding="utf-8")
        before, after = text.partition(FROM)[0], text.partition(TO)[2]
        options.write.write_text(before + FROM + markdown(title, found) + TO + after, encoding="utf-8")


def choose(about: str | None, commands: Mapping[str, Callable[[], None]]) -> None:
    """Run the command of this module that the first word names; the words after it are its own."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=commands)
    options = parser.parse_args(sys.argv[1:2])
    sys.argv[1:2] = []
    commands[options.command]()


def parser_of(about: str | None, rounds: int | None = None, parts: Collection[str] = ()) -> argparse.ArgumentParser:
    """Make a command line that says what is measured, and takes the number of rounds and names of *parts*."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    if parts:
        text = f"measure only these: {', '.join(parts)}"
        parser.add_argument("part", nargs="*", type=_one_of(parts), metavar="PART", help=text)
    text = "of each measurement; few are quick and unsteady"
    parser.add_argument("--rounds", type=_count, metavar="N", default=rounds, help=text)
    return parser


def measured(part: Part, rounds: int | None = None) -> list[Row]:
    """
    Run a part, and give its rows, or one that says why there are none; progress goes to the standard error.

    It has a process of its own: what other parts left in memory would count as the referee's.
    """
    print(f"{part.name} …", file=sys.stderr, flush=True)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
        try:
            return alone.submit(part.measure, rounds or part.rounds).result()
        except SandboxError as error:
            return [Row.left_out("all of it", error)]
        except Exception as error:  # the other parts' figures are not to be lost
            traceback.print_exception(error)
            return [Row.left_out("all of it", f"{type(error).__name__}, see above")]


def markdown(title: Sequence[str], found: dict[str, list[Row]]) -> str:
    """Write the table for a Markdown file."""
    lines = [HEADINGS, ["---"] * len(HEADINGS), *(row for rows in sections(found) for row in rows)]
    rows = [" | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in line) for line in lines]
    return "\n\n".join(title) + "\n\n" + "".join(f"| {row} |\n" for row in rows)


def _one_of(names: Collection[str]) -> Callable[[str], str]:
    def name(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(f"{text}: take one or more of {', '.join(names)}")
        return text

    return name


def _count(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text}: take 1 or more")
    return int(text)


def _has_marks(path: Path) -> bool:
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8")
    return text.count(FROM) == text.count(TO) == 1 and text.index(FROM) < text.index(TO)


QUIET = 0.05
"""The share of all CPUs that other processes may use on a quiet machine."""

LOOK_SECONDS = 2.0

GRPC = """
from pigpen.wire.blocking_stream import WHY_SLOW, grpc
print("grpcio", grpc.__version__, "NOT on one thread: " + WHY_SLOW if WHY_SLOW else "on one thread")
"""
"""A program that says how gRPC runs where it runs."""


def machine() -> str:
    """Describe this machine in one line: processor, memory, kernel, Docker, Python, gRPC, and how busy it is."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{_processor()}, {os.cpu_count()} CPUs, {memory:.0f} GiB, Linux {platform.release()}, {_docker()}, "
        f"Python {platform.python_version()}, {_grpc_here()}, {_grpc_in_image()}, load {load}"
    )


def busy_share(seconds: float = LOOK_SECONDS) -> float:
    """Measure the share of all CPUs, 0 to 1, in use, or taken by other virtual machines, while this process waits."""
    idle, total = _ticks()
    time.sleep(seconds)
    later_idle, later_total = _ticks()
    return 1 - (later_idle - idle) / max(1, later_total - total)


def how_quiet(shares: dict[str, float]) -> str:
    """
    Say whether the machine was quiet, from the `busy_share` right before each part.

    >>> how_quiet({"engine": 0.01, "wire": 0.02})
    'quiet: other processes used at most 2 % of the CPUs before a part'
    >>> how_quiet({"engine": 0.01, "wire": 0.62})
    'NOT QUIET: other processes used 62 % of the CPUs before wire; compare ratios only'
    """
    loud = {name: share for name, share in shares.items() if share > QUIET}
    if not loud:
        most = 100 * max(shares.values())
        return f"quiet: other processes used at most {most:.0f} % of the CPUs before a part"
    each = ", ".join(f"{100 * share:.0f} % of the CPUs before {name}" for name, share in loud.items())
    return f"NOT QUIET: other processes used {each}; compare ratios only"


def _ticks() -> tuple[int, int]:
    """Read the ticks of all CPUs since the start, idle ones and all (man 5 proc_stat)."""
    ticks = [int(each) for each in Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0].split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def _processor() -> str:
    """Name the processor's model, where Linux knows one; else its kind."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(": ")[2]
    return platform.machine()


def _grpc_here() -> str:
    # In a process of its own: a part that looks at gRPC as it comes decides for itself how it is imported.
    return subprocess.run([sys.executable, "-c", GRPC], capture_output=True, text=True, check=True).stdout.strip()


def _grpc_in_image() -> str:
    try:
        with closing(connect()) as client:
            ensure_base_image(client, lambda line: None)
            printed = client.containers.run(LATEST, ["python", "-c", GRPC], network_mode="none", remove=True)
        return f"in containers {printed.decode().strip()}"
    except SandboxError:
        return "no containers"


def _docker() -> str:
    try:
        with closing(connect()) as client:
            return f"Docker {client.version()['Version']}"
    except SandboxError:
        return "no Docker"
