"""The locks of our images hold what their packages need, in the versions and with the hashes that are tested here."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ladder.sandbox.docker import base_image, installed_sdk, referee_container
from ladder.sandbox.docker.base_image import BaseImage
from pigpen.wire.transport import TRIED

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTED = Path(__file__).resolve().parents[4] / "requirements-dev.lock"
IMAGES = {"bot": (base_image.LOCK, installed_sdk.NAME), "referee": (referee_container.LOCK, referee_container.NAME)}
TARGETS = [(python, machine) for python in ("3.11", "3.12", "3.13") for machine in ("x86_64", "aarch64")]
OURS = {"pigpen-sdk", "pigpen-arena"}
PIP = "pip"
"""In the image for those who build on it; `scripts/venv` has Python's own."""

Lock = dict[str, tuple[str, frozenset[str]]]


def read(path: Path) -> Lock:
    found: Lock = {}
    for entry in re.split(r"\n(?=\S)", path.read_text(encoding="utf-8")):
        if match := re.match(r"([a-z0-9-]+)==(\S+)", entry):
            found[match[1]] = match[2], frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", entry))
    return found


def needed(name: str, target: dict[str, str], seen: set[str]) -> Iterator[str]:
    """Everything that a distribution, which is installed here, needs on the machine *target*."""
    for line in metadata.requires(name) or ():
        wanted = Requirement(line)
        of_target = canonicalize_name(wanted.name)
        if of_target not in seen and (wanted.marker is None or wanted.marker.evaluate(target)):
            seen.add(of_target)
            yield of_target
            yield from needed(of_target, target, seen)


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_holds_the_versions_and_files_that_are_tested(image: str) -> None:
    tested, held = read(TESTED), read(IMAGES[image][0])
    assert held
    assert {name: held[name] for name in {*held} - {PIP}} == {name: tested[name] for name in {*held} - {PIP}}
    assert all(hashes for _, hashes in held.values())


@pytest.mark.parametrize("target", TARGETS, ids="-".join)
@pytest.mark.parametrize("image", IMAGES)
def test_a_lock_names_all_that_is_needed(image: str, target: tuple[str, str]) -> None:
    python, machine = target
    environment = {"python_version": python, "python_full_version": f"{python}.0", "platform_machine": machine}
    environment |= {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "extra": ""}
    lock, name = IMAGES[image]
    assert {*needed(name, environment, set())} - OURS <= {*read(lock)}


def test_the_base_images_lock_names_nothing_else() -> None:
    assert {*read(base_image.LOCK)} == {"grpcio", "protobuf", "typing-extensions", PIP}


def test_a_lock_is_a_part_of_the_image(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = BaseImage().content()
    other = tmp_path / "bot.lock"
    other.write_text(base_image.LOCK.read_text() + "\n")
    monkeypatch.setattr(base_image, "LOCK", other)
    assert BaseImage().content() != before


def test_the_switches_of_grpc_were_tried_in_the_locked_version() -> None:
    """So that no bot's start has to find out; raise `TRIED` with the lock (docs/adr/0011)."""
    version, _ = read(base_image.LOCK)["grpcio"]
    assert TRIED[0] <= tuple(map(int, version.split(".")[:2])) <= TRIED[1]
