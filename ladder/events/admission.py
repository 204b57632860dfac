"""
Admission to the list of entrants, where an event's file asks for a check-in or has a waiting list.

The list has those who have checked in, in order of entry, as many as there are places. Each entry, check-in and
withdrawal is a link of the chain when it is made. So the list follows from links that came before it: an organiser who
drops a bot, adds one late, or changes the order contradicts them, or the stamps of them that others have kept.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from ladder.values.held_events import EventUnlisted, Unlisted
from ladder.values.text import counted
from ladder.values.value import in_utc
from ladder.values.webhooks import ENTRY_KINDS, MessageKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ladder.events.chain import Link
    from ladder.values.events import Event
    from ladder.values.held_events import ExportedEvent


class Candidate(Protocol):
    """A bot that has entered."""

    @property
    def checked_in(self) -> object | None:
        """Time of its check-in; None: it has not."""


One = TypeVar("One", bound=Candidate)


def admitted(entries: Iterable[One], file: Event) -> tuple[list[One], list[tuple[One, Unlisted]]]:
    """
    Give who is on the list of entrants, and who is not, with the reason.

    Args:
        entries: All who have entered, in order of entry.
        file: The event's.
    """
    listed: list[One] = []
    others: list[tuple[One, Unlisted]] = []
    for one in entries:
        if file.check_in and one.checked_in is None:
            others.append((one, "check-in"))
        elif len(listed) == file.entrants[1]:
            others.append((one, "full"))
        else:
            listed.append(one)
    return listed, others


@dataclass(frozen=True)
class Entry:
    """An entry, as the chain tells of it."""

    bot: str
    version: int
    owner: str
    commitment: str
    has_own_nonce: bool
    checked_in: datetime.datetime | None = None
    checked_in_by: str | None = None


class Registration:
    """Replay of the entries, check-ins and withdrawals of a chain, with which the list of an export is compared."""

    def __init__(self, event: ExportedEvent, file: Event) -> None:
        """Begin with no entry."""
        self._event, self._file = event, file
        self._entries: dict[str, Entry] = {}
        """By bot, in order of entry."""
        self._withdrawn: list[EventUnlisted] = []
        """By others than their owners."""
        self._is_held = self._is_final = False

    def find(self, links: Sequence[Link]) -> Iterator[str]:
        """Yield a sentence for each thing that does not follow."""
        for link in links:
            try:
                yield from self._take(link)
            except (LookupError, TypeError, ValueError):
                yield f"Link {link.number} of the chain ({link.kind}) makes no sense."
        yield from self._differences()

    def _take(self, link: Link) -> Iterator[str]:
        if link.kind == MessageKind.EVENT_HELD:
            self._is_held = True
        elif link.kind == MessageKind.EVENT_FROZEN:
            self._is_final = True
            yield from self._odd_freeze(datetime.datetime.fromisoformat(link.at))
        elif link.kind in ENTRY_KINDS:
            yield from self._odd_entry(link)
            self._change(link)

    def _odd_freeze(self, at: datetime.datetime) -> Iterator[str]:
        file = self._file
        if file.check_in and file.freezes and at < file.freezes:
            yield f"The list of entrants was final at {in_utc(at)}, before the end of the check-in."

    def _odd_entry(self, link: Link) -> Iterator[str]:
        """Say why that cannot have been at that time, or not of that bot."""
        file, at, bot = self._file, datetime.datetime.fromisoformat(link.at), link.data["bot"]
        where = f"Link {link.number} of the chain ({link.kind}, {bot})"
        if self._is_final:
            yield f"{where} comes after the list of entrants was final."
        if link.kind == MessageKind.ENTRY_WITHDRAWN:
            if bot not in self._entries:
                yield f"{where} is about a bot that had not entered."
            return
        if file.freezes and at >= file.freezes and not self._is_held:
            yield f"{where} comes after {in_utc(file.freezes)}, and the event was not on hold."
        if link.kind == MessageKind.ENTRY_CHECKED_IN:
            if bot not in self._entries:
                yield f"{where} is about a bot that had not entered."
            if file.check_in is None or at < file.check_in:
                yield f"{where} comes before the check-in began."
            return
        if file.opens and at < file.opens:
            yield f"{where} comes before {in_utc(file.opens)}."
        if bot in self._entries:
            return
        if len(self._entries) >= file.entrants[1] + file.waiting_list:
            yield f"{where}: {counted(len(self._entries), 'bot')} had entered, and no more may."
        owner = link.data["owner"]
        if sum(one.owner == owner for one in self._entries.values()) >= file.per_owner:
            yield f"{where}: {owner} had {file.per_owner} in the event, and may not have more."

    def _change(self, link: Link) -> None:
        data, bot = link.data, link.data["bot"]
        before = self._entries.get(bot)
        if link.kind == MessageKind.ENTRY_MADE:
            made = Entry(bot, data["version"], data["owner"], data["commitment"], data["has_own_nonce"])
            if before is not None:
                made = replace(made, checked_in=before.checked_in, checked_in_by=before.checked_in_by)
            self._entries[bot] = made  # entered again, it keeps its place
            self._withdrawn = [one for one in self._withdrawn if one.name != bot]
        elif before is not None and link.kind == MessageKind.ENTRY_CHECKED_IN:
            at = datetime.datetime.fromisoformat(link.at)
            self._entries[bot] = replace(before, checked_in=at, checked_in_by=data["by"])
        elif before is not None:
            del self._entries[bot]
            if data["by"] != before.owner:
                self._withdrawn.append(_unlisted(before, "withdrawn", data["by"]))

    def _differences(self) -> Iterator[str]:
        """Compare the list, and who is not on it, with what follows from the entries."""
        listed, others = admitted(self._entries.values(), self._file)
        own = {one.bot: one for one in listed}
        names = [one.name for one in self._event.entrants]
        yield from (
            f"{bot} is not on the list of entrants, and by the chain it has a place." for bot in own if bot not in names
        )
        yield from (
            f"{bot} is on the list of entrants, and by the chain it has no place." for bot in names if bot not in own
        )
        if set(names) == set(own) and names != list(own):
            yield "The list of entrants is not in the order in which they entered."
        for found in self._event.entrants:
            entry = Entry(
                found.name, found.version, found.owner, found.commitment, found.has_own_nonce, found.checked_in,
                found.checked_in_by,
            )  # fmt: skip
            if entry != own.get(found.name, entry):
                yield f"{found.name} has not entered, or checked in, as the chain tells."
        if self._event.unlisted != (*self._withdrawn, *(_unlisted(one, reason) for one, reason in others)):
            yield "Others are not on the list of entrants than the chain tells of, or for other reasons."


def _unlisted(entry: Entry, reason: Unlisted, by: str = "") -> EventUnlisted:
    return EventUnlisted(name=entry.bot, version=entry.version, owner=entry.owner, reason=reason, by=by)
