"""Practice: an estimate that a person may ask for before a decision. It marks the person as assisted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.computing.asking import answer_to
from ladder.app.computing.questions import hint_question
from ladder.errors import Forbidden, UserError
from ladder.matches.estimate import TooManyChoices, check_choices
from ladder.people.tables.chairs import NO_SEAT
from ladder.people.tables.table_states import chair_for, found_table
from ladder.store.commands.tables import mark_assisted
from ladder.store.queries.tables import chairs_of
from ladder.values.why import Hint

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from pigpen.values.view import View

NO_PRACTICE = "This table gives no estimates before you play. Open a table for practice."


def ask_before(ladder: Ladder, name: str, secret: str, view: View, asker: str = "") -> Hint:
    """
    Say what each choice of the open decision of a chair is worth; the table, which is for practice, counts as assisted.

    Args:
        ladder: The ladder.
        name: The table's.
        secret: The chair's.
        view: What its seat knows. Nothing else is looked at.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        BeingComputed: If it is not estimated yet.
        Forbidden: If the table is not for practice, or the secret is for no chair there.
        LadderError: If there is no such table.
        UserError: If there are too many choices.
    """
    with ladder.database.read() as session:
        table = found_table(session, name)
        if chair_for(chairs_of(session, table.id), secret) is None:
            raise Forbidden(NO_SEAT)
        if not table.practice:
            raise Forbidden(NO_PRACTICE)
    try:
        check_choices(view)
    except TooManyChoices as error:
        raise UserError(f"There is no estimate of this decision: {error}.") from None
    if not table.assisted:
        with ladder.database.write() as session:
            mark_assisted(found_table(session, name))
    return Hint.model_validate_json(answer_to(ladder, hint_question(view), asker))
