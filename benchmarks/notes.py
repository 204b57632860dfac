"""
Channels between two containers through parts that they share, in bits, with the walls and without them.

Notes pass from a container that has ended to a fresh one of the same image, as from one rotation of a board to the
next; hands pass between two living ones on one core, as between two seats of a table. In matches with rotations, a bot
leaves notes for itself. Both sides know the bits, so the figures are what the best of the decoders tried here could
get: thresholds calibrated on one half of the rounds, the information measured on the other, less what the same decoder
finds in other messages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import secrets
import shutil
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

from docker import DockerClient
from docker.types import Mount

from benchmarks.noting.bot import NUMBERS, UNITS
from benchmarks.part_runner import machine
from benchmarks.passing import decoded
from benchmarks.pondering.bot import LEVELS, UNIT, sent
from benchmarks.report import show
from ladder.errors import SandboxError
from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import Exit, Program, SeatMount
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.base_image import LATEST, ensure_base_image
from ladder.sandbox.docker.container_instance import ContainerController
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.docker.limits import GROUP, Limits, host_config, new_user
from pigpen import ClockSetting
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine, Instances
from referee.records.steps import was_asked
from tests.bad_bots.channels import AREA, HANDS, NOTES, digits

ROOT = Path(__file__).resolve().parents[1]
INSIDE = {"benchmarks/passing.py": "program.py", "tests/bad_bots/channels.py": "tests/bad_bots/channels.py"}
TAG = "pigpen/benchmark:notes"
PONDERING = BotSource("pondering", folder=ROOT / "benchmarks" / "pondering")
NOTING = BotSource("noting", folder=ROOT / "benchmarks" / "noting")
IMAGE = BotSource("notes", image=TAG)
LADDERS_CLOCK = ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=60.0)
CLOCK = ClockSetting(bank=600.0, increment=1.0, limit=10.0, start_up=60.0)
BOARDS = 8
NOTE_BITS = 104
"""The owners of 52 cards."""
PAGES = AREA * BOARDS * len(NOTES)
DOCKERFILE = f"""
ARG BASE
FROM ${{BASE}}
USER root
RUN head -c {PAGES * 4096} /dev/zero > /pages && chmod 666 /pages
CMD ["python", "-u", "/run/pigpen/program.py"]
"""

SLOTS = {"pseudo terminals left": 6.0, "futex, woken by a thread's end": 1.0, "numbers of processes (pidfd)": 0.4}
"""Seconds of one round where it takes longer than usual."""
SLOT = 0.25
PATIENCE = 120.0
"""Seconds after which a measurement has failed."""
WRITES_AT, TAKES_BACK_AT = 0.2, 0.9
"""Parts of a round."""
READS_AT = {
    "futex, woken by a thread's end": 0.1,  # who is to be woken sleeps before
    "cache lines of a file": 0.205,  # a processor that has nothing to do empties its cache
    "cache lines of the zero page": 0.205,
}
READS_AT_ELSE = 0.6
TAKEN_BACK = {"links of /proc", "pseudo terminals left", "Shmem in /proc/meminfo", "sysinfo(2)"}
"""Ways that are measured against their state at the beginning of a round."""


@dataclass(frozen=True)
class Found:
    """Result of one way."""

    bits: float = 0.0
    seconds: float = 0.0
    """Seconds that writing and reading take."""
    right: float = 0.5
    whole: str = ""
    """Number of whole notes that were right, of all."""
    why: str = ""
    """Reason for which nothing could be tried; empty: it was tried."""


def lay_out(folder: Path, task: dict[str, Any]) -> None:
    """Put the program and its task into a seat's folder."""
    folder.chmod(0o755)
    for source, path in INSIDE.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, folder / path)
    (folder / "task.json").write_text(json.dumps(task))


async def run(program: Program, task: dict[str, Any], core: int | None = None) -> dict[str, Any]:
    """Do a task in a container of its own; what it found."""
    with tempfile.TemporaryDirectory(prefix="pigpen-") as name:
        lay_out(Path(name), task)
        instance = await program.start(SeatMount(Path(name), "x", core=core))
        try:
            instance.controller.seated()
            end = await asyncio.wait_for(instance.wait(), PATIENCE)
            log = await instance.log_tail()
        except TimeoutError:
            return {"refused": f"not done in {PATIENCE:.0f} s"}
        finally:
            await instance.stop()
    reports = re.findall(r"found (\{.*\})$", log, re.MULTILINE)
    if not reports:
        last = (log.strip().splitlines() or ["it wrote nothing"])[-1]
        return {"refused": f"{end}: {last}"[:60]}
    found: dict[str, Any] = json.loads(reports[-1])
    return found


async def notes(load: Load, way: str, rounds: int) -> Found:
    """Measure the bits that a note of a board gives to a fresh container."""
    program = await load(IMAGE)
    area = BOARDS * list(NOTES).index(way)
    task = {"way": way, "area": area, "bits": NOTE_BITS, "rounds": BOARDS}
    reads: list[dict[str, Any]] = []
    for number in range(rounds):
        task |= {"seed": number, "run": secrets.token_hex(4)}
        written = await run(program, {**task, "role": "write notes"})
        read = await run(program, {**task, "role": "read notes"})
        if "refused" in read:
            return Found(why=read["refused"])
        if "refused" in written:
            return Found(why=written["refused"])
        reads.append(read)
    return _mean(reads)


async def hands(load: Load, way: str, rounds: int) -> Found:
    """Measure the bits that one reading gives to a neighbour."""
    program = await load(IMAGE)
    slot = SLOTS.get(way, SLOT)
    task = {
        "way": way,
        "seed": 1,
        "run": secrets.token_hex(4),
        "rounds": 10 * rounds if slot == SLOT else 4 * rounds,
        "slot": slot,
        "start": time.time() + 5.0,
        "writes at": WRITES_AT,
        "reads at": READS_AT.get(way, READS_AT_ELSE),
        "takes back at": TAKES_BACK_AT if way in TAKEN_BACK else None,
    }
    written, read = await asyncio.gather(
        *(run(program, {**task, "role": role}, core=0) for role in ("write hands", "read hands"))
    )
    for one in (read, written):
        if "refused" in one:
            return Found(why=one["refused"])
    return _mean([read], written["took"] + read["took"])


async def thinking(load: Load, way: str, rounds: int) -> Found:
    """Measure the bits that a neighbour's time to think carries, in a match."""
    del way
    program = await load(PONDERING)
    spec = MatchSpec(PRESETS["hearts-short"], ("a", "b", "c", "d"), Format(4 * rounds), CLOCK, bytes(32))
    lines: list[AnyLine] = []
    played = await play_sandboxed(spec, [program] * 4, lines.append)
    asked = {place for line in lines if isinstance(line, DealLine) for place in _choices(line)}
    noted = re.findall(r"waited (\d+) (\d+) ([0-9.]+)", played.logs[0][1])
    waits = [
        (sent(int(deal), int(trick)), float(waited))
        for deal, trick, waited in noted
        if (int(deal), int(trick)) in asked
    ]
    usual = statistics.median(waited - UNIT * number for number, waited in waits[::2])
    count = LEVELS.bit_length() - 1
    reads = [
        ([number >> place & 1 for place in range(count)], digits(round((waited - usual) / UNIT), count))
        for number, waited in waits
    ]
    return _mean([decoded(reads)], UNIT * LEVELS / 2 + usual)


async def rotations(load: Load, way: str, rounds: int) -> Found:
    """Measure the bits of a note that a bot leaves in a match from one rotation's end to the next one's beginning."""
    rules = replace(PRESETS["hearts"], name="noting", title=way)
    programs = [await load(NOTING), *[await load(find_bot("random"))] * 3]
    learn: list[Pair] = []
    use: list[Pair] = []
    for _ in range(2 * rounds):
        spec = MatchSpec(rules, ("a", "b", "c", "d"), Format(boards=1), LADDERS_CLOCK, secrets.token_bytes(32))
        lines: list[AnyLine] = []
        played = await play_sandboxed(spec, programs, lines.append)
        logs = [log for log, *_ in (played.logs[table] for table in sorted(played.logs))]
        seen = [re.search(rf"{way}: found ([0-9.]+), leaves (\d+)", log) for log in logs]
        pairs = [(int(one[2]), float(other[1])) for one, other in pairwise(seen) if one and other]
        if not pairs:
            return Found(why=(logs[0].strip().splitlines() or ["it wrote nothing"])[-1][:60])
        learn += pairs[:1]
        use += pairs[1:]
    return of_positions(learn, use, UNITS[way])


def of_positions(learn: Sequence[Pair], use: Sequence[Pair], unit: float) -> Found:
    """Decode where a counter was found that was left at a note, and has moved on since by a typical distance."""
    ring = NUMBERS * unit
    moved = [(found - note * unit) % ring for note, found in learn]
    usual = min(moved, key=lambda one: sum(min((one - each) % ring, (each - one) % ring) for each in moved))
    reads = [(note, round((found - usual) % ring / unit) % NUMBERS) for note, found in use]
    count = NUMBERS.bit_length() - 1
    found = _mean([decoded([(_gray(note, count), _gray(read, count)) for note, read in reads])])
    right = sum(note == read for note, read in reads)
    near = sum((read - note + 1) % NUMBERS <= 2 for note, read in reads)
    return replace(found, whole=f"{right} of {len(reads)} notes, {near} within one step")


def _gray(number: int, count: int) -> list[int]:
    """Write the digits of a number in Gray's code: those of neighbours differ in one."""
    return [int(digit) for digit in digits(number ^ number >> 1, count)]


def _choices(line: DealLine) -> list[tuple[int, int]]:
    """Deal and trick of each card that seat 0 was asked for: with a forced one it sends nothing."""
    own = [step.by for step in line.steps if step.play and step.seat == 0]
    return [(line.deal, trick) for trick, by in enumerate(own) if was_asked(by)]


def _mean(found: list[dict[str, Any]], seconds: float = 0.0) -> Found:
    bits, right = (sum(one[key] for one in found) / len(found) for key in ("bits", "right"))
    chance = sum(one["chance"] for one in found) / len(found)
    return Found(max(0.0, bits - chance), seconds, right)


Pair = tuple[int, float]
"""The note that was left, and where the counter was found."""
Load = Callable[[BotSource], Awaitable[Program]]
Measure = Callable[[Load, str, int], Awaitable[Found]]
MEASURES: list[tuple[str, Measure, str]] = [
    *((f"note: {way}", notes, way) for way in NOTES),
    *((f"hand: {way}", hands, way) for way in HANDS),
    ("hand: time to think", thinking, ""),
    *((f"rotation: {way}", rotations, way) for way in UNITS),
]


async def carried(regime: str, picked: str, rounds: int, instances: Instances) -> list[Found]:
    """Measure what each way carries in one of the regimes."""
    sandbox = DockerSandbox(REGIMES[regime], instances=instances)

    async def load(source: BotSource) -> Program:
        return Bare() if source is IMAGE and regime == "docker" else await sandbox.load(source)

    found: list[Found] = []
    try:
        for name, measure, way in MEASURES:
            if picked in name:
                found.append(await measure(load, way, rounds))
                print(name, found[-1], flush=True)
    finally:
        await sandbox.close()
    return found


def build() -> None:
    """Make the image: Python, and a file of many pages."""
    client = connect()
    ensure_base_image(client, print)
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "Dockerfile").write_text(DOCKERFILE)
        build_image(client, archive(Path(name)), tag=TAG, labels={}, arguments={"BASE": LATEST})
    client.close()


class Bare:
    """The image in containers that have Docker's own list of system calls and masks, and one launcher for all."""

    identity = TAG
    image_files = None
    instance_kind = None
    runtime = "runc"
    witness = None

    def never_fork(self, end: Exit) -> None:
        """Do nothing: it forks none."""

    async def start(self, mount: SeatMount) -> BareInstance:
        """Start one."""
        client = connect()
        config = host_config(client.api, mount.folder, Limits(), "runc")
        config["SecurityOpt"] = ["no-new-privileges:true"]
        del config["MaskedPaths"]
        config["Mounts"] = [each for each in config["Mounts"] if each["Source"] == str(mount.folder)]
        config["LogConfig"] = {"Type": "json-file", "Config": {}}
        config["Mounts"].append(Mount("/run/pigpen-init", str(Path(__file__)), type="bind", read_only=True))
        config["CpusetCpus"] = "" if mount.core is None else str(mount.core)
        made = client.api.create_container(TAG, user=f"{new_user()}:{GROUP}", host_config=config, network_disabled=True)
        client.api.start(made)
        return BareInstance(client, made["Id"])


class BareInstance:
    """One of them."""

    def __init__(self, client: DockerClient, name: str) -> None:
        self._client = client
        self._name = name
        self.controller = ContainerController(None, mock.Mock(), None)

    async def wait(self) -> Exit:
        """Wait for its end."""
        return Exit((await asyncio.to_thread(self._client.api.wait, self._name))["StatusCode"])

    async def log_tail(self) -> str:
        """Read what it wrote."""
        return str(self._client.api.logs(self._name).decode())

    async def peak_memory(self) -> int | None:
        """Give None: it is not looked at."""
        return None

    async def stop(self) -> None:
        """Remove it."""
        self._client.api.remove_container(self._name, force=True)
        self._client.close()


REGIMES = {"docker": "runc", "walls": "runc", "gvisor": "runsc"}
"""Docker's own confinement; Pigpen's; Pigpen's with gVisor's kernel."""


def figure(found: Found, is_note: bool) -> str:
    """Write the bits of a note or of a look, and how many a second."""
    if found.why:
        return f"0: {found.why}"
    if found.whole:
        return f"{found.bits:.1f} ({found.whole})"
    text = f"{found.bits:.1f} ({100 * found.right:.0f} % right)"
    return text if is_note else f"{text}, {found.bits / found.seconds:,.0f}/s"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how long to measure (default: 5)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the ways with this in their names")
    known = ", ".join(REGIMES)
    parser.add_argument("--with", dest="regimes", nargs="+", choices=REGIMES, default=["docker", "walls"], help=known)
    parser.add_argument("--instances", choices=["fresh", "warm"], default="fresh", help="in matches (default: fresh)")
    options = parser.parse_args()
    build()
    columns: list[list[Found]] = []
    for name in options.regimes:
        try:
            columns.append(asyncio.run(carried(name, options.only, options.rounds, options.instances)))
        except SandboxError as error:
            raise SystemExit(f"{name}: {error}") from None
    names = [name for name, _, _ in MEASURES if options.only in name]
    rows = [
        [name, *(figure(column[row], name.startswith("note")) for column in columns)] for row, name in enumerate(names)
    ]
    title = f"{machine()}\nBits a board for notes, of {NOTE_BITS}; bits a look, and a second, for hands"
    show(title, ["", *options.regimes], rows, words=range(1 + len(columns)))


if __name__ == "__main__":
    main()
