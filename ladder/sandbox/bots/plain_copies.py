"""
Copies that a Dockerfile asks for, made here rather than by the engine, which gives folders the time of the build.

So two builds of one folder are one image. What is not plain (patterns, links, a name that is not there or too long, the
same files in several places, copies into a folder that is there before) is left to the engine.
"""

from __future__ import annotations

import json
import posixpath
from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.members import MAX_LEVELS, MAX_MEMBERS, MAX_NAME, FolderMember, Kind
from ladder.sandbox.bots.recipes import FILES, PLAIN, Recipe

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

HOME = "/bot"
COPY = "COPY "
LONGEST_PART = 255
"""Bytes of a name within a folder, as Linux has it."""
_PATTERN = frozenset("*?")


def copied(recipe: Recipe, content: Content, there: Collection[str] = ()) -> tuple[Recipe, Content] | None:
    """
    Make the copies of a recipe that adds files only.

    Args:
        recipe: What was understood of a Dockerfile.
        content: The bot's folder, without what is ignored.
        there: Names in the image's folder of the bot that are there before.

    Returns:
        A recipe that copies one folder as a whole, and the content of that folder; None if the engine has to make the
        copies.
    """
    if not recipe.adds_files_only or recipe.place != FILES or content.has_links:
        return None
    found: dict[str, FolderMember] = {}
    given = 0
    try:
        for line in recipe.lines:
            if line.startswith(COPY):
                *sources, target = json.loads(line.removeprefix(COPY))
                for member in _members(sources, target, content, found):
                    given += 1
                    if given > MAX_MEMBERS or member.parts[0] in there:
                        raise _NotPlainError
                    _put(found, member)
    except _NotPlainError:
        return None
    if sum(len(member.content) for member in found.values()) > content.size:
        return None  # what is copied again and again is the engine's to store, and not ours to hold in memory
    others = [line for line in recipe.lines if not line.startswith(COPY)]
    members = tuple(sorted(found.values(), key=lambda member: member.parts))
    return replace(recipe, lines=(PLAIN.lines[0], *others), place=PLAIN.place), Content(members)


class _NotPlainError(Exception):
    """The engine has to make a copy, or to say why it cannot be made."""


def _put(found: dict[str, FolderMember], member: FolderMember) -> None:
    former, parts = found.get(member.name, member), member.parts
    if Kind.FOLDER in (former.kind, member.kind) and former.kind is not member.kind:
        raise _NotPlainError
    is_long = len(member.name.encode()) > MAX_NAME or any(len(part.encode()) > LONGEST_PART for part in parts)
    if is_long or len(parts) > MAX_LEVELS:
        raise _NotPlainError
    found[member.name] = member


def _members(
    sources: Sequence[str], target: str, content: Content, found: Mapping[str, FolderMember]
) -> Iterator[FolderMember]:
    """Give what a COPY adds, by its place in the bot's folder, each folder before what is in it."""
    if len(sources) > 1 and not target.endswith("/"):
        raise _NotPlainError
    place = posixpath.relpath(posixpath.normpath(posixpath.join(HOME, target)), HOME)
    place = "" if place == "." else place
    is_folder = not place or target.endswith("/") or (place in found and found[place].kind is Kind.FOLDER)
    for source in sources:
        name = posixpath.relpath(source, FILES)
        if _PATTERN & set(name):
            raise _NotPlainError
        member = content.by_name.get(name)
        if name == "." or (member is not None and member.kind is Kind.FOLDER):
            below = "" if name == "." else f"{name}/"
            yield from _folders(place)
            for each in content.members:
                if each.name.startswith(below):
                    yield replace(each, name=posixpath.join(place, each.name.removeprefix(below)))
        elif member is None:
            raise _NotPlainError
        else:
            path = posixpath.join(place, posixpath.basename(name)) if is_folder else place
            yield from _folders(posixpath.dirname(path))
            yield replace(member, name=path)


def _folders(place: str) -> Iterator[FolderMember]:
    parts = place.split("/") if place else []
    return (FolderMember("/".join(parts[: count + 1]), Kind.FOLDER) for count in range(len(parts)))
