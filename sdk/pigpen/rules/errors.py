"""
Errors: one tree for the whole of Pigpen. Each branch knows the exit code of a command that ends with it.

PigpenError                     1
├── RulesError                  2  a table asks for something that the rules do not allow; also a ValueError
│   ├── IllegalAction              the action is not allowed now; the message says which rule it breaks
│   └── DealOver                   the deal has no next decision
├── TooLong                     1  pigpen.sim.solving: an ending needs more work than was allowed
├── Refused                     2  pigpen.client: the referee does not let this bot, or this person, play
├── Unreachable                 2  pigpen.client: no referee answers
├── RecordError                 2  referee.records.framing: it is no record, or cannot be read or written
│   ├── RecordCut                  it ends in the middle of a line: its writer was stopped
│   ├── RecordTooLarge             it has more lines, or more bytes, than any match gives
│   └── RecordDiffers              a line says something else than what follows from the seed and the bots' answers
├── BadRecord                   2  referee.records.recorded: its lines are not those of a match; also a ValueError
├── CannotResume                2  referee.match.match: the match cannot be resumed from the record
├── RulesFileError              2  referee.records.rules_file: no variant has that name, or its file is wrong
├── BadPosition                 2  referee.replay.position: a text names no position of a deal; also a ValueError
├── NoDecision                  2  referee.replay.deal_replay: a step of a record is not there, or left no choice
├── UserError                   2  ladder.errors: what was asked for makes no sense
│   ├── UnknownBot                 ladder.sandbox.bots.bot_source: no bot has that name
│   ├── NoAnswer                   ladder.app.computing.asking: what a question asks for cannot be computed
│   └── WorkerRejected             ladder.cluster.worker_program: a coordinator does not want this worker
├── BotRejected                 2  ladder.errors: the bot cannot be loaded
├── TooManyChoices              2  ladder.matches.estimate: a decision has too many choices to estimate them
├── LadderError                 2  ladder.errors: it cannot be done in this ladder
│   ├── TooFewBots                 ladder.runner.runner: no variant has enough bots
│   ├── NoLadder                   there is no ladder on this machine
│   ├── Unstorable                 no database can hold a text or a number
│   ├── Forbidden                  the caller may not do that
│   ├── Conflict                   what was asked for does not fit what is there by now
│   │   └── AtAnotherTable         ladder.people.tables.table_opening: the visitor plays that board already
│   ├── BeingComputed              ladder.app.computing.asking: the answer is not there yet
│   └── TooOften                   it was asked for too often; the message says when to try again
│       └── Busy                   too much is asked for just now, by all together
├── SandboxError                3  ladder.errors: the sandbox failed, not the bot
│   ├── EngineApart                the engine's containers do not reach files and sockets of this machine
│   ├── UnfitFolder             2  a folder for temporary or kept files cannot be used: name another one
│   ├── NoControlGroup             the control group of a container cannot be read
│   ├── ContainerLost              one bot's container was killed, and not through its engine
│   ├── ProgramLost                ladder.worker.match_tasks: a bot that was entered does not exist any more
│   ├── SchedulerLost              ladder.cluster.scheduler_process: the scheduler has ended, and all calls with it
│   ├── InvalidAnswer              ladder.cluster.scheduler_process: what a worker answered can be no answer
│   └── TooLarge                   ladder.sandbox.bots.content: a folder is too large to be sent to another machine
├── StoreError                  3  ladder.errors: the database failed
├── RemoteError                 3  ladder.errors: a remote ladder does not answer, or not as Pigpen does
└── WrongRecord                 1  ladder.store.commands.results: a record of another match; the ladder continues

A line without an exit code, or without a module, has that of the line above it in the tree. Errors that never leave the
room that raises them are not in the tree, and neither are the signals inside a match that no command ever sees:
SeatFailure, SeatBroken, PersonAway, MalformedMessage and WrongAnswer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable


class PigpenError(Exception):
    """An error that a command reports in one sentence, without a traceback."""

    exit_code: ClassVar[int] = 1
    """Exit code of the command. 2: the user can correct it. 3: the platform failed, and a second try may succeed."""

    def __reduce__(self) -> tuple[Callable[..., PigpenError], tuple[object, ...]]:
        return _unpickle, (type(self), self.args, vars(self))


def _unpickle(kind: type[PigpenError], args: tuple[object, ...], attributes: dict[str, object]) -> PigpenError:
    """Make an error without its constructor, which may take something else than its message."""
    error = kind.__new__(kind, *args)
    vars(error).update(attributes)
    return error


class RulesError(PigpenError, ValueError):
    """
    An action or a value that the rules do not allow.

    >>> from pigpen.rules import IllegalAction, RulesError
    >>> issubclass(IllegalAction, RulesError)
    True
    """

    exit_code = 2


class IllegalAction(RulesError):
    """
    An action that is not legal now.

    >>> from pigpen.rules import PRESETS, Card, Deal, deal_hands
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> deal.apply(deal.turn, Card.parse("QS"))
    Traceback (most recent call last):
        ...
    pigpen.rules.errors.IllegalAction: QS may not be played now; legal: 2C
    """


class DealOver(RulesError):
    """
    An action in a deal that has ended.

    >>> from pigpen.rules import PRESETS, Card, Deal, deal_hands
    >>> rules = PRESETS["gongzhu"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    >>> while not deal.is_over:
    ...     for seat in deal.to_act:
    ...         deal.apply(seat, deal.default_action(seat))
    ...
    >>> deal.apply(0, Card.parse("QS"))
    Traceback (most recent call last):
        ...
    pigpen.rules.errors.DealOver: the deal is over
    """
