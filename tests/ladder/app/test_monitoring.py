"""The alarms and the board: Prometheus and Grafana take them, each alarm rings when it should, each figure is there."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

from ladder.app.monitoring import ALARMS, ALARMS_FILE, BOARD_FILE, JOB, PANELS, Alarm, alarm_rules, board
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from tests.e2e.command import pigpen
from tests.ladder.prometheus import ROOT, promtool, running_prometheus
from tests.ladder.site.ladder_with_people import ladder_with_people
from tests.ladder.site.serving import running_app

if TYPE_CHECKING:
    from pathlib import Path

HOURS = 24
QUIET = {
    f'up{{job="{JOB}"}}': "1",
    "pigpen_coordinator_up": "1",
    "pigpen_data_free_bytes": "9e10",
    "pigpen_oldest_queued_seconds": "60",
    "pigpen_oldest_computation_seconds": "5",
    "pigpen_oldest_letter_seconds": "60",
    "pigpen_slots": "8",
    "pigpen_busy_slots": "8",
    'pigpen_matches{status="queued"}': "20",
    'pigpen_matches{status="quarantined"}': "3",
    'pigpen_workers{state="failing"}': "0",
    'pigpen_workers{state="gone"}': "0",
    "pigpen_worker_lies": "2",
    'pigpen_requests_total{status="200"}': "0+600",
    'pigpen_requests_total{status="500"}': "0+1",
    'pigpen_request_seconds_bucket{le="0.5"}': "0+600",
    'pigpen_request_seconds_bucket{le="1.0"}': "0+600",
    'pigpen_request_seconds_bucket{le="2.5"}': "0+600",
    'pigpen_request_seconds_bucket{le="+Inf"}': "0+601",
    'pigpen_logins_total{end="wrong"}': "0+2",
}
"""Each figure of a ladder that is well, and how it grows in a minute; one of all is changed for each alarm."""
TROUBLES = {
    "PigpenSiteDown": {f'up{{job="{JOB}"}}': "0"},
    "PigpenNothingPlays": {"pigpen_coordinator_up": "0"},
    "PigpenDiskFull": {"pigpen_data_free_bytes": "1e9"},
    "PigpenDiskFills": {"pigpen_data_free_bytes": "9e10-14e6"},
    "PigpenMatchesWait": {"pigpen_oldest_queued_seconds": "7300"},
    "PigpenMailWaits": {"pigpen_oldest_letter_seconds": "4000"},
    "PigpenSlotsEmpty": {"pigpen_busy_slots": "3"},
    "PigpenQuarantine": {'pigpen_matches{status="quarantined"}': "0+0.1"},
    "PigpenWorkerFails": {'pigpen_workers{state="failing"}': "1"},
    "PigpenWorkerGone": {'pigpen_workers{state="gone"}': "1"},
    "PigpenWorkerLies": {"pigpen_worker_lies": "0+0.1"},
    "PigpenQuestionsWait": {"pigpen_oldest_computation_seconds": "700"},
    "PigpenSiteFails": {'pigpen_requests_total{status="500"}': "0+30"},
    "PigpenSiteSlow": {f'pigpen_request_seconds_bucket{{le="{bound}"}}': "0+660" for bound in ("2.5", "+Inf")},
    "PigpenPasswordsGuessed": {'pigpen_logins_total{end="wrong"}': "0+60"},
}


def tried(figures: dict[str, str], ringing: set[str]) -> dict[str, Any]:
    """A test of promtool: with these figures for a day, just these alarms ring in the end."""
    series = [
        {
            "series": _at(name),
            "values": f"{growth if '+' in growth[1:] or '-' in growth[1:] else growth + '+0'}x{HOURS * 60}",
        }
        for name, growth in figures.items()
    ]
    rings = [
        {
            "eval_time": f"{HOURS}h",
            "alertname": alarm.name,
            "exp_alerts": [_rings(alarm)] if alarm.name in ringing else [],
        }
        for alarm in ALARMS
    ]
    return {"interval": "1m", "input_series": series, "alert_rule_test": rings}


def _at(name: str) -> str:
    """The same figure of one ladder."""
    return name.replace("{", '{instance="a",') if "{" in name else name + '{instance="a"}'


def _rings(alarm: Alarm) -> dict[str, Any]:
    labels = {"severity": alarm.severity, "instance": "a"}
    for label in ("status", "state"):
        if f"{label}=" in alarm.when and "5.." not in alarm.when and "slots" not in alarm.when:
            labels[label] = re.search(rf'{label}="(\w+)"', alarm.when)[1]  # type: ignore[index]
    if alarm.name == "PigpenSiteDown":
        labels["job"] = JOB
    return {"exp_labels": labels, "exp_annotations": {"summary": alarm.summary, "description": alarm.to_do}}


@pytest.mark.prometheus
def test_each_alarm_rings_at_its_trouble_and_at_no_other(tmp_path: Path) -> None:
    assert set(TROUBLES) == {alarm.name for alarm in ALARMS}
    (tmp_path / ALARMS_FILE).write_text(alarm_rules())
    assert f"{len(ALARMS)} rules found" in promtool("check", "rules", "--lint-fatal", ALARMS_FILE, folder=tmp_path)
    tests = [tried(QUIET, set()), *(tried(QUIET | change, {name}) for name, change in TROUBLES.items())]
    whole = {"rule_files": [ALARMS_FILE], "evaluation_interval": "1m", "tests": tests}
    (tmp_path / "test.yml").write_text(json.dumps(whole))
    assert "SUCCESS" in promtool("test", "rules", "test.yml", folder=tmp_path)


@pytest.mark.prometheus
def test_prometheus_finds_each_figure_at_a_site(tmp_path: Path) -> None:
    rules = tmp_path / ALARMS_FILE
    rules.write_text(alarm_rules())
    place = ladder_with_people(load_settings(data_dir=tmp_path / "ladder"))
    with (
        running_app(make_app(place.ladder), lambda app: None) as port,
        running_prometheus(f"127.0.0.1:{port}", JOB, rules) as prometheus,
    ):
        (group,) = prometheus.get("rules").json()["data"]["groups"]
        assert {rule["name"]: rule["health"] for rule in group["rules"]} == dict.fromkeys(TROUBLES, "ok")
        known = set(prometheus.get("label/__name__/values").json()["data"])
        for panel in (panel for group in PANELS.values() for panel in group):
            for expression in panel.figures.values():
                asked = expression.replace("$instance", ".*").replace("$__rate_interval", "1m")
                found = prometheus.get("query", params={"query": asked}).json()
                assert found["status"] == "success", (panel.title, found)
                missing = set(re.findall(r"pigpen_\w+", asked)) - known
                assert missing <= {"pigpen_oldest_queued_seconds", "pigpen_each_worker_silent_seconds",
                                   "pigpen_failure_reasons", "pigpen_logins_total"}, panel.title  # fmt: skip
    place.ladder.database.close()


def test_the_rules_are_yaml_and_say_what_the_documentation_says() -> None:
    (group,) = yaml.safe_load(alarm_rules())["groups"]
    assert [(rule["alert"], rule["expr"], rule["for"]) for rule in group["rules"]] == [
        (alarm.name, alarm.when, alarm.lasts) for alarm in ALARMS
    ]
    rows = re.findall(
        r"^\| `(Pigpen\w+)` \| (.+) \| (.+) \|$", (ROOT / "docs" / "operating.md").read_text(), re.MULTILINE
    )
    assert [(name, re.sub("[`*]", "", to_do)) for name, _, to_do in rows] == [
        (alarm.name, alarm.to_do) for alarm in ALARMS
    ]


def test_the_board_has_nothing_that_grafana_does_not_know() -> None:
    """Its own types read the file, and write all of it again."""
    made = board()
    again = json.loads(JSONEncoder().encode(Dashboard.from_json(made)))
    assert _lost(made, again) == []
    panels: Any = made["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}
    assert len(places) == len(panels)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)


def _lost(written: Any, read: Any, place: str = "") -> list[str]:
    """Places of the first whose values are not in the second."""
    if isinstance(written, dict):
        return [lost for key in written for lost in _lost(written[key], (read or {}).get(key), f"{place}.{key}")]
    if isinstance(written, list):
        return [lost for number, each in enumerate(written) for lost in _lost(each, read[number], f"{place}[{number}]")]
    return [] if written == read else [place]


def test_the_command_writes_both_files_once(tmp_path: Path) -> None:
    done = pigpen("ladder", "monitoring", "watch", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "watch" / BOARD_FILE).read_text()) == board()
    assert (tmp_path / "watch" / ALARMS_FILE).read_text() == alarm_rules()
    again = pigpen("ladder", "monitoring", "watch", folder=tmp_path)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert f"'watch/{ALARMS_FILE}' is there already." in again.stderr
