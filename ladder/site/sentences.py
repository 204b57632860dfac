"""Sentences of use cases that readers meet on pages: named here, so that they are translated."""

from __future__ import annotations

from ladder.site.words import to_translate

SENTENCES = (
    to_translate("The name or the password is wrong."),
    to_translate("The old password is wrong."),
    to_translate("A password has 10 to 1000 characters."),
    to_translate("A password is something else than the name."),
    to_translate("Too many log in just now; try again in a minute."),
    to_translate("This ladder takes contestants by invitation: ask its organiser for a link."),
    to_translate("Contestants of this ladder log in at its identity provider."),
    to_translate("You have an account already; log in again."),
    to_translate("This account is disabled; ask the organiser of the ladder."),
    to_translate(
        "This invitation is not good any more: it was used, it has expired, or it was taken back. Ask for a new one."
    ),
    to_translate(
        "There is no log-in with that code, or it has ended: look at the code again, or run pigpen login again."
    ),
    to_translate("A token is good for something: choose at least one of read, submit and admin."),
    to_translate("The days are a number."),
    to_translate("This log-in was begun in another browser, or it has taken too long. Begin again."),
    to_translate("The identity provider did not vouch for you. Begin again, or ask the organiser of the ladder."),
    to_translate(
        "The identity provider does not answer as it should. Try again soon, or ask the organiser of the ladder."
    ),
)
"""As they stand in `ladder.app.accounts` and `ladder.store.commands`."""
