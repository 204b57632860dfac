"""The units that `pigpen ladder units` writes: systemd takes them, and what they start is there."""

from __future__ import annotations

import configparser
import re
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from ladder.app.hosting.units import (
    ALL,
    APART,
    DATA,
    FREEZES,
    TEMPORARY,
    UNITS,
    USER,
    is_hidden,
    own_program,
    write_units,
)
from ladder.sandbox.host.scratch import check_socket_paths
from ladder.settings.settings import PREFIX, Settings
from tests.e2e.command import PIGPEN, ROOT, pigpen

if TYPE_CHECKING:
    from pathlib import Path

DOCKER_UNIT = "[Unit]\nDescription=Docker\n[Service]\nExecStart=/bin/true\n"
PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")


def service(unit: str) -> configparser.SectionProxy:
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(UNITS[unit].text("/opt/pigpen/bin/pigpen"))
    return parser["Service"]


@pytest.mark.parametrize("unit", UNITS)
def test_each_starts_a_command_that_there_is(unit: str) -> None:
    program, *words = shlex.split(service(unit)["ExecStart"])
    assert program == "/opt/pigpen/bin/pigpen"
    assert pigpen(*words, "--help").returncode == 0


@pytest.mark.parametrize("unit", UNITS)
def test_each_gives_settings_that_there_are(unit: str) -> None:
    variables = dict(pair.split("=", 1) for pair in shlex.split(service(unit)["Environment"]))
    names = {name.removeprefix(PREFIX).lower() for name in variables if name.startswith(PREFIX)}
    assert names <= set(Settings.model_fields)
    assert variables["PIGPEN_DATA_DIR"] == DATA


@pytest.mark.parametrize("unit", UNITS)
def test_all_see_one_folder_of_sockets_that_is_made_for_them(unit: str) -> None:
    """The site connects to the sockets of tables, which it does not see in a private /tmp."""
    assert f" TMPDIR={TEMPORARY} " in service(unit)["Environment"]
    made = [f"/var/lib/{name}" for name in service(unit)["StateDirectory"].split()]
    assert made == [DATA, TEMPORARY]
    check_socket_paths(TEMPORARY)


@pytest.mark.parametrize("unit", UNITS)
def test_each_is_hardened(unit: str) -> None:
    assert set(service(unit)) >= set(ALL)


def test_the_parts_share_a_user_and_only_those_that_start_bots_have_the_socket_and_a_capability_of_roots() -> None:
    assert {service(unit)["User"] for unit in APART} == {USER}
    with_bots = {unit for unit in UNITS if "docker.service" in UNITS[unit].text("")}
    assert with_bots == {"pigpen.service", "pigpen-run.service", "pigpen-tables.service"}
    for unit in APART:
        assert ("SupplementaryGroups" in service(unit)) is (unit in with_bots)
        assert (service(unit).get("AmbientCapabilities") == FREEZES["AmbientCapabilities"]) is (unit in with_bots)


def test_the_unit_for_all_and_the_others_exclude_each_other() -> None:
    (line,) = (line for line in UNITS["pigpen.service"].text("").splitlines() if line.startswith("Conflicts="))
    assert line.removeprefix("Conflicts=").split() == [*APART]


def test_the_command_writes_all_of_them_once_and_they_start_the_pigpen_that_wrote_them(tmp_path: Path) -> None:
    done = pigpen("ladder", "units", "units", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [f"units/{name}" for name in UNITS]
    assert {path.name: path.read_text() for path in (tmp_path / "units").iterdir()} == {
        name: unit.text(str(PIGPEN)) for name, unit in UNITS.items()
    }
    again = pigpen("ladder", "units", "units", folder=tmp_path)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "'units/pigpen.service' is there already." in again.stderr


def test_a_pigpen_in_a_home_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in ("/home/ada/env/bin/python", "/root/env/bin/python"):
        monkeypatch.setattr("sys.executable", program)
        assert is_hidden(own_program())
    done = pigpen("ladder", "units", folder=tmp_path)
    assert "/root/env/bin/pigpen" in done.stderr
    monkeypatch.setattr("sys.executable", "/opt/pigpen/bin/python")
    assert not is_hidden(own_program())


@pytest.mark.systemd
def test_systemd_takes_them(tmp_path: Path) -> None:
    paths = write_units(tmp_path, PIGPEN)
    (tmp_path / "docker.service").write_text(DOCKER_UNIT)
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *paths], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_page_names_each_unit_and_no_page_has_another_form() -> None:
    assert set(re.findall(r"`(pigpen[\w-]*\.service)`", PAGE)) == {*UNITS}
    others = [path.name for path in (ROOT / "docs").glob("*.md") if "[Service]" in path.read_text(encoding="utf-8")]
    assert others == ["cluster.md"]
