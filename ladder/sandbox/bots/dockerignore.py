"""
Reader of `.dockerignore`: files left out of an image, as Docker has it, in a time that no pattern can stretch.

All patterns are one automaton, whose states are the bits of one number; a name is read once, letter by letter. So the
work is the letters of all names times the length of the file, whatever stands in it.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ladder.errors import BotRejected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.sandbox.bots.content import Content

FILE = ".dockerignore"
MAX_BYTES = 10_000
MAX_CLASSES = 50
"""Lists of letters, such as ``[a-z]``."""
_CLASS = re.compile(r"(\^?(?:\\.|[^\]\\])+)\]")


MAX_RANGES = 100
"""Between two brackets: each letter of a name is held against all of them."""


class BadPattern(ValueError):
    """It is no pattern; the message says why."""


def without_ignored(content: Content, folder: str) -> Content:
    """
    Leave out what the folder's `.dockerignore` names.

    Args:
        content: What the folder holds.
        folder: Its name.

    Raises:
        BotRejected: If the file is no text, is too long, or has a line that is no pattern.
    """
    automaton = _Automaton()
    for number, line in _lines(content.file(FILE) or b"", folder):
        try:
            automaton.add(line)
        except BadPattern as error:
            raise BotRejected(f"{folder}: line {number} of {FILE}, {line!r}, is no pattern: {error}.") from None
    ignored = automaton.ignored(member.name for member in content.members)
    return content.without(lambda member: member.name in ignored)


def _lines(content: bytes, folder: str) -> Iterator[tuple[int, str]]:
    if len(content) > MAX_BYTES:
        raise BotRejected(f"{folder}: {FILE} has more than {MAX_BYTES:,} bytes. Write fewer and more general patterns.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if any(ord(letter) < ord(" ") and letter not in "\t\r\n" for letter in text):
        raise BotRejected(f"{folder}: {FILE} is no text in UTF-8. Write one pattern on each line.")
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()


@dataclass
class _Automaton:
    """
    State machine of all patterns; bit *n* of a set of states is place *n* in their letters.

    At a place stands one letter (`literal`, `classes`, `anything`, `any_letter`), or a star, which reads any number of
    letters, or an `entry` (the beginning of ``**/``), which may be passed over together with the two places behind it.
    """

    size: int = 0
    start: int = 0
    literal: dict[str, int] = field(default_factory=dict)
    classes: list[tuple[int, Callable[[str], bool]]] = field(default_factory=list)
    any_letter: int = 0
    """Places that read any letter but a slash."""
    anything: int = 0
    """Places that read any letter."""
    stars: int = 0
    entries: int = 0
    ends: list[tuple[int, bool]] = field(default_factory=list)
    """The last place of each pattern, in their order, and whether it takes names in again (``!``)."""
    reads: dict[str, int] = field(default_factory=dict)
    """The places that read a letter, once it has been looked up."""

    def add(self, line: str) -> None:
        """
        Add the pattern on one line.

        Raises:
            BadPattern: If it is none.
        """
        is_exception = line.startswith("!")
        pattern = line.removeprefix("!").strip()
        if not pattern:
            raise BadPattern("nothing follows the '!'")
        pattern = posixpath.normpath(pattern).lstrip("/")
        self.start |= 1 << self.size
        place = 0
        while place < len(pattern):
            place = self._element(pattern, place)
        self.ends.append((1 << self.size, is_exception))
        self.size += 1

    def _element(self, pattern: str, at: int) -> int:
        """Add what stands *at*, and say where the next element begins."""
        letter = pattern[at]
        if pattern.startswith("**", at):
            return self._folders(pattern, at + 2)
        if letter == "*":
            self.stars |= 1 << self.size
            self._put(is_slash_too=False)
        elif letter == "?":
            self._put(is_slash_too=False)
        elif letter == "[":
            return self._class(pattern, at + 1)
        elif letter == "\\":
            at += 1
            if at == len(pattern):
                raise BadPattern("nothing follows the backslash at its end")
            self._literal(pattern[at])
        else:
            self._literal(letter)
        return at + 1

    def _folders(self, pattern: str, at: int) -> int:
        """Match ``**``: anything if it ends the pattern, else any number of folders."""
        while pattern.startswith("/**", at) or pattern.startswith("**", at):  # the same once more
            at = pattern.index("**", at) + 2
        if at == len(pattern):
            self.stars |= 1 << self.size
            self._put(is_slash_too=True)
            return at
        self.entries |= 1 << self.size
        self.size += 1
        self.stars |= 1 << self.size
        self._put(is_slash_too=True)
        self._literal("/")
        return at + pattern.startswith("/", at)

    def _class(self, pattern: str, at: int) -> int:
        found = _CLASS.match(pattern, at)
        if not found:
            raise BadPattern("a '[' without its ']'")
        if len(self.classes) == MAX_CLASSES:
            raise BadPattern(f"the file has more than {MAX_CLASSES} lists of letters in brackets")
        self.classes.append((1 << self.size, _class_of(found[1])))
        self.size += 1
        return found.end()

    def _literal(self, letter: str) -> None:
        self.literal[letter] = self.literal.get(letter, 0) | 1 << self.size
        self.size += 1

    def _put(self, is_slash_too: bool) -> None:
        if is_slash_too:
            self.anything |= 1 << self.size
        else:
            self.any_letter |= 1 << self.size
        self.size += 1

    def ignored(self, names: Iterator[str]) -> set[str]:
        """Give those of *names* that are left out; a folder comes before what is in it."""
        root = self._closed(self.start)
        below = {"": (root, 0)}
        found = set()
        for name in names:
            above, _, last = name.rpartition("/")
            states, matched = below[above]
            for letter in last:
                states = self._step(states, letter)
            matched |= states
            below[name] = (self._step(states, "/"), matched)
            if self._is_out(matched):
                found.add(name)
        return found

    def _is_out(self, matched: int) -> bool:
        """Tell whether a name is out: the last pattern that matches it, or a folder above it, decides."""
        return not next((is_exception for end, is_exception in reversed(self.ends) if matched & end), True)

    def _step(self, states: int, letter: str) -> int:
        if not states:
            return 0
        reading = states & self._readers(letter)
        return self._closed((reading & self.stars) | (reading & ~self.stars) << 1)

    def _closed(self, states: int) -> int:
        """Pass over what may stand for nothing; at most an entry and a star follow each other."""
        entries = states & self.entries
        states |= entries << 1 | entries << 3
        states |= (states & self.stars) << 1
        return states | (states & self.stars) << 1

    def _readers(self, letter: str) -> int:
        if letter not in self.reads:
            places = self.literal.get(letter, 0) | self.anything
            if letter != "/":
                places |= self.any_letter
                for place, takes in self.classes:
                    places |= place if takes(letter) else 0
            self.reads[letter] = places
        return self.reads[letter]


def _class_of(text: str) -> Callable[[str], bool]:
    """Read what stands between brackets: letters and ranges, or with ``^`` all others."""
    is_negative, listed = text.startswith("^"), text.removeprefix("^")
    ranges, at = [], 0
    while at < len(listed):
        if listed[at] == "\\" and at + 1 < len(listed):
            at += 1
        first = last = listed[at]
        if listed[at + 1 : at + 2] == "-" and at + 2 < len(listed):
            at += 3 if listed[at + 2] == "\\" else 2
            last = listed[at]
        if last < first:
            raise BadPattern(f"the range {first}-{last} runs backwards")
        ranges.append((first, last))
        at += 1
        if len(ranges) > MAX_RANGES:
            raise BadPattern(f"it has more than {MAX_RANGES} letters and ranges between brackets")
    return lambda letter: any(first <= letter <= last for first, last in ranges) != is_negative
