"""Words of strangers, and sentences for strangers, made fit to be shown."""

from __future__ import annotations

import doctest

import pytest

from ladder.values import text
from ladder.values.text import without_paths

SHOWN = {
    "'/srv/my ladder/data/x' cannot be made: No space left on device.": "'…' cannot be made: No space left on device.",
    'The file "/root/.cache/pigpen/a.whl" is damaged.': 'The file "…" is damaged.',
    "/tmp/pigpen-1/owner cannot be made: full. Make room.": "… cannot be made: full. Make room.",
    "FileNotFoundError: [Errno 2] No such file: (/etc/pigpen/key)": "FileNotFoundError: [Errno 2] No such file: (…)",
    "No engine answers at unix:///run/user/1000/docker.sock.": "No engine answers at …",
    "https://example.org/simple/six/ does not answer.": "https://example.org/simple/six/ does not answer.",
    "registry.example:5000/ada/trotter:1 has 3 layers, 1/2 of them fetched.": None,
    "Its trial was not over after 1800 seconds.": None,
}


@pytest.mark.parametrize("words", SHOWN)
def test_paths_of_this_machine_are_not_told_and_the_rest_is(words: str) -> None:
    assert without_paths(words) == (SHOWN[words] or words)


def test_the_examples_hold() -> None:
    assert doctest.testmod(text).failed == 0
