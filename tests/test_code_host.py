"""Files that the code host reads: workflows, forms, owners. It cannot run here, so schemas and names are checked."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.typed import typed
from tests.waiting import until

ROOT = Path(__file__).parent.parent
HOST = ROOT / ".github"
WORKFLOWS = sorted(HOST.glob("workflows/*.yml"))
FORMS = [file for file in sorted(HOST.glob("ISSUE_TEMPLATE/*.yml")) if file.name != "config.yml"]
SCHEMAS = {
    "github-workflows": WORKFLOWS,
    "github-issue-forms": FORMS,
    "github-issue-config": [HOST / "ISSUE_TEMPLATE" / "config.yml"],
}
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))
PRE_COMMIT = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
HOOKS = [hook for repo in PRE_COMMIT["repos"] for hook in repo["hooks"]]
VERSION = re.compile(r"v\d+(\.\d+\.\d+)?")
WRITES = {"release.yml": {"publish": {"contents": "read", "id-token": "write", "attestations": "write"}}}
"""The jobs that may do more than read, and what."""
POSTGRESQL_TEST = "tests/ladder/store/test_postgres.py"
ENGINE_TESTS = {
    f"tests/ladder/sandbox/docker/test_image_grpc.py::test_{name}"
    for name in ("grpc_runs_on_one_thread_in_the_image", "grpc_is_set_so_in_gvisor_too")
}
RELEASABLE, RAN = ROOT / "scripts" / "releasable", ROOT / "scripts" / "ran"


def read(workflow: Path) -> dict[str, Any]:
    found = yaml.safe_load(workflow.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def steps(workflow: Path) -> list[dict[str, Any]]:
    """All steps of a workflow, and its jobs that are other workflows."""
    jobs = read(workflow)["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [job])]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_files_fit_the_schemas_of_the_code_host(schema: str) -> None:
    assert SCHEMAS[schema]
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run([*command, *map(str, SCHEMAS[schema])], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_may_only_read_unless_it_is_named_here(workflow: Path) -> None:
    assert read(workflow)["permissions"] == {"contents": "read"}
    jobs = read(workflow)["jobs"].items()
    more = {name: job["permissions"] for name, job in jobs if "permissions" in job}
    assert more == WRITES.get(workflow.name, {})


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
def test_what_a_workflow_uses_has_a_version_or_is_here(workflow: Path) -> None:
    for used in (step["uses"] for step in steps(workflow) if "uses" in step):
        action, _, version = used.partition("@")
        assert (ROOT / action).is_file() if used.startswith("./") else VERSION.fullmatch(version), used


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
def test_what_a_workflow_runs_is_here(workflow: Path) -> None:
    for line in (line for step in steps(workflow) for line in step.get("run", "").splitlines()):
        words = line.removeprefix("sudo ").split()
        if words[0] == "make":
            assert words[1] in TARGETS, line
        elif words[0] not in ("python3", "pigpen", "apt-get"):
            assert (ROOT / words[0]).is_file(), line
        for word in words[1:]:
            assert not word.startswith("sdk/") or (ROOT / word).exists(), line


def test_the_commands_of_laptops_work(tmp_path: Path) -> None:
    job = read(HOST / "workflows" / "laptops.yml")["jobs"]["laptops"]
    commands = [step["run"].split()[1:] for step in job["steps"] if step.get("run", "").startswith("pigpen ")]
    assert len(commands) >= 6
    for words in commands:
        done = typed(*words, folder=tmp_path)
        assert done.code == 0, done


def test_each_python_that_is_promised_is_tested() -> None:
    tested = read(HOST / "workflows" / "test.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    for folder in (ROOT, ROOT / "sdk"):
        about = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
        prefix = "Programming Language :: Python :: "
        versions = [each.removeprefix(prefix) for each in about["classifiers"] if each.startswith(f"{prefix}3.")]
        assert versions == tested
        assert about["requires-python"] == f">={tested[0]}"


def test_ci_runs_what_the_workflow_runs() -> None:
    run = [step["run"].partition(" PYTHON=")[0] for step in steps(HOST / "workflows" / "test.yml") if "run" in step]
    assert run == [line for line in (ROOT / ".ci" / "run").read_text("utf-8").splitlines() if line.startswith("make ")]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_the_program_of_a_hook_before_commits_is_here(hook: dict[str, Any]) -> None:
    assert hook["language"] == "system"
    program = hook["entry"].split()[0]
    folder = Path(sys.executable).parent if program.startswith(".venv/bin/") else ROOT / "scripts"
    assert (folder / Path(program).name).is_file(), program


def test_each_line_of_owners_names_files_that_are_here() -> None:
    lines = [line.split() for line in (HOST / "CODEOWNERS").read_text("utf-8").splitlines() if not line.startswith("#")]
    assert lines
    for pattern, *owners in lines:
        assert any(ROOT.glob(pattern.lstrip("/"))), pattern
        assert owners
        assert all(owner.startswith("@") for owner in owners)


SUITES = re.findall(r'"([a-z-]+)"', re.findall(r"^SUITES = \((.*)\)$", RAN.read_text("utf-8"), flags=re.MULTILINE)[0])


def git(folder: Path, *words: str) -> str:
    """Run git with a name for its commits."""
    command = ["git", "-C", str(folder), "-c", "user.name=ada", "-c", "user.email=ada@pigpen.test", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def ran(folder: Path, *words: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, str(folder / "scripts" / "ran"), *words], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.splitlines()


def releasable(folder: Path, *words: str) -> tuple[int, list[str]]:
    command = [sys.executable, str(folder / "scripts" / "releasable"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def checkout(folder: Path, *, changelog: str, address: str, owner: str, schemas: str, kept: str) -> Path:
    """Make a checkout with a version 1.2.3 in which nothing has run."""
    store, tests = folder / "ladder" / "store", folder / "tests" / "ladder" / "store" / "released"
    for each in (folder / "sdk", folder / ".github", folder / "scripts", store / "migrations" / "versions", tests):
        each.mkdir(parents=True)
    for name in (".", "sdk"):
        about = f'[project]\nversion = "1.2.3"\nurls = {{ Source = "{address}" }}\n'
        (folder / name / "pyproject.toml").write_text(about)
    (folder / ".github" / "CODEOWNERS").write_text(f"* {owner}\n")
    (folder / "CHANGELOG.md").write_text(changelog)
    (folder / ".gitignore").write_text("build/\n")
    (store / "schema.py").write_text(f"REVISIONS = ({schemas})\nREVISION = REVISIONS[-1]\n")
    (store / "migrations" / "versions" / f"m{kept}_what.py").touch()
    for content in ("empty", "small"):
        for database in ("sqlite", "postgresql"):
            (tests / f"{kept}.{content}.{database}.sql.gz").touch()
    for script in (RELEASABLE, RAN):
        shutil.copy(script, folder / "scripts")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "All")
    return folder


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A checkout that lacks nothing but its suites."""
    return checkout(
        tmp_path / "whole", changelog="# Changelog\n\n## 1.2.3 (2027-01-01)\n", address="https://pigpen.test",
        owner="@pigs/keepers", schemas='"0000_01234567", "0001_89abcdef"', kept="0001_89abcdef",
    )  # fmt: skip


def test_a_release_without_placeholders_whose_suites_have_passed_is_not_refused(whole: Path) -> None:
    assert releasable(whole, "v1.2.3", "--before-the-suites") == (0, [])
    for number, suite in enumerate(SUITES):
        status, lines = releasable(whole, "v1.2.3")
        assert (status, [line.split()[1] for line in lines]) == (1, SUITES[number:])
        assert ran(whole, suite, "true") == (0, [])
    assert releasable(whole, "v1.2.3") == (0, [])


def test_a_release_with_placeholders_or_of_another_version_is_refused(tmp_path: Path) -> None:
    folder = checkout(
        tmp_path / "odd", changelog="## 1.2.3\n", address="https://pigpen.example", owner="@pigpen-arena/maintainers",
        schemas='"0000_01234567",', kept="0000_76543210",
    )  # fmt: skip
    status, lines = releasable(folder, "v1.2.4", "--before-the-suites")
    assert status == 1
    assert [line.split(" has ")[0] for line in lines[:-1]] == [
        "pyproject.toml",
        "sdk/pyproject.toml",
        "CHANGELOG.md",
        "pyproject.toml",
        "sdk/pyproject.toml",
        ".github/CODEOWNERS",
    ]
    assert "0000_01234567" in lines[-1]


@pytest.mark.parametrize(
    "name",
    [
        "ladder/store/migrations/versions/m0001_89abcdef_what.py",
        "tests/ladder/store/released/0001_89abcdef.empty.sqlite.sql.gz",
        "tests/ladder/store/released/0001_89abcdef.small.postgresql.sql.gz",
    ],
)
def test_a_release_whose_database_is_not_kept_is_refused(whole: Path, name: str) -> None:
    (whole / name).unlink()
    status, (line,) = releasable(whole, "v1.2.3", "--before-the-suites")
    assert status == 1
    assert "0001_89abcdef" in line


def test_a_suite_that_failed_or_ran_on_other_files_or_left_tests_out_has_not_passed(whole: Path) -> None:
    for suite in SUITES:
        assert ran(whole, suite, "true") == (0, [])
    assert ran(whole) == (0, [])
    note = 'import os, pathlib; pathlib.Path(os.environ["SUITE_LEFT_OUT"]).write_text(\'["No engine."]\')'
    for suite, code, *words in (
        ("test", 3, "sh", "-c", "exit 3"),
        ("test-long", 0, sys.executable, "-c", note),
        ("bench", 0, "sh", "-c", f"echo >{whole}/CHANGELOG.md"),
        ("test-postgres", 0, "git", "-C", str(whole), "checkout", "--quiet", "CHANGELOG.md"),
    ):
        assert ran(whole, suite, *words)[0] == code
    status, lines = ran(whole)
    assert status == 1
    assert [line.split()[1] for line in lines] == ["test", "test-long", "test-postgres", "bench"]
    assert lines[1].endswith("No engine.")
    assert ran(whole, "test-long", "true") == (0, [])
    assert "test-long" not in [line.split()[1] for line in ran(whole)[1]]
    git(whole, "commit", "--quiet", "--allow-empty", "--message", "Another one")
    assert [line.split()[1] for line in ran(whole)[1]] == SUITES
    (whole / "new.py").touch()
    (line,) = ran(whole)[1]
    assert "git status" in line
    shutil.rmtree(whole / ".git")
    assert ran(whole, "test", "true") == (0, [])
    assert ran(whole)[0] == 1


WAITING = """
import pathlib, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(4))
pathlib.Path(sys.argv[1]).touch()
signal.pause()
"""


def test_a_suite_that_is_ended_has_its_time_to_clear_up(whole: Path, tmp_path: Path) -> None:
    """SIGTERM is handed on; of Ctrl-C, which reaches both, the suite makes what it will."""
    waits = tmp_path / "waits"
    command = [sys.executable, str(whole / "scripts" / "ran"), "test", sys.executable, "-c", WAITING, str(waits)]
    with subprocess.Popen(command) as process:
        until(waits.exists)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 4
    assert not (whole / "build" / "ran" / "test").exists()


WITHOUT_POSTGRESQL = """
from tests.ladder import postgres

postgres.programs = lambda: None
"""


def run_without(tmp_path: Path, *words: str, **environment: str) -> tuple[str, str]:
    """Run tests that are left out; the only reason that is noted, and what the run prints."""
    file = tmp_path / "left-out"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:cacheprovider", *words],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "SUITE_LEFT_OUT": str(file), **environment},
    )  # fmt: skip
    (reason,) = json.loads(file.read_text())
    return reason, done.stdout


def test_a_run_of_tests_notes_why_it_has_left_some_out(tmp_path: Path) -> None:
    (tmp_path / "without_postgresql.py").write_text(WITHOUT_POSTGRESQL)
    path = f"{tmp_path}:{ROOT}"
    reason, printed = run_without(tmp_path, "-p", "without_postgresql", POSTGRESQL_TEST, PYTHONPATH=path)
    assert "PostgreSQL" in reason
    assert reason in printed


def test_each_test_that_is_left_out_is_named_also_where_two_kinds_have_one_reason(tmp_path: Path) -> None:
    _, printed = run_without(tmp_path, *ENGINE_TESTS, DOCKER_HOST=f"unix://{tmp_path}/none")
    assert {line.strip() for line in printed.splitlines() if "::" in line} == ENGINE_TESTS


def test_each_suite_of_a_release_is_a_target_that_notes_it() -> None:
    recipes = re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
    assert [name for name, recipe in recipes if "$(RAN) " in recipe] == sorted(SUITES, key=[*dict(recipes)].index)


def test_nothing_is_published_before_the_suites_have_passed_on_the_code_host() -> None:
    jobs = read(HOST / "workflows" / "release.yml")["jobs"]
    lines = [step["run"] for step in jobs["suites"]["steps"] if "run" in step]
    assert [line for line in lines if "make" in line] == [f"sudo make {suite}" for suite in SUITES]
    assert lines[-1] == 'scripts/releasable "$GITHUB_REF_NAME"'
    assert "suites" in jobs["publish"]["needs"]
