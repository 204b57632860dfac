"""The command of the benchmarks: all parts are in its table, which is printed and written as it was measured."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import benchmarks
from benchmarks import __main__ as whole
from benchmarks import part_runner
from benchmarks.pages import checkout
from benchmarks.report import Part, Row, compared, sections, spread
from tests.benchmarks.parts import compared_rows, crash, fail

ROOT = Path(__file__).parents[2]


PARTS = (Part("start", "What a start takes.", compared_rows, rounds=2), Part("tables", None, fail, rounds=1))


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", *words])
    part_runner.run("What Pigpen costs.", *PARTS)


def modules() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name != "__main__"]


def test_every_part_of_a_module_is_in_the_table() -> None:
    found = [importlib.import_module(f"benchmarks.{name}") for name in modules()]
    having = [part for module in found for part in getattr(module, "PARTS", ())]
    assert sorted(part.name for part in having) == sorted(part.name for part in whole.PARTS)
    assert {part.name for part in having if not part.in_table} == {
        *["demo", "environments", "lengths", "net_tree", "states", "wire_in_containers"]
    }


def test_a_part_that_is_named_is_measured_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "start", "--rounds", "1")
    assert capsys.readouterr().err == "start …\n"


def test_what_takes_long_is_measured_only_where_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = (PARTS[0], replace(PARTS[0], name="long", in_table=False))
    for words, progress in (((), "start …\n"), (("long",), "long …\n")):
        monkeypatch.setattr(sys, "argv", ["benchmarks", *words])
        part_runner.run(None, *parts)
        assert capsys.readouterr().err == progress
    monkeypatch.setattr(sys, "argv", ["benchmarks"])
    part_runner.run(None, parts[1])  # a module that has no other part
    assert capsys.readouterr().err == "long …\n"


def test_the_first_word_chooses_a_command_and_the_rest_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", "second", "--deals", "3"])
    ran: list[list[str]] = []
    part_runner.choose("", {"first": lambda: ran.append([]), "second": lambda: ran.append(sys.argv[1:])})
    assert ran == [["--deals", "3"]]


def test_every_part_says_what_it_measures() -> None:
    assert all(part.about and part.rounds >= 1 for part in whole.PARTS)
    assert len({part.name for part in whole.PARTS}) == len(whole.PARTS)


def test_rows_are_held_against_the_first_pair_by_pair() -> None:
    rows = compared(("bare", "ours"), ([2.0, 4.0, 8.0], [3.0, 4.0, 24.0]), "ms", "bare ones")
    assert rows == [
        Row("bare", "4.00 ms (2.00–8.00)"),
        Row("ours", "4.00 ms (3.00–24.00)", "bare ones", "1.50× (1.00–3.00)"),
    ]


@pytest.mark.parametrize(
    ("values", "text"),
    [([0.042], "0.04 s"), ([42.68], "42.7 s"), ([1234.5, 900.0, 2000.0], "1,234 s (900–2,000)")],
)
def test_figures_have_as_many_digits_as_they_need(values: list[float], text: str) -> None:
    assert spread(values, " s") == text


def test_a_section_names_its_part_once() -> None:
    (lines,) = sections({"start": compared_rows(1)})
    assert lines == [("start", "bare", "4.00 ms", "", ""), ("", "ours", "6.00 ms", "bare", "1.50×")]


def test_one_table_is_printed_and_what_could_not_be_measured_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch)
    printed, progress = capsys.readouterr()
    assert progress == "start …\ntables …\n"
    assert "grpcio" in printed.splitlines()[0]
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if line.startswith("│")]
    assert rows == [
        ["start", "bare", "4.00 ms (4.00–4.00)", "", ""],
        ["", "ours", "6.00 ms (6.00–6.00)", "bare", "1.50× (1.50–1.50)"],
        ["tables", "all of it", "left out", "No engine [here].", ""],
    ]


def test_the_table_is_written_between_its_marks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Costs\n\n{part_runner.FROM}What was measured before.\n{part_runner.TO}\nThe end.\n")
    run(monkeypatch, "--rounds", "1", "--write", str(page))
    before, _, rest = page.read_text().partition(part_runner.FROM)
    table, _, after = rest.partition(part_runner.TO)
    assert (before, after) == ("# Costs\n\n", "\nThe end.\n")
    assert table.endswith(
        "| part | what | figure | against | ratio |\n| --- | --- | --- | --- | --- |\n"
        "| start | bare | 4.00 ms |  |  |\n|  | ours | 6.00 ms | bare | 1.50× |\n"
        "| tables | all of it | left out | No engine [here]. |  |\n"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--rounds", "0"), "argument --rounds: 0: take 1 or more"),
        (("--rounds", "few"), "argument --rounds: few: take 1 or more"),
        (("nothing",), "argument PART: nothing: take one or more of start, tables"),
        (("start", "--write", "docs/performance.md"), "--write: the table is of all parts; name none"),
        (("--write", "nowhere.md"), "--write nowhere.md: name a file that holds the lines"),
    ],
)
def test_a_wrong_word_is_told_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        run(monkeypatch, *words)
    assert caught.value.code == 2
    assert sentence in capsys.readouterr().err


def test_docs_performance_has_the_place_for_the_table() -> None:
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert text.count(part_runner.FROM) == text.count(part_runner.TO) == 1
    for part in [each for each in whole.PARTS if each.in_table]:
        assert f"\n| {part.name} | " in text, part.name


def test_a_part_that_fails_loses_the_others_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    bad = Part("bad", None, crash, rounds=1)
    assert part_runner.measured(bad) == [Row("all of it", "left out", "RuntimeError, see above")]
    assert "RuntimeError: no luck" in capfd.readouterr().err


def test_marks_in_the_wrong_order_are_no_marks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page, text = tmp_path / "page.md", f"{part_runner.TO}middle\n{part_runner.FROM}end\n"
    page.write_text(text)
    with pytest.raises(SystemExit, match="2"):
        run(monkeypatch, "--write", str(page))
    assert page.read_text() == text


def test_a_reason_of_several_lines_stays_in_its_cell() -> None:
    table = part_runner.markdown(["where"], {"start": [Row.left_out("all", "no|luck\nat all")]})
    assert table.splitlines()[-1] == "| start | all | left out | no\\|luck at all |  |"


def test_the_busy_share_is_that_of_the_ticks_that_were_neither_idle_nor_waiting_for_disks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = iter([(100, 1000), (130, 1200)])
    monkeypatch.setattr(part_runner, "_ticks", lambda: next(ticks))
    assert part_runner.busy_share(0.0) == pytest.approx(1 - 30 / 200)


def test_idle_ticks_are_a_part_of_all() -> None:
    idle, total = part_runner._ticks()
    assert 0 < idle <= total


@pytest.mark.parametrize(("share", "begins"), [(0.05, "quiet: "), (0.06, "NOT QUIET: ")])
def test_a_machine_is_quiet_up_to_5_percent(share: float, begins: str) -> None:
    assert part_runner.how_quiet({"engine": 0.0, "wire": share}).startswith(begins)


BENCHMARK = """
import subprocess, sys, time
from benchmarks.programs import dying_with_us
program = "import time; print('up', flush=True); time.sleep(400)"
print(subprocess.Popen(dying_with_us(sys.executable, "-c", program)).pid, flush=True)
time.sleep(600)
"""


def test_a_program_ends_with_a_benchmark_that_is_killed() -> None:
    command = [sys.executable, "-c", BENCHMARK]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as benchmark:
        assert benchmark.stdout
        printed = {benchmark.stdout.readline().strip(), benchmark.stdout.readline().strip()}
        (program,) = printed - {"up"}
        benchmark.kill()
    while Path(f"/proc/{program}/cmdline").exists() and Path(f"/proc/{program}/cmdline").read_bytes():
        time.sleep(0.01)


def test_a_site_is_compared_with_that_of_another_checkout(tmp_path: Path) -> None:
    here = Path(__file__).parents[2]
    assert checkout(str(here)) == here
    with pytest.raises(argparse.ArgumentTypeError, match="folder of a checkout"):
        checkout(str(tmp_path))
