"""Check of a bot in this process with all cases of a variant, in the order in which it is asked."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.bot import WrongAnswer, decide, notify
from pigpen.check.cases import EDGES, NO_PASS, kinds, whole_deals
from pigpen.rules import PRESETS, IllegalAction
from pigpen.values.notices import ClockSetting, Welcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from pigpen.bot import Bot
    from pigpen.check.cases import Case
    from pigpen.rules import Rules


def cases_of(rules: Rules) -> list[Case]:
    """
    List the cases of *rules*: each kind of question, for presets also difficult hands, and two whole deals.

    >>> from pigpen.check import cases_of
    >>> from pigpen.rules import PRESETS
    >>> [case.name for case in cases_of(PRESETS["gongzhu"])][:3]
    ['expose one card face up', 'expose with every such card in hand, face up', 'open the first trick']

    Each case has a deal of its own, and the numbers of the deals rise as in a match.
    """
    numbers = _Numbers(len(rules.plan.pass_offsets))
    cases = list(kinds(rules, numbers))
    if PRESETS.get(rules.name) == rules:
        cases += [edge.case(rules, numbers(NO_PASS)) for edge in EDGES if rules.name in edge.rules]
    return cases + list(whole_deals(rules, numbers))


class _Numbers:
    """Rising numbers of deals, each in a chosen place of the cycle of passes."""

    def __init__(self, cycle: int) -> None:
        self._cycle = cycle
        self._next = 0

    def __call__(self, place: int) -> int:
        self._next += (place - self._next) % self._cycle
        self._next += 1
        return self._next - 1


LIMIT = 1.0
BANK = 60.0
UNTRIED = "untried"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """
    The result of one case.

    >>> from pigpen.check import Outcome
    >>> Outcome(group="hearts", name="lead").passed
    True
    >>> Outcome(group="hearts", name="lead", verdict="timeout", reason="an answer took 2 s").passed
    False
    """

    group: str
    """The variant, or `wire`."""
    name: str
    """Name of the case."""
    verdict: str = ""
    """Empty: passed. Else one of illegal, timeout, malformed, gone, absent, exit, hangs, untried; for programs."""
    reason: str = ""
    """The verdict in one sentence; empty if the case passed."""
    output: str = ""
    """The end of the bot's output, if it failed and the output is known; of a bot in this process its traceback."""
    times: tuple[float, ...] = ()
    """Seconds that each answer took."""

    @property
    def passed(self) -> bool:
        """True if the bot passed the case."""
        return not self.verdict


def check(
    make_bot: Callable[[], Bot],
    variants: Iterable[Rules] = tuple(PRESETS.values()),
    limit: float = LIMIT,
    now: Callable[[], float] = time.monotonic,
    only: Collection[str] = (),
) -> list[Outcome]:
    """
    Ask a bot every case of *variants*, with a new bot for each variant.

    >>> import pigpen
    >>> from pigpen.check import check
    >>> from pigpen.rules import PRESETS
    >>> class Wrong(pigpen.Bot):
    ...     def play(self, view):
    ...         return view.hand[0]
    ...
    >>> failed = [outcome for outcome in check(Wrong, [PRESETS["hearts"]], limit=60.0) if not outcome.passed]
    >>> {outcome.verdict for outcome in failed}
    {'illegal'}

    Args:
        make_bot: A function without arguments that makes a bot, such as its class.
        variants: The variants; all presets by default.
        limit: Seconds that an answer may take. A bot that never answers is not stopped here.
        now: A clock, in seconds.
        only: Names of the cases to ask; all cases if empty.

    Raises:
        ValueError: If no variant has a case of one of these names.
    """
    variants = tuple(variants)
    names = {case.name for rules in variants for case in cases_of(rules)} if only else set()
    for name in only:
        if name not in names:
            raise ValueError(f"there is no case {name!r}")
    return [outcome for rules in variants for outcome in _check_variant(make_bot, rules, limit, now, only)]


def _check_variant(
    make_bot: Callable[[], Bot], rules: Rules, limit: float, now: Callable[[], float], only: Collection[str]
) -> Iterator[Outcome]:
    cases = [case for case in cases_of(rules) if not only or case.name in only]
    if not cases:
        return
    clock = ClockSetting(BANK, 0.0, limit, start_up=10.0)
    try:
        bot = make_bot()
        bot.match_started(Welcome(rules, cases[0].seat, f"deals:{len(cases)}", clock))
    except (Exception, SystemExit) as error:  # a bot may raise anything, and the other variants must continue
        yield Outcome(
            group=rules.name, name="begin a match", verdict="gone", reason=_raised(error), output=_where(error)
        )
        return
    decisions = 0
    for case in cases:
        outcome = _try(case, bot, decisions, limit, now)
        decisions += len(outcome.times)
        yield outcome


def _try(case: Case, bot: Bot, decisions: int, limit: float, now: Callable[[], float]) -> Outcome:
    times: list[float] = []
    verdict = reason = output = ""
    try:
        _answer(case, bot, decisions, limit, now, times)
        if max(times, default=0.0) > limit:
            verdict, reason = "timeout", f"an answer took {max(times):.3f} s, and the limit is {limit:g} s"
    except IllegalAction as error:
        verdict, reason = "illegal", str(error)
    except WrongAnswer as error:
        verdict, reason = "malformed", str(error)
    except (Exception, SystemExit) as error:  # a bot may raise anything, and the other cases must continue
        verdict, reason, output = "gone", _raised(error), _where(error)
    return Outcome(
        group=case.rules.name, name=case.name, verdict=verdict, reason=reason, output=output, times=tuple(times)
    )


def _answer(case: Case, bot: Bot, decisions: int, limit: float, now: Callable[[], float], times: list[float]) -> None:
    """Answer every question of *case*; the time of each goes into *times*."""
    questions = case.questions()
    try:
        deal = next(questions)
        while True:
            view = case.view(deal, decisions + len(times) + 1, limit, BANK)
            started = now()
            action = decide(bot, view)
            times.append(now() - started)
            deal = questions.send(action)
    except StopIteration as end:
        notify(bot, case.result(end.value))


def _raised(error: BaseException) -> str:
    return f"the bot raised {type(error).__name__}: {error}"


def _where(error: BaseException) -> str:
    """Give the traceback, as a program of its own would have printed it."""
    return "".join(traceback.format_exception(error))
