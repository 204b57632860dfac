"""Files that watch a ladder by its `/metrics`: rules for Prometheus's alarms, and a board for Grafana."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.new_file import new_files, write_new

if TYPE_CHECKING:
    from pathlib import Path

ALARMS_FILE, BOARD_FILE = "pigpen-alarms.yml", "pigpen-board.json"
JOB = "pigpen"
"""The ladder's `job_name` in Prometheus."""


@dataclass(frozen=True)
class Alarm:
    """A rule of Prometheus."""

    name: str
    when: str
    """In PromQL."""
    lasts: str
    """The time for which it must hold, as Prometheus writes times."""
    summary: str
    to_do: str
    """Advice to the organiser."""
    severity: str = "warning"


ALARMS = (
    Alarm(
        "PigpenSiteDown", f'up{{job="{JOB}"}} == 0', "2m",
        "The ladder's site does not answer.",
        "Look at logs/site.err and whether pigpen up (or pigpen serve) runs; if it does, at the proxy before it.",
        "critical",
    ),
    Alarm(
        "PigpenNothingPlays", "pigpen_coordinator_up == 0", "5m",
        "No coordinator plays matches.",
        "Start pigpen up or pigpen ladder run; logs/ladder.err says why the last one ended.",
        "critical",
    ),
    Alarm(
        "PigpenDiskFull", "pigpen_data_free_bytes < 2e9", "5m",
        "Less than 2 GB are free on the disk of the data folder.",
        "Make room; the setting records removes old records. On a full disk nothing is recorded, and nothing is lost.",
        "critical",
    ),
    Alarm(
        "PigpenDiskFills", "predict_linear(pigpen_data_free_bytes[6h], 4 * 86400) < 0", "1h",
        "The disk of the data folder will be full within four days.",
        "Make room, or let the setting records remove old records.",
    ),
    Alarm(
        "PigpenMatchesWait", "pigpen_oldest_queued_seconds > 7200", "10m",
        "A match has waited for more than two hours.",
        "Look at pigpen doctor and the log: the platform may be down, or there are too few slots for what is queued.",
    ),
    Alarm(
        "PigpenMailWaits", "pigpen_oldest_letter_seconds > 3600", "10m",
        "A letter has waited for more than an hour.",
        "pigpen ladder mail status has the mail server's last answer; pigpen ladder mail test ADDRESS tries it.",
    ),
    Alarm(
        "PigpenSlotsEmpty",
        "pigpen_busy_slots < 0.5 * pigpen_slots and on (instance) "
        'pigpen_matches{status="queued"} > on (instance) pigpen_slots',
        "15m",
        "Workers have nothing to do, and matches wait.",
        "Look at pigpen cluster status: images may be missing, or workers fail and are asked again after pauses.",
    ),
    Alarm(
        "PigpenQuarantine", 'delta(pigpen_matches{status="quarantined"}[1h]) > 0', "0m",
        "The platform failed in a match again and again, so it is not played any more.",
        "pigpen matches --status quarantined and the log have the reason; afterwards pigpen ladder requeue NUMBER.",
    ),
    Alarm(
        "PigpenWorkerFails", 'pigpen_workers{state="failing"} > 0', "10m",
        "The Docker engine or the disk of a worker fails.",
        "pigpen cluster status has the reason; mend it, or drain the machine.",
    ),
    Alarm(
        "PigpenWorkerGone", 'pigpen_workers{state="gone"} > 0', "10m",
        "A worker is not connected.",
        "Start it, or remove it from the list with pigpen cluster forget.",
    ),
    Alarm(
        "PigpenWorkerLies", "delta(pigpen_worker_lies[1h]) > 0", "0m",
        "A worker sent an answer that cannot be true.",
        "Read the log for worker.lied; that machine may have been changed: drain it, and install it anew.",
        "critical",
    ),
    Alarm(
        "PigpenQuestionsWait", "pigpen_oldest_computation_seconds > 600", "5m",
        "Questions of visitors have waited for ten minutes to be computed.",
        "Look whether pigpen ladder compute runs; if it does, it has too much to do.",
    ),
    Alarm(
        "PigpenSiteFails",
        'sum by (instance) (rate(pigpen_requests_total{status=~"5.."}[10m])) > '
        "0.02 * sum by (instance) (rate(pigpen_requests_total[10m]))",
        "10m",
        "More than 2 % of the site's requests fail.",
        "Look at logs/site.err; does the database answer?",
    ),
    Alarm(
        "PigpenSiteSlow",
        "histogram_quantile(0.95, sum by (instance, le) (rate(pigpen_request_seconds_bucket[10m]))) > 1",
        "15m",
        "Five of a hundred requests take more than a second.",
        "The board says which routes; matches on the site's machine take its cores: fewer slots, or another machine.",
    ),
    Alarm(
        "PigpenPasswordsGuessed", 'sum by (instance) (rate(pigpen_logins_total{end="wrong"}[10m])) > 0.5', "10m",
        "More than one wrong password every two seconds.",
        "The limits on attempts hold; the site's log has the addresses, to refuse them at the proxy.",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Panel:
    """A picture of the board."""

    title: str
    figures: dict[str, str]
    """Legend and PromQL; in a legend, ``{{label}}`` is a label's value."""
    unit: str = "short"
    """By Grafana's names."""
    kind: str = "timeseries"


def _of(metric: str, labels: str = "", per: str = "") -> str:
    """Select a metric of the ladders that the board shows; with *per*, its range of that time."""
    chosen = ",".join(filter(None, ('instance=~"$instance"', labels)))
    return f"{metric}{{{chosen}}}" + (f"[{per}]" if per else "")


RATE = "$__rate_interval"
DONE = 'status="done"'
REQUESTS, TIMES = (_of(name, per=RATE) for name in ("pigpen_requests_total", "pigpen_request_seconds_bucket"))
PANELS: dict[str, tuple[Panel, ...]] = {
    "Matches": (
        Panel("Coordinators", {"": _of("pigpen_coordinators")}, kind="stat"),
        Panel("Matches played in an hour", {"": f"delta({_of('pigpen_matches', DONE, '1h')})"}, kind="stat"),
        Panel("Oldest match in the queue", {"": _of("pigpen_oldest_queued_seconds")}, "s", "stat"),
        Panel("Free on the disk", {"": _of("pigpen_data_free_bytes")}, "bytes", "stat"),
        Panel("Matches not done", {"{{status}}": _of("pigpen_matches", 'status!="done"')}),
        Panel("Matches a minute", {"done": f"60 * deriv({_of('pigpen_matches', DONE, '10m')})"}),
        Panel("Decisions a second", {"decisions": f"deriv({_of('pigpen_decisions', per='10m')})"}),
        Panel("Faults of bots an hour", {"faults": f"3600 * deriv({_of('pigpen_faults', per='1h')})"}),
    ),
    "Machines": (
        Panel("Slots", {"all": _of("pigpen_slots"), "busy": _of("pigpen_busy_slots")}),
        Panel("Workers by state", {"{{state}}": _of("pigpen_workers")}),
        Panel("Failures on workers", {"attempts": _of("pigpen_worker_voids"), "lies": _of("pigpen_worker_lies")}),
        Panel("Since a worker's last sign of life", {"{{worker}}": _of("pigpen_each_worker_silent_seconds")}, "s"),
        Panel("Why matches failed last", {"{{reason}}": _of("pigpen_failure_reasons")}),
    ),
    "People and bots": (
        Panel("Submissions", {"{{status}}": _of("pigpen_submissions", 'status=~"queued|leased"')}),
        Panel("Bots by state", {"{{state}}": _of("pigpen_bots")}),
        Panel("Tables with people", {"{{status}}": _of("pigpen_tables", 'status!~"over|ended"')}),
        Panel("Questions to be computed", {"{{status}}": _of("pigpen_computations")}),
    ),
    "Site": (
        Panel("Requests a second", {"{{status}}": f"sum by (status) (rate({REQUESTS}))"}, "reqps"),
        Panel(
            "Time of a request",
            {
                f"{of_100} %": f"histogram_quantile({of_100 / 100}, sum by (le) (rate({TIMES})))"
                for of_100 in (50, 95, 99)
            },
            "s",
        ),
        Panel(
            "Slowest routes, 95 %",
            {"{{route}}": f"topk(5, histogram_quantile(0.95, sum by (route, le) (rate({TIMES}))))"},
            "s",
        ),
        Panel("Live streams", {"open": _of("pigpen_live_streams")}),
        Panel("Log-ins a minute", {"{{end}}": f"60 * sum by (end) (rate({_of('pigpen_logins_total', per=RATE)}))"}),
    ),
}
COLUMNS, WIDTH = 4, 24
"""Panels beside each other, and Grafana's units of width."""
SOURCE = {"type": "prometheus", "uid": "${source}"}


def alarm_rules() -> str:
    """Write the rules in the YAML that Prometheus reads; texts are quoted as in JSON, which YAML takes."""
    lines = ["groups:", "  - name: pigpen", "    rules:"]
    for alarm in ALARMS:
        lines += [
            f"      - alert: {alarm.name}",
            f"        expr: {json.dumps(alarm.when)}",
            f"        for: {alarm.lasts}",
            "        labels:",
            f"          severity: {alarm.severity}",
            "        annotations:",
            f"          summary: {json.dumps(alarm.summary)}",
            f"          description: {json.dumps(alarm.to_do)}",
        ]
    return "\n".join(lines) + "\n"


def board() -> dict[str, object]:
    """Make the board, by Grafana's model of a dashboard."""
    panels: list[dict[str, object]] = []
    top = 0
    for title, group in PANELS.items():
        row = {"type": "row", "title": title, "collapsed": False, "panels": []}
        panels.append(row | {"id": len(panels) + 1, "gridPos": _place(top, 0, WIDTH, 1)})
        top += 1
        for start in range(0, len(group), COLUMNS):
            line = group[start : start + COLUMNS]
            height = 4 if all(panel.kind == "stat" for panel in line) else 8
            for column, panel in enumerate(line):
                place = _place(top, column * WIDTH // len(line), WIDTH // len(line), height)
                panels.append(_panel(panel) | {"id": len(panels) + 1, "gridPos": place})
            top += height
    return {
        "uid": "pigpen",
        "title": "Pigpen",
        "tags": ["pigpen"],
        "schemaVersion": 38,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {
            "list": [
                {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"},
                {
                    "name": "instance", "label": "Ladder", "type": "query", "datasource": SOURCE, "refresh": 2,
                    "query": "label_values(pigpen_coordinator_up, instance)", "includeAll": True, "allValue": ".*",
                    "current": {"text": "All", "value": "$__all", "selected": True},
                },
            ]
        },
        "panels": panels,
    }  # fmt: skip


def _place(top: int, left: int, width: int, height: int) -> dict[str, int]:
    return {"x": left, "y": top, "w": width, "h": height}


def _panel(panel: Panel) -> dict[str, object]:
    targets = [
        {"refId": chr(ord("A") + number), "expr": expression, "legendFormat": legend, "datasource": SOURCE}
        for number, (legend, expression) in enumerate(panel.figures.items())
    ]
    defaults: dict[str, object] = {"unit": panel.unit, "min": 0}
    return {
        "type": panel.kind, "title": panel.title, "datasource": SOURCE, "targets": targets,
        "fieldConfig": {"defaults": defaults, "overrides": []},
    }  # fmt: skip


def write_monitoring(folder: Path) -> tuple[Path, Path]:
    """
    Write both files into a folder, which is made if it is not there; return their paths.

    Raises:
        UserError: If one is there already, or the folder cannot be made.
    """
    alarms, drawn = new_files(folder, (ALARMS_FILE, BOARD_FILE))
    write_new(alarms, [alarm_rules().encode()])
    write_new(drawn, [json.dumps(board(), indent=2).encode(), b"\n"])
    return alarms, drawn
