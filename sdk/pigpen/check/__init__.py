"""
The cases that every bot must pass before a ladder accepts it, for a unit test of your own:

    from pigpen.check import check

    def test_my_bot_answers_everything():
        assert [outcome for outcome in check(MyBot) if not outcome.passed] == []

`pigpen check ./mybot` asks the bot the same questions in its sandbox, and also tests the wire.
"""

from pigpen.check.cases import Case
from pigpen.check.run import Outcome, cases_of, check

__all__ = ["Case", "Outcome", "cases_of", "check"]
