"""
A person's own data: all that the ladder knows about an account, another name for it, and its removal.

The account's owner does each in a browser, with the password or soon after a log-in; a person with access to the
ladder's machine does it by command. Rows go at once. Files of bots that are still needed, by matches that wait or by an
event, go when they are not (`remove_leftovers`, which a run of the ladder calls).
"""

from __future__ import annotations

import gzip
import json
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ladder.app.uploads import remove_uploads
from ladder.entry.policy import Act, check
from ladder.errors import LadderError, UserError
from ladder.results.files import SubmissionFolders, TableFiles, write_safely
from ladder.results.kept_sources import SourceFiles
from ladder.sandbox.bots.content import kept_folder
from ladder.store.account_names import find_account
from ladder.store.commands import personal_data as store
from ladder.store.commands.accounts import write_audit
from ladder.store.commands.teams import team_of_one
from ladder.store.models import Owner
from ladder.values.accounts import AccountData, AccountDeleted, Viewer
from ladder.values.people import is_called
from ladder.values.value import time_of
from referee.records.file import RecordWriter, read_record
from referee.records.framing import RecordError
from referee.records.lines import MatchLine, ResultLine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from referee.records.lines import AnyLine

ONCE_IN_A_WHILE = "A name can be changed once in {days} days. The organiser can do it at any time."
RENAME_DAYS = 30
"""Days before an account's owner can change its name again; the organiser can at any time."""


def export(ladder: Ladder, viewer: Viewer, name: str) -> AccountData:
    """
    Give all that the ladder knows about an account, but no secrets, notes of organisers, or traces of others.

    Raises:
        LadderError: If there is no such account.
    """
    check(viewer, Act.CHANGE_ACCOUNT, name)
    with ladder.database.read() as session:
        tables = store.personal_data(session, name)
    now = ladder.clock()
    with ladder.database.write() as session:
        write_audit(session, viewer, "account.export", name, now)
    return AccountData(account=name, exported=time_of(now), tables=tables)


def rename(ladder: Ladder, viewer: Viewer, name: str, new: str) -> None:
    """
    Give an account another name. The bots keep theirs; images in the registry keep the old namespace.

    Raises:
        LadderError: If there is no such account, or the new name cannot be, or is taken, or it was changed lately.
    """
    check(viewer, Act.CHANGE_ACCOUNT, name)
    with ladder.database.write() as session:
        now = ladder.clock()
        owner = session.get_one(Owner, find_account(session, name).owner_id)
        if new == name:
            raise LadderError(f"The account is called {name!r} already. Choose another name.")
        if not viewer.is_local and owner.renamed is not None and now - owner.renamed < RENAME_DAYS * 86_400:
            raise LadderError(ONCE_IN_A_WHILE, days=RENAME_DAYS)
        tables = store.rename_account(session, name, new, now)
        who = viewer if viewer.is_local else Viewer(new, address=viewer.address)
        write_audit(session, who, "account.rename", new, now)
    remove_uploads(ladder, name)
    _rename_in_records(TableFiles(ladder.settings.data_dir), tables, name, new)


def delete(ladder: Ladder, viewer: Viewer, name: str) -> AccountDeleted:
    """
    Delete an account: rows and files that are about the person; results stay under a pseudonym.

    A team of which it is the only member goes with it. A team itself can be deleted in the same way.

    Raises:
        LadderError: If there is no such account, or its owner is the only organiser.
    """
    check(viewer, Act.CHANGE_ACCOUNT, name)
    with ladder.database.erasing() as session:
        now = ladder.clock()
        if not viewer.is_local:
            store.check_may_leave(session, name)
        team = team_of_one(session, name)
        gone = [store.delete_account(session, each, now) for each in (name, team) if each is not None]
        left = gone[0]
        who = viewer if viewer.is_local else Viewer(left.pseudonym)
        for each in gone:
            write_audit(session, who, "account.delete", each.pseudonym, now)
    remove_uploads(ladder, name)
    data_dir = ladder.settings.data_dir
    for folder in (folder for each in gone for folder in each.submissions):
        SubmissionFolders(data_dir).remove(folder)
    files = TableFiles(data_dir)
    files.remove(left.removed_tables)
    _rename_in_records(files, left.shared_tables, name, store.GONE)
    settled = [remove_leftovers(ladder, each.owner) for each in gone]
    return AccountDeleted(pseudonym=left.pseudonym, is_complete=all(settled))


def remove_leftovers(ladder: Ladder, owner: int) -> bool:
    """
    Remove the files of the bots of an owner who has left: what they have printed, programs, sources.

    Returns:
        False if matches that are not over, or events, need the programs still.
    """
    with ladder.database.read() as session:
        found = store.files_of_owner(session, owner)
    for match, attempt, seat in found.outputs:
        _blank(ladder, match, attempt, seat)
    if found.in_use:
        return False
    sources = SourceFiles(ladder.settings.data_dir)
    for identity in found.programs:
        shutil.rmtree(kept_folder(ladder.settings.data_dir, identity), ignore_errors=True)
        sources.remove(identity)
    with ladder.database.erasing() as session:
        store.settle_owner(session, owner)
    return True


def remove_all_leftovers(ladder: Ladder) -> None:
    """Do so for all owners who have left."""
    with ladder.database.read() as session:
        owners = store.unsettled_owners(session)
    for owner in owners:
        remove_leftovers(ladder, owner)


def bots_that_keep_the_name(ladder: Ladder, viewer: Viewer, name: str) -> Sequence[str]:
    """
    Find the account's bots in whose names its own name occurs: they keep them, since records name bots.

    Raises:
        LadderError: If there is no such account.
    """
    check(viewer, Act.READ_ACCOUNT, name)
    with ladder.database.read() as session:
        find_account(session, name)
        return store.bots_named_like(session, name)


def _blank(ladder: Ladder, match: int, attempt: int, seat: int) -> None:
    """Remove from a match what one of its bots has printed."""
    try:
        logs = ladder.files.read_logs(match, attempt)
    except (OSError, ValueError):  # they are not there any more
        return
    if any(seat < len(tails) and tails[seat] for tails in logs.values()):
        blank = {
            table: tuple("" if number == seat else tail for number, tail in enumerate(tails))
            for table, tails in logs.items()
        }
        write_safely(ladder.files.logs(match, attempt), gzip.compress(json.dumps(blank).encode(), mtime=0))


def _rename_in_records(files: TableFiles, tables: Sequence[int], name: str, new: str) -> None:
    for table in tables:
        path = files.record(table)
        if path.is_file():
            with suppress(RecordError, OSError):
                _rename_in(path, name, new)


def _rename_in(path: Path, name: str, new: str) -> None:
    """Write the record of a table anew, with another name for a person; its chain is another one then."""
    draft = path.with_name(f".{path.name}.renamed")
    draft.unlink(missing_ok=True)
    with RecordWriter.create(draft) as writer:
        for line in _renamed(read_record(path), name, new):
            writer.write(line)
    draft.replace(path)


def _renamed(lines: Iterator[AnyLine], name: str, new: str) -> Iterator[AnyLine]:
    names: list[str] = []
    for line in lines:
        if isinstance(line, MatchLine):
            people = line.people_numbers
            names = [new if number in people and is_called(bot, name) else bot for number, bot in enumerate(line.bots)]
            yield line.model_copy(update={"bots": tuple(names)})
        elif isinstance(line, ResultLine):
            results = [each.model_copy(update={"bot": names[each.seat]}) for each in line.results]
            yield line.model_copy(update={"results": tuple(results)})
        else:
            yield line


def as_json(data: AccountData) -> bytes:
    """Write it as a file for its owner."""
    plain: dict[str, Any] = data.model_dump(mode="json")
    return json.dumps(plain, indent=2, ensure_ascii=False).encode() + b"\n"


def check_confirmed(name: str, typed: str) -> None:
    """
    Make sure that an account's name was typed to delete it.

    Raises:
        UserError: If not.
    """
    if typed.strip() != name:
        raise UserError("To delete the account, type its name. Nothing was deleted.")
