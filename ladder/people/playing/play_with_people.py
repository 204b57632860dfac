"""A match with people at the table: a seat for each of them beside those of the bots."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.matches.inline_match import Played, void
from ladder.sandbox.base import SOCKET_NAME
from ladder.sandbox.host.scratch import disk_errors, scratch_folder
from pigpen.rules.shuffle import commitment
from referee.match.match import Match
from referee.match.observer import PeopleShown
from referee.seats.person_seat import PersonSeat
from referee.seats.seat_server import new_token
from referee.seats.verdict import SeatBroken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from ladder.matches.bots import BotSeats
    from referee.match.formats import MatchSpec
    from referee.match.journal import Journal
    from referee.records.lines import AnyLine, DealLine
    from referee.seats.seat import Seat

    Sit = Callable[[int, str, str], AbstractAsyncContextManager[None]]
    """
    Brings a person to its seat at a table, for as long as that table plays.

    It is given the number of the table, the address of the seat, and the seat's token.
    """


@void()
async def play_with_people(
    spec: MatchSpec,
    bots: BotSeats,
    people: Mapping[int, Sit],
    write: Callable[[AnyLine], None],
    recorded: Sequence[DealLine] | None = None,
    journal: Journal | None = None,
    seated: Callable[[Mapping[int, PersonSeat]], None] = lambda persons: None,
    practice: bool = False,
) -> Played:
    """
    Play with people and fresh instances of bots, one table after the other.

    Args:
        spec: What is to be played; its people are those of *people*.
        bots: Seats the bots alone, in the order of their numbers.
        people: Who brings each person to its seats, by the numbers of the people.
        write: Takes the record's lines.
        recorded: The deals in the record of an interrupted match.
        journal: Keeps the deal under way (`Match`).
        seated: Takes the seats of the people at each table, by their numbers, before the table plays.
        practice: Whether the clock of a question stops when a person asks what its choices are worth.

    Raises:
        BotRejected: If a bot cannot be made.
        CannotResume: If the recorded deals are not of this match.
        SandboxError: If the platform failed; the match is void.
    """
    logs: dict[int, tuple[str, ...]] = {}
    shown = PeopleShown(spec.bots)
    numbers = range(len(spec.bots))

    @asynccontextmanager
    async def open_table(table: int) -> AsyncIterator[list[Seat]]:
        def keep(tails: tuple[str, ...]) -> None:
            rest = iter(tails)
            logs[table] = tuple("" if each in people else next(rest) for each in numbers)

        async with bots.table(keep, commitment(spec.seed)) as others, people_table(table, people, practice) as persons:
            shown.seat(table, persons)
            seated(persons)
            rest = iter(others)
            yield [persons[each] if each in persons else next(rest) for each in numbers]

    match = Match(
        spec,
        open_table,
        write,
        recorded,
        bots.image_files,
        bots.instances,
        observer=shown,
        journal=journal,
        runtime=bots.runtime,
    )
    return Played(await match.play(), logs, match.seconds)


@asynccontextmanager
async def people_table(table: int, people: Mapping[int, Sit], practice: bool) -> AsyncIterator[dict[int, PersonSeat]]:
    """
    Open a seat for each person, and bring them there.

    Raises:
        SandboxError: If a seat cannot be opened, or breaks.
    """
    with scratch_folder() as root:
        async with AsyncExitStack() as stack:
            seats: dict[int, PersonSeat] = {}
            try:
                for person, sit in people.items():
                    folder, token = root / str(person), new_token()
                    with disk_errors(folder):
                        folder.mkdir(mode=0o700)
                    seats[person] = seat = PersonSeat(folder / SOCKET_NAME, token, practice=practice)
                    stack.push_async_callback(seat.close)  # first: a table may be cancelled while a seat opens
                    await seat.listen()
                    await stack.enter_async_context(sit(table, f"unix:{folder / SOCKET_NAME}", token))
                yield seats
            except SeatBroken as broken:
                raise SandboxError(str(broken)) from broken
