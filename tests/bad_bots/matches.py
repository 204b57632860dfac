"""A match of a bad bot against honest ones, in real containers."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docker import DockerClient

from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.base_image import LATEST
from ladder.sandbox.docker.built_images import FILES_ONLY, RECIPE_LABEL, REPOSITORY
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.docker.warm_container import SEAT
from ladder.sandbox.host.scratch import make_visible
from pigpen.rules import PRESETS, seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine
from referee.seats.verdict import Verdict
from tests.for_two import FEW_TRICKS, FOR_THREE, FOR_TWO
from tests.waiting import PATIENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.sandbox.base import Exit, Instance, Program, SeatMount
    from pigpen import ClockSetting
    from referee.records.lines import BotResult, Instances, Step
    from tests.bad_bots.table import BadBot

HERE = Path(__file__).parent
TESTS = HERE.parent
PROGRAMS = HERE / "programs"
HELPERS = [
    "bad_bots/channels",
    "bad_bots/frames",
    "bad_bots/honest",
    "bad_bots/latecomer",
    "bad_bots/line",
    "bad_bots/passer",
    "bad_bots/steady",
    "bad_bots/signalling",
    "bad_bots/slow_honest",
    "ladder/sandbox/docker/probe",
    "ladder/sandbox/docker/system_calls",
]
"""Modules that programs import."""

RULES = {**PRESETS, **{rules.name: rules for rules in (FOR_TWO, FEW_TRICKS, FOR_THREE)}}
TAG = "pigpen/test:bad-bots"
WARM_TAG = f"{REPOSITORY}:test-bad-bots"
"""The name is one of those that make an image one of ours: in truth nobody's bot has such a folder."""
DOCKERFILE = """
ARG BASE
FROM ${BASE}
USER root
RUN cp /usr/bin/id /usr/bin/id-of-root && chmod 4755 /usr/bin/id-of-root
CMD ["python", "/run/pigpen/{}program.py"]
"""


def build(client: DockerClient, folder: Path, instances: Instances = "fresh") -> str:
    """Make the image of all bad bots, which runs the program that lies in its seat's folder; its tag."""
    inside, tag = ("", TAG) if instances == "fresh" else (f"{SEAT}/", WARM_TAG)
    (folder / "Dockerfile").write_text(DOCKERFILE.replace("{}", inside))
    labels = {RECIPE_LABEL: FILES_ONLY} if instances == "warm" else {}
    build_image(client, archive(folder), tag=tag, labels=labels, arguments={"BASE": LATEST})
    return tag


class Seated:
    """A program that is laid into its seat's folder, and the instance that ran it."""

    def __init__(self, image: Program, source: Path) -> None:
        self.identity = image.identity
        self.image_files = image.image_files
        self.instance_kind = image.instance_kind
        self.runtime = image.runtime
        self.witness = image.witness
        self.instance: Instance
        self._image = image
        self._source = source

    def never_fork(self, end: Exit) -> None:
        self._image.never_fork(end)

    async def start(self, mount: SeatMount) -> Instance:
        copies = {mount.folder / "tests" / f"{name}.py": TESTS / f"{name}.py" for name in HELPERS}
        for copy, source in {**copies, mount.folder / "program.py": self._source}.items():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
            for made in (copy, *list(copy.parents)[: len(copy.relative_to(mount.folder).parts) - 1]):
                make_visible(made)
        self.instance = await self._image.start(mount)
        return self.instance


class TableSpec(MatchSpec):
    """Its clock is that of the bad bots, who come first; the honest ones have all the time that they may need."""

    def clock_of(self, bot: int) -> ClockSetting:
        return self.clock if self.bots[bot] == self.bots[0] else PATIENT


@dataclass(frozen=True)
class SeatOutcome:
    """The outcome of a match for one seat."""

    result: BotResult
    steps: Sequence[Step]
    unasked_ms: float
    """Milliseconds that it worked when it was not asked, by the record."""
    log: str
    end: Exit

    @property
    def faults(self) -> tuple[Verdict, ...]:
        """Faults of it in the record, in order."""
        codes = [step.by.partition(":") for step in self.steps]
        return tuple(Verdict(code) for by, _, code in codes if by == "default")

    @property
    def why(self) -> str:
        """Text of its last fault in the record."""
        return next((step.why for step in reversed(self.steps) if step.why), "")


@dataclass(frozen=True)
class Outcome:
    """A finished match."""

    bad: Sequence[SeatOutcome]
    honest: Sequence[SeatOutcome]
    deals: Sequence[DealLine]

    @property
    def observed(self) -> dict[str, Any]:
        """Observations that the bad ones reported, all reports in one."""
        reports = [found for seat in self.bad for found in re.findall(r"observed (\{.*\})$", seat.log, re.MULTILINE)]
        return {key: value for report in reports for key, value in json.loads(report).items()}


async def play(name: str, bad_bot: BadBot, image: Program) -> Outcome:
    """Play the match that the table declares for the program *name*."""
    rules = RULES[bad_bot.rules]
    sources = [PROGRAMS / f"{name}.py"] * bad_bot.seats
    sources += [HERE / f"{bad_bot.beside}.py"] * (rules.players - bad_bot.seats)
    seated = [Seated(image, source) for source in sources]
    names = tuple(source.stem for source in sources)
    spec = TableSpec(rules, names, Format(bad_bot.deals), bad_bot.clock, seed_from(name))
    lines: list[AnyLine] = []
    played = await play_sandboxed(spec, seated, lines.append)
    deals = [line for line in lines if isinstance(line, DealLine)]
    seats = [
        SeatOutcome(
            played.result.results[seat],
            [step for deal in deals for step in deal.steps if step.seat == seat],
            sum(_unasked_ms(deal, seat) for deal in deals),
            played.logs[0][seat],
            await program.instance.wait(),
        )
        for seat, program in enumerate(seated)
    ]
    return Outcome(seats[: bad_bot.seats], seats[bad_bot.seats :], deals)


def _unasked_ms(deal: DealLine, seat: int) -> float:
    return sum(ms or 0.0 for step, ms in zip(deal.steps, deal.unasked_ms or (), strict=False) if step.seat == seat)
