"""The matches that a run has under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from ladder.runner.attempt_runs import AttemptRuns
from ladder.runner.executor import Judgement
from ladder.runner.returned import AttemptFailure, log_result, log_suspended, outcome_of
from ladder.store.commands.results import WrongRecord
from ladder.store.models import Status
from ladder.worker.tasks import MatchOutcome, MatchTask

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from concurrent.futures import Future

    from ladder.runner.coordinator import Coordinator
    from ladder.runner.events import Events
    from ladder.runner.executor import Executor

log = structlog.get_logger()


class MatchRuns(AttemptRuns[MatchTask, MatchOutcome]):
    """Has matches played, records their results, and finds the bots that are behind void ones."""

    name = "match"

    def __init__(
        self,
        coordinator: Coordinator,
        executor: Executor,
        events: Events,
        tick: Callable[[], float],
        tell: Callable[[bool], None],
    ) -> None:
        """Begin with none; *coordinator* records, the rest as for `AttemptRuns`."""
        super().__init__(executor, events, tick, tell)
        self.recorded = 0
        """Results so far."""
        self._coordinator = coordinator
        self._unexplained: list[int] = []
        """Matches that are void, while it is not known whether the platform works."""
        self._suspects: list[tuple[int, int | None]] = []
        """Matches that are void though the platform works, and the number of the bot whose container was lost."""

    def begin(self, task: MatchTask) -> None:
        """Have a match played."""
        bots = [bot.name for bot in task.bots]
        self._begin(task, variant=task.rules["name"], format=task.format, bots=bots)

    def settle(self) -> None:
        """Suspend bots that are common to void matches, too."""
        self._settle_returns()
        while self._suspects:
            log_suspended(self._coordinator.suspect(*self._suspects[0]))
            self._suspects.pop(0)
        super().settle()

    def explain(self, platform_works: bool) -> None:
        """Attribute void matches to the platform or to their bots, after the platform was probed."""
        if platform_works:
            self._suspects += [(match, None) for match in self._unexplained]
        self._unexplained.clear()

    def _outcome_of(self, task: MatchTask, future: Future[str]) -> MatchOutcome | AttemptFailure | None:
        return outcome_of(task, future)

    def _record(self, task: MatchTask, outcome: MatchOutcome) -> AttemptFailure | None:
        try:
            result = self._coordinator.record(task, outcome, self._executor.reporter(task.key))
        except WrongRecord as error:
            return AttemptFailure(Judgement.INVALID, str(error))
        if result is None:
            log.warning("match.late", **self._about(task))
            return None
        self.recorded += 1
        self._tell(False)
        log_result(result)
        return None

    def _fail(self, task: MatchTask, failure: AttemptFailure, is_seen_to: bool) -> None:
        status = self._coordinator.fail(task.match, task.attempt, failure.reason, failure.lost)
        event = "match.quarantined" if status is Status.QUARANTINED else "match.void"
        bot = {} if failure.broke is None else {"bot": task.bots[failure.broke].name}
        log.warning(event, **self._about(task), reason=failure.reason, **bot)
        if failure.broke is not None:
            self._suspects += [] if status is None else [(task.match, failure.broke)]
        elif not is_seen_to:
            self._unexplained += [] if status is None or failure.lost else [task.match]
            self._tell(True)

    def _return(self, tasks: Collection[MatchTask], reason: str) -> None:
        self._coordinator.give_back(tasks, reason)

    def _given_up(self, task: MatchTask) -> None:
        self._coordinator.live.end(task.match, task.attempt, "void")
