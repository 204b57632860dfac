"""The services that docs/deploy.md shows: systemd takes them, and what they start is there."""

from __future__ import annotations

import configparser
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ladder.settings.settings import PREFIX, Settings
from tests.e2e.command import pigpen

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs" / "deploy.md").read_text()
UNITS = dict(re.findall(r"`/etc/systemd/system/([\w-]+\.service)`:\n\n```ini\n(.*?)```", TEXT, re.DOTALL))
PIGPEN = Path(sys.executable).parent / "pigpen"
HARDENED = {
    "LockPersonality", "NoNewPrivileges", "ProtectClock", "ProtectHome", "ProtectHostname", "ProtectKernelLogs",
    "ProtectKernelModules", "RestrictAddressFamilies", "RestrictRealtime", "RestrictSUIDSGID",
    "SystemCallArchitectures",
}  # fmt: skip
"""Both have at least these."""


def service(unit: str) -> configparser.SectionProxy:
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(UNITS[unit])
    return parser["Service"]


def test_there_are_two() -> None:
    assert set(UNITS) == {"pigpen.service", "pigpen-site.service"}


@pytest.mark.parametrize("unit", UNITS)
def test_each_starts_a_command_that_there_is(unit: str) -> None:
    program, *words = shlex.split(service(unit)["ExecStart"])
    assert program == "/opt/pigpen/bin/pigpen"
    assert "/opt/pigpen/bin/pip install" in TEXT
    assert pigpen(*words, "--help").returncode == 0


@pytest.mark.parametrize("unit", UNITS)
def test_each_gives_settings_that_there_are(unit: str) -> None:
    names = [pair.partition("=")[0] for pair in shlex.split(service(unit)["Environment"])]
    assert {name.removeprefix(PREFIX).lower() for name in names if name.startswith(PREFIX)} <= set(
        Settings.model_fields
    )


@pytest.mark.parametrize("unit", UNITS)
def test_each_is_hardened(unit: str) -> None:
    assert set(service(unit)) >= HARDENED


@pytest.mark.systemd
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_takes_each(unit: str, tmp_path: Path) -> None:
    others = "Requires=docker.service", "After=network-online.target docker.service"
    text = UNITS[unit].replace("/opt/pigpen/bin/pigpen", str(PIGPEN)).replace(others[0], "").replace(others[1], "")
    (tmp_path / unit).write_text(text)
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / unit], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
