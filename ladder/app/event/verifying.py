"""
Verification of an event that is over from its export alone.

Anyone can do it: every draw is made again, and every match is played again.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections import Counter
from dataclasses import asdict
from http.client import HTTPException
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from ladder.app.event.export_file import EXPORT_JSON, event_links, export_in, opened_export, read_export
from ladder.errors import UserError
from ladder.events.admission import Registration
from ladder.events.beacons import why_no_value
from ladder.events.chain import STAMP, Deviations, Link, first_broken
from ladder.events.course import NextRound
from ladder.events.entrants import Contributions, Entrant, entrants_hash, is_stand_in
from ladder.events.event_file import parse_event
from ladder.events.held import Held, HeldRound, HeldTable, Ruling, differs
from ladder.events.legs import sides_of
from ladder.results.summary import summarise
from ladder.sandbox.bots.bot_source import seat_names
from ladder.values.clocks import read_clock
from ladder.values.held_events import (
    EventVerification,
    ExportedEvent,
    ExportedTable,
    ExportedTurn,
    record_name,
)
from ladder.values.webhooks import MessageKind
from pigpen.rules.shuffle import commitment
from referee.match.formats import Format
from referee.records.framing import RecordError, shortened
from referee.records.lines import MatchLine
from referee.records.recorded import BadRecord
from referee.records.rules_file import RulesFileError, rules_from
from referee.replay.verify import checked_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


MAX_RECORD_BYTES = 1024**3
"""The most bytes of one record, as it is in the file."""


def verify_event(
    path: Path, published: Sequence[str] = (), watch: Callable[[int, int], None] = lambda done, of: None
) -> EventVerification:
    """
    Make every draw of an event again, play every match again, and find the places again.

    Args:
        path: The file that `export_file.export_event` has written.
        published: Copies that were published earlier, files or addresses: the stamps in them are compared.
        watch: Called with the number of matches that were played again, and of all.

    Raises:
        UserError: If a file cannot be read, the first is no export, or a copy has no stamp of the event.
    """
    copies = {where: published_text(where) for where in published}
    with opened_export(path) as file:
        return _Verifier(file, export_in(file, path)).verify(copies, watch)


MAX_COPY_BYTES = 64 * 1024**2
"""Bytes of a copy that was published."""
COPY_SECONDS = 30.0
"""Seconds in which an address has to give the next part of one."""


def published_text(where: str) -> str:
    """
    Read a copy that was published: a file, an earlier export, or what an address gives.

    Raises:
        UserError: If it cannot be read.
    """
    if where.startswith(("http://", "https://")):
        try:
            with urlopen(where, timeout=COPY_SECONDS) as answer:
                return _copy(answer, where)
        except HTTPError as error:
            with error:
                raise UserError(f"{where}: it cannot be read: the answer is {error.code} {error.reason}.") from None
        except (OSError, ValueError, HTTPException) as error:
            why = error.reason if type(error) is URLError else error
            words = (why.strerror if isinstance(why, OSError) else None) or str(why)
            raise UserError(f"{where}: it cannot be read: {shortened(words, 200)}.") from None
    path = Path(where)
    if zipfile.is_zipfile(path):
        event = read_export(path)
        return event_links(event)[-1].stamp(event.name) if event.links else ""
    try:
        with path.open("rb") as file:
            return _copy(file, where)
    except OSError as error:
        raise UserError(f"{where}: it cannot be read: {error.strerror}.") from None


def _copy(file: IO[bytes], where: str) -> str:
    content = file.read(MAX_COPY_BYTES + 1)
    if len(content) > MAX_COPY_BYTES:
        raise UserError(f"{where}: it is too long for a copy of what was published: {MAX_COPY_BYTES:,} bytes at most.")
    return content.decode("utf-8", "replace")


class _Verifier:
    """Looks for what does not hold."""

    def __init__(self, file: zipfile.ZipFile, exported: ExportedEvent) -> None:
        self._file = file
        self._event = exported
        self._findings: list[str] = []
        self._records = self._deals = 0
        try:
            self._held = _held(exported)
        except (UserError, RulesFileError) as error:
            raise UserError(f"Its event makes no sense: {error}") from None
        self._names = {one.number: one.name for one in exported.entrants}
        self._copies = self._held.rules.players // sides_of(self._held.rules)

    def verify(self, copies: Mapping[str, str], watch: Callable[[int, int], None]) -> EventVerification:
        event, links = self._event, event_links(self._event)
        if not links:
            raise UserError("Its event has no chain.")
        compared = self._compare(copies, links)
        self._verify_links(links)
        self._check(commitment(bytes.fromhex(event.seed)) == event.commitment, "The seed is not the committed one.")
        self._check(entrants_hash(self._held.listed) == event.entrants_hash, "The list of entrants is another one.")
        self._verify_contributions()
        for number in range(1, len(event.rounds) + 1):
            self._verify_draw(number)
        self._verify_places()
        self._verify_leaving(links)
        turns = list(self._turns())
        self._verify_files(turns)
        for done, (number, place, turn) in enumerate(turns, 1):
            self._verify_match(number, place, turn)
            watch(done, len(turns))
        return EventVerification(
            event=event.name,
            holds=not self._findings,
            findings=tuple(self._findings),
            rounds=len(event.rounds),
            tables=sum(len(each.tables) for each in event.rounds),
            records=self._records,
            deals=self._deals,
            winner=self._names.get(event.places[0].number) if event.places else None,
            commitment=event.commitment,
            entrants_hash=event.entrants_hash or "",
            contributions=event.contributions or "",
            stamp=links[-1].stamp(event.name),
            published=compared,
        )

    def _compare(self, copies: Mapping[str, str], links: Sequence[Link]) -> int:
        """Compare the stamps of published copies with the chain; give how many there are."""
        compared = 0
        for where, text in copies.items():
            stamps = {(int(number), hash_) for name, number, hash_ in STAMP.findall(text) if name == self._event.name}
            if not stamps:
                raise UserError(f"{where}: it has no stamp of the event {self._event.name!r}.")
            for number, hash_ in sorted(stamps):
                same = number <= len(links) and links[number - 1].hash == hash_
                self._check(same, f"{where}: link {number} was another one when this was published.")
            compared += len(stamps)
        return compared

    def _verify_links(self, links: Sequence[Link]) -> None:
        if (broken := first_broken(links)) is not None:
            self._findings.append(f"Link {broken} of the chain does not follow from what is before it.")
        self._findings += Deviations(self._event).find(links)
        if self._held.event.links_entries:
            self._findings += Registration(self._event, self._held.event).find(links)

    def _check(self, holds: bool, sentence: str) -> None:
        if not holds:
            self._findings.append(sentence)

    def _verify_contributions(self) -> None:
        """Check each nonce against its commitment, and that who has revealed none is off the field without a beacon."""
        event, file = self._event, self._held.event
        for one in event.entrants:
            is_its_own = one.nonce is None or commitment(bytes.fromhex(one.nonce)) == one.commitment
            self._check(is_its_own, f"The nonce of {one.name} is not the committed one.")
            is_off = one.nonce is not None or file.beacon is not None or one.left_after == 0
            self._check(is_off, f"{one.name} has revealed no nonce, and was not taken off the field.")
        if file.beacon:
            why = why_no_value(file.beacon, event.beacon_value or "")
            self._check(not why, f"The value of the beacon cannot be that of {file.beacon}: {why}.")
        given = self._held.contributions
        self._check(
            given is not None and given.hash() == event.contributions,
            "The nonces and the beacon's value are not those with which the event has started.",
        )

    def _verify_draw(self, number: int) -> None:
        drawn, stated = self._held.rounds[number - 1], self._event.rounds[number - 1]
        try:
            following = self._held.following(number - 1, as_drawn=True)
        except (UserError, ArithmeticError, ValueError, LookupError) as error:
            self._findings.append(f"Round {number} does not follow from the results before it: {error}")
            return
        if not isinstance(following, NextRound):
            self._findings.append(f"Round {number} was drawn, and the event was over.")
            return
        if why := differs(drawn, following, number):
            self._findings.append(f"By the results before it, {why}.")
            return
        draw = following.draw()
        same = tuple(table.table for table in drawn.tables) == draw.tables
        self._check(same, f"The tables of round {number} are not those that the lots give.")
        found = draw.method, draw.cost, draw.bound
        self._check(found == (stated.method, stated.cost, stated.bound), f"The cost of round {number} is another one.")

    def _verify_places(self) -> None:
        try:
            end = self._held.following()
        except (UserError, ArithmeticError, ValueError, LookupError) as error:
            self._findings.append(f"The places do not follow from the results: {error}")
            return
        if isinstance(end, NextRound):
            self._findings.append("The event is not over: another round follows.")
            return
        found = [(one.place, one.number, one.values, one.margin) for one in end.rows]
        stated = [(one.place, one.number, one.values, one.margin) for one in self._event.places]
        self._check(found == stated, "The places are not those that the results give.")

    def _verify_leaving(self, links: Sequence[Link]) -> None:
        """Check that the bots that have left by the rule are those of which the chain tells, by its tables."""
        linked = [
            each.data for each in links if each.kind == MessageKind.BOT_LEFT and each.data.get("by") == "takeovers"
        ]
        found = [
            {"entrant": one, "after": each.after, "by": "takeovers", "tables": [list(table) for table in each.tables]}
            for one, each in self._held.dropped(is_over=True).items()
        ]
        redone = [
            [each.data.get("round"), each.data.get("table")] for each in links if each.kind == MessageKind.TABLE_REDONE
        ]
        undone = [each for each in linked if each not in found and any(table in redone for table in each["tables"])]
        same = all(each in found or each in undone for each in linked) and all(each in linked for each in found)
        self._check(same, "Other bots were taken over again and again than the chain tells of, or at other tables.")

    def _verify_files(self, turns: Iterable[tuple[int, int, int]]) -> None:
        """Check that the file holds the records of the event, each once, and nothing else."""
        known = {EXPORT_JSON, *(record_name(*turn) for turn in turns)}
        for name, count in Counter(self._file.namelist()).items():
            self._check(name in known, f"{shortened(name)!r} is in the file, and is no part of the event.")
            self._check(count == 1, f"{shortened(name)!r} is there twice.")

    def _turns(self) -> Iterator[tuple[int, int, int]]:
        """Yield each match that was played: its round, table and turn."""
        for number, each in enumerate(self._event.rounds, 1):
            for place, table in enumerate(each.tables, 1):
                for turn, match in enumerate(table.turns):
                    if match.boards is not None:
                        yield number, place, turn
                self._check(table.turns[-1].boards is not None, f"Table {place} of round {number} has no result.")

    def _verify_match(self, number: int, place: int, turn: int) -> None:
        where, drawn = f"Round {number}, table {place}", self._event.rounds[number - 1]
        table = drawn.tables[place - 1]
        played, seed = table.turns[turn], self._held.match_seed(drawn.stage, drawn.round, place, turn)
        name = record_name(number, place, turn)
        self._check(commitment(seed) == played.commitment, f"{where}: its cards are not those of the event's seed.")
        try:
            with tempfile.TemporaryDirectory() as folder:
                record = Path(folder) / os.path.basename(name)
                found = self._unpack(name, record)
                self._check(
                    found == played.record, f"{where}: its record is not the one of which the chain has a hash."
                )
                self._verify_record(where, record, drawn.stage, drawn.boards, table, played)
        except KeyError:
            self._findings.append(f"{where}: its record {name} is missing.")
        except (RecordError, BadRecord) as error:
            self._findings.append(f"{where}: its record does not hold: {shortened(str(error), 300)}.")

    def _unpack(self, name: str, record: Path) -> str:
        """Write a record to a file; give its SHA-256, in hex."""
        found = hashlib.sha256()
        with self._file.open(name) as inside, record.open("wb") as out:
            left = MAX_RECORD_BYTES
            while block := inside.read(1024**2):
                left -= len(block)
                if left < 0:
                    raise BadRecord(f"it is longer than {MAX_RECORD_BYTES:,} bytes")
                found.update(block)
                out.write(block)
        return found.hexdigest()

    def _verify_record(
        self, where: str, record: Path, stage: int, boards: int | None, table: ExportedTable, played: ExportedTurn
    ) -> None:
        lines = checked_lines(record)
        first = next(lines)
        summary = summarise(chain([first], lines))
        assert isinstance(first, MatchLine)
        self._records += 1
        self._deals += summary.deals
        planned = self._held.event.stages[stage]
        clock = asdict(read_clock(planned.clock, planned.limit))
        stand_in = self._event.stand_in.partition("@")[0]
        bots = [stand_in if is_stand_in(one) else self._names[one] for one in table.entrants] * self._copies
        form = "game" if boards is None else str(Format(boards=boards))
        self._check(first.bots == seat_names(bots), f"{where}: other bots play in its record.")
        self._check(first.rules == self._event.rules, f"{where}: its record is of another variant.")
        self._check(first.format == form, f"{where}: its record is of another format.")
        self._check(first.clock.model_dump() == clock, f"{where}: its record is of another clock.")
        self._check(summary.commitment == played.commitment, f"{where}: its record is of other cards.")
        found = summary.totals, summary.deals
        self._check(found == (played.boards, played.deals), f"{where}: its result is not that of its record.")
        over = [one for one in summary.taken_over(table.entrants) if not is_stand_in(one)]
        same = over == list(played.taken_over)
        self._check(same, f"{where}: other bots were taken over in its record.")


def _held(event: ExportedEvent) -> Held:
    return Held(
        event=parse_event(event.file),
        rules=rules_from(event.rules),
        entrants=tuple(
            Entrant(one.number, one.name, one.owner, one.rating, one.identity, one.commitment) for one in event.entrants
        ),
        seed=bytes.fromhex(event.seed),
        stand_in=Entrant(0, event.stand_in, "", None, event.stand_in_identity),
        contributions=Contributions(
            {one.number: one.nonce for one in event.entrants if one.nonce is not None},
            parse_event(event.file).beacon or "",
            event.beacon_value or "",
        ),
        left={one.number: one.left_after for one in event.entrants if one.left_after is not None},
        rounds=tuple(
            HeldRound(each.stage, each.round, each.kind, each.boards, tuple(map(_held_table, each.tables)))
            for each in event.rounds
        ),
    )


def _held_table(table: ExportedTable) -> HeldTable:
    turn = table.turns[-1]
    rulings = tuple(Ruling(one.last, one.after, one.reason, one.by, one.at.timestamp()) for one in turn.rulings)
    return HeldTable(table.entrants, len(table.turns) - 1, turn.boards, turn.deals, rulings, turn.taken_over)
