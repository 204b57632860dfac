"""Makes empty files in /tmp until it cannot any more."""

from __future__ import annotations

from pathlib import Path

from tests.bad_bots.honest import play_with
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import named


def litter() -> None:
    for number in range(1_000_000):
        (Path("/tmp") / str(number)).touch()


play_with(lambda: {"in the end": named(attempt(litter))})
