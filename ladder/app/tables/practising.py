"""Practice: what may be asked before one plays. Whoever does so is marked as assisted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.tables.reading import chair_for, found_table
from ladder.app.tables.sitting import NO_SEAT
from ladder.errors import Forbidden, UserError
from ladder.matches.estimate import TooManyChoices
from ladder.matches.hint import hint_of
from ladder.store.commands.tables import mark_assisted
from ladder.store.queries.tables import chairs_of

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.why import Hint
    from pigpen.values.view import View

NO_PRACTICE = "At this table nobody may ask before they play; open one for practice."


def ask_before(ladder: Ladder, name: str, secret: str, view: View) -> Hint:
    """
    Estimate each choice of the open decision of a chair, at a table for practice, which then counts as assisted.

    Args:
        ladder: The ladder.
        name: The table's.
        secret: The chair's.
        view: What its seat knows. Nothing else is looked at.

    Raises:
        Forbidden: If the table is not for practice, or the secret is for no chair there.
        LadderError: If there is no such table.
        UserError: If there are too many choices.
    """
    with ladder.database.write() as session:
        table = found_table(session, name)
        if chair_for(chairs_of(session, table.id), secret) is None:
            raise Forbidden(NO_SEAT)
        if not table.practice:
            raise Forbidden(NO_PRACTICE)
        mark_assisted(table)
    try:
        return hint_of(view)
    except TooManyChoices as error:
        raise UserError(f"There is no estimate of this decision: {error}.") from None
