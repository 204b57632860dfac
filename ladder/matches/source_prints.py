"""
Fingerprints of programs, and which programs share them.

The sources are split into tokens by Pygments. Comments, white space and docstrings are left out; each name, number and
text stands for any other one, so that renaming changes nothing. Every `TOKENS` tokens in a row have a hash. Of these
hashes some are chosen by winnowing: S. Schleimer, D. Wilkerson and A. Aiken, "Winnowing: local algorithms for document
fingerprinting", SIGMOD 2003, section 3.1 (definition 1: in each window the least hash, the rightmost one if several
are equal). Two programs that share `TOKENS` + `WINDOW` - 1 tokens in a row share a fingerprint. Both numbers are those
of Dolos (R. Maertens et al., 2022).

Moved parts, other names and other comments leave the fingerprints as they are. What all bots may begin with (the
SDK, sample bots and starter kits) is no one's own: its fingerprints do not count.
"""

from __future__ import annotations

import hashlib
from collections import deque
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pigpen
from ladder.errors import UserError
from ladder.results.kept_sources import LANGUAGES, SourceFiles, is_source
from ladder.sandbox.bots.bot_source import KITS, SAMPLES
from ladder.values.alike import FoundAlikeSources, FoundPrints, FoundSources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ladder.values.questions import ProgramOwners

    Prints = NDArray[np.uint64]

TOKENS, WINDOW = 23, 17
MAX_PRINTS = 8192
"""Fingerprints of a program at most: the least ones, which are the same ones in a copy."""
MAX_TOGETHER = 4_000_000
"""Fingerprints of all programs that are compared; programs beyond it are left out."""
MAX_SHARING = 40
"""Programs that share a fingerprint, beyond which it says nothing about any two of them, as the code of a library."""
MAX_PAIRS = 10_000_000
"""Pairs that share a fingerprint which are counted: those of the rarest fingerprints first."""
MIN_SHARED = 8
"""Fingerprints below which two programs do not resemble each other: about 90 tokens, ten lines or so."""
MIN_SHARE = 0.25
"""Part of the smaller program's fingerprints that both have, below which they do not resemble each other."""
MAX_LISTED = 100
"""Pairs that are listed at most."""
MAX_LINE = 1000
"""Characters of a line that are read at once."""
NAMES = 10_000
"""Tokens whose numbers are remembered."""
PRIME, BASE = (1 << 61) - 1, 0x1F3D5B79A2C4E6F1


class Alike(NamedTuple):
    """Two programs that resemble each other, by their places among those compared."""

    one: int
    other: int
    shared: int
    """Number of fingerprints that both have."""


class Comparison(NamedTuple):
    """Programs, and which of them resemble each other."""

    sizes: tuple[int, ...]
    """Number of fingerprints of each that count; those at the end that are too many are left out."""
    alike: tuple[Alike, ...]
    """Those that share most of the smaller one first."""


def prints_of(files: Mapping[str, str]) -> list[int]:
    """
    Give the fingerprints of a program, in rising order.

    Args:
        files: Texts by names; files of unknown languages are left out.
    """
    found: set[int] = set()
    for name, text in files.items():
        found.update(winnowed(_hashes(_tokens(name, text))))
    return sorted(found)[:MAX_PRINTS]


def winnowed(hashes: Sequence[int], window: int = WINDOW) -> Iterator[int]:
    """
    Choose fingerprints among hashes; of fewer than a window, the least one.

    The example is that of the paper, figure 2.

    >>> list(winnowed([77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98], window=4))
    [17, 17, 8, 39, 17]
    """
    least: deque[int] = deque()  # places of hashes that rise from the least one of the window on
    chosen = -1
    for place, each in enumerate(hashes):
        while least and hashes[least[-1]] >= each:
            least.pop()
        least.append(place)
        if least[0] <= place - window:
            least.popleft()
        if (place >= window - 1 or place == len(hashes) - 1) and least[0] != chosen:
            chosen = least[0]
            yield hashes[chosen]


def _hashes(tokens: Sequence[int]) -> list[int]:
    """Hash every `TOKENS` tokens in a row: a polynomial that rolls on token by token (M. Rabin, 1981)."""
    found, value, first = [], 0, pow(BASE, TOKENS, PRIME)
    for place, token in enumerate(tokens):
        value = (value * BASE + token) % PRIME
        if place >= TOKENS:
            value = (value - tokens[place - TOKENS] * first) % PRIME
        if place >= TOKENS - 1:
            found.append(value)
    return found


def _tokens(name: str, text: str) -> list[int]:
    """Split a text into the numbers of its tokens, without what does not change a program."""
    from pygments.lexers import get_lexer_by_name
    from pygments.token import Comment, Literal, Name, Number, String, Text

    lexer = get_lexer_by_name(LANGUAGES[Path(name).suffix.lower()])
    found, was_text = [], False
    for kind, word in lexer.get_tokens("\n".join(_lines(text))):
        is_text = kind in String
        if kind in Comment or kind in Text or kind in String.Doc or not word.strip():
            continue
        if kind in Name:
            found.append(_number("name"))
        elif kind in Number:
            found.append(_number("number"))
        elif is_text:
            if not was_text:  # a text is one token, whatever it holds
                found.append(_number("text"))
        elif kind in Literal:
            found.append(_number("literal"))
        else:
            found.append(_number(f"= {word}"))
        was_text = is_text
    return found


def _lines(text: str) -> Iterator[str]:
    """Give the lines with something in them, the longest in pieces: lexers' expressions take long for both."""
    for line in text.splitlines():
        if line.strip():
            yield from (line[start : start + MAX_LINE] for start in range(0, len(line), MAX_LINE))


@lru_cache(NAMES)
def _number(token: str) -> int:
    return int.from_bytes(hashlib.blake2b(token.encode(errors="replace"), digest_size=7).digest(), "little")


@cache
def boilerplate() -> frozenset[int]:
    """Give the fingerprints of everything that this version ships for bots to begin with."""
    found: set[int] = set()
    for root in (SAMPLES, KITS, Path(pigpen.__file__).parent):
        for path in sorted(root.rglob("*")):
            if is_source(path.name) and path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                found.update(winnowed(_hashes(_tokens(path.name, text))))
    return frozenset(found)


def keep_prints(folder: Path, identity: str) -> FoundPrints:
    """
    Fingerprint the sources of a program that were put by in the ladder's folder, and remove them.

    Raises:
        UserError: If they are not there.
    """
    files = SourceFiles(folder)
    sources = files.sources(identity)
    if sources is None:
        raise UserError(f"The sources of {identity} are not there any more.")
    prints = prints_of({name: text for name, text in sources.items() if is_source(name)})
    files.keep_prints(identity, prints)
    return FoundPrints(prints=len(prints))


def resembling(folder: Path, programs: Sequence[ProgramOwners]) -> FoundSources:
    """List the programs of different owners whose sources resemble each other, by the fingerprints that are kept."""
    import numpy as np

    files = SourceFiles(folder)
    found = compared((np.frombuffer(files.prints(each.identity), "<u8") for each in programs), boilerplate())
    alike = [
        FoundAlikeSources(
            one=programs[each.one].identity,
            other=programs[each.other].identity,
            shared=each.shared,
            one_prints=found.sizes[each.one],
            other_prints=found.sizes[each.other],
        )
        for each in found.alike
        if len({*programs[each.one].owners, *programs[each.other].owners}) > 1
    ]
    return FoundSources(programs=len(found.sizes), alike=tuple(alike[:MAX_LISTED]))


def compared(programs: Iterable[Prints], common: frozenset[int]) -> Comparison:
    """
    Find the programs that resemble each other.

    Args:
        programs: The fingerprints of each, in rising order.
        common: Fingerprints that do not count.
    """
    import numpy as np

    general = np.array(sorted(common), dtype=np.uint64)
    own: list[Prints] = []
    total = 0
    for prints in programs:
        places = np.minimum(np.searchsorted(general, prints), len(general) - 1)
        counting = prints[general[places] != prints] if len(general) else prints
        total += len(counting)
        if total > MAX_TOGETHER:
            break
        own.append(counting)
    sizes = tuple(len(each) for each in own)
    alike = [
        Alike(one, other, shared)
        for one, other, shared in _shared(own)
        if shared >= MIN_SHARED and shared >= MIN_SHARE * min(sizes[one], sizes[other])
    ]
    alike.sort(key=lambda each: (-each.shared / min(sizes[each.one], sizes[each.other]), -each.shared, each))
    return Comparison(sizes, tuple(alike))


def _shared(own: Sequence[Prints]) -> Iterator[tuple[int, int, int]]:
    """Count the fingerprints that pairs share, but none that more than `MAX_SHARING` programs have."""
    import numpy as np

    if not own:
        return
    every = np.concatenate(own)
    order = np.argsort(every, kind="stable")  # programs with the same fingerprint stay in order
    owners = np.repeat(np.arange(len(own), dtype=np.int64), [len(each) for each in own])[order]
    _, starts, counts = np.unique(every[order], return_index=True, return_counts=True)
    pairs: list[NDArray[np.int64]] = []
    left = MAX_PAIRS
    for sharing in range(2, MAX_SHARING + 1):
        each = sharing * (sharing - 1) // 2
        groups = owners[starts[counts == sharing][: left // each, None] + np.arange(sharing)]
        left -= len(groups) * each
        pairs += [groups[:, one] * len(own) + groups[:, other] for one, other in combinations(range(sharing), 2)]
    found, shared = np.unique(np.concatenate(pairs), return_counts=True)
    enough = shared >= MIN_SHARED
    for pair, count in zip(found[enough].tolist(), shared[enough].tolist(), strict=True):
        yield pair // len(own), pair % len(own), count
