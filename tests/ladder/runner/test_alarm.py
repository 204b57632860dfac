"""The alarm of a loop: it ends a wait, and what is called before the loop runs is not lost."""

from __future__ import annotations

import asyncio
import signal
import threading

from ladder.runner.lease_loop import Alarm
from ladder.terminal.running import run_with_handlers
from tests.waiting import PATIENCE


def test_a_signal_that_does_not_interrupt_the_wait_is_handled_in_it() -> None:
    """The kernel gives it to another thread, whose end of a system call wakes no other one."""
    alarm, handled, waited = Alarm(), list[str](), threading.Event()

    def other() -> None:
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
        waited.wait(PATIENCE)
        alarm.call(lambda: handled.append("too late"))

    async def wait() -> None:
        with alarm.ringing_here():
            thread = threading.Thread(target=other)
            asyncio.get_running_loop().call_soon(thread.start)
            while not handled:
                await alarm.wait(2 * PATIENCE)
            waited.set()
            await asyncio.to_thread(thread.join)

    before = signal.signal(signal.SIGUSR1, lambda *_: alarm.call(lambda: handled.append("signal")))
    try:
        run_with_handlers(wait())
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert handled[0] == "signal"
    assert signal.set_wakeup_fd(-1) == -1


async def test_what_is_called_before_the_loop_runs_or_between_two_waits_is_done_in_its_order() -> None:
    alarm, done = Alarm(), list[int]()
    for number in (1, 2, 3):
        alarm.call(lambda number=number: done.append(number))  # type: ignore[misc]
    with alarm.ringing_here():
        assert done == [1, 2, 3]
        await alarm.wait(PATIENCE)  # it has rung
        alarm.call(lambda: done.append(4))
        await alarm.wait(PATIENCE)
        assert done == [1, 2, 3, 4]
        await alarm.wait(0.0)  # nothing has happened since


async def test_another_thread_ends_the_wait_and_after_the_loop_nothing_is_called() -> None:
    alarm, done = Alarm(), list[int]()
    with alarm.ringing_here():
        thread = threading.Thread(target=lambda: alarm.call(lambda: done.append(1)))
        thread.start()
        while not done:
            await alarm.wait(PATIENCE)
        thread.join()
    assert done == [1]


def test_an_alarm_of_a_loop_that_has_ended_rings_for_nobody() -> None:
    alarm, done = Alarm(), list[int]()

    async def hear() -> None:
        with alarm.ringing_here():
            pass

    asyncio.run(hear())
    alarm.call(lambda: done.append(1))
    assert done == []
