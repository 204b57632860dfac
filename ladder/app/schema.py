"""
The JSON Schema of what the commands print with `--json`, made from the values in `ladder.values`.

`python -m ladder.app.schema` writes it to docs/api.schema.json; with `--check` it says whether it is fresh.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from ladder.values.accounts import (
    AccountDeleted,
    AccountRow,
    AuditRow,
    CredentialRow,
    GradeRow,
    GroupRow,
    InvitationLink,
    InvitationRow,
    ListedInvitation,
    Me,
    TeamRow,
)
from ladder.values.alike import AlikeBots
from ladder.values.announcements import AnnouncementRow
from ladder.values.bots import BotPage, BotRow, PeopleAllowed, Retired, StateChanged
from ladder.values.cluster import CertificateRow, WorkerRow
from ladder.values.deadlines import DeadlineRow
from ladder.values.events import EventCheck, EventDraw, EventSimulation
from ladder.values.held_events import EventPage, EventRow, EventVerification, ExportedEvent
from ladder.values.local_results import (
    CheckResult,
    CompareResult,
    DuelResult,
    PlayedMatch,
    RerunResult,
    SeatLog,
    Verification,
)
from ladder.values.mail import AccountMail, MailStatus, MailTested
from ladder.values.matches import Explanation, MatchPage, MatchRow
from ladder.values.people import TableLinks
from ladder.values.reports import Backup, DatabaseCopy, DatasetManifest, DoctorReport, SettingRow, Upgrade
from ladder.values.standings import SeasonRow, Standings
from ladder.values.submission import SubmissionList, SubmissionResult, SubmissionRow
from ladder.values.webhooks import WebhookAdded, WebhookRow, WebhookTested
from ladder.values.why import Costliest, Why
from pigpen.rules import Rules
from referee.records.schema import write_or_check

PLACE = Path(__file__).resolve().parents[2] / "docs" / "api.schema.json"
PRINTED: dict[str, Any] = {
    "play": PlayedMatch,
    "check": CheckResult,
    "compare": CompareResult,
    "duel": DuelResult,
    "rules": list[Rules],
    "rules NAME": Rules,
    "table": TableLinks,
    "submit": SubmissionResult,
    "submissions": SubmissionList,
    "submissions ID": SubmissionRow,
    "why": Costliest,
    "why --step": Why,
    "rerun": RerunResult,
    "verify": Verification,
    "explain": Explanation,
    "logs": list[SeatLog],
    "standings": list[Standings],
    "bots": list[BotRow],
    "show": BotPage,
    "matches": list[MatchRow],
    "matches MATCH": MatchPage,
    "retire": list[Retired],
    "allow-people": PeopleAllowed,
    "whoami": Me,
    "suspend": StateChanged,
    "resume-bot": StateChanged,
    "account list": list[AccountRow],
    "account add": InvitationLink,
    "account add --password": AccountRow,
    "account invite": InvitationLink,
    "account invite --from": list[ListedInvitation],
    "account invitations": list[InvitationRow],
    "account disable": AccountRow,
    "account enable": AccountRow,
    "account role": AccountRow,
    "account quota": AccountRow,
    "account group": AccountRow,
    "account groups": list[GroupRow],
    "account group-quota": GroupRow,
    "account team": AccountRow,
    "account teams": list[TeamRow],
    "account password": InvitationLink,
    "account sessions": list[CredentialRow],
    "account audit": list[AuditRow],
    "account delete": AccountDeleted,
    "account grades": list[GradeRow],
    "ladder requeue": MatchRow,
    "ladder alike": AlikeBots,
    "ladder export": DatasetManifest,
    "ladder season list": list[SeasonRow],
    "ladder season new": list[SeasonRow],
    "account mail": AccountMail,
    "ladder mail status": MailStatus,
    "ladder mail test": MailTested,
    "ladder webhook add": WebhookAdded,
    "ladder webhook list": list[WebhookRow],
    "ladder webhook remove": WebhookRow,
    "ladder webhook test": WebhookTested,
    "ladder announcement add": AnnouncementRow,
    "ladder announcement list": list[AnnouncementRow],
    "ladder announcement remove": AnnouncementRow,
    "ladder deadline set": list[DeadlineRow],
    "ladder deadline lift": list[DeadlineRow],
    "ladder deadline list": list[DeadlineRow],
    "cluster status": list[WorkerRow],
    "cluster drain": WorkerRow,
    "cluster resume": WorkerRow,
    "cluster certs": CertificateRow,
    "event list": list[EventRow],
    **dict.fromkeys(
        (
            f"event {word}"
            for word in (
                "open",
                "enter",
                "check-in",
                "withdraw",
                "reveal",
                "beacon",
                "hold",
                "freeze",
                "start",
                "pause",
                "redo",
                "rule",
                "release",
                "show",
            )
        ),
        EventPage,
    ),
    "event export": ExportedEvent,
    "event verify": EventVerification,
    "event check": EventCheck,
    "event draw": EventDraw,
    "event simulate": EventSimulation,
    "doctor": DoctorReport,
    "config": list[SettingRow],
    "db upgrade": Upgrade,
    "db check": list[str],
    "db backup": Backup,
    "db copy": DatabaseCopy,
}
"""By command: the value that it prints. Of `verify` there is one for each record, each in a line of its own."""


def api_schema() -> dict[str, Any]:
    """Make the schema of an object that would have the value of each command under the command's name."""
    wanted = [(name, "serialization", TypeAdapter(value)) for name, value in PRINTED.items()]
    schemas, definitions = TypeAdapter.json_schemas(wanted)  # type: ignore[arg-type]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What the commands of Pigpen print with --json",
        "type": "object",
        "properties": {name: _untitled(schemas[name, "serialization"]) for name in PRINTED},
        "$defs": {name: _untitled(part) for name, part in definitions["$defs"].items()},
    }


def _untitled(part: Any) -> Any:
    """Copy a schema without the titles that only repeat the names."""
    if isinstance(part, list):
        return [_untitled(each) for each in part]
    if not isinstance(part, dict):
        return part
    named = part.get("properties")
    kept = {key: _untitled(value) for key, value in part.items() if key not in ("title", "properties")}
    return kept if named is None else kept | {"properties": {name: _untitled(each) for name, each in named.items()}}


if __name__ == "__main__":
    write_or_check(PLACE, api_schema())
