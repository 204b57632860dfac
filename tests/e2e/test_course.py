"""
A course of forty students, as docs/course.md has it typed: each command of the page, in its order.

Between the commands the students do their part: they open their links, some submit bots, most submit nothing.
"""

from __future__ import annotations

import csv
import io
import re
import shlex
import tarfile
from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from tests.e2e.command import ROOT, pigpen
from tests.ladder.site.person import PASSWORD, Person, quick_passwords

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs" / "course.md").read_text(encoding="utf-8")
CODE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
BLOCKS = CODE.findall(PAGE)
SETTINGS, LIST = (next(text for language, text in BLOCKS if language == wanted) for wanted in ("toml", ""))
COMMANDS = tuple(
    line.partition(" #")[0].strip() for language, text in BLOCKS if language == "sh" for line in text.splitlines()
)
INVITED = "pigpen account invite --from course.csv > links.csv"
STANDINGS = "pigpen standings --variant gongzhu --group course-a"
DEADLINE = "pigpen ladder deadline set 2026-12-18T18:00+01:00"
SETTLED = "pigpen ladder run --until-ci 15"
MAX_COMMANDS = 14
STUDENTS = 40
BOTS = {"ada": "counting", "bob": "cautious", "student-03": "random", "student-04": "random"}
"""The students who submit a bot, and the sample bots that they take; all others submit nothing."""
LATE = "student-05"
QUICK = {
    "PIGPEN_BOARDS": "1", "PIGPEN_PREFLIGHT_DEALS": "1", "PIGPEN_WORKERS": "1", "PIGPEN_CONCURRENCY": "1",
    "PIGPEN_CLOCK": "600+1", "PIGPEN_LIMIT": "60",
}  # fmt: skip
PATIENCE = 900


class Course:
    """The organiser's folder, and the site at which the students are."""

    def __init__(self, folder: Path, sandbox: str) -> None:
        self.folder = folder
        self.sandbox = sandbox
        self.variables = {"PIGPEN_DATA_DIR": str(folder / "ladder"), "PIGPEN_SANDBOX": sandbox, **QUICK}
        (folder / "pigpen.toml").write_text(SETTINGS)
        lines = [f'student-{number:02},"No. {number}",course-a' for number in range(3, 1 + STUDENTS)]
        (folder / "course.csv").write_text(LIST + "\n".join(lines) + "\n")
        self.people: dict[str, Person] = {}

    def type(self, command: str, code: int = 0) -> str:
        """Type a command, whose output may go to a file; gives its output, and where the code is not 0, its errors."""
        command, _, file = command.partition(" > ")
        done = pigpen(*shlex.split(command)[1:], folder=self.folder, **self.variables)
        assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
        if file:
            (self.folder / file).write_text(done.stdout)
        return done.stderr if code else done.stdout

    def sheet(self, file: str) -> list[dict[str, str]]:
        """Read a file as the organiser's spreadsheet does."""
        return list(csv.DictReader(io.StringIO((self.folder / file).read_text())))

    def come(self, ladder: Ladder) -> None:
        """Let each student open the link of a line, and choose a password, and a name where the list has none."""
        app = make_app(ladder, passwords=quick_passwords())
        for row in self.sheet("links.csv"):
            base, _, secret = row["link"].partition("/register?invitation=")
            assert base == "https://arena.example"
            person, name = Person(ladder, app), row["name"] or "ada"
            came = person.send(
                f"/register?invitation={secret}", "/register", name=name, password=PASSWORD, invitation=secret
            )
            assert came.status_code == 303, came.text
            self.people[name] = person

    def submit(self, student: str, bot: str, *, is_late: bool = False) -> str:
        """
        Submit a sample bot for a student; gives the command's output.

        On a ladder of containers the student does it, in the browser.
        """
        if self.sandbox == "process":
            return self.type(
                f"pigpen submit {bot} --name {student}.bot --owner {student} --variant gongzhu", 2 * is_late
            )
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            archive.add(ROOT / "sample_bots" / bot, bot)
        sent = self.people[student].upload(f"{student}.bot", packed.getvalue(), variant_gongzhu="1")
        assert sent.status_code == (422 if is_late else 303)
        return sent.text


@pytest.fixture(params=["process", pytest.param("docker", marks=(pytest.mark.docker, pytest.mark.long))])
def course(tmp_path: Path, request: pytest.FixtureRequest) -> Course:
    return Course(tmp_path, request.param)


def test_the_organiser_types_few_commands() -> None:
    assert {command.split()[0] for command in COMMANDS} == {"pigpen"}
    assert len(COMMANDS) <= MAX_COMMANDS
    for command in (INVITED, STANDINGS, DEADLINE, SETTLED):
        assert command in COMMANDS


@pytest.mark.timeout(PATIENCE)
def test_forty_students_from_the_list_to_the_sheet_for_grades(course: Course) -> None:
    rest = iter(COMMANDS)

    def type_until(last: str) -> str:
        """Type the commands of the page, up to this one."""
        for command in rest:
            if command == last:
                break
            course.type(command)
        return last

    course.type(type_until(INVITED))
    with Ladder.open(load_settings(data_dir=course.folder / "ladder")) as ladder:
        course.come(ladder)
        assert len(course.people) == STUDENTS
        type_until(STANDINGS)
        for student, bot in BOTS.items():
            course.submit(student, bot)
        if course.sandbox == "docker":
            course.type("pigpen ladder run --matches 1")  # it tries what waits, too
        in_group = course.type(STANDINGS)
        assert "student-03.bot" in in_group
        assert "bob.bot" not in in_group

        type_until(DEADLINE)
        assert "Week 3" in course.people["student-40"].get("/").text
        assert "Week 3" in course.people["student-40"].get("/announcements/feed.atom").text
        course.type(DEADLINE.replace("2026", "2126"))
        assert '<time datetime="2126-12-18T17:00:00+00:00"' in course.people[LATE].get("/me").text
        course.submit("ada", "cautious")
        course.type(f"{DEADLINE.rpartition(' ')[0]} now")
        assert "closed on" in course.submit(LATE, "random", is_late=True)
        course.type(type_until(SETTLED).replace("--until-ci 15", "--matches 2"))
        for command in rest:
            course.type(command)

    grades, of_a = course.sheet("grades.csv"), course.sheet("course-a.csv")
    assert len(grades) == STUDENTS
    assert {row["account"] for row in grades} == set(course.people)
    assert {row["account"] for row in grades if row["bot"]} == set(BOTS)
    assert {row["account"] for row in grades if row["submissions"] != "0"} == set(BOTS)
    ada = next(row for row in grades if row["account"] == "ada")
    assert (ada["note"], ada["bot"], ada["version"]) == ("Ada L., 4711", "ada.bot", "2")
    assert [row["group"] for row in of_a] == ["course-a"] * len(of_a)
    assert [row["account"] for row in of_a] == [row["account"] for row in grades if row["group"] == "course-a"]
    assert LATE not in {row["account"] for row in grades if row["matches"] not in ("", "0")}
