"""
A real ladder of bots that start quickly, in a folder of its own, and the command that runs it.

Where nothing else is said, its variant is the one for two: a match takes 4 instances of bots, and not 16.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.entry.house_bots import HOUSE
from ladder.sandbox.bots.content import Content, keep_folder
from ladder.settings.settings import Settings, load_settings
from ladder.store import models
from ladder.store.commands.opening import open_ladder
from pigpen.rules import PRESETS
from tests.e2e.command import PIGPEN, environment, pigpen, pigpen_process
from tests.for_two import FOR_TWO
from tests.ladder.ladders import NOW
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.store.database import Database

QUICK = (Path(__file__).parent / "quick" / "bot.py").read_text()
ANSWER = "    numbers, texts = fields(request)\n"
SLOW = QUICK.replace(ANSWER, f"    import time\n    time.sleep(0.01)\n{ANSWER}")
"""A match of these bots takes a while in which something can happen to it, and few are played meanwhile."""
WAIT = """    import time
    while not os.path.exists("{gate}"):
        open("{gate}.awaited", "w").close()
        time.sleep(0.01)
"""
RULES = {**PRESETS, FOR_TWO.name: FOR_TWO}
PATIENT = {"PIGPEN_CLOCK": "6000+1", "PIGPEN_LIMIT": "3600"}
"""A clock for bots that wait."""
CHOICES = {"Trotter": 0, "Snout": -1, "Truffle": 1, "Sty": 2, "Boar": -2, "Gilt": 3}
"""The bots, each of an owner of its own, and which of their legal cards they play; others play one by their name."""


@dataclass(frozen=True)
class SmallLadder:
    """A ladder, and where it is."""

    settings: Settings
    database: Database
    scratch: Path
    """Its temporary folder, which nobody else uses."""

    def variables(self, **extra: str) -> dict[str, str]:
        """Give the variables by which the command finds it. One worker by default: each takes long to start."""
        where = {"PIGPEN_DATA_DIR": str(self.settings.data_dir), "TMPDIR": str(self.scratch)}
        where["PIGPEN_DATABASE_URL"] = self.settings.database_url
        return {"PIGPEN_BOARDS": "1", "PIGPEN_SANDBOX": "process", "PIGPEN_WORKERS": "1"} | where | extra

    def pigpen(self, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run ``pigpen WORDS`` to its end, in this process."""
        return pigpen(*words, folder=self.settings.data_dir, **self.variables(**extra))

    def pigpen_process(self, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run ``pigpen WORDS`` to its end, in a process of its own."""
        return pigpen_process(*words, folder=self.settings.data_dir, **self.variables(**extra))

    @contextmanager
    def running(self, *words: str, **extra: str) -> Iterator[subprocess.Popen[str]]:
        """``pigpen ladder run WORDS`` while it runs; killed at the end if it still does."""
        with subprocess.Popen(
            [PIGPEN, "ladder", "run", "--log-to-stderr", *words],
            cwd=self.settings.data_dir, env=environment(**self.variables(**extra)),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as program:  # fmt: skip
            try:
                yield program
            finally:
                program.kill()

    def statuses(self) -> Counter[str]:
        """Count the matches of each status."""
        with self.database.read() as session:
            return Counter(session.scalars(select(models.StoredMatch.status)))

    def attempts(self) -> list[tuple[int, int, int]]:
        """Of each match: its number, how often it was tried, how often the platform failed."""
        with self.database.read() as session:
            matches = session.scalars(select(models.StoredMatch).order_by(models.StoredMatch.id))
            return [(match.id, match.attempt, match.failures) for match in matches]

    def processes(self) -> list[int]:
        """The processes that have a bot's folder as their own."""
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self._is_of_a_bot(pid)]

    def _is_of_a_bot(self, pid: int) -> bool:
        try:
            folder = os.readlink(f"/proc/{pid}/cwd")
        except OSError:  # it has just ended
            return False
        return Path(folder).is_relative_to(self.settings.data_dir / "folders")


@contextmanager
def small_ladder(
    folder: Path,
    variants: Sequence[str] = (FOR_TWO.name,),
    bots: Sequence[str] = (),
    program: str = QUICK,
    database_url: str = "",
) -> Iterator[SmallLadder]:
    """Make one in an empty folder, with all `CHOICES` or only these *bots*; *program* is their bot.py."""
    settings = load_settings(data_dir=folder / "data", sandbox="process", boards=1, database_url=database_url)
    scratch = folder / "scratch"
    scratch.mkdir()
    database = open_ladder(settings, create=True)
    for name in bots or CHOICES:
        enter_quick(database, settings, folder, name, variants, program)
    try:
        yield SmallLadder(settings, database, scratch)
    finally:
        database.close()


def enter_quick(
    database: Database, settings: Settings, folder: Path, name: str, variants: Sequence[str], program: str = QUICK
) -> None:
    """Enter one of the bots; a pre-flight would take longer than its matches."""
    source = folder / name
    source.mkdir()
    (source / "bot.py").write_text(
        program.replace("\nCHOICE = 0\n", f"\nCHOICE = {CHOICES.get(name, sum(name.encode()) % 7 - 3)}\n")
    )
    content = Content.read(source)
    identity = f"sha256:{content.hash}"
    keep_folder(content, settings.data_dir)
    owner = name if name.startswith(HOUSE) else f"owner-of-{name}"
    with database.write() as session:
        bot = Fit(name, owner, identity, "process", name, 1000)
        bot.enter(session, [RULES[variant] for variant in variants], NOW)


def waiting_for(gate: Path) -> str:
    """The bot, but it answers no question while there is no file *gate*; meanwhile there is a file `awaited`."""
    assert ANSWER in QUICK
    return QUICK.replace(ANSWER, WAIT.format(gate=gate) + ANSWER)


def awaited(gate: Path) -> Path:
    """Give the file that bots make again and again while they wait for *gate*."""
    return gate.with_name(f"{gate.name}.awaited")


def until(runner: subprocess.Popen[str], *names: str) -> list[dict[str, Any]]:
    """Read the runner's log until each of these events has come, as often as it is named here."""
    assert runner.stderr is not None
    seen: list[dict[str, Any]] = []
    while Counter(names) - Counter(event["event"] for event in seen):
        line = runner.stderr.readline()
        assert line, f"it ended before {names}: {seen}"
        seen += events(line)
    return seen


def events(lines: str) -> list[dict[str, Any]]:
    """The runner's log."""
    return [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
