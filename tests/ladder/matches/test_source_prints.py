"""Fingerprints of sources: other names leave them alone, what is shipped has none, and strangers may write anything."""

from __future__ import annotations

import os
import random
import re
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.errors import UserError
from ladder.matches import source_prints
from ladder.matches.source_prints import (
    MAX_PRINTS,
    MAX_SHARING,
    MIN_SHARED,
    boilerplate,
    compared,
    keep_prints,
    prints_of,
    resembling,
    winnowed,
)
from ladder.results.kept_sources import MAX_BYTES, SourceFiles, sources_in
from ladder.sandbox.bots.bot_source import SAMPLES
from ladder.values.questions import ProgramOwners

if TYPE_CHECKING:
    from pathlib import Path

ONE, TWO, THREE = (f"sha256:{digit * 64}" for digit in "123")

OWN = '''
"""A bot of its own."""
from pigpen import Bot

class Mine(Bot):
    """It counts."""

    def play(self, view):
        # the cheapest card first
        worth = {card: 13 * card.suit.value + card.rank for card in view.legal}
        best, least = None, 1000
        for card, value in worth.items():
            if value < least and not view.winning:
                best, least = card, value
            elif card.rank % 3 == 1 and value > 20:
                least = value - 5
        while best is None and worth:
            best = worth.popitem()[0]
        return best or view.legal[0]

def table(cards, other="x"):
    counts = [0] * 13
    for card in sorted(cards, key=lambda each: (each.suit, -each.rank)):
        counts[card.rank] += 1 if card.suit else 2
    return {place: count ** 2 for place, count in enumerate(counts) if count not in (3, 4)}
'''


def renamed(text: str) -> str:
    """The same program with other names, texts, numbers and comments, and its parts in another order."""
    for old, new in {"worth": "price", "card": "c", "value": "v", "best": "b", "least": "l", "counts": "n"}.items():
        text = re.sub(rf"\b{old}\b", new, text)
    text = text.replace("# the cheapest card first", "# copied? no!").replace('"x"', "'yy'").replace("1000", "999")
    head, bot, rest = re.split(r"\n(?=class|def table)", text)
    return f"{head}\n{rest}\n\n{bot}\n"


def as_arrays(*programs: list[int]) -> list[source_prints.Prints]:
    return [np.array(each, dtype=np.uint64) for each in programs]


def test_other_names_comments_and_another_order_leave_nearly_all_of_them() -> None:
    one, other = prints_of({"bot.py": OWN}), prints_of({"src/main.py": renamed(OWN)})
    assert len(one) >= MIN_SHARED
    assert len(set(one) & set(other)) > 0.8 * len(one)


def test_what_is_shipped_does_not_count_for_any_sample_bot() -> None:
    for folder in SAMPLES.iterdir():
        files = sources_in((path.name, path.read_bytes()) for path in folder.rglob("*") if path.is_file())
        assert set(prints_of(files)) <= boilerplate(), folder


def test_two_bots_that_began_with_one_sample_resemble_each_other_only_by_what_they_added() -> None:
    sample = (SAMPLES / "counting" / "bot.py").read_text()
    other = "\n".join(f"def f{n}(a, b):\n    return [a[{n}:], b.get(a, {{{n}: b}}), a @ b][a > b]\n" for n in range(9))
    programs = as_arrays(prints_of({"bot.py": sample + OWN}), prints_of({"bot.py": sample + other}))
    assert compared(programs, boilerplate()).alike == ()
    assert compared(programs, frozenset()).alike, "it is the sample that they share"
    copied = as_arrays(prints_of({"bot.py": sample + OWN}), prints_of({"bot.py": sample + other + renamed(OWN)}))
    assert [(each.one, each.other) for each in compared(copied, boilerplate()).alike] == [(0, 1)]


@given(st.lists(st.integers(0, 40), max_size=120), st.integers(1, 20))
def test_every_window_has_a_fingerprint_and_it_is_its_least_hash(hashes: list[int], window: int) -> None:
    chosen = list(winnowed(hashes, window))
    windows = [hashes[place : place + window] for place in range(max(1, len(hashes) - window + 1))] if hashes else []
    assert {min(each) for each in windows} == set(chosen)
    assert len(chosen) <= len(hashes)


def test_programs_are_compared_as_pairs_of_sets_are() -> None:
    rng = random.Random(4)
    pool = [rng.getrandbits(61) for _ in range(60)]
    programs = [sorted({*rng.sample(pool, rng.randrange(5, 40)), rng.getrandbits(61)}) for _ in range(12)]
    common = frozenset(pool[:10])
    own = [set(each) - common for each in programs]
    found = compared(as_arrays(*programs), common)
    assert found.sizes == tuple(map(len, own))
    expected = {}
    for one, other in combinations(range(12), 2):
        shared = len(own[one] & own[other])
        if shared >= MIN_SHARED and shared >= source_prints.MIN_SHARE * min(len(own[one]), len(own[other])):
            expected[one, other] = shared
    assert expected
    assert {(each.one, each.other): each.shared for each in found.alike} == expected


def test_what_very_many_programs_have_says_nothing_of_two_of_them() -> None:
    common = list(range(1000, 1000 + MIN_SHARED))
    for sharing, alike in ((MAX_SHARING, MAX_SHARING * (MAX_SHARING - 1) // 2), (MAX_SHARING + 1, 0)):
        found = compared(as_arrays(*([*common, 10_000 + place] for place in range(sharing))), frozenset())
        assert len(found.alike) == alike


def test_programs_beyond_the_limit_are_left_out_and_counted_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_prints, "MAX_TOGETHER", 20)
    assert len(compared(as_arrays(*[list(range(10))] * 3), frozenset()).sizes) == 2
    monkeypatch.setattr(source_prints, "MAX_PAIRS", 0)
    assert compared(as_arrays(*[list(range(10))] * 2), frozenset()).alike == ()
    assert compared([], frozenset()).sizes == ()


HOSTILE = {
    "random bytes": os.urandom(20_000),
    "no UTF-8": b"x = '\xff\xfe\xe9'\n" * 500,
    "one line": b"x=" + b"(1+" * 40_000 + b"1" + b")" * 40_000,
    "nothing but brackets": b"[" * 200_000,
    "texts that do not end": b'"""' + b"'\\\n" * 50_000,
    "f-strings in f-strings": b"f'{f\"{" * 30_000,
    "comments": b"/*" * 100_000,
    "spaces": b" " * 200_000 + b"x",
    "line breaks of all kinds": "\r\x0b\x0c\u2028\x85".encode() * 20_000,
    "half emoji and marks of direction": "\u202e\ud83d\u200f".encode("utf-8", "surrogatepass") * 10_000,
    "heredocs": b"<<<A\n" * 20_000,
    "names": " ".join(f"n{number}" for number in range(30_000)).encode(),
    "nothing": b"",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_sources_of_a_stranger_give_fingerprints_or_none_in_every_language(content: bytes) -> None:
    for ending in (".py", ".js", ".go", ".cpp", ".rb", ".php", ".pl"):
        prints = prints_of(sources_in([(f"bot{ending}", content[: MAX_BYTES // 16])]))
        assert prints == sorted(set(prints))
        assert len(prints) <= MAX_PRINTS


def test_of_a_program_with_too_many_the_least_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    every = prints_of({"bot.py": OWN})
    monkeypatch.setattr(source_prints, "MAX_PRINTS", len(every) - 1)
    assert prints_of({"bot.py": OWN}) == every[:-1]
    monkeypatch.setattr(source_prints, "MAX_PRINTS", len(every))
    assert prints_of({"bot.py": OWN}) == every


def test_fingerprints_take_the_place_of_the_sources(tmp_path: Path) -> None:
    files = SourceFiles(tmp_path)
    for identity, text in {ONE: OWN, TWO: renamed(OWN), THREE: "x = 1\n"}.items():
        files.put_by(identity, {"bot.py": text, "README.md": "no source"})
        keep_prints(tmp_path, identity)
    assert (files.waiting(), files.fingerprinted()) == ([], [ONE, TWO, THREE])
    with pytest.raises(UserError, match=ONE):
        keep_prints(tmp_path, ONE)
    owners = {ONE: ("ada",), TWO: ("ben",), THREE: ("cora",)}
    programs = [ProgramOwners(identity=identity, owners=those) for identity, those in owners.items()]
    found = resembling(tmp_path, programs)
    assert found.programs == 3
    assert [(each.one, each.other) for each in found.alike] == [(ONE, TWO)]
    of_one = [ProgramOwners(identity=each.identity, owners=("ada",)) for each in programs]
    assert resembling(tmp_path, of_one).alike == (), "an owner may copy from itself"
