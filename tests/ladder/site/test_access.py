"""Permissions: every route of the site, as everybody; a route that is not in the table fails."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import re
import shutil
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select

from ladder.app import uploads
from ladder.app.event import holding
from ladder.app.ladder import Ladder
from ladder.people.review import studies
from ladder.people.tables.table_opening import open_table
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.site.server.viewer import CSRF_HEADER
from ladder.store import models
from ladder.store.commands import submission_queue
from ladder.store.commands.opening import open_ladder
from ladder.values.accounts import LOCAL, Role, Scope, Viewer
from ladder.values.cluster import WorkerState
from ladder.values.people import ChairKind, ChairOrder, TableOrder, TableVisitor
from ladder.values.submission import SubmissionOrder
from pigpen.rules import PRESETS
from referee.replay.position import Position
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.app.event_ladders import FILE
from tests.ladder.cluster_rows import add_workers, seen
from tests.ladder.every_database import ON_POSTGRESQL
from tests.ladder.ladders import NOW, lease, new_ladder, played, queue, recorded_match
from tests.ladder.site.person import Program, quick_passwords

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.results.files import Logs
    from ladder.site.server.headers import EveryResponse
    from ladder.store.account_models import StoredSubmission
    from ladder.store.database import Session
    from referee.records.lines import AnyLine

BASE = "http://site.test"
LOGS: Logs = dict.fromkeys(range(4), ("[1] secret of Trotter\n", "", "", ""))
ROLES = {
    "nobody": None,
    "a stranger": ("ben", None),
    "a stranger's token": ("ben", (Scope.READ, Scope.SUBMIT)),
    "the owner": ("ada", None),
    "the owner's token": ("ada", (Scope.READ, Scope.SUBMIT)),
    "the owner's token to read": ("ada", (Scope.READ,)),
    "an organiser": ("olga", None),
    "an organiser's token": ("olga", tuple(Scope)),
    "an organiser's token without the scope": ("olga", (Scope.READ, Scope.SUBMIT)),
}
"""The account of each role, and the scope of its token; None: a session."""
OK = 0
"""Whatever is no refusal."""
PUBLIC = (OK,) * 9
NOT_THERE = (404,) * 9
"""Of what is public: the same for everybody. An estimate would take long to make nine times."""
HIDDEN = (404, 404, 404, OK, OK, OK, OK, OK, 404)
"""Of a thing that the owner reads, and organisers; to others it is not there."""
MINE_TO_READ = (401, 404, 404, OK, OK, OK, OK, OK, 404)
MINE_TO_CHANGE = (401, 404, 404, OK, OK, 403, OK, OK, 404)
MINE_ALONE = (401, 404, 404, OK, OK, 403, 404, 404, 404)
"""Not even an organiser's."""
OWN_TO_READ = (401, *(OK,) * 8)
"""An area where all see their own."""
OWN_TO_CHANGE = (401, OK, OK, OK, OK, 403, OK, OK, OK)
SESSION = (401, OK, 403, OK, 403, 403, OK, 403, 403)
TABLES = (401, *(OK,) * 8)
NO_PUZZLE = (401, *(404,) * 8)
NO_UPLOAD = (401, 422, 422, 422, 422, 403, 422, 422, 422)
"""They may submit, but name an upload, or a variant, that is not there."""
NO_FILE = (303, 422, 403, 422, 403, 403, 422, 403, 403)
NO_TOKEN = (401, 404, 403, 404, 403, 403, 404, 403, 403)
NO_CODE = (303, 404, 403, 404, 403, 403, 404, 403, 403)
NO_LINK = (404, 404, 403, 404, 403, 403, 404, 403, 403)
"""A form for everybody with a browser, of which nothing is there."""
HANDS = "AKQJT98765432..._.AKQJT98765432.._..AKQJT98765432._...AKQJT98765432"
"""Of an analysis board."""
NO_CHAIR = (404, 404, 403, 404, 403, 403, 404, 403, 403)
"""Answers to those without a chair, which is a secret of its own: a table speaks to its chairs; a program has none."""


def table_page(status: int) -> tuple[int, ...]:
    """Answers at a table: an account has its chair in each browser that is logged in to it, and in no program."""
    return (404, 404, 404, status, 404, 404, 404, 404, 404)


def of_chair(status: int) -> tuple[int, ...]:
    """Likewise of what one sends to it."""
    return (404, 404, 403, status, 403, 403, 404, 403, 403)


NO_REGISTRY = (401, 404, 404, 404, 404, 403, 404, 404, 404)
NO_PROVIDER = (404, 404, 403, 404, 403, 403, 404, 403, 403)
PERSON = (OK, OK, 403, OK, 403, 403, OK, 403, 403)
"""A form for everybody: a program sends none."""
PAGE_OF_THE_OWNER = (303, 404, 404, OK, OK, OK, OK, OK, 404)
FORM_OF_THE_OWNER = (303, 404, 403, OK, 403, 403, OK, 403, 403)
FORM_OF_THE_OWNER_ALONE = (303, 404, 403, OK, 403, 403, 404, 403, 403)
"""Not even an organiser's."""
PERSON_WITH_ACCOUNT = (303, OK, 403, OK, 403, 403, OK, 403, 403)
ADMIN_FORM = (303, 404, 403, 404, 403, 403, OK, 403, 403)
"""A program sends no forms."""
ADMIN = (303, 404, 404, 404, 404, 404, OK, OK, 403)
ADMIN_BY_API = (401, 403, 403, 403, 403, 403, OK, OK, 403)
NO_EVENT = (401, 403, 403, 403, 403, 403, 422, 422, 403)
"""An organiser sends a file that is none."""
ENTRY = (401, 422, 422, OK, OK, 403, OK, OK, 422)
"""Trotter is entered by its owner and by organisers."""
ENTRY_BY_FORM = (303, 422, 403, OK, 403, 403, OK, 403, 403)
ENTRIES = (303, OK, OK, OK, OK, 403, OK, OK, OK)
PAGE = (303, *(OK,) * 8)
PAGE_OF_A_PERSON = (303, OK, 403, OK, 403, 403, OK, 403, 403)


@dataclass(frozen=True)
class Case:
    """A request for a route."""

    method: str
    route: str
    expected: tuple[int, ...]
    """By role."""
    address: str = ""
    """With names in braces that the world knows; empty: the route's own."""
    value: Any = None
    """Value that is sent as JSON."""
    form: dict[str, str] | None = None
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)


API = "/api/v1"
DEAL = {"match": "1", "board": "1", "rotation": "1", "number": "1", "step": "20", "seat": "0"}
CASES = [
    Case("GET", "/", PUBLIC),
    Case("GET", "/v", PUBLIC),
    Case("GET", "/v/{variant}", PUBLIC),
    Case("GET", "/v/{variant}/matchups", PUBLIC),
    Case("GET", "/v/{variant}/seasons", PUBLIC),
    Case("GET", "/compare", PUBLIC),
    Case("GET", "/b/{name}/style", PUBLIC),
    Case("GET", "/compare/{one}/{two}", PUBLIC, "/compare/Trotter/Snout"),
    Case("GET", "/o/{name}", PUBLIC, "/o/ada"),
    Case("GET", "/b", PUBLIC),
    Case("GET", "/b/{name}", PUBLIC),
    Case("GET", "/m", PUBLIC),
    Case("GET", "/m/{number}", PUBLIC),
    Case("GET", "/rules/{variant}", PUBLIC),
    Case("GET", "/learn", PUBLIC),
    Case("GET", "/learn/{variant}", PUBLIC),
    Case("GET", "/learn/{variant}/deal", PUBLIC),
    Case("GET", "/help", PUBLIC),
    Case("GET", "/data", NOT_THERE),
    Case("GET", "/privacy", PUBLIC),
    Case("GET", "/terms", NOT_THERE),
    Case("GET", "/imprint", NOT_THERE),
    Case("GET", "/.well-known/security.txt", NOT_THERE),
    Case("GET", "/events", PUBLIC),
    Case("GET", "/events/{event}", PUBLIC),
    Case("GET", "/events/feed.atom", PUBLIC),
    Case("GET", "/events/{event}/event.ics", PUBLIC),
    Case("GET", "/events/{event}/rounds/{number}", NOT_THERE),
    Case("GET", "/events/{event}/cross", PUBLIC),
    Case("GET", "/events/{event}/certificate/{bot}", NOT_THERE, "/events/{event}/certificate/Trotter"),
    Case("GET", "/events/{event}/present", ADMIN),
    Case("POST", "/events/{event}/present", ADMIN_FORM, form={}),
    Case("GET", "/events/{event}/entries", ENTRIES),
    Case("POST", "/events/{event}/entries", ENTRY_BY_FORM, form={"bot": "Trotter", "act": "enter"}),
    Case("GET", "/api", PUBLIC),
    Case("GET", "/wheels/{listed}.txt", NOT_THERE, "/wheels/requirements.txt"),
    Case("GET", "/wheels/{name}", NOT_THERE, "/wheels/pigpen_sdk-0.1.0-py3-none-any.whl"),
    Case("GET", "/m/{match}/boards/{board}/{rotation}", PUBLIC),
    Case("GET", "/m/{match}/boards/{board}/{rotation}/analysis", PUBLIC),
    Case("GET", "/analysis", PUBLIC),
    Case("GET", "/analysis/{variant}", PUBLIC),
    Case("GET", "/analysis/{variant}/deal", PUBLIC, f"/analysis/hearts/deal?hands={HANDS}"),
    Case("GET", "/analysis/{variant}/worth", NOT_THERE, f"/analysis/hearts/worth?hands={HANDS}&deal=3&seat=1"),
    Case("GET", "/replay", PUBLIC),
    Case("GET", "/live", PUBLIC),
    Case("GET", "/live/rows", PUBLIC),
    Case("GET", "/live/{number}", PUBLIC),
    Case("GET", "/b/{name}/inbox", NOT_THERE, "/b/Nobody/inbox"),
    Case("GET", "/play", PUBLIC),
    Case("POST", "/play", PERSON, form={"variant": "hearts", "chair1": "friend"}),
    Case("GET", "/play/today", PUBLIC),
    Case("GET", "/play/games", PUBLIC),
    Case("GET", "/puzzles", PUBLIC),
    Case("GET", "/puzzles/{variant}", PUBLIC),
    Case("GET", "/puzzle/{number}", NOT_THERE, "/puzzle/99"),
    Case("POST", "/puzzle/{number}", NO_CHAIR, "/puzzle/99", form={"card": "QS"}),
    Case("GET", "/studies", PUBLIC),
    Case("POST", "/studies", PERSON_WITH_ACCOUNT, form={"title": "Moons", "public": "1"}),
    Case("GET", "/studies/{name}", PUBLIC, "/studies/{study}"),
    Case("POST", "/studies/{name}", FORM_OF_THE_OWNER_ALONE, "/studies/{study}", form={"title": "Moons"}),
    Case("GET", "/studies/{name}/{number}", PUBLIC, "/studies/{study}/{position}"),
    Case("POST", "/studies/{name}/{number}", NO_CHAIR, "/studies/{study}/99", form={"card": "QS"}),
    Case(
        "POST",
        "/studies/{name}/{number}/edit",
        FORM_OF_THE_OWNER_ALONE,
        "/studies/{study}/{position}/edit",
        form={"act": "save"},
    ),
    Case(
        "GET",
        "/studies/{name}/{number}/puzzle",
        (303, 404, 404, 422, 404, 404, 404, 404, 404),
        "/studies/{study}/{position}/puzzle",
    ),
    Case(
        "POST",
        "/studies/{name}/{number}/puzzle",
        (303, 404, 403, 422, 403, 403, 404, 403, 403),
        "/studies/{study}/{position}/puzzle",
        form={},
    ),
    Case("GET", "/analysis/{variant}/study", PAGE_OF_A_PERSON, f"/analysis/hearts/study?hands={HANDS}"),
    Case(
        "POST",
        "/analysis/{variant}/study",
        FORM_OF_THE_OWNER_ALONE,
        f"/analysis/hearts/study?hands={HANDS}",
        form={"study": "{study}"},
    ),
    Case("GET", f"{API}/studies", PUBLIC),
    Case("GET", f"{API}/studies/{{name}}", PUBLIC, f"{API}/studies/{{study}}"),
    Case("POST", "/studies/{name}/removal", FORM_OF_THE_OWNER, "/studies/{study}/removal", form={"sure": "1"}),
    Case("POST", "/play/games/delete", PERSON, form={"sure": "1"}),
    Case("GET", "/play/today/{variant}", PUBLIC),
    Case("GET", "/play/today/{variant}/yesterday", PUBLIC),
    Case("GET", "/play/today/{variant}/feed.atom", PUBLIC),
    Case("POST", "/play/today/{variant}", PERSON, form={}),
    Case("GET", "/play/boards/{match}/{board}/{rotation}", PUBLIC),
    Case("POST", "/play/boards/{match}/{board}/{rotation}", PERSON, form={"seat": "1"}),
    Case("GET", "/play/{name}/compare", NOT_THERE, "/play/{people}/compare"),
    Case("GET", "/play/{name}/replay", table_page(409), "/play/{people}/replay"),
    Case(
        "GET",
        "/play/{name}/replay/{key}/boards/{board}/{rotation}",
        table_page(409),
        "/play/{people}/replay/you/boards/1/1",
    ),
    Case(
        "GET",
        "/play/{name}/replay/{key}/boards/{board}/{rotation}/analysis",
        table_page(409),
        "/play/{people}/replay/you/boards/1/1/analysis",
    ),
    Case(
        "GET",
        "/play/{name}/replay/{key}/boards/{board}/{rotation}/deal",
        table_page(409),
        "/play/{people}/replay/you/boards/1/1/deal",
    ),
    Case(
        "GET",
        "/play/{name}/replay/{key}/boards/{board}/{rotation}/deal/steps/{step}/why",
        table_page(409),
        "/play/{people}/replay/you/boards/1/1/deal/steps/1/why",
    ),
    Case("GET", "/play/{name}/costliest", NOT_THERE, "/play/{people}/costliest?deal=0"),
    Case("POST", "/play/{name}/back", of_chair(403), "/play/{people}/back", value={}),
    Case("POST", "/play/{name}/why", of_chair(409), "/play/{people}/why", value={"decision": 1}),
    Case("GET", "/play/{name}", table_page(OK), "/play/{people}"),
    Case("GET", "/play/{name}/record", NOT_THERE, "/play/{people}/record"),
    Case("GET", "/play/{name}/rules", table_page(OK), "/play/{people}/rules"),
    Case("GET", "/play/{name}/state", table_page(OK), "/play/{people}/state"),
    Case("POST", "/play/{name}/answer", of_chair(409), "/play/{people}/answer", value={"decision": 1, "action": "QS"}),
    Case("POST", "/play/{name}/say", of_chair(409), "/play/{people}/say", value={"phrase": "thanks"}),
    Case("POST", "/play/{name}/presence", of_chair(OK), "/play/{people}/presence", value={"state": "away"}),
    Case("GET", "/play/{name}/watch", NOT_THERE, "/play/{people}/watch?key=AAAAAAAAAAAAAAAAAAAAAA"),
    Case("GET", "/play/{name}/watch/state", NOT_THERE, "/play/{people}/watch/state"),
    Case("GET", "/play/{name}/watch/stream", NOT_THERE, "/play/{people}/watch/stream"),
    Case("POST", "/play/{name}/again", of_chair(OK), "/play/{people}/again", form={}),
    Case("POST", "/play/{name}/join", of_chair(OK), "/play/{people}/join", form={}),
    Case("POST", "/play/{name}/start", of_chair(OK), "/play/{people}/start", form={}),
    Case("POST", "/play/{name}/leave", of_chair(OK), "/play/{people}/leave", form={}),
    Case("POST", "/play/{name}/end", of_chair(OK), "/play/{people}/end", form={}),
    Case("GET", "/play/{name}/stream", table_page(OK), "/play/{people}/stream"),  # which then ends, too
    Case("GET", "/new", PUBLIC),
    Case("GET", "/announcements", PUBLIC),
    Case("GET", "/announcements/feed.atom", PUBLIC),
    Case("GET", "/help/design", PUBLIC),
    Case("GET", "/help/design.css", PUBLIC),
    Case("GET", "/v/{variant}/feed.atom", PUBLIC),
    Case("GET", "/b/{name}/feed.atom", PUBLIC),
    Case("GET", "/favicon.ico", PUBLIC),
    Case("GET", "/apple-touch-icon.png", PUBLIC),
    Case("GET", "/icon-192.png", PUBLIC),
    Case("GET", "/icon-512.png", PUBLIC),
    Case("GET", "/icon.svg", PUBLIC),
    Case("GET", "/site.webmanifest", PUBLIC),
    Case("GET", "/sw.js", PUBLIC),
    Case("GET", "/offline", PUBLIC),
    Case("GET", "/icon-maskable.png", PUBLIC),
    Case("GET", "/picture.png", PUBLIC),
    Case("GET", "/m/{number}/picture.png", PUBLIC),
    Case("GET", "/m/{match}/boards/{board}/{rotation}/picture.png", PUBLIC),
    Case("GET", "/play/today/{variant}/picture.png", PUBLIC),
    Case("GET", "/healthz", PUBLIC),
    Case("GET", "/metrics", PUBLIC),
    Case("GET", "/robots.txt", PUBLIC),
    Case("GET", f"{API}/variants", PUBLIC),
    Case("GET", f"{API}/announcements", PUBLIC),
    Case("GET", f"{API}/deadlines", PUBLIC),
    Case("GET", f"{API}/groups", PUBLIC),
    Case("GET", f"{API}/health", PUBLIC),
    Case("GET", f"{API}/standings/{{variant}}.csv", PUBLIC),
    Case("GET", f"{API}/standings", PUBLIC),
    Case("GET", f"{API}/standings/{{variant}}", PUBLIC),
    Case("GET", f"{API}/standings/{{variant}}/matchups", PUBLIC),
    Case("GET", f"{API}/data", NOT_THERE),
    Case("GET", f"{API}/data/{{table}}/{{part}}", NOT_THERE, f"{API}/data/deals/all.parquet"),
    Case("GET", f"{API}/bots/{{name}}/style", PUBLIC),
    Case("GET", f"{API}/bots/{{name}}/against/{{other}}", PUBLIC, f"{API}/bots/Trotter/against/Snout"),
    Case("GET", f"{API}/bots", PUBLIC),
    Case("GET", f"{API}/bots/{{name}}", PUBLIC),
    Case("GET", f"{API}/bots/{{name}}/ratings/{{variant}}", PUBLIC),
    Case("GET", f"{API}/matches", PUBLIC),
    Case("GET", f"{API}/matches/{{number}}", PUBLIC),
    Case("GET", f"{API}/matches/{{number}}/explanation", PUBLIC),
    Case("GET", f"{API}/matches/{{number}}/scores", PUBLIC),
    Case("GET", f"{API}/matches/{{match}}/boards/{{board}}/rotations/{{rotation}}", PUBLIC),
    Case("GET", f"{API}/matches/{{match}}/record", PUBLIC),
    Case(
        "GET",
        f"{API}/matches/{{match}}/boards/{{board}}/rotations/{{rotation}}/mistakes",
        NOT_THERE,
        f"{API}/matches/999/boards/1/rotations/1/mistakes",
    ),
    Case("GET", f"{API}/tv", PUBLIC),
    Case("GET", f"{API}/new", PUBLIC),
    Case("GET", f"{API}/puzzles", PUBLIC),
    Case("GET", f"{API}/puzzles/{{variant}}", PUBLIC),
    Case("GET", f"{API}/puzzle/{{number}}", NOT_THERE, f"{API}/puzzle/99"),
    Case("POST", f"{API}/puzzle/{{number}}", NO_PUZZLE, f"{API}/puzzle/99", value={"card": "QS"}),
    Case("GET", f"{API}/events", PUBLIC),
    Case("GET", f"{API}/events/{{event}}", PUBLIC),
    Case("GET", f"{API}/events/{{event}}/export", NOT_THERE),
    Case("GET", f"{API}/events/{{event}}/standings.csv", PUBLIC),
    Case("GET", f"{API}/events/{{event}}/tables.csv", PUBLIC),
    Case("GET", f"{API}/events/{{event}}/everything", ADMIN_BY_API),
    Case("POST", f"{API}/events", NO_EVENT, value={"name": "other", "file": "", "rules": {}}),
    Case("POST", f"{API}/events/{{event}}/acts", ENTRY, value={"act": "enter", "bot": "Trotter"}),
    Case("GET", f"{API}/live", PUBLIC),
    Case("GET", f"{API}/live/{{number}}/events", PUBLIC),
    Case("GET", f"{API}/live/{{number}}/stream", PUBLIC),
    Case(
        "GET",
        f"{API}/matches/{{number}}/boards/{{board}}/rotations/{{rotation}}/steps/{{step}}/why",
        NOT_THERE,
        f"{API}/matches/999/boards/1/rotations/1/steps/1/why",
    ),
    Case(
        "GET", f"{API}/matches/{{number}}/seats/{{seat}}/costliest", NOT_THERE, f"{API}/matches/999/seats/0/costliest"
    ),
    Case("GET", f"{API}/bots/{{name}}/inbox", NOT_THERE, f"{API}/bots/Nobody/inbox"),
    Case("GET", f"{API}/matches/{{number}}/seats/{{seat}}/logs", HIDDEN),
    Case("POST", f"{API}/tables", TABLES, value={"variant": "gongzhu"}),
    Case("POST", "/me/bots/{name}/people", FORM_OF_THE_OWNER, form={"allowed": "1"}),
    Case("POST", f"{API}/bots/{{name}}/people", MINE_TO_CHANGE, value={"allowed": True}),
    Case("POST", f"{API}/bots/{{name}}/retirement", MINE_TO_CHANGE, value={"variants": [], "reason": "old"}),
    Case("POST", f"{API}/uploads", OWN_TO_CHANGE, value={"bytes": 10}),
    Case("GET", f"{API}/uploads/{{upload}}", MINE_ALONE),
    Case("PATCH", f"{API}/uploads/{{upload}}", MINE_ALONE, body=b"ab", headers={"Upload-Offset": "0"}),
    Case("DELETE", f"{API}/uploads/{{upload}}", MINE_ALONE),
    Case("GET", f"{API}/submissions", OWN_TO_READ),
    Case("GET", f"{API}/submissions/{{number}}", MINE_TO_READ, f"{API}/submissions/{{ended}}"),
    Case("GET", f"{API}/submissions/{{number}}/stream", MINE_TO_READ, f"{API}/submissions/{{ended}}/stream"),
    Case("DELETE", f"{API}/submissions/{{number}}", MINE_TO_CHANGE, f"{API}/submissions/{{waiting}}"),
    Case("POST", f"{API}/submissions/check", NO_UPLOAD, value={"name": "Snuffle", "variants": ["bridge"]}),
    Case("POST", f"{API}/submissions", NO_UPLOAD, value={"name": "Snuffle", "upload": "0" * 32}),
    Case("POST", f"{API}/login/codes", PUBLIC, value={"client": "a laptop"}),
    Case("POST", f"{API}/login/tokens", NOT_THERE, value={"device_code": "pgd_"}),
    Case("GET", f"{API}/me", OWN_TO_READ),
    Case("GET", f"{API}/me/tokens", OWN_TO_READ),
    Case("POST", f"{API}/me/tokens", SESSION, value={"name": "x", "scopes": ["read"], "days": 1}),
    Case("DELETE", f"{API}/me/tokens/{{number}}", NO_TOKEN),
    Case("GET", f"{API}/registry", NO_REGISTRY),
    Case("GET", f"{API}/registry/token", NOT_THERE),
    Case("GET", "/login/oidc", NOT_THERE),
    Case("GET", "/login/oidc/callback", NOT_THERE),
    Case("POST", "/login/oidc/name", NO_PROVIDER, form={"name": "eve"}),
    Case("GET", "/login", PUBLIC),
    Case("POST", "/login", (403,) * 9, form={"name": "ada", "password": "wrong"}),
    Case("GET", "/register", PUBLIC),
    Case("POST", "/register", PERSON, form={"name": "eve", "password": "correct horse", "invitation": ""}),
    Case("GET", "/me", PAGE),
    Case("GET", "/me/account", PAGE_OF_A_PERSON),
    Case("GET", "/me/team", PAGE_OF_A_PERSON),
    Case("POST", "/me/team", NO_FILE, form={"name": "badgers"}),
    Case("POST", "/me/team/invitations", NO_FILE, form={}),
    Case("POST", "/me/team/invitations/{number}/revoke", NO_FILE, form={}),
    Case("POST", "/me/team/join", NO_FILE, form={"invitation": "pgj_"}),
    Case("POST", "/me/team/leaving", NO_FILE, form={}),
    Case("GET", "/login/code", PAGE_OF_A_PERSON),
    Case("POST", "/login/code", NO_CODE, form={"code": "BCDF-GHJK", "answer": "refuse"}),
    Case("POST", "/me/account/password", (303, *(403,) * 8), form={"password": "wrong", "new": "correct horse 2"}),
    Case("POST", "/me/account/data", (303, OK, 403, OK, 403, 403, OK, 403, 403), form={}),
    Case("POST", "/me/account/name", NO_FILE, form={"name": "no/name"}),
    Case("POST", "/me/account/deletion", NO_FILE, form={"name": "another"}),
    Case("POST", "/me/account/mail", NO_FILE, form={"address": "no address"}),
    Case("POST", "/me/account/mail/choices", NO_FILE, form={"letter_round": "on"}),
    Case("POST", "/me/account/mail/removal", NO_FILE, form={}),
    Case("GET", "/login/forgotten", NOT_THERE),
    Case("POST", "/login/forgotten", NO_LINK, form={"asked": "ada"}),
    Case("GET", "/mail/confirm", NOT_THERE, "/mail/confirm?link=pgm_x"),
    Case("POST", "/mail/confirm", NO_LINK, form={"link": "pgm_x"}),
    Case("GET", "/mail/unsubscribe", NOT_THERE, "/mail/unsubscribe?who=1&what=round&proof=x"),
    Case("POST", "/mail/unsubscribe", NOT_THERE, "/mail/unsubscribe?who=1&what=round&proof=x", form={}),
    Case("POST", "/me/account/tokens", PAGE_OF_A_PERSON, form={"name": "x", "scope_read": "on", "days": "1"}),
    Case("POST", "/me/account/tokens/{number}", NO_CODE, form={}),
    Case("POST", "/me/account/sessions/{number}", NO_CODE, "/me/account/sessions/4711", form={}),
    Case("GET", "/me/logs", PAGE_OF_THE_OWNER, "/me/logs?bot=Trotter"),
    Case("GET", "/me/logs/{match}/{seat}", PAGE_OF_THE_OWNER),
    Case("GET", "/me/submissions/{number}", PAGE_OF_THE_OWNER, "/me/submissions/{ended}"),
    Case("POST", "/me/submissions", NO_FILE, form={}),
    Case(
        "POST", "/me/submissions/{number}/withdrawal", FORM_OF_THE_OWNER, "/me/submissions/{waits}/withdrawal", form={}
    ),
    Case("GET", "/admin", ADMIN),
    Case("GET", "/admin/alike", ADMIN),
    Case("GET", "/admin/audit", ADMIN),
    Case("GET", "/admin/bots", ADMIN),
    Case("GET", "/admin/invitations", ADMIN),
    Case("GET", "/admin/announcements", ADMIN),
    Case("GET", "/admin/deadlines", ADMIN),
    Case("GET", "/admin/groups", ADMIN),
    Case("GET", "/admin/matches", ADMIN),
    Case("GET", "/admin/submissions", ADMIN),
    Case("POST", "/admin/accounts/{name}/disable", ADMIN_FORM, "/admin/accounts/ben/disable", form={"reason": "x"}),
    Case("POST", "/admin/accounts/{name}/enable", ADMIN_FORM, "/admin/accounts/ben/enable", form={}),
    Case("POST", "/admin/accounts/{name}/quota", ADMIN_FORM, "/admin/accounts/ben/quota", form={"quota": "3"}),
    Case("POST", "/admin/accounts/{name}/role", ADMIN_FORM, "/admin/accounts/ben/role", form={"role": "contestant"}),
    Case("POST", "/admin/bots/{name}/{action}", ADMIN_FORM, "/admin/bots/Snout/suspend", form={"reason": "x"}),
    Case("POST", "/admin/invitations", ADMIN_FORM, form={"role": "contestant", "days": "7"}),
    Case("POST", "/admin/invitations/{number}/revoke", ADMIN_FORM, form={}),
    Case("POST", "/admin/accounts/{name}/group", ADMIN_FORM, "/admin/accounts/ben/group", form={"group": "course-a"}),
    Case("POST", "/admin/deadlines", ADMIN_FORM, form={"time": "now", "variant": "hearts"}),
    Case("POST", "/admin/deadlines/removal", ADMIN_FORM, form={"variant": "hearts"}),
    Case("POST", "/admin/groups/{group}/quota", ADMIN_FORM, "/admin/groups/course-a/quota", form={"bots": "2"}),
    Case("POST", "/admin/announcements", ADMIN_FORM, form={"title": "Exam week"}),
    Case("POST", "/admin/announcements/{number}/removal", ADMIN_FORM, form={}),
    Case("POST", "/admin/matches/{number}/requeue", NO_CODE, form={}),
    Case("GET", "/admin/workers", ADMIN),
    Case("POST", "/admin/workers/{name}/drain", ADMIN_FORM, "/admin/workers/barn/drain", form={"reason": "x"}),
    Case("POST", "/admin/workers/{name}/resume", ADMIN_FORM, "/admin/workers/barn/resume", form={}),
    Case("POST", "/admin/workers/{name}/forget", ADMIN_FORM, "/admin/workers/shed/forget", form={}),
    Case("DELETE", f"{API}/me/token", OWN_TO_READ),
    Case("POST", "/logout", (303, 303, 403, 303, 403, 403, 303, 403, 403), form={}),
    Case("POST", "/me/account/revoke", PAGE_OF_A_PERSON, form={}),
]


def routes(app: EveryResponse) -> set[tuple[str, str]]:
    """Every method and path that the application answers."""
    inner: Any = app
    while not isinstance(inner, FastAPI):
        inner = inner._app
    found = set()
    for included in inner.routes:
        contexts = included.effective_route_contexts() if hasattr(included, "effective_route_contexts") else ()
        found |= {(method, context.path) for context in contexts for method in context.methods}
    return found


@dataclass(frozen=True)
class World:
    """A ladder with one of everything that is Ada's."""

    ladder: Ladder
    app: EveryResponse
    known: dict[str, str]
    """Values that are put into addresses."""


@pytest.fixture(scope="module")
def lines() -> tuple[AnyLine, ...]:
    """Played before a test has an event loop."""
    return played("gongzhu")


Make = Callable[["Path"], dict[str, str]]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory, lines: tuple[AnyLine, ...]) -> Make:
    """Make a ladder in a folder: by copying one, because to make it takes longer than what most tests ask."""
    if ON_POSTGRESQL:
        return lambda folder: _make(folder, lines)
    first = tmp_path_factory.mktemp("first")
    known = _make(first, lines)

    def copy(folder: Path) -> dict[str, str]:
        shutil.copytree(first, folder, dirs_exist_ok=True)
        return known

    return copy


@pytest.fixture
def world(tmp_path: Path, make: Make) -> Iterator[World]:
    """One of a test's own."""
    with _opened(tmp_path, make(tmp_path)) as world:
        yield world


@pytest.fixture(scope="module")
def quiet_world(tmp_path_factory: pytest.TempPathFactory, make: Make) -> Iterator[World]:
    """One in which no test changes anything."""
    folder = tmp_path_factory.mktemp("quiet")
    with _opened(folder, make(folder)) as world:
        yield world


@contextmanager
def _opened(folder: Path, known: dict[str, str]) -> Iterator[World]:
    settings = load_settings(data_dir=folder, registration="open")
    ladder = Ladder(settings, open_ladder(settings), clock=lambda: NOW)
    yield World(ladder, make_app(ladder, passwords=quick_passwords()), known)
    ladder.database.close()


def _make(folder: Path, lines: tuple[AnyLine, ...]) -> dict[str, str]:
    """Ada has a bot that has played, an upload, and two submissions, one of which has ended."""
    ladder = new_ladder(load_settings(data_dir=folder, registration="open"))
    match = recorded_match(ladder, lines, logs=LOGS)
    for name, role in (("ada", Role.CONTESTANT), ("ben", Role.CONTESTANT), ("olga", Role.ORGANISER)):
        add_person(ladder, name, role)
    with ladder.database.write() as session:
        bot = session.scalars(select(models.StoredBot).where(models.StoredBot.name == "Trotter")).one()
        bot.owner_id = session.scalars(select(models.Owner).where(models.Owner.name == "ada")).one().id
        versions = list(session.scalars(select(models.Version.id).limit(4)))
        lease(session, queue(session, versions, "gongzhu"))
        waiting = _submission(session)
        waits = _submission(session)
        ended = _submission(session)
        assert submission_queue.withdraw(session, ended.id, NOW) is None
        known = {"waiting": str(waiting.id), "waits": str(waits.id), "ended": str(ended.id)}
    add_workers(ladder, seen("barn"), seen("shed", state=WorkerState.GONE))
    known["upload"] = uploads.begin_upload(ladder, Viewer("ada"), 10).id
    os.utime(folder / "uploads" / known["upload"], (NOW, NOW))
    known |= {"match": str(match), "number": str(match), "board": "1", "rotation": "1", "step": "20", "seat": "0"}
    known |= {"name": "Trotter", "variant": "gongzhu", "event": "cup"}
    holding.open_event(ladder, LOCAL, "cup", FILE.format(show="live"), PRESETS["gongzhu"])
    holding.enter(ladder, LOCAL, "cup", "Trotter")
    order = TableOrder(chairs=(ChairOrder(), *(ChairOrder(kind=ChairKind.PERSON),) * 3))
    known["people"] = open_table(ladder, order, TableVisitor("ada")).name
    known["study"] = studies.create_study(ladder, Viewer("ada"), "Moons", public=True)
    passing = Position.parse(PRESETS["hearts"], HANDS.split("_"))
    known["position"] = str(studies.add_position(ladder, Viewer("ada"), known["study"], passing, "", ""))
    ladder.database.close()
    return known


def _submission(session: Session) -> StoredSubmission:
    order = SubmissionOrder(name="Snuffle", source="mybot", word="./mybot")
    return submission_queue.add(session, order, NOW, owner="ada", sandbox="docker", remote=True)


def test_every_route_stands_in_the_table(quiet_world: World) -> None:
    listed = [(case.method, case.route) for case in CASES]
    assert len(listed) == len(set(listed))
    assert set(listed) == routes(quiet_world.app)


@pytest.mark.parametrize("role", ROLES)
def test_everybody_gets_what_is_theirs_and_no_more(world: World, role: str) -> None:
    cases = _asked(role)
    asked = asyncio.run(_ask_all(world, cases, role))
    wanted = {(case.method, case.route): case.expected[list(ROLES).index(role)] for case in cases}
    assert {key: status for key, status in asked.items() if not _fits(status, wanted[key])} == {}


def _fits(status: int, expected: int) -> bool:
    return status == expected or (expected == OK and status < 400)


def _asked(role: str) -> list[Case]:
    """Return all cases; of those that are the same for everybody, a fourth if the visitor has logged in."""
    number = list(ROLES).index(role)
    return [
        case for place, case in enumerate(CASES) if not number or len({*case.expected}) > 1 or (place + number) % 4 == 0
    ]


async def _ask_all(world: World, cases: list[Case], role: str) -> dict[tuple[str, str], int]:
    headers, cookies = _credentials(world, role)
    found = {}
    for case in cases:  # each with the cookies of the beginning: some answers would log in as another account
        transport = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE, cookies=cookies, headers=headers) as client:
            found[case.method, case.route] = await _status(client, case, world)
    return found


def _credentials(world: World, role: str) -> tuple[dict[str, str], dict[str, str]]:
    """The headers and cookies of a visitor; a browser sends those of a page of the site."""
    who = ROLES[role]
    if who is None:
        return {"Origin": BASE}, {}
    name, scopes = who
    if scopes is not None:
        return {"Authorization": f"Bearer {token_of(world.ladder, name, *scopes)}"}, {}
    secret = session_of(world.ladder, name)
    return {"Origin": BASE, CSRF_HEADER: hmac.new(secret.encode(), b"pigpen csrf", hashlib.sha256).hexdigest()}, {
        "pigpen_session": secret
    }


async def _status(client: httpx.AsyncClient, case: Case, world: World) -> int:
    address = (case.address or case.route).format(**world.known)
    given = {name: value.format(**world.known) for name, value in (case.form or {}).items()}
    form = None if case.form is None else {**given, "csrf": client.headers.get(CSRF_HEADER, "")}
    sent = {"json": case.value, "data": form, "content": case.body}
    parts = {name: each for name, each in sent.items() if each is not None}
    request = client.build_request(case.method, address, headers=case.headers, **parts)
    response = await client.send(request, stream=True)
    await response.aclose()
    if response.status_code == 303 and not response.headers["location"].startswith("/login"):
        return 200
    return response.status_code


@pytest.mark.parametrize(
    ("method", "address", "missing"),
    [
        ("GET", "/submissions/{ended}", "/submissions/4711"),
        ("DELETE", "/submissions/{waiting}", "/submissions/4711"),
        ("GET", "/submissions/{ended}/stream", "/submissions/4711/stream"),
        ("GET", "/uploads/{upload}", f"/uploads/{'0' * 32}"),
        ("DELETE", "/uploads/{upload}", f"/uploads/{'0' * 32}"),
        ("GET", "/matches/1/seats/0/logs", "/matches/1/seats/7/logs"),
    ],
)
def test_a_stranger_cannot_tell_what_is_anothers_from_what_is_not_there(
    quiet_world: World, method: str, address: str, missing: str
) -> None:
    program = Program(quiet_world.ladder, token_of(quiet_world.ladder, "ben"), quiet_world.app)
    theirs, nobodys = program.ask(method, address.format(**quiet_world.known)), program.ask(method, missing)
    assert theirs.status_code == nobodys.status_code == 404
    names = [*quiet_world.known.values(), "4711", "7", "0" * 32]
    assert _without(theirs.text, names) == _without(nobodys.text, names)
    assert theirs.headers.keys() == nobodys.headers.keys()


def _without(text: str, names: list[str]) -> str:
    """Give the rest of an answer if names and numbers of things do not count."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<=[ ']){name}(?=[ '.])", "…", text)
    return text
