"""Every bad bot and what it comes to: one line for each program in `programs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ladder.sandbox.base import Exit
from pigpen import ClockSetting
from referee.seats.verdict import Verdict
from tests.for_two import FEW_TRICKS, FOR_THREE
from tests.waiting import PATIENT

HURRIED = ClockSetting(bank=600.0, increment=1.0, limit=2.0, start_up=60.0)
"""Clock with which a bot is too late: after 6 s of wall time."""
SHORT = ClockSetting(bank=8.0, increment=0.1, limit=1.0, start_up=60.0)
"""Clock whose bank is used up."""
WAITED_FOR = ClockSetting(bank=600.0, increment=1.0, limit=60.0, start_up=20.0)
"""Clock with which a bot does not come at all."""

THREE = FOR_THREE.name
"""Variant in which two bad bots need an honest neighbour, or a bot is passed cards."""

TIMEOUT, ILLEGAL, MALFORMED, GONE, ABSENT = Verdict
ENDS = "its program ended with exit code {}"


@dataclass(frozen=True)
class BadBot:
    """A match with a bad bot, and its outcome. The others at the table play on without a fault."""

    faults: tuple[Verdict, ...] = ()
    """Faults of it in the record, in order."""
    why: str = ""
    """Text of the last fault in the record, or a part of it."""
    end: Exit | None = None
    """The end of its container; None: it may stay until the match is over, and leave by itself or not."""
    observed: Mapping[str, object] = field(default_factory=dict)
    """Observations of its attempts, by its own report."""
    or_faults: tuple[Verdict, ...] | None = None
    """The same as *faults*, where luck decides which of the two it is."""
    or_absent: bool = False
    """True if it may also have lost its seat before it took it."""
    rules: str = FEW_TRICKS.name
    """One honest neighbour is enough, where nothing else is given."""
    deals: int = 1
    clock: ClockSetting = PATIENT
    """That of the bad bot; its neighbours always have `PATIENT`."""
    seats: int = 1
    """Number of seats that the bad bot has."""
    beside: str = "honest"
    """The honest bot that has the other seats."""
    unasked_ms: float = 0.0
    """Milliseconds, at the least, that each of them worked when it was not asked, by the record."""
    needs_root: bool = False
    """True if only root, who may hold a container still, can stop it."""

    @property
    def verdicts(self) -> tuple[tuple[Verdict, ...], ...]:
        """Faults that the record may hold against it."""
        others = () if self.or_faults is None else (self.or_faults,)
        return (self.faults, *others, *(((ABSENT,),) * self.or_absent))


def received_nothing(*met: list[str]) -> dict[str, object]:
    """Give the report of seats that could not send each other anything: the errors that each of them met."""
    facts = ({f"seat {seat} met": errors, f"seat {seat} received by": []} for seat, errors in enumerate(met))
    return {key: value for fact in facts for key, value in fact.items()}


BAD_BOTS: Mapping[str, BadBot] = {
    # Time.
    "late_once": BadBot((TIMEOUT,), "no answer within", clock=HURRIED),
    "late_always": BadBot((TIMEOUT,) * 3, "no answer within", clock=HURRIED),
    "thinks_on_others_time": BadBot(
        observed={"stole half of a neighbour's time": False}, beside="slow_honest", needs_root=True
    ),
    "thinks_in_the_sealed_phase": BadBot(
        observed={"stole half of a neighbour's time": False}, rules=THREE, beside="passer", needs_root=True
    ),
    "thinks_before_it_is_asked": BadBot(
        unasked_ms=100.0, observed={"paid for it": True}, rules=THREE, beside="latecomer"
    ),
    "thinks_a_little_unasked": BadBot(unasked_ms=1.0, beside="steady", deals=2),
    "maps_memory_while_held": BadBot(
        observed={"stole half of a neighbour's time": False}, beside="slow_honest", needs_root=True
    ),
    "sleeps_with_friends": BadBot((TIMEOUT,) * 3, "no answer within", clock=SHORT, seats=2, rules=THREE),
    "burns_cpu": BadBot(observed={"fires": 20}),
    "stops_itself": BadBot((TIMEOUT,) * 3, "no answer within", clock=HURRIED),
    # Taking a seat.
    "never_connects": BadBot((ABSENT,), "it did not take its seat within 20 s", clock=WAITED_FOR),
    "wrong_token": BadBot((ABSENT,), observed={"the first": "UNAUTHENTICATED"}, clock=WAITED_FOR),
    "stolen_token": BadBot(
        observed={"sockets": ["seat.sock"], **dict.fromkeys(("another", "one off", "longer"), "UNAUTHENTICATED")}
    ),
    "second_stream": BadBot(observed={"the second": "ALREADY_EXISTS"}),
    "two_connections": BadBot(observed={"the second": "ALREADY_EXISTS", "the third": "ENOENT"}),
    "second_hello": BadBot((MALFORMED,), "the message is not an Answer"),
    # The stream.
    "half_close": BadBot((GONE,), "it did not come back within 3 s", observed={"the stream": "OK"}),
    "returns_in_time": BadBot(observed={"asked again": True}),
    "returns_too_late": BadBot((GONE,), "it did not come back within 3 s"),
    "reconnect_flood": BadBot((TIMEOUT,) * 3, or_faults=(GONE,), clock=HURRIED),
    "deaf": BadBot((TIMEOUT, GONE), "it does not read what the referee sends", or_faults=(GONE,), clock=HURRIED),
    # The game.
    "illegal_card": BadBot((ILLEGAL,) * 3),
    "card_not_held": BadBot((ILLEGAL,) * 3),
    "card_twice": BadBot((ILLEGAL,) * 3),
    "passes_too_few": BadBot((ILLEGAL,) * 3, rules="hearts", deals=3),
    "passes_too_many": BadBot((ILLEGAL,) * 3, rules="hearts", deals=3),
    "passes_a_card_twice": BadBot((ILLEGAL,) * 3, rules="hearts", deals=3),
    "exposes_not_held": BadBot((ILLEGAL,), rules="gongzhu"),
    "exposes_twice": BadBot((MALFORMED,), "the answer exposes a card twice", rules="gongzhu"),
    # Messages.
    "answers_the_last_question": BadBot(),
    "answers_before_it_is_asked": BadBot(),
    "garbage": BadBot((MALFORMED,) * 3, "the message cannot be read as a BotMessage"),
    "no_action": BadBot((MALFORMED,) * 3, "the answer holds no action"),
    "huge_message": BadBot(observed={"broken": True}),
    "message_flood": BadBot(or_faults=(GONE,)),
    # Connections. Who keeps its own referee busy from the start may, on a busy machine, be too late to take its seat.
    "connection_flood": BadBot((ABSENT,), or_faults=()),
    "connection_churn": BadBot(or_faults=(ABSENT,)),
    "stream_flood": BadBot(or_faults=(GONE,), or_absent=True),
    "rapid_reset": BadBot(or_faults=(GONE,), or_absent=True),
    "ping_flood": BadBot(or_faults=(GONE,), or_absent=True),
    "settings_flood": BadBot(or_faults=(GONE,), or_absent=True),
    "window_flood": BadBot((ABSENT,), "it sent more than the referee reads"),
    "metadata_flood": BadBot((ABSENT,), clock=WAITED_FOR),
    "slow_loris": BadBot(observed={"closed": True}),
    "slow_hello": BadBot(observed={"the stream": "DEADLINE_EXCEEDED"}),
    "jams_a_connection": BadBot(or_faults=(GONE,), or_absent=True),
    "jams_and_leaves": BadBot((GONE,), or_absent=True),
    "half_open": BadBot(observed={"closed": True}),
    # The program's end.
    "exits_0": BadBot((GONE,), ENDS.format(0), Exit(0)),
    "exits_1": BadBot((GONE,), ENDS.format(1), Exit(1)),
    "segfaults": BadBot((GONE,), ENDS.format(139), Exit(139)),
    "ignores_signals": BadBot(end=Exit(137)),
    # What a container may use.
    "fork_bomb": BadBot((ABSENT,), "it did not take its seat", Exit(137), {"in the end": "EAGAIN"}),
    "thread_bomb": BadBot(observed={"in the end": "can't start new thread"}),
    "busy_children": BadBot(observed={"eight": True, "more": True}),
    "zombies": BadBot(observed={"abandoned": 500}),
    "memory_hog": BadBot((GONE,), "it ran out of memory", Exit(137, oom=True)),
    "memory_hog_child": BadBot((GONE,), "it ran out of memory", Exit(0, oom=True)),
    "kernel_memory_hog": BadBot((GONE,), "it ran out of memory"),
    "fills_tmp": BadBot(observed={"/tmp": "ENOSPC", "/dev/shm": "ENOSPC"}),
    "fills_tmp_with_files": BadBot(observed={"in the end": "ENOSPC"}),
    "floods_output": BadBot(),
    "hogs_pipes": BadBot(observed={"in seat 0": False, "in seat 1": True}, seats=2, rules=THREE),
    # What containers share.
    "evicts_pages": BadBot(observed={"met": ["EPERM"]}),
    "takes_notes": BadBot(),
    "signals_by_locks": BadBot(
        observed={
            "seat 0 tried": ["EPERM"],
            "seat 1 tried": ["EPERM"],
            **received_nothing(["EPERM"], ["EPERM"]),
        },
        seats=2,
        rules=THREE,
    ),
    "signals_by_futex": BadBot(observed=received_nothing(["EAGAIN"], []), seats=2, rules=THREE),
    "signals_by_counts": BadBot(
        observed=received_nothing(["ENOTTY", "EPERM"], ["ENOENT", "ENOTTY", "EPERM"]), seats=2, rules=THREE
    ),
    "reads_the_host": BadBot(observed={"files that tell": [], "sysinfo": "EPERM"}, seats=2, rules=THREE),
    # What a container may reach.
    "writes_everywhere": BadBot(observed={"folders": ["/dev/mqueue", "/dev/shm", "/tmp"], "kernel": []}),
    "kills_everybody": BadBot(observed={"everybody": "ESRCH", "the first": "EPERM", "alive": True}),
    "kills_the_first_process": BadBot(
        observed={
            **{
                name: ["EPERM"] for name in ("limits", "priority", "cores", "signals", "its CPU time", "another's user")
            },
            "group": ["ESRCH"],
            "shares a user with it": False,
        }
    ),
    "network": BadBot(
        observed={
            "sockets": ["EAFNOSUPPORT"],
            "DNS": "no address",
            "gateway": "EAFNOSUPPORT",
            "metadata service": "EAFNOSUPPORT",
        }
    ),
    "abstract_sockets": BadBot(observed={"own": "allowed", "others": ["ECONNREFUSED"]}, seats=2, rules=THREE),
    "reads_secrets": BadBot(
        observed={"read": [], "descriptors of the first": "EACCES", "processes": 2, "token in sight": False}
    ),
    "setuid_program": BadBot(observed={"setuid": True, "runs as root": False, "setuid(0)": "EPERM"}),
    "system_calls": BadBot(observed={"met": ["EPERM"]}),
    "tampers_with_its_seat": BadBot(
        observed={
            **dict.fromkeys(("unlink", "rename", "chmod", "link", "bind", "mkdir", "climb"), "EROFS"),
            "rmdir": "EROFS",
            "log": "ENOENT",
        }
    ),
}
