"""
The cases that every bot must pass before the ladder takes it, for a unit test of your own:

    from pigpen.check import check

    def test_my_bot_answers_everything():
        assert [outcome for outcome in check(MyBot) if not outcome.passed] == []

`pigpen check ./mybot` puts the same questions to the bot in its sandbox, and tries the wire as well.
"""

from pigpen.check.case import Case
from pigpen.check.cases import cases_of
from pigpen.check.run import Outcome, check

__all__ = ["Case", "Outcome", "cases_of", "check"]
