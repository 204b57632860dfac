"""
The seat of a program in any language that reads and writes lines.

    python -m pigpen.lines ./mybot --depth 3

Starts the program, takes the seat that the environment names, and passes every message on as one line of JSON:
questions and notices go to the program's standard input, answers come from its standard output. What it writes to
stderr is the bot's output. docs/lines.md describes the lines.
"""

from __future__ import annotations

import dataclasses
import json
import os
import select
import signal
import subprocess
import sys
from typing import IO, TYPE_CHECKING, Any, NoReturn

from pigpen.bot import Bot, WrongAnswer
from pigpen.client import ADDRESS, TOKEN, run
from pigpen.rules import Card, Face, MoonChoice, Phase
from pigpen.wire.messages import ANSWERS, MAX_BYTES, PROTOCOL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pigpen.rules import Action
    from pigpen.values.notices import DealResult, FaultNotice, MatchResult, Welcome
    from pigpen.values.view import View

HELLO_SECONDS = 5.0
"""Seconds without a first line after which the program's author is told what is missing; the wait continues."""
END_SECONDS = 1.0
"""Seconds after the end of the match after which the same is done for a program that does not end."""
PATIENT = 0.9
"""The part of a decision's limit after which the same is done for a question without an answer."""
SEED_BITS = 53
"""Of a seed; more is no whole number to readers of JSON that take every number for a double."""
SHOWN = 80
"""Characters of a wrong line that a message shows."""
READ_ON = "It must read its input, line by line, until that ends."
FLUSH = "A program must end each line with a newline, and flush its standard output after it."


def main(command: Sequence[str]) -> None:
    """
    Play one match with a program.

    Args:
        command: The program and its arguments.

    Raises:
        SystemExit: If there is no seat or no such program, or it ends too early; stderr says so in one sentence.
    """
    if not command:
        _quit("Name the program and its arguments: python -m pigpen.lines ./mybot", 2)
    if not (os.environ.get(ADDRESS) and os.environ.get(TOKEN)):
        _quit(f'This bot waits for a referee. Start it with: pigpen play "lines:{" ".join(command)}" random', 2)
    with Program(command) as program:
        run(LinesBot(program), program.hello())
        program.end()


def _quit(sentence: str, code: int) -> NoReturn:
    print(sentence, file=sys.stderr, flush=True)
    sys.exit(code)


class Program:
    """A child process that reads and writes lines."""

    def __init__(self, command: Sequence[str]) -> None:
        """
        Start it.

        Args:
            command: The program and its arguments.

        Raises:
            SystemExit: If there is no such program.
        """
        self.name: str = command[0]
        try:
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            _quit(f"The program {self.name} cannot be started: {why}.", 2)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input: IO[bytes] = self._process.stdin
        self._output: IO[bytes] = self._process.stdout
        self._rest: bytes = b""
        """Bytes that are read and that no line has ended."""
        self._is_reported: bool = False

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._process.wait()
        self._input.close()
        self._output.close()

    def hello(self) -> str:
        """
        Wait for the first line, with which the program says that it is ready; the name in it, or else the program's.

        Raises:
            SystemExit: If it is another line.
        """
        line = self.read(HELLO_SECONDS, "its first line")
        found = _object(line)
        if found is None or "protocol" not in found:
            _quit(f'The first line of {self.name} must be {{"protocol":{PROTOCOL}}}, and is {_shown(line)}.', 2)
        if found["protocol"] != PROTOCOL or isinstance(found["protocol"], bool):
            _quit(f"{self.name} speaks protocol {found['protocol']!r}, and these lines are protocol {PROTOCOL}.", 2)
        name = found.get("name")
        return name if isinstance(name, str) and name else os.path.basename(self.name)

    def write(self, message: dict[str, Any], what: str = "everything") -> None:
        """
        Write one line.

        Args:
            message: The line.
            what: What it is, as the sentence names it if the program has ended.

        Raises:
            SystemExit: If the program reads no more.
        """
        line = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        try:
            while line:
                line = line[self._input.write(line) :]
        except BrokenPipeError:
            self._ended(f"it was sent {what}")

    def read(self, patience: float, wanted: str) -> bytes:
        """
        Read one line.

        Args:
            patience: Seconds after which a sentence on stderr says what the program may lack; it is waited for still.
            wanted: The line, as that sentence names it.

        Raises:
            SystemExit: If the program ends first, or writes too much without an end of the line.
        """
        wait: float | None = None if self._is_reported else patience
        while True:
            line, newline, rest = self._rest.partition(b"\n")
            if len(line) > MAX_BYTES:
                _quit(f"{self.name} wrote more than {MAX_BYTES:,} bytes without an end of the line. {FLUSH}", 1)
            if newline:
                self._rest = rest
                return line
            if select.select([self._output], [], [], wait)[0]:
                data = os.read(self._output.fileno(), MAX_BYTES)
                if not data:
                    self._ended(f"it wrote {wanted}")
                self._rest += data
            else:
                wait, self._is_reported = None, True
                so_far = f"only {_shown(self._rest)}, without an end of the line" if self._rest else "nothing"
                _report(f"{self.name} has written {so_far} for {patience:.1f} s; {wanted} is waited for. {FLUSH}")

    def end(self) -> None:
        """
        Let the program end: its input ends, and its exit code becomes ours.

        Raises:
            SystemExit: If that is not 0.
        """
        self._input.close()
        try:
            code = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            _report(f"{self.name} still runs after the end of the match. It must end when its input ends.")
            code = self._process.wait()
        if code:
            _quit(f"{self.name} {_end(code)} after the match.", 1)

    def _ended(self, before: str) -> NoReturn:
        """End with a sentence on how the program ended."""
        try:
            end = _end(self._process.wait(END_SECONDS))
        except subprocess.TimeoutExpired:
            end = "closed its standard input or output"
        _quit(f"{self.name} {end} before {before}. {READ_ON}", 1)


class LinesBot(Bot):
    """A bot whose decisions a program makes."""

    def __init__(self, program: Program) -> None:
        self._program: Program = program

    def play(self, view: View) -> Any:
        """Ask the program for a card."""
        return self._ask(view)

    def pass_cards(self, view: View) -> Any:
        """Ask the program for the cards to pass."""
        return self._ask(view)

    def expose(self, view: View) -> Any:
        """Ask the program for the cards to expose."""
        return self._ask(view)

    def choose_moon(self, view: View) -> Any:
        """Ask the program how the moon is scored."""
        return self._ask(view)

    def match_started(self, welcome: Welcome) -> None:
        """Pass the welcome on."""
        self._program.write(welcome_line(welcome))

    def deal_over(self, result: DealResult) -> None:
        """Pass the notice on."""
        self._program.write({"type": "deal_over", **dataclasses.asdict(result)})

    def fault(self, notice: FaultNotice) -> None:
        """Pass the notice on."""
        self._program.write({"type": "fault", **dataclasses.asdict(notice)})

    def match_over(self, result: MatchResult) -> None:
        """Pass the notice on."""
        self._program.write({"type": "match_over", **dataclasses.asdict(result)})

    def _ask(self, view: View) -> Action:
        self._program.write(request_line(view), f"decision {view.decision}")
        while True:
            line = self._program.read(PATIENT * view.limit, f"its answer to decision {view.decision}")
            answer = answer_in(line, view)
            if answer is not None:  # else it is to a question before, and comes too late
                return answer


def welcome_line(welcome: Welcome) -> dict[str, Any]:
    """Give the fields of the first line that a program reads."""
    rules = welcome.rules
    return {
        "type": "welcome",
        "variant": rules.name,
        "players": rules.players,
        "partners": rules.partners,
        "better": rules.scoring.better.value,
        "pass_count": rules.passing.cards if rules.passing else 0,
        "seat": welcome.seat,
        "format": welcome.format,
        **dataclasses.asdict(welcome.clock),
        "rules": dataclasses.asdict(rules, dict_factory=_without_nothing),
    }


def _without_nothing(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Leave out what is not there, and write enumerations as rules files do."""
    return {name: getattr(value, "value", value) for name, value in fields if value is not None}


def request_line(view: View) -> dict[str, Any]:
    """Give the fields of a question's line."""
    exposures = view.exposures
    return {
        "type": "request",
        "decision": view.decision,
        "phase": view.phase.name.lower(),
        "seat": view.seat,
        "deal": view.deal,
        "hand": _names(view.hand),
        "legal": _names(view.legal),
        "leader": view.leaders[-1] if view.leaders else None,
        "trick": [str(play.card) for play in view.trick],
        "plays": [str(Card(card)) for card in view.plays],
        "leaders": [*view.leaders],
        "taken": [" ".join(_names(view.taken(seat))) for seat in range(view.rules.players)],
        "totals": [*view.totals],
        "pass_count": view.pass_count,
        "pass_to": view.pass_to,
        "passed": _names(view.passed),
        "received": _names(view.received),
        "exposed": [str(shown.card) for shown in exposures],
        "exposed_by": [shown.seat for shown in exposures],
        "exposed_face": [shown.face.name.lower() for shown in exposures],
        "hidden": [*view.hidden],
        "first_leader": view.first_leader,
        "limit": view.limit,
        "bank": view.bank,
        "last_took": view.last_took,
        "last_cpu": view.last_cpu,
        "seed": view.seed & (1 << SEED_BITS) - 1,
    }


def _names(cards: Iterable[Card]) -> list[str]:
    return [str(card) for card in cards]


def answer_in(line: bytes, view: View) -> Action | None:
    """
    Read the answer to the question of *view*; None: it is to a question before.

    Raises:
        WrongAnswer: If the line is no answer to either.
    """
    found, field = _object(line), ANSWERS[view.phase]
    wanted = f'{{"decision":{view.decision},"{field}":…}}'
    decision = found.get("decision") if found is not None else None
    if found is None or not isinstance(decision, int) or isinstance(decision, bool):
        raise WrongAnswer(f"The program wrote {_shown(line)}, and was asked for {wanted}. Other text goes to stderr.")
    if decision < view.decision:
        return None
    if decision > view.decision or field not in found:
        raise WrongAnswer(f"The program answered {_shown(line)}, and was asked for {wanted}.")
    try:
        return _READERS[view.phase](found)
    except (TypeError, ValueError, KeyError) as error:
        raise WrongAnswer(f"The program answered {_shown(line)}: {error}.") from None


def _card(found: dict[str, Any]) -> Card:
    return Card.parse(found["card"])


def _cards(value: Any) -> tuple[Card, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{value!r} is no list of cards")
    return tuple(Card.parse(name) for name in value)


def _exposed(found: dict[str, Any]) -> dict[Card, Face]:
    faces = {Face.UP: found["expose"], Face.DOWN: found.get("face_down", [])}
    return {card: face for face, value in faces.items() for card in _cards(value)}


def _moon(found: dict[str, Any]) -> MoonChoice:
    choices = {choice.name.lower(): choice for choice in MoonChoice}
    if found["moon"] not in [*choices]:
        raise ValueError(f"moon must be one of {', '.join(choices)}")
    return choices[found["moon"]]


_READERS: dict[Phase, Callable[[dict[str, Any]], Action]] = {
    Phase.PLAY: _card,
    Phase.PASS: lambda found: _cards(found["pass"]),
    Phase.EXPOSE: _exposed,
    Phase.MOON: _moon,
}
"""Read the action of an answer."""


def _object(line: bytes) -> dict[str, Any] | None:
    """Read a line; None: it is no JSON object. Some languages begin their output with a byte order mark."""
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _shown(line: bytes) -> str:
    text = line.decode(errors="replace").strip()
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")


def _end(code: int) -> str:
    """Say how a process ended."""
    if code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name if -code in {*signal.Signals} else f"signal {-code}"
    why = ", as happens where the memory of its instance is used up," if code == -signal.SIGKILL else ""
    return f"was killed by {name}{why}"


def _report(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
