"""Abilities of a machine, told from facts; the protections, tried for real; and the runtime that bots would have."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from ladder.app import doctor
from ladder.app.doctor import (
    SHARED_KERNEL,
    compilers,
    machine,
    missing_at_once,
    no_engine,
    shared_kernel,
    with_runtime,
)
from ladder.app.protections import Probed, _ended_for_memory, protections, stands
from ladder.cli.organise.doctor import say_what_is_missing
from ladder.errors import SandboxError
from ladder.sandbox.base import Exit
from ladder.sandbox.bots.languages import LANGUAGES
from ladder.sandbox.docker.container_instance import KILLED_FROM_OUTSIDE
from ladder.sandbox.docker.gvisor import gvisor_version
from ladder.settings.settings import load_settings
from ladder.values.reports import Finding
from pigpen.wire import blocking_stream
from tests.e2e.command import pigpen

WITH: dict[str, Any] = {"runc": {}, "runsc": {}}
WITHOUT: dict[str, Any] = {"runc": {}}


@pytest.mark.parametrize(
    ("given", "engine", "runtime", "apart"),
    [
        ({}, WITH, "runsc", False),
        ({}, WITHOUT, "runc", True),
        ({"runtime": "runc"}, WITH, "runc", True),
        ({"runtime": "kata-fc"}, WITHOUT, "kata-fc", False),
        ({"sandbox": "process"}, WITH, "auto", False),
    ],
)
def test_a_run_plays_in_gvisor_where_the_settings_allow_it_and_the_engine_knows_it(
    given: dict[str, Any], engine: dict[str, Any], runtime: str, apart: bool,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(doctor, "engine_facts", lambda: {"Runtimes": engine})
    settings = with_runtime(load_settings(data_dir=tmp_path, **given))
    assert (settings.runtime, settings.owners_apart) == (runtime, apart)


@pytest.mark.parametrize(
    ("ready", "can_make", "holds", "found"),
    [
        ({"go", "rust"}, True, True, "images ready: Go, Rust; made when a bot needs them: C++, JavaScript, Java, C#"),
        ({*LANGUAGES} - {"java"}, False, False, "images ready: Go, C++, JavaScript, Rust, C#; missing: Java"),
        ({*LANGUAGES}, False, True, "images ready: Go, C++, JavaScript, Rust, Java, C#"),
        (set(), False, False, "missing: Go, C++, JavaScript, Rust, Java, C#"),
    ],
)
def test_languages_in_which_bots_can_be_compiled_are_named(
    ready: set[str], can_make: bool, holds: bool, found: str
) -> None:
    finding = compilers(ready, can_make)
    assert (finding.holds, finding.found, finding.is_protection) == (holds, found, False)
    assert "setting languages" in finding.follows


@pytest.mark.parametrize(("languages", "holds"), [((), True), (("go",), True), (("go", "java"), False)])
def test_languages_that_the_ladder_does_not_take_are_not_missing(languages: tuple[str, ...], holds: bool) -> None:
    finding = compilers({"go"}, False, languages)
    assert (finding.holds, "Rust" in finding.found) == (holds, False)


def test_doctor_asks_for_the_languages_of_the_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[object] = []

    async def probe(*_: object) -> Probed:
        return probed()

    def note(languages: list[str]) -> Finding:
        asked.append(languages)
        return compilers({*LANGUAGES}, True, languages)

    monkeypatch.setattr(doctor, "engine_facts", lambda: ENGINE)
    monkeypatch.setattr(doctor, "probe", probe)
    monkeypatch.setattr(doctor, "_compilers", note)
    monkeypatch.setattr("ladder.app.speed.speed_finding", lambda *_: Finding("Speed", True, "quick"))
    for setting in ("go rust", ""):
        (tmp_path / "pigpen.toml").write_text(f"languages = '{setting}'\n")
        pigpen("doctor", "--json", folder=tmp_path)
    assert asked == [["go", "rust"], []]


def test_as_long_as_no_engine_answers_nothing_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> dict[str, Any]:
        raise SandboxError("No Docker engine answers.")

    monkeypatch.setattr(doctor, "engine_facts", none)
    settings = with_runtime(load_settings(data_dir=tmp_path))
    assert (settings.runtime, settings.owners_apart) == ("auto", True)


ENGINE: dict[str, Any] = {
    "ServerVersion": "20.10.24",
    "Driver": "overlay2",
    "OSType": "linux",
    "Architecture": "x86_64",
    "CgroupVersion": "2",
    "CgroupDriver": "systemd",
    "SecurityOptions": ["name=seccomp,profile=default"],
    "Runtimes": {"runc": {}, "runsc": {}},
    "DockerRootDir": "/",
}
PROBED: dict[str, Any] = {"calls": {"flock": "EPERM", "network": "EAFNOSUPPORT"}, "host": [], "others": []}


def probed(
    image_files: str = "locked",
    *,
    has_clock: bool = True,
    can_hold: bool = True,
    tells_memory: bool = True,
    runtime: str = "runc",
    **facts: Any,
) -> Probed:
    follows = shared_kernel("auto", ["runc"])
    return Probed(PROBED | {"grpc": None} | facts, image_files, has_clock, can_hold, tells_memory, runtime, follows)


def missing(findings: list[Finding]) -> list[str]:
    return [finding.name for finding in findings if not finding.holds]


def test_where_everything_was_refused_all_protections_work() -> None:
    found = protections(probed(runtime="runsc"), reclaims=True)
    assert missing(found) == []
    assert stands(found)
    assert all(finding.is_protection for finding in found)


@pytest.mark.parametrize(
    ("what", "name", "found"),
    [
        (probed(calls={"flock": "done", "network": "EAFNOSUPPORT"}), "System calls", "flock was allowed"),
        (probed(calls={"flock": "EPERM", "network": "done"}, runtime="runsc"), "System calls", "network was allowed"),
        (probed(host=["/proc/meminfo", "/sys"]), "/proc and /sys", "/proc/meminfo, /sys can be read"),
        (probed(others=["/proc/self/smaps"]), "Landlock", "/proc/self/smaps can be read"),
        (probed("read"), "Files of images", "only read before a table"),
        (probed(has_clock=False), "Clocks", "count wall time"),
        (probed(can_hold=False), "Holding still", "no bot can be frozen"),
        (probed(tells_memory=False), "Lack of memory", "taken for another cause"),
    ],
)
def test_each_protection_that_fails_is_named_with_what_follows(what: Probed, name: str, found: str) -> None:
    findings = protections(what, reclaims=True)
    (fallen,) = [finding for finding in findings if not finding.holds and finding.name != "Kernel"]
    assert (fallen.name, fallen.found, bool(fallen.follows)) == (name, found, True)
    assert not stands(findings)


@pytest.mark.parametrize(("end", "is_reported"), [(Exit(137, oom=True), True), (Exit(137), False), (None, False)])
def test_a_lack_of_memory_is_known_by_the_word_of_the_engine(end: Exit | None, is_reported: bool) -> None:
    class Ended:
        async def wait(self) -> Exit:
            if end is None:
                raise SandboxError(KILLED_FROM_OUTSIDE)
            return end

    assert asyncio.run(_ended_for_memory(cast("Any", Ended()))) is is_reported


def test_a_kernel_of_its_own_tells_a_bot_nothing_of_others() -> None:
    calls = {"flock": "done", "network": "ENETUNREACH"}
    what = probed("isolated", calls=calls, host=["/proc/stat"], others=["/proc/self/smaps"], runtime="runsc")
    assert missing(protections(what, reclaims=False)) == []


def test_names_that_are_not_forgotten_are_a_protection_that_fails() -> None:
    assert missing(protections(probed(), reclaims=False)) == ["Kernel", "Names looked up"]


def test_one_kernel_for_all_is_a_protection_that_fails() -> None:
    (kernel,) = [finding for finding in protections(probed(), reclaims=True) if not finding.holds]
    assert (kernel.name, kernel.found.endswith("(runc)")) == ("Kernel", True)
    assert SHARED_KERNEL in kernel.follows
    assert "scripts/runsc" in kernel.follows


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"SecurityOptions": []}, "seccomp"),
        ({"SecurityOptions": None}, "seccomp"),
        ({"Runtimes": {"runc": {}}}, "gVisor"),
        ({"Runtimes": {"runsc": {"path": "/usr/bin/runsc", "runtimeArgs": ["--network=none"]}}}, "gVisor"),
        ({"Architecture": "riscv64"}, "Docker engine"),
    ],
)
def test_what_an_engine_lacks_is_named(change: dict[str, Any], name: str) -> None:
    before, after = missing(machine(ENGINE)), missing(machine(ENGINE | change))
    assert sorted(after) == sorted([*before, name])


@pytest.mark.parametrize("reason", [None, "grpcio 1.99.0 has no switch for it"])
def test_doctor_says_where_grpc_takes_more_than_it_must(monkeypatch: pytest.MonkeyPatch, reason: str | None) -> None:
    """Here and in containers: the two need not have the same version of it."""

    async def probe(*_: object) -> Probed:
        return probed(grpc=reason)

    monkeypatch.setattr(doctor, "engine_facts", lambda: ENGINE)
    monkeypatch.setattr(doctor, "probe", probe)
    monkeypatch.setattr(doctor, "_compilers", lambda languages: compilers({*LANGUAGES}, True, languages))
    monkeypatch.setattr(blocking_stream, "WHY_SLOW", reason)
    for found in (doctor.examine("auto", print).findings, no_engine(SandboxError("none"))):
        grpc = [finding for finding in found if finding.name.startswith("gRPC")]
        assert {(finding.holds, finding.found) for finding in grpc} == {(not reason, reason or "runs on one thread")}


def test_a_check_says_in_one_line_that_grpc_takes_more_than_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("check", "random", "--rules", "hearts-short", "--case", "follow suit", "--sandbox", "process")
    quiet = pigpen(*command)
    monkeypatch.setattr(blocking_stream, "WHY_SLOW", "grpcio 1.99.0 has no switch for it")
    (line,) = {*pigpen(*command).stderr.splitlines()} - {*quiet.stderr.splitlines()}
    assert "grpcio 1.99.0 has no switch" in line


def test_without_root_a_run_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr(doctor, "overrides_modes", lambda: False)
    assert "User" in missing(missing_at_once(ENGINE))
    monkeypatch.setattr(doctor, "overrides_modes", lambda: True)  # as the units of systemd have it
    assert "User" not in missing(missing_at_once(ENGINE))


def test_a_temporary_folder_that_others_can_take_away_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tmp_path.chmod(0o777)
    assert "TMPDIR" in missing(missing_at_once(ENGINE))
    tmp_path.chmod(0o1777)
    assert "TMPDIR" not in missing(missing_at_once(ENGINE))


RUNSC = """#!/bin/sh
[ "$1" = --version ] && printf 'runsc version 0.0~20991231.0\\nspec: 1.0.2-dev\\n' && exit
printf '  -platform string\\n\\tspecifies which to use: %s (default). (default "%s")\\n' a systrap >&2
"""


@pytest.mark.parametrize(
    ("program", "arguments", "words"),
    [
        (RUNSC, [], "0.0~20991231.0, platform systrap"),
        (RUNSC, ["--host-uds=open", "--platform=kvm"], "0.0~20991231.0, platform kvm"),
        ("#!/bin/sh\necho nothing\n", [], None),
        ("#!/bin/sh\nexit 3\n", [], None),
        ("", [], None),
    ],
)
def test_the_release_and_the_platform_of_gvisor_are_named(
    program: str, arguments: list[str], words: str | None, tmp_path: Path
) -> None:
    runsc = tmp_path / "runsc"
    runsc.write_text(program)
    runsc.chmod(0o755)
    assert gvisor_version(str(runsc), arguments) == words
    assert gvisor_version(None, arguments) is gvisor_version(str(tmp_path / "none"), arguments) is None


def test_no_engine_is_a_protection_that_fails() -> None:
    found = no_engine(SandboxError("No Docker engine answers. Start one."))
    assert not stands(found)
    assert found[0].follows.startswith("No Docker engine")


def test_the_command_says_what_to_do_where_no_engine_answers() -> None:
    done = pigpen("doctor", DOCKER_HOST="unix:///nowhere/docker.sock")
    assert done.returncode == 1
    assert "✗ Docker engine" in done.stdout
    assert "scripts/engine" in done.stdout
    assert done.stdout.endswith("Missing here: Docker engine.\n")


@pytest.mark.docker
def test_the_protections_are_tried_in_a_container() -> None:
    done = pigpen("doctor", "--json")
    found = json.loads(done.stdout)
    grpc = {finding["name"]: finding["holds"] for finding in found["findings"] if "gRPC" in finding["name"]}
    assert grpc == {"gRPC here": True, "gRPC in containers": True}
    (speed,) = [finding for finding in found["findings"] if finding["name"] == "Speed"]
    assert speed["holds"], speed
    assert "deals an hour" in speed["found"]
    names = [finding["name"] for finding in found["findings"] if finding["is_protection"]]
    assert names == [finding.name for finding in protections(probed(), reclaims=True)]
    fallen = {finding["name"] for finding in found["findings"] if finding["is_protection"] and not finding["holds"]}
    assert fallen.isdisjoint({"System calls", "/proc and /sys", "Lack of memory"})
    assert found["stands"] is (fallen == set())
    assert done.returncode == (1 if fallen else 0)
    if os.geteuid() == 0:
        assert fallen.isdisjoint({"Clocks", "Holding still", "Names looked up"})


def test_a_run_says_in_one_line_which_protections_are_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(doctor, "engine_facts", lambda: ENGINE | {"SecurityOptions": []})
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr(doctor, "overrides_modes", lambda: False)
    say_what_is_missing(load_settings(data_dir=tmp_path))
    printed = capsys.readouterr().err
    assert "seccomp: the engine" in printed
    assert "User: number 1000, not root" in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize(
    ("runtime", "runtimes", "asks", "installs"),
    [
        ("auto", {"runc": {}}, False, True),
        ("runc", {"runc": {}, "runsc": {}}, True, False),
        ("runc", {"runc": {}}, True, True),
    ],
)
def test_a_run_says_that_all_bots_share_a_kernel_and_what_changes_it(
    runtime: str,
    runtimes: dict[str, Any],
    asks: bool,
    installs: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(doctor, "engine_facts", lambda: ENGINE | {"Runtimes": runtimes})
    say_what_is_missing(load_settings(data_dir=tmp_path, runtime=runtime))
    printed = capsys.readouterr().err
    assert "bot. (Runtime runc.)" in printed
    assert ("PIGPEN_RUNTIME) asks for runc" in printed) is asks
    assert ('runtime = "auto"' in printed) is asks
    assert ("scripts/runsc" in printed) is installs


@pytest.mark.parametrize(
    ("options", "asked_by"),
    [((), "The setting runtime"), (("--runtime", "runc"), "The option --runtime asks for runc")],
)
def test_doctor_says_what_asks_for_a_shared_kernel(
    options: tuple[str, ...], asked_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def probe(runtime: str, report: object, locked_bytes: int, shared: str) -> Probed:
        return replace(probed(runtime=runtime), shared_kernel=shared)

    monkeypatch.setattr(doctor, "engine_facts", lambda: ENGINE)
    monkeypatch.setattr(doctor, "probe", probe)
    monkeypatch.setattr(doctor, "_compilers", lambda languages: compilers({*LANGUAGES}, True, languages))
    monkeypatch.setenv("PIGPEN_RUNTIME", "runc")
    done = pigpen("doctor", "--json", *options)
    (kernel,) = [finding for finding in json.loads(done.stdout)["findings"] if finding["name"] == "Kernel"]
    assert asked_by in kernel["follows"]
    assert "scripts/runsc" not in kernel["follows"]
