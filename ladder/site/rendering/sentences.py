"""Sentences of use cases that readers meet on pages: named here, so that they are translated."""

from __future__ import annotations

from ladder.site.rendering.words import to_translate

SENTENCES = (
    to_translate("The name or the password is wrong."),
    to_translate("The old password is wrong."),
    to_translate("A password has 10 to 1000 characters."),
    to_translate("The password must not be the name."),
    to_translate(
        "You are playing this board at another table. Finish or end the game there before you play the board again."
    ),
    to_translate("Too many log-ins at the moment. Try again in a minute."),
    to_translate("This ladder takes contestants by invitation: ask its organiser for a link."),
    to_translate("Contestants of this ladder log in at its identity provider."),
    to_translate("You have an account already; log in again."),
    to_translate("This account is disabled; ask the organiser of the ladder."),
    to_translate("This invitation is no longer valid: it was used, has expired, or was withdrawn. Ask for a new one."),
    to_translate("No log-in waits for that code. Check the code, or run pigpen login again."),
    to_translate("A token must allow something: choose at least one of read, submit and admin."),
    to_translate("Write the days as a number, such as 90."),
    to_translate("This log-in was begun in another browser, or it has taken too long. Begin again."),
    to_translate("The identity provider did not confirm who you are. Begin again, or ask the organiser of the ladder."),
    to_translate(
        "The identity provider does not answer as it should. Try again soon, or ask the organiser of the ladder."
    ),
    to_translate("There is no such table; it may have been removed. Open another one at /play."),
    to_translate("This link does not belong to a chair of this table. Ask for a new one."),
    to_translate("This table has ended."),
    to_translate("This table has begun without you."),
    to_translate("This table is not waiting for people."),
    to_translate("Only the person who opened this table can do that."),
    to_translate("Only the person who opened this table can end it. You can leave it."),
    to_translate("It was ended at the table."),
    to_translate("No one was at the table for 10 minutes."),
    to_translate("The people for whom it waited did not come within an hour."),
    to_translate("Cards are taken back at tables for practice, where one person plays with bots."),
    to_translate("Nothing is played at this table now; try again in a moment."),
    to_translate("This ladder has no tables for people; pigpen play human seats you in a terminal."),
    to_translate("All tables of this ladder are taken; try again in {minutes} minutes."),
    to_translate("You have as many tables open as are allowed. End one of them, or try again in {minutes} minutes."),
    to_translate(
        "Guests at your address have as many tables open as allowed. Log in, end one, or try in {minutes} minutes."
    ),
    to_translate("This table was ended: all tables of this ladder were taken, and you or your network had the most."),
    to_translate("Bots of the ladder play with people who have an account; log in, or choose house bots."),
    to_translate("Bots of the ladder play its variants only; choose house bots for rules of your own."),
    to_translate("Only bots sit at this table; leave a chair for a person."),
    to_translate("Too many of your requests wait to be computed. Try again in {minutes} min."),
    to_translate("Too many requests wait to be computed. Try again in {minutes} min."),
    to_translate("This could not be computed, because the platform failed several times; try again in an hour."),
    to_translate("This takes more time than a computation may take. It may succeed with simpler rules."),
    to_translate("This takes more memory than a computation may take. It may succeed with simpler rules."),
)
"""As in `ladder.app.accounts`, `ladder.people`, `ladder.store.commands` and `ladder.worker`."""
