"""Opening a table of a ladder on this machine, or of a remote one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.remote.remote_ladder import RemoteLadder
from ladder.values.people import OpenedTable, TableLinks, TableVisitor

if TYPE_CHECKING:
    from ladder.app.either.local_ladder import LocalLadder
    from ladder.values.people import TableOrder


def open_at(ladder: LocalLadder | RemoteLadder, order: TableOrder) -> TableLinks:
    """
    Open what was ordered, and give the links of its chairs on the site.

    Raises:
        LadderError, RulesFileError, UserError: As `open_ordered`; a remote ladder refuses with the same sentences.
    """
    if isinstance(ladder, RemoteLadder):
        opened = ladder.connection.send("POST", "/tables", OpenedTable, order)
        return TableLinks.of(opened, ladder.connection.address)
    from ladder.app.accounts.links import site_address
    from ladder.people.boards.table_orders import open_ordered  # with SQLAlchemy: a remote ladder needs none of it

    opened = open_ordered(ladder.ladder, order, TableVisitor())
    return TableLinks.of(opened, site_address(ladder.ladder.settings))
