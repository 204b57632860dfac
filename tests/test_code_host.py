"""Files that the code host reads: workflows, forms, owners. It cannot run here, so schemas and names are checked."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.typed import typed

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
RELEASABLE = ROOT / "scripts" / "releasable"


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
        words = line.split()
        if words[0] == "make":
            assert words[1] in TARGETS, line
        elif words[0] not in ("python3", "pigpen"):
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


def releasable(folder: Path, tag: str, *, changelog: str, address: str, owner: str) -> tuple[int, list[str]]:
    """Ask the script about a folder that has such a version 1.2.3."""
    for name in (".", "sdk"):
        (folder / name).mkdir(exist_ok=True)
        about = f'[project]\nversion = "1.2.3"\nurls = {{ Source = "{address}" }}\n'
        (folder / name / "pyproject.toml").write_text(about)
    for name in (".github", "scripts"):
        (folder / name).mkdir()
    (folder / ".github" / "CODEOWNERS").write_text(f"* {owner}\n")
    (folder / "CHANGELOG.md").write_text(changelog)
    script = folder / "scripts" / "releasable"
    script.write_text(RELEASABLE.read_text("utf-8"))
    done = subprocess.run([sys.executable, script, tag], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def test_a_release_without_placeholders_passes(tmp_path: Path) -> None:
    changelog = "# Changelog\n\n## 1.2.3 (2027-01-01)\n"
    done = releasable(tmp_path, "v1.2.3", changelog=changelog, address="https://pigpen.test", owner="@pigs/keepers")
    assert done == (0, [])


def test_a_release_with_placeholders_or_of_another_version_is_refused(tmp_path: Path) -> None:
    status, lines = releasable(
        tmp_path, "v1.2.4", changelog="## 1.2.3\n", address="https://pigpen.example", owner="@pigpen-arena/maintainers"
    )
    assert status == 1
    assert [line.split(" has ")[0] for line in lines] == [
        "pyproject.toml",
        "sdk/pyproject.toml",
        "CHANGELOG.md",
        "pyproject.toml",
        "sdk/pyproject.toml",
        ".github/CODEOWNERS",
    ]
