"""
Verification of a record: each line is written anew, from the seed, the bots' answers and the times, and compared.

A record holds if every line is, byte for byte, the one that the referee would have written: then the cards follow from
the seed that was committed to, every action was legal and came from the seat that had to act, and all scores, faults,
takeovers, places and standard errors are right. What the bots answered, what was held against them, and how long they
took follows from nothing: the chain shows whether it was changed later on, unless the whole chain was made anew.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import pydantic_core

from pigpen.rules.shuffle import SEED_BYTES, commitment
from referee.match.formats import Format
from referee.match.result import Tally
from referee.records.difference import compare, expect, readable
from referee.records.file import opened, raw_lines
from referee.records.framing import START, RecordCut, RecordDiffers, RecordError, RecordTooLarge, unchained
from referee.records.lines import READABLE, MatchLine, to_json
from referee.records.rules_file import RulesFileError, rules_from
from referee.replay.retrace import RecordedDealing, Retrace, SeedDealing

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator
    from pathlib import Path

    from pigpen.rules import Rules
    from referee.records.lines import AnyLine

_HASH = re.compile("[0-9a-f]{64}")
_RESULT = b'{"type":"result",'
_MISSHAPEN = (AttributeError, LookupError, TypeError, ValueError)
"""Errors of reading fields that are not there or hold something else."""


@dataclass(frozen=True)
class Verified:
    """Result of verifying a record."""

    deals: int
    """Number of deals that hold."""
    finished: bool
    """True if the result is there, and holds."""
    match: MatchLine | None
    """The first line, if it holds."""
    line: int | None = None
    """The number of the first line that differs, from 1."""
    difference: str | None = None
    """The difference, in words."""

    @property
    def holds(self) -> bool:
        """True if everything that is there is right."""
        return self.line is None


def verify(path: Path) -> Verified:
    """
    Verify the record in *path*, finished or not.

    The file is read twice, because its last line holds the seed; no more than a line of it is kept at a time.

    Raises:
        RecordTooLarge: If it is larger than a record can be; the message names the file, the line and the limit.
        RecordError: If the file cannot be read.
    """
    with opened(path) as file:
        found = _survey(path, file)
        check, held = LineCheck(found.seed), 0
        try:
            for _ in _checked(file, found, check):
                held += 1
        except RecordError as error:
            return Verified(check.deals, False, check.match, held + 1, str(error))
        return Verified(check.deals, check.is_finished, check.match)


def checked_lines(path: Path) -> Iterator[AnyLine]:
    """
    Read the record of a finished match; each line is checked as `verify` does it before it is given.

    Raises:
        RecordDiffers: If a line does not hold, or the result is missing.
        RecordError: If the file cannot be read.
    """
    with opened(path) as file:
        found = _survey(path, file)
        check = LineCheck(found.seed)
        for text in _checked(file, found, check):
            yield readable(text)
        if not check.is_finished:
            raise RecordDiffers("it has no result")


@dataclass(frozen=True)
class _Survey:
    """Facts of a record that are known before its lines are looked at."""

    lines: int
    """Number of lines that can be read."""
    end: RecordError | None
    """The reason for which no more of them can be read."""
    seed: bytes
    """The fields of the result, if it is there; none of them is verified yet."""


def _survey(path: Path, file: io.BufferedReader) -> _Survey:
    lines, seed, end = 0, b"", None
    try:
        for line in raw_lines(file):
            lines += 1
            if not seed and line.startswith(_RESULT):
                seed = _seed_in(line)
    except RecordTooLarge as error:
        raise RecordTooLarge(f"{str(path)!r}, line {lines + 1}: {error}.") from None
    except RecordError as error:
        end = error
    return _Survey(lines, end, seed)


def _seed_in(result: bytes) -> bytes:
    try:
        return bytes.fromhex(pydantic_core.from_json(result)["seed"])
    except _MISSHAPEN:
        return b""


def _checked(file: io.BufferedReader, found: _Survey, check: LineCheck) -> Iterator[bytes]:
    """
    Go through the lines that were there when the file was first read: while a match is played its record grows.

    Gives each line that holds, without its chain.

    Raises:
        RecordError: At the first line that does not hold, or cannot be read.
    """
    file.seek(0)
    before, held = START, 0
    for line in islice(raw_lines(file), found.lines):
        text, before = unchained(line, before)
        check.take(text)
        held += 1
        yield text
    if held < found.lines:
        raise RecordCut("the file has become shorter while it was read")
    if found.end or not found.lines:
        raise found.end or RecordDiffers("the file is empty")


class LineCheck:
    """
    Takes the lines of a record one by one.

    Attributes:
        match: The first line, once it is there.
        deals: How many deals have been found right.
        is_finished: Whether the result has been found right.
    """

    def __init__(self, seed: bytes) -> None:
        """Prepare; *seed* is what the result says, or nothing."""
        self.match: MatchLine | None = None
        self.deals = 0
        self.is_finished = False
        self._seed = seed

    def take(self, text: bytes) -> None:
        """
        Check the next line, given without its chain.

        Raises:
            RecordDiffers: If it is not the one that the referee would have written.
        """
        if self.match is None:
            self._begin(text)
            return
        if self.is_finished:
            raise RecordDiffers("there are more lines after the result")
        plain = _plain(text)
        try:
            self._take(plain, text)
        except _MISSHAPEN as error:
            readable(text)
            raise RecordDiffers(f"it cannot be understood: {error!r}") from error

    def _take(self, plain: dict[str, Any], text: bytes) -> None:
        kind = plain["type"]
        if kind == "deal":
            self._take_deal(plain, text)
            self.deals += 1
        elif kind == "result":
            self._take_result(text)
            self.is_finished = True
        else:
            expect("type", kind, "deal")

    def _begin(self, text: bytes) -> None:
        match = readable(text)
        if not isinstance(match, MatchLine):
            raise RecordDiffers("it is not the first line of a match")
        rules, form = _terms(match)
        compare(text, to_json(match.model_copy(update={"rules": rules.to_plain(), "format": str(form)})))
        self._is_secret = commitment(self._seed) != match.commitment
        dealing = RecordedDealing(rules) if self._is_secret else SeedDealing(rules, self._seed)
        rotations = form.table_numbers(rules) if form.has_boards else [None]
        self._tables = {
            rotation: Retrace(rules, form, rotation, dealing, has_forced=match.has_forced, people=match.people_numbers)
            for rotation in rotations
        }
        self._tally = Tally(rules, match.bots, form, match.people_numbers)
        self.match = match

    def _take_deal(self, plain: dict[str, Any], text: bytes) -> None:
        table = self._tables.get(plain.get("rotation"))
        if table is None:
            raise RecordDiffers(
                f"the match has no deal with the field rotation = {plain.get('rotation', '(left out)')}"
            )
        table.take(plain, text, self._tally)

    def _take_result(self, text: bytes) -> None:
        for table in self._tables.values():
            if not table.is_over:
                raise RecordDiffers(f"the match was not over: {table.place} is missing")
        if self._is_secret:
            raise RecordDiffers("its seed is not the one that the first line commits to")
        if len(self._seed) != SEED_BYTES:
            raise RecordDiffers(f"its seed has {8 * len(self._seed)} bits, but should have {8 * SEED_BYTES}")
        compare(text, to_json(self._tally.result(self._seed)))


def _plain(text: bytes) -> dict[str, Any]:
    try:
        plain = pydantic_core.from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise RecordDiffers(f"it is not JSON: {error}") from None
    if not isinstance(plain, dict):
        raise RecordDiffers("it is no JSON object")
    return plain


def _terms(match: MatchLine) -> tuple[Rules, Format]:
    """Read what is played, if the first line makes sense."""
    if match.version not in READABLE:
        known = " and ".join(map(str, READABLE))
        raise RecordDiffers(f"version {match.version} of the format is not known here; {known} are")
    try:
        rules, form = rules_from(match.rules), Format.parse(match.format)
        form.check(rules)
    except RulesFileError as error:
        raise RecordDiffers(f"rules: {error}") from None
    except ValueError as error:
        raise RecordDiffers(str(error)) from None
    if len(match.bots) != rules.players:
        raise RecordDiffers(f"{len(match.bots)} bots are named for {rules.players} seats")
    people = [each.bot for each in match.people or ()]
    if match.people is not None and (not people or people != sorted({*people} & {*range(rules.players)})):
        raise RecordDiffers("people: they are not numbers of seats in rising order")
    if not _HASH.fullmatch(match.commitment):
        raise RecordDiffers("commitment: it is no SHA-256 in hex")
    if not _is_time(match.started):
        raise RecordDiffers("started: it is no time such as 2026-01-31T12:00:00+00:00")
    return rules, form


def _is_time(text: str) -> bool:
    try:
        time = datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return time.utcoffset() == datetime.timedelta() and time.isoformat(timespec="seconds") == text
