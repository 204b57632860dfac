"""
A remote ladder, as commands ask it.

Records of its matches are fetched once, and cached by match and hash.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from ladder.app.missing_runner import START_THERE, why_nothing_plays
from ladder.app.new_file import write_new
from ladder.app.remote.connection import API, not_understood, refusal
from ladder.app.remote.nonces import kept_nonces, make_nonce
from ladder.errors import LadderError, RemoteError, UserError
from ladder.sandbox.host.whole_file import cache_folder, write_whole
from ladder.values.bots import BotList, BotPage, PeopleAllowed, PeoplePermission, Retired, Retirement
from ladder.values.held_events import NOT_FINAL, EventAct, EventDone, EventOrder, EventPage, EventRow, EventState
from ladder.values.local_results import SeatLog
from ladder.values.matches import Explanation, MatchList, MatchPage, MatchRow
from ladder.values.order import Order
from ladder.values.reports import LadderHealth
from ladder.values.standings import Standings
from ladder.values.submission import SubmissionList, SubmissionRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ladder.app.remote.connection import Connection
    from ladder.values.bots import BotRow
    from pigpen.rules import Rules

MAX_BYTES = 256 * 1024**2
"""Of a record, packed."""
KEPT_BYTES = 512 * 1024**2
"""Of all records that are kept of a ladder; those fetched longest ago go first."""
_DIGEST = re.compile(r"sha-256=:([A-Za-z0-9+/]{43}=):")


def fetch_record(connection: Connection, match: int, kept_bytes: int = KEPT_BYTES) -> Path:
    """
    Fetch the record of a match that is done, unless it is here already.

    Args:
        connection: Leads to the ladder.
        match: Number of the match there.
        kept_bytes: Of all records that are kept of this ladder.

    Raises:
        LadderError: If the ladder has none.
        RemoteError: If the ladder does not answer, or the record came damaged.
        UserError: If there is no room for it.
    """
    folder = cache_folder() / "records" / hashlib.sha256(connection.address.encode()).hexdigest()[:16]
    known = {digest: path for path in folder.glob(f"{match}-*.jsonl.gz") if (digest := _hash_in(path)) is not None}
    tags = {"If-None-Match": ", ".join(f'"{digest}"' for digest in known)} if known else {}
    answer = connection.answer(f"/matches/{match}/record", MAX_BYTES, headers=tags)
    if answer.status not in (200, 304):
        raise refusal(connection.address, answer)
    digest = _promised(answer.headers.get("Repr-Digest", ""))
    if answer.status == 304 and digest in known:
        return known[digest]
    if answer.status != 200 or digest is None:
        raise not_understood(connection.address, answer)
    if hashlib.sha256(answer.body).hexdigest() != digest:
        raise RemoteError(f"The record of match {match} arrived damaged from {connection.address}. Try again.")
    return _keep(folder, f"{match}-{digest}.jsonl.gz", answer.body, kept_bytes)


def _hash_in(path: Path) -> str | None:
    """Give the hash in the name of a file, if that is the file's."""
    digest = path.name.partition("-")[2].partition(".")[0]
    try:
        return digest if hashlib.sha256(path.read_bytes()).hexdigest() == digest else None
    except OSError:
        return None


def _promised(header: str) -> str | None:
    found = _DIGEST.search(header)
    return base64.b64decode(found[1]).hex() if found else None


def _keep(folder: Path, name: str, content: bytes, kept_bytes: int) -> Path:
    try:
        write_whole(folder / name, content)
        _make_room(folder, folder / name, kept_bytes)
    except OSError as error:
        raise UserError(f"The record cannot be kept in {str(folder)!r}: {error.strerror}.") from None
    return folder / name


def _make_room(folder: Path, spared: Path, kept_bytes: int) -> None:
    total = 0
    for path in sorted(folder.glob("*.jsonl.gz"), key=lambda path: path.stat().st_mtime, reverse=True):
        total += path.stat().st_size
        if total > kept_bytes and path != spared:
            path.unlink(missing_ok=True)


MAX_BOTS, MAX_MATCHES = 1000, 200
"""In one answer."""
EXPORT_BYTES = 1024**3
"""The most bytes of an event with its records."""


@dataclass(frozen=True)
class RemoteLadder:
    """An `AnyLadder` on another machine. That ladder decides what the user may do."""

    connection: Connection

    def standings(
        self,
        variant: str | None,
        everyone: bool,
        first: int | None,
        by: Order | None,
        season: str | None = None,
        group: str | None = None,
    ) -> list[Standings]:
        """See `AnyLadder`."""
        wanted = {"variant": variant, "all": everyone, "by": by, "season": season, "group": group}
        found: dict[str, Standings] = {}
        after = 0
        while True:
            left = None if first is None else first - after
            for each in self.connection.get("/standings", list[Standings], **wanted, first=left, after=after or None):
                known = found.get(each.variant, each.model_copy(update={"standings": ()}))
                rows = (*known.standings, *each.standings)
                found[each.variant] = each.model_copy(update={"standings": rows})
            ends = [each.next for each in found.values() if each.next is not None]
            if not ends or max(ends) <= after or (first is not None and max(ends) >= first):
                return list(found.values())
            after = max(ends)

    def bots(self) -> list[BotRow]:
        """See `AnyLadder`."""
        found: list[BotRow] = []
        after = None
        while True:
            some = self.connection.get("/bots", BotList, after=after, limit=MAX_BOTS)
            found += some.bots
            if some.next is None or some.next == after:
                return found
            after = some.next

    def bot_page(self, bot: str, variant: str | None, opponents: int) -> BotPage:
        """See `AnyLadder`."""
        return self.connection.get(f"/bots/{_name(bot)}", BotPage, variant=variant, opponents=opponents)

    def matches(self, variant: str | None, bot: str | None, statuses: Sequence[str], limit: int) -> list[MatchRow]:
        """See `AnyLadder`."""
        return [match for status in statuses for match in self._matches(variant, bot, status, limit)]

    def why_nothing_plays(self) -> str:
        """See `AnyLadder`."""
        try:
            found = self.connection.get("/health", LadderHealth)
        except (LadderError, RemoteError):  # a ladder of an older version has no such page
            return ""
        return why_nothing_plays(found, START_THERE)

    def match(self, number: int) -> MatchPage:
        """See `AnyLadder`."""
        row = self.connection.get(f"/matches/{number}", MatchRow)
        record = f"{self.connection.address}{API}/matches/{number}/record" if row.record_kept else None
        return MatchPage(**dict(row), record=record)

    def explanation(self, number: int) -> Explanation:
        """See `AnyLadder`."""
        return self.connection.get(f"/matches/{number}/explanation", Explanation)

    def record_of(self, number: int) -> Path:
        """See `AnyLadder`."""
        return fetch_record(self.connection, number)

    def logs(self, match: int, seat: str, rotation: int | None) -> list[SeatLog]:
        """See `AnyLadder`."""
        if not _fits(seat):
            raise UserError(f"No bot {seat!r} played in match {match}. To list its bots: pigpen matches {match}")
        return self.connection.get(
            f"/matches/{match}/seats/{quote(seat, safe='')}/logs", list[SeatLog], rotation=rotation
        )

    def retire(self, bot: str, variants: Sequence[str], reason: str) -> list[Retired]:
        """See `AnyLadder`."""
        wanted = Retirement.model_construct(variants=tuple(variants), reason=reason)
        return self.connection.send("POST", f"/bots/{_name(bot)}/retirement", list[Retired], wanted)

    def allow_people(self, bot: str, allowed: bool) -> PeopleAllowed:
        """See `AnyLadder`."""
        wanted = PeoplePermission(allowed=allowed)
        return self.connection.send("POST", f"/bots/{_name(bot)}/people", PeopleAllowed, wanted)

    def submissions(self, before: int | None, limit: int) -> SubmissionList:
        """See `AnyLadder`."""
        return self.connection.get("/submissions", SubmissionList, before=before, limit=limit)

    def events(self) -> list[EventRow]:
        """See `AnyLadder`."""
        return self.connection.get("/events", list[EventRow])

    def event(self, name: str, *, everything: bool) -> EventPage:
        """See `AnyLadder`."""
        return self.connection.get(f"{_event(name)}{'/everything' if everything else ''}", EventPage)

    def open_event(self, name: str, file: str, rules: Rules) -> EventPage:
        """See `AnyLadder`."""
        order = EventOrder.model_construct(name=name, file=file, rules=rules.to_plain())
        return self.connection.send("POST", "/events", EventPage, order)

    def act_on_event(self, name: str, wanted: EventAct) -> EventDone:
        """See `AnyLadder`."""
        return self.connection.send("POST", f"{_event(name)}/acts", EventDone, wanted)

    def enter_event(self, name: str, bot: str, *, ladder_nonce: bool) -> EventDone:
        """See `AnyLadder`."""
        if ladder_nonce:
            return self.act_on_event(name, EventAct.model_construct(act="enter", bot=bot))
        made = make_nonce(self.connection.address, name, bot.partition("@")[0])
        return self.act_on_event(name, EventAct.model_construct(act="enter", bot=bot, commitment=made.commitment))

    def reveal_nonces(self, name: str) -> list[str]:
        """See `AnyLadder`; before the list is final no nonce is sent: the ladder's organiser may not know it."""
        page = self.event(name, everything=False)
        if page.state == EventState.OPEN:
            raise UserError(NOT_FINAL.format(name))
        waiting = {one.commitment for one in page.entrant_list if one.nonce is None}
        mine = [each for each in kept_nonces(self.connection.address, name) if each.commitment in waiting]
        acts = (EventAct.model_construct(act="reveal", nonce=each.nonce) for each in mine)
        return [self.act_on_event(name, each).bot for each in acts]

    def export_event(self, name: str, path: Path) -> None:
        """See `AnyLadder`."""
        write_new(path, self._export(name))

    def _export(self, name: str) -> Iterator[bytes]:
        answer = self.connection.answer(f"{_event(name)}/export", EXPORT_BYTES)
        if answer.status != 200:
            raise refusal(self.connection.address, answer)
        yield answer.body

    def submission(self, number: int) -> SubmissionRow:
        """See `AnyLadder`."""
        return self.connection.get(f"/submissions/{number}", SubmissionRow)

    def withdraw(self, number: int) -> SubmissionRow:
        """See `AnyLadder`."""
        return self.connection.send("DELETE", f"/submissions/{number}", SubmissionRow)

    def _matches(self, variant: str | None, bot: str | None, status: str, limit: int) -> list[MatchRow]:
        found: list[MatchRow] = []
        mark, place = None, "before" if status == "done" else "after"
        while len(found) < limit:
            some = self.connection.get(
                "/matches", MatchList, variant=variant, bot=bot, status=status,
                limit=min(limit - len(found), MAX_MATCHES), **{place: mark},
            )  # fmt: skip
            found += some.matches
            if some.next is None or some.next == mark:
                break
            mark = some.next
        return found


def _event(name: str) -> str:
    """Give the address of an event."""
    if not _fits(name):
        raise LadderError(f"There is no event {name!r} on this ladder. To list all: pigpen event list")
    return f"/events/{quote(name, safe='')}"


def _name(bot: str) -> str:
    """Give a bot's name as a part of an address."""
    if not _fits(bot):
        raise LadderError(f"There is no bot {bot.partition('@')[0]!r} on this ladder. To list all: pigpen bots")
    return quote(bot, safe="")


def _fits(word: str) -> bool:
    """Tell whether a word can be a part of an address without changing the path around it."""
    return word not in ("", ".", "..") and "/" not in word and len(word) <= 80
