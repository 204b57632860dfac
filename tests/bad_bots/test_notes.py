"""Nothing of a board reaches the fresh instances that play it again: no note on who had which card can be read."""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path

import pytest

from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import Instance, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.base_image import LATEST, ensure_base_image
from ladder.sandbox.docker.built_images import FILES_ONLY, RECIPE_LABEL, REPOSITORY
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.docker.warm_container import SEAT
from pigpen.rules import PRESETS, Rules
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine, Instances
from tests.bad_bots.channels import AREA, NOTES
from tests.bad_bots.matches import PROGRAMS, Seated
from tests.bad_bots.programs.takes_notes import BOARDS, CARDS, PREFACE, ROTATIONS, checked, encoded, owners_in
from tests.for_two import FOR_TWO
from tests.waiting import PATIENT

TAG, WARM_TAG = "pigpen/test:notes", f"{REPOSITORY}:test-notes"
RUN = secrets.token_hex(4)
"""A word for names that nobody has looked for in an earlier run."""
ONLY_ROOT_RECLAIMS = "names sought in vain"
"""Channel that stays readable where an ordinary user runs the ladder, see docs/adr/0014-what-containers-share.md."""
DOCKERFILE = f"""
ARG BASE
FROM ${{BASE}}
USER root
RUN head -c {4096 * AREA * BOARDS * (ROTATIONS - 1) * len(NOTES)} /dev/zero > /pages && chmod 666 /pages
CMD ["python", "/run/pigpen/PROGRAM"]
"""


class GivenNotes(Seated):
    """A program that finds in its seat's folder which rotation it plays."""

    rotation = 0

    async def start(self, mount: SeatMount) -> Instance:
        given = mount.folder / "rotation"
        given.write_text(f"{self.rotation} {RUN}")
        given.chmod(0o644)
        self.rotation += 1
        return await super().start(mount)


def build(folder: Path, instances: Instances) -> BotSource:
    """An image with a file that has room for all notes."""
    client = connect()
    ensure_base_image(client, print)
    program, tag = ("program.py", TAG) if instances == "fresh" else (f"{SEAT}/program.py", WARM_TAG)
    (folder / "Dockerfile").write_text(DOCKERFILE.replace("PROGRAM", program))
    labels = {RECIPE_LABEL: FILES_ONLY} if instances == "warm" else {}
    build_image(client, archive(folder), tag=tag, labels=labels, arguments={"BASE": LATEST})
    client.close()
    return BotSource("takes_notes", image=tag)


@pytest.mark.docker
@pytest.mark.parametrize(
    ("instances", "rules"),
    [
        ("warm", FOR_TWO),
        pytest.param("warm", PRESETS["hearts"], marks=pytest.mark.long),
        pytest.param("fresh", PRESETS["hearts"], marks=pytest.mark.long),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
async def test_no_note_on_a_board_can_be_read_when_it_is_played_again(
    tmp_path: Path, instances: Instances, rules: Rules
) -> None:
    """With two players a board is played again once."""
    bot, sandbox = build(tmp_path, instances), DockerSandbox(instances=instances)
    lines: list[AnyLine] = []
    spec = MatchSpec(rules, tuple("abcd"[: rules.players]), Format(boards=BOARDS), PATIENT, bytes(32))
    try:
        image = await sandbox.load(bot)
        assert image.instance_kind == instances
        bots = [GivenNotes(image, PROGRAMS / "takes_notes.py") for _ in spec.bots]
        played = await play_sandboxed(spec, bots, lines.append)
    finally:
        await sandbox.close()
    assert [row.faults for row in played.result.results] == [0] * rules.players, played.logs
    assert len([line for line in lines if isinstance(line, DealLine)]) == rules.players * BOARDS
    read = valid_notes("".join(log for logs in played.logs.values() for log in logs))
    assert [name for name in read if not (name.endswith(ONLY_ROOT_RECLAIMS) and os.geteuid())] == []


def valid_notes(log: str) -> dict[str, list[int]]:
    """Every note that was read with a right check sum."""
    reports = re.findall(r"observed (\{.*\})$", log, re.MULTILINE)
    return {name: owners for report in reports for name, owners in json.loads(report).items()}


def test_a_note_is_read_as_it_was_written_and_noise_is_none() -> None:
    owners = [card % 4 for card in range(52)]
    note = encoded(owners)
    assert owners_in([-70.0 + 68 * bit for bit in note]) == owners
    assert owners_in([0.0] * len(note)) is None
    note[len(PREFACE)] ^= 1
    assert owners_in(list(map(float, note))) is None
    assert len(checked(note[:CARDS])) == 16
