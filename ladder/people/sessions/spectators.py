"""
Spectators of tables: who may watch, and the public state that they see.

The public view of a deal (`PublicDeal`) is made only from cards that were played or exposed. The files of each table,
which hold that state, are read once, for all who watch it (`TableWatches`).
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ladder.errors import Busy, LadderError
from ladder.people.sessions.person_state_tracker import shown_deal
from ladder.people.sessions.table_info import Tab, kinds_of
from ladder.people.tables.chairs import NO_TABLE, chair_for, found_table, state_of
from ladder.results.files import TableFiles
from ladder.sandbox.bots.bot_source import seat_names
from ladder.site.server.places import SharedPlaces
from ladder.store.queries.people_tables import chairs_of
from ladder.values.people import TablePurpose, TableStatus
from ladder.values.person_state import ENDS, SheetRow, TableShown
from pigpen.values.notices import DealResult
from referee.records.file import read_record
from referee.records.framing import RecordError
from referee.records.journal_file import JournalLine
from referee.records.lines import DealLine
from referee.records.rules_file import rules_from
from referee.replay.public_deal import NO_SEAT, PublicDeal
from referee.replay.table_view import last_trick

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.site.server.places import Place
    from ladder.store.table_models import PeopleTable
    from ladder.values.people import TableState
    from referee.records.lines import Step

KEY_BYTES = 16


def watch_key(ladder: Ladder, name: str) -> str:
    """
    Give the key with which a table may be watched; empty if watching is forbidden: others will play the same cards.

    Raises:
        LadderError: If there is no such table.
    """
    with ladder.database.read() as session:
        return _key(found_table(session, name))


def watched(ladder: Ladder, name: str, key: str) -> TableState:
    """
    Read a table that a visitor may watch.

    Raises:
        LadderError: If there is no such table, or the key is not its.
    """
    with ladder.database.read() as session:
        table = found_table(session, name)
        wanted = _key(table)
        if not wanted or not hmac.compare_digest(wanted.encode(), key.encode(errors="surrogatepass")):
            raise LadderError(NO_TABLE)
        chairs = chairs_of(session, table.id)
        return state_of(table, chairs, chair_for(chairs, ""))


def _key(table: PeopleTable) -> str:
    """Derive the key from the seed, which is secret until the table is over; then there is nothing to hide."""
    if table.purpose != TablePurpose.FREE:
        return ""
    made = hmac.new(bytes.fromhex(table.seed), b"pigpen watch", hashlib.sha256).digest()[:KEY_BYTES]
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


class WatchedFiles:
    """The files of one table, read as they grow. Not for several threads at once."""

    def __init__(self, ladder: Ladder, table: TableState, delay: float) -> None:
        """Begin before the first line."""
        files = TableFiles(ladder.settings.data_dir)
        self._paths = files.record(table.id), files.journal(table.id)
        self._rules = rules_from(table.rules)
        self._names = seat_names(chair.name for chair in table.chairs)
        self._kinds = kinds_of(table)
        self._delay = delay
        self._seen: tuple[tuple[int, int], ...] = ()
        self._deals: list[DealLine] = []
        self._known = -1, 0
        self._number = 0

    def look(self, table: TableState) -> list[TableShown]:
        """Give the table after each step that is new, or as it is now for the first time; nothing if nothing is new."""
        is_over = table.status in (TableStatus.OVER, TableStatus.ENDED)
        seen = (*map(_mark, self._paths), (is_over, 0))
        if seen == self._seen:
            return []
        self._seen = seen
        deals, lines = _deals_in(self._paths[0]) or self._deals, _answers_in(self._paths[1])
        found = []
        if len(deals) > len(self._deals) == self._known[0]:  # the deal that was looked at is over
            found = [
                self._state(each, None, table) for each in self._news(self._known[0], [deals[self._known[0]].steps])
            ]
        self._deals = deals
        if lines and lines[0].deal >= len(deals):
            news = self._news(lines[0].deal, [line.steps for line in lines])
            found += [self._state(each, None, table) for each in news]
        public, result = self._now(lines)
        if is_over or result or not found:
            found.append(self._state(public, result, table, is_over=is_over))
        return found

    def _news(self, deal: int, answers: Sequence[Sequence[Step]]) -> Iterator[PublicDeal]:
        """Yield a deal after each answer that is new; one that is looked at for the first time only as it is now."""
        done, known = [step for steps in answers for step in steps], self._known[1] if self._known[0] == deal else 0
        if self._known[0] < 0:
            known = len(done) - 1
        self._known = deal, len(done)
        public = self._begun(deal)
        for number, step in enumerate(done, 1):
            public.take([step])
            if number > known and (step.play or number == len(done)):
                yield public

    def _now(self, lines: Sequence[JournalLine]) -> tuple[PublicDeal | None, DealResult | None]:
        """Give the deal under way; before its first step the last one, with its result."""
        last = self._deals[-1] if self._deals else None
        if lines and (last is None or lines[-1].deal > last.deal):
            public = self._begun(lines[0].deal)
            for line in lines:
                public.take(line.steps)
            return public, None
        if last is None:
            return None, None
        public = self._begun(last.deal)
        public.take(last.steps)
        return public, DealResult(last.deal, NO_SEAT, last.scores, last.totals)

    def _begun(self, deal: int) -> PublicDeal:
        before = [line.totals for line in self._deals if line.deal < deal]
        return PublicDeal(self._rules, deal, before[-1] if before else (0,) * self._rules.players)

    def _state(
        self, public: PublicDeal | None, result: DealResult | None, table: TableState, *, is_over: bool = False
    ) -> TableShown:
        self._number += 1
        view = public.view() if public else None
        return TableShown(
            number=self._number,
            status="playing" if not is_over else "ended" if table.status is TableStatus.ENDED else "over",
            reason=table.reason if table.status is TableStatus.ENDED else "",
            delay=self._delay,
            deal=shown_deal(self._rules, view.deal, self._names, self._kinds, None) if view else None,
            moment=public.moment(result) if public else None,
            last_trick=last_trick(view) if view else None,
            sheet=tuple(SheetRow(deal=line.deal, scores=line.scores, totals=line.totals) for line in self._deals),
        )


def _deals_in(record: Path) -> list[DealLine]:
    """Read the deals that are over; none if the file is being written just now, or is not there."""
    try:
        return [line for line in read_record(record) if isinstance(line, DealLine)]
    except (OSError, RecordError):
        return []


def _answers_in(journal: Path) -> list[JournalLine]:
    """Read what has been done in the deal under way, or in the one before it."""
    try:
        whole = journal.read_bytes().rpartition(b"\n")[0]
        return [JournalLine.model_validate_json(line) for line in whole.split(b"\n") if line]
    except (OSError, ValidationError):
        return []


def _mark(path: Path) -> tuple[int, int]:
    """Give a mark that changes with the file."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


LOOK_SECONDS = 0.4
"""Seconds between two looks at the files of a watched table."""
ASK_SECONDS = 2.0
"""Seconds between two questions to the database whether the table is over."""
LINGER_SECONDS = 10.0
"""Seconds that a table is still watched after its last spectator: a browser without a stream asks now and then."""
MAX_TABS = 100
"""Spectators of one table."""
TOO_MANY = "Too many visitors watch this table. Try again in {minutes} min."


class TableWatches:
    """All of them in this process."""

    def __init__(self, ladder: Ladder) -> None:
        self._ladder = ladder
        self._watches: dict[str, _Watch] = {}

    async def open_tab(self, name: str, key: str, address: str) -> Tab[TableShown]:
        """
        Watch a table in one more tab.

        Args:
            name: The table's.
            key: The link's.
            address: Where the spectator comes from.

        Raises:
            Busy: If too many watch it, and no other visitors with more tabs.
            LadderError: If there is no such table, or the key is not its.
        """
        table = await asyncio.to_thread(watched, self._ladder, name, key)
        watch = self._watches.get(name)
        if watch is None:
            watch = self._watches[name] = _Watch(self._ladder, table, key, lambda: self._watches.pop(name, None))
        return watch.open_tab(address)

    async def close(self) -> None:
        """End all of them."""
        for watch in list(self._watches.values()):
            await watch.close()


class _Watch:
    """One table."""

    def __init__(self, ladder: Ladder, table: TableState, key: str, gone: Callable[[], object]) -> None:
        self.tabs: dict[Tab[TableShown], Place] = {}
        self._ladder = ladder
        self._table = table
        self._key = key
        self._gone = gone
        self._delay = ladder.settings.live_delay
        self._files = WatchedFiles(ladder, table, self._delay)
        self._last: TableShown | None = None
        self._places = SharedPlaces(MAX_TABS)
        self._task = asyncio.ensure_future(self._follow())

    def open_tab(self, address: str) -> Tab[TableShown]:
        """See `TableWatches.open_tab`."""
        tab = Tab(self._leave, *([self._last] if self._last else []))
        place = self._places.take(address, lambda: self._give_up(tab))
        if place is None:
            raise Busy(TOO_MANY)
        self.tabs[tab] = place
        return tab

    async def close(self) -> None:
        """End it for all."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def _leave(self, tab: Tab[TableShown]) -> None:
        if (place := self.tabs.pop(tab, None)) is not None:
            place.leave()
        if not self.tabs:
            asyncio.get_running_loop().call_later(LINGER_SECONDS, self._end_unwatched)

    def _give_up(self, tab: Tab[TableShown]) -> None:
        tab.end()
        self._leave(tab)

    def _end_unwatched(self) -> None:
        if not self.tabs:
            self._task.cancel()

    async def _follow(self) -> None:
        """Look again and again, and tell what was seen when it is old enough."""
        coming: list[tuple[float, TableShown]] = []
        ask_at = 0.0
        try:
            while self._last is None or self._last.status not in ENDS:
                now = time.monotonic()
                if now >= ask_at:
                    ask_at = now + ASK_SECONDS
                    self._table = await asyncio.to_thread(watched, self._ladder, self._table.name, self._key)
                coming += [(now + self._delay, each) for each in await asyncio.to_thread(self._files.look, self._table)]
                while coming and coming[0][0] <= time.monotonic():
                    self._tell(coming.pop(0)[1])
                await asyncio.sleep(LOOK_SECONDS)
        except LadderError:  # the table was removed
            pass
        finally:
            for tab in self.tabs:
                tab.end()
            self._gone()

    def _tell(self, state: TableShown) -> None:
        self._last = state
        for tab in self.tabs:
            tab.put(state)
