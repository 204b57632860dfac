"""
The record of a match on disk, and what is needed to resume the match after an interruption.

While a match runs, its seed is kept beside the record, in a file that only its owner may read. The record must not
hold the seed before the end, and without the seed the remaining cards cannot be dealt.
"""

from __future__ import annotations

import os
import re
import shlex
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from ladder.errors import SandboxError, UserError
from referee.match.match import FINISHED, CannotResume, Unfinished
from referee.records.file import RecordWriter, read_record
from referee.records.framing import RecordError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from referee.records.lines import AnyLine

    Write = Callable[[AnyLine], None]
    Say = Callable[[str], None]


@contextmanager
def recording(path: Path | None, seed: bytes, say: Say, *, can_resume: bool = True) -> Iterator[Write]:
    """
    Give a function that writes a line to *path*, if there is one; overwrites nothing, leaves no empty file.

    Args:
        path: The file.
        seed: Of the match.
        say: Takes a sentence if the match is interrupted: where the record is, and how to resume it.
        can_resume: Whether the caller has the option --resume.
    """
    if path is None:
        yield lambda line: None
        return
    try:
        writer = RecordWriter.create(path)
    except FileExistsError:
        way = "another file, or continue an interrupted match with --resume" if can_resume else "another file"
        raise UserError(f"{str(path)!r} is there already. Name {way}; nothing was changed.") from None
    except OSError as error:
        raise _cannot("written", path, error) from None
    with writer, _kept(seed, path, say, can_resume=can_resume):
        yield partial(_write, writer)


@contextmanager
def resumed_recording(path: Path, begun: Unfinished, seed: bytes, say: Say) -> Iterator[Write]:
    """Give a function that writes a line at the end of *path*, after the lines that *begun* was read from."""
    try:
        writer = RecordWriter.append(path)
    except OSError as error:
        raise _cannot("written", path, error) from None
    with writer:
        if unfinished(path) != begun:
            raise UserError(f"{str(path)!r} has just been changed by another pigpen. Try again.")
        with _kept(seed, path, say):
            yield partial(_write, writer)


def _write(writer: RecordWriter, line: AnyLine) -> None:
    """Write a line; a disk without room is no mistake of the user's."""
    try:
        writer.write(line)
    except RecordError as error:
        raise SandboxError(f"{error} What the file holds so far is complete. Make room on its disk.") from error


def unfinished(path: Path) -> Unfinished:
    """Read the record of an interrupted match."""
    lines = read_record(path)
    with resumable(path):
        return Unfinished.of(lines)


@contextmanager
def resumable(path: Path | None) -> Iterator[None]:
    """Turn the reason why the match in *path* cannot be resumed into a `UserError`; without a path do nothing."""
    try:
        yield
    except CannotResume as error:
        look = f" To see it: pigpen replay {shlex.quote(str(path))}" if str(error) == FINISHED else ""
        raise UserError(f"{str(path)!r} cannot be resumed: {error}.{look}") from None


def seed_beside(path: Path) -> bytes:
    """Give the seed of the interrupted match that *path* records."""
    kept = seed_file(path)
    try:
        return bytes.fromhex(kept.read_text(encoding="ascii"))
    except (OSError, ValueError):
        raise UserError(f"The seed of the match is not in {str(kept)!r}; give it again with --seed.") from None


def seed_file(path: Path) -> Path:
    """Say where the seed lies while the match runs."""
    return path.with_name(f"{path.name}.seed")


@contextmanager
def _kept(seed: bytes, path: Path, say: Say, *, can_resume: bool = True) -> Iterator[None]:
    """Keep *seed* beside the record until the match is finished, or as if it had never begun."""
    try:
        _keep(seed, seed_file(path))
    except UserError:
        _drop_if_empty(path)
        raise
    try:
        yield
    except BaseException as error:
        if _drop_if_empty(path):
            seed_file(path).unlink(missing_ok=True)
        elif isinstance(error, SandboxError | RecordError) or not isinstance(error, Exception):  # or it was stopped
            say(f"What has been played is in {path}." + f" To continue: --resume {path}" * can_resume)
        raise
    seed_file(path).unlink(missing_ok=True)


def _drop_if_empty(path: Path) -> bool:
    """Remove a record that is empty, if it is still there, and say whether it is gone."""
    try:
        if path.stat().st_size:
            return False
        path.unlink()
    except FileNotFoundError:
        pass
    return True


def _keep(seed: bytes, path: Path) -> None:
    try:
        if path.exists() and not _holds_a_seed(path):
            raise UserError(
                f"{str(path)!r} is there already and holds no seed of a match. Name another record, or move that file; "
                "nothing was changed."
            )
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise _cannot("written", path, error) from None
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(seed.hex())


def _holds_a_seed(path: Path) -> bool:
    """True if an earlier match has left the file, as one that was killed does; it may be replaced."""
    with path.open("rb") as file:
        return re.fullmatch(rb"[0-9a-f]{64}", file.read(65)) is not None


def _cannot(done: str, path: Path, error: OSError) -> UserError:
    return UserError(f"{str(path)!r} cannot be {done}: {error.strerror}.")
