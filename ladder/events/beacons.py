"""
Public beacons: addresses whose value no one knows before a moment, and everybody after it.

Any address will do whose value everybody can look up later, such as the hash of a block that is found then. Of drand
(https://drand.love) more is checked: the round's time, its number, and that the randomness is the SHA-256 of the
signature. The signature itself is not verified here; docs/events.md says how to do it.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from typing import TYPE_CHECKING

from ladder.values.events import MAX_BEACON_VALUE
from ladder.values.value import in_utc

if TYPE_CHECKING:
    from ladder.values.events import Event

DRAND = re.compile(r"/([0-9a-f]{64})/public/([1-9][0-9]{0,11})$")
"""End of the address of a round: the hash of its chain, and its number."""
CHAINS = {
    "8990e7a9aaed2ffed73dbd7092123d6f289930540d7651336225dc172e51b2ce": (1_595_431_050, 30),
    "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971": (1_692_803_367, 3),
}
"""Unix time of the first round and seconds between rounds, of drand's default chain and of quicknet."""


def round_time(address: str) -> datetime.datetime | None:
    """
    Give the time of a round of drand; None: it is another beacon, or another chain.

    >>> chain = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
    >>> round_time(f"https://api.drand.sh/{chain}/public/1000").isoformat()
    '2023-08-23T15:59:24+00:00'
    """
    found = DRAND.search(address)
    if found is None or found[1] not in CHAINS:
        return None
    first, seconds = CHAINS[found[1]]
    try:
        return datetime.datetime.fromtimestamp(first + (int(found[2]) - 1) * seconds, datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return None


def why_no_beacon(event: Event) -> str:
    """Say what is wrong with the beacon that an event's file names; empty: nothing."""
    if event.beacon is None or event.beacon_at is None:
        return ""
    if not re.fullmatch(r"https?://[!-~]+", event.beacon):
        return f"beacon is an address such as https://api.drand.sh/CHAIN/public/ROUND, not {event.beacon[:80]!r}"
    known = round_time(event.beacon)
    if known is not None and known < event.beacon_at:
        return (
            f"the beacon's round has its value at {in_utc(known)}, before beacon_at, so it could be known before the "
            "list of entrants is final"
        )
    return ""


def why_no_value(address: str, value: str) -> str:
    """Say what is wrong with the value of a beacon; empty: nothing."""
    if not value.strip() or len(value.encode()) > MAX_BEACON_VALUE:
        return f"it must be text of 1 to {MAX_BEACON_VALUE:,} bytes"
    found = DRAND.search(address)
    if found is None:
        return ""
    try:
        plain = json.loads(value)
        number, randomness, signature = plain["round"], plain["randomness"], bytes.fromhex(plain["signature"])
    except (ValueError, TypeError, LookupError, RecursionError):
        return "it is not a round of drand: JSON with round, randomness and signature"
    if number != int(found[2]):
        return f"it is not that of round {found[2]}"
    if randomness != hashlib.sha256(signature).hexdigest():
        return "its randomness is not the SHA-256 of its signature"
    return ""
