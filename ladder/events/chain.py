"""
The chain of an event: what has become public of it, in order, each link with a hash of itself and of all before it.

A link is written with each message about the event, from the opening on. So a person who has kept one stamp, which is
the number and the hash of a link, can tell later whether anything up to it was changed. The chain of an event that was
written anew does not have that stamp.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ladder.values.webhooks import MessageKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ladder.values.held_events import ExportedEvent, ExportedRound, ExportedTable

STAMP = re.compile(r"pigpen-event ([a-z0-9-]{1,80}) link ([1-9][0-9]{0,6}) ([0-9a-f]{64})")
"""A stamp, wherever it stands in a text."""


@dataclass(frozen=True)
class Link:
    """A link."""

    number: int
    """From 1."""
    kind: str
    """That of its message."""
    at: str
    """Time at which it was written: ISO 8601, in UTC."""
    data: Mapping[str, Any]
    """All that became public, as JSON has it."""
    hash: str
    """SHA-256, in hex."""

    def stamp(self, event: str) -> str:
        """
        Give the text by which a copy is compared.

        >>> Link(3, "event.over", "", {}, "0" * 64).stamp("cup")
        'pigpen-event cup link 3 0000000000000000000000000000000000000000000000000000000000000000'
        """
        return f"pigpen-event {event} link {self.number} {self.hash}"


def canonical(value: object) -> str:
    """
    Write a value as JSON in one way only: keys in order, no spaces, letters as they are.

    >>> canonical({"b": [1, None], "a": "é"})
    '{"a":"é","b":[1,null]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def hash_of(value: object) -> str:
    """Give the SHA-256, in hex, of a value as `canonical` writes it."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


def linked(before: Link | None, kind: str, at: str, data: Mapping[str, Any]) -> Link:
    """
    Make the link that follows *before*; None: the first one.

    Its hash is that of an object with `number`, `kind`, `at`, `data` and `before`, the hash before it, or nothing.
    """
    number, known = (1, "") if before is None else (before.number + 1, before.hash)
    whole = {"number": number, "kind": kind, "at": at, "data": data, "before": known}
    return Link(number, kind, at, data, hash_of(whole))


def first_broken(links: Iterable[Link]) -> int | None:
    """Give the number of the first link that does not follow from those before it; None: all do."""
    before: Link | None = None
    for place, link in enumerate(links, 1):
        if link != linked(before, link.kind, link.at, link.data):
            return place
        before = link
    return None


def body_hash(event: ExportedEvent) -> str:
    """Give the SHA-256 of all that an export says besides its chain, as `canonical` writes it."""
    return hash_of(event.model_dump(mode="json", exclude={"links"}))


OF_EVENT = {
    MessageKind.EVENT_OPENED: ("name", "file", "rules", "commitment", "opened"),
    MessageKind.EVENT_FROZEN: ("entrants_hash", "stand_in", "stand_in_identity", "frozen", "unlisted"),
    MessageKind.EVENT_STARTED: ("contributions", "beacon_value", "started"),
    MessageKind.EVENT_OVER: ("places",),
}
"""Fields of an export that become public with a message."""
OF_ENTRANTS = {
    MessageKind.EVENT_FROZEN: {
        "number",
        "name",
        "version",
        "identity",
        "owner",
        "rating",
        "commitment",
        "has_own_nonce",
        "checked_in",
        "checked_in_by",
    },
    MessageKind.EVENT_STARTED: {"number", "nonce"},
}
"""Fields of its entrants that become public with a message."""


def event_data(kind: MessageKind, event: ExportedEvent) -> dict[str, Any]:
    """Give what becomes public of an event as a whole, of a kind in `OF_EVENT`."""
    found = event.model_dump(mode="json", include=set(OF_EVENT[kind]))
    if kind in OF_ENTRANTS:
        found["entrants"] = [one.model_dump(mode="json", include=OF_ENTRANTS[kind]) for one in event.entrants]
    if kind is MessageKind.EVENT_OVER:
        found["body"] = body_hash(event)
    return found


def drawn_data(number: int, drawn: ExportedRound) -> dict[str, Any]:
    """Give what becomes public of a round that is drawn; *number* is within the event."""
    tables = [list(table.entrants) for table in drawn.tables]
    return {"number": number, **drawn.model_dump(mode="json", exclude={"tables"}), "tables": tables}


def shown_data(number: int, place: int, table: ExportedTable) -> dict[str, Any]:
    """Give what becomes public of a table with a result: all matches that were played at it."""
    return {"round": number, "table": place, **table.model_dump(mode="json")}


def redone_data(number: int, place: int, table: ExportedTable, shown: int) -> dict[str, Any]:
    """Give what becomes public when a table is played again: why, and the first *shown* results that it had."""
    turn = len(table.turns) - 1
    redo = table.turns[turn].redo
    replaced = [each.model_dump(mode="json") for each in table.turns[:shown]]
    why = None if redo is None else redo.model_dump(mode="json")
    return {"round": number, "table": place, "turn": turn, "redo": why, "replaced": replaced}


class Deviations:
    """Compares the links of a chain with the export that it belongs to: what was public once must still be so."""

    def __init__(self, event: ExportedEvent) -> None:
        self._event = event
        self._last: dict[tuple[Any, ...], bool] = {}
        """For each thing that a link told of: whether the last such link says the same as the export."""

    def find(self, links: Iterable[Link]) -> Iterator[str]:
        """Yield a sentence for each link that differs, and each thing that no link has."""
        for link in links:
            try:
                holds = self._holds(link)
            except (LookupError, TypeError, ValueError):
                holds = False
            if not holds:
                yield f"Link {link.number} of the chain ({link.kind}) says another thing than the event."
        tables = [
            ("table", number, place)
            for number, each in enumerate(self._event.rounds, 1)
            for place in range(1, len(each.tables) + 1)
        ]
        needed = [*((str(kind),) for kind in OF_EVENT), *tables]
        needed += [("round", number) for number in range(1, len(self._event.rounds) + 1)]
        for key in needed:
            if not self._last.get(key, False):
                yield f"The chain does not end with what the event says of: {' '.join(map(str, key))}."

    def _holds(self, link: Link) -> bool:
        """Compare one link; note whether it says all that the export does."""
        data, rounds = link.data, self._event.rounds
        if link.kind == MessageKind.EVENT_OVER:  # the last one counts: a ruling may have changed places since
            self._last[link.kind,] = data == event_data(MessageKind.EVENT_OVER, self._event)
            return True
        if link.kind in OF_EVENT:
            same = self._last[link.kind,] = data == event_data(MessageKind(link.kind), self._event)
            return same
        if link.kind == MessageKind.ROUND_DRAWN:
            number = data["number"]
            same = self._last["round", number] = data == drawn_data(number, rounds[number - 1])
            return same
        if link.kind == MessageKind.RESULT_SHOWN:
            number, place = data["round"], data["table"]
            now = shown_data(number, place, rounds[number - 1].tables[place - 1])
            self._last["table", number, place] = data == now
            return data["entrants"] == now["entrants"] and _is_history(data["turns"], now["turns"])
        if link.kind == MessageKind.TABLE_REDONE:
            table = shown_data(0, 0, rounds[data["round"] - 1].tables[data["table"] - 1])
            return table["turns"][data["turn"]]["redo"] == data["redo"] and _is_history(
                data["replaced"], table["turns"]
            )
        return True


def _is_history(then: list[dict[str, Any]], now: list[dict[str, Any]]) -> bool:
    """Tell whether matches at a table can have been so before: rulings may have come since, and more matches."""
    rest = {"rulings": None}
    return len(then) <= len(now) and all(
        old | rest == new | rest and new["rulings"][: len(old["rulings"])] == old["rulings"]
        for old, new in zip(then, now[: len(then)], strict=True)
    )
