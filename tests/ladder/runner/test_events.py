"""A queue of events hears signals while its thread waits."""

from __future__ import annotations

import signal
import threading
from queue import Empty

import pytest

from ladder.runner.attempt_runs import MAX_WAIT_SECONDS, EventQueue
from tests.waiting import PATIENCE, is_in, until


def test_a_signal_that_does_not_interrupt_the_wait_is_handled_in_it() -> None:
    events, handled, taken = EventQueue(), list[str](), threading.Event()

    def other() -> None:
        until(lambda: is_in(threading.main_thread(), EventQueue.get.__code__), "the wait")
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)  # which wakes no other thread
        taken.wait(PATIENCE)
        events.put(lambda: handled.append("too late"))

    before = signal.signal(signal.SIGUSR1, lambda *_: events.put(lambda: handled.append("signal")))
    thread = threading.Thread(target=other)
    thread.start()
    try:
        events.get(timeout=2 * PATIENCE)()
    finally:
        taken.set()
        thread.join()
        signal.signal(signal.SIGUSR1, before)
    assert handled == ["signal"]


def test_events_come_in_their_order_and_nothing_comes_of_an_empty_queue() -> None:
    events, done = EventQueue(), list[int]()
    for number in (1, 2, 3):
        events.put(lambda number=number: done.append(number))  # type: ignore[misc]
    for _ in range(3):
        events.get()()
    assert done == [1, 2, 3]
    for timeout in (0.0, 0.01, MAX_WAIT_SECONDS + 0.01):
        with pytest.raises(Empty):
            events.get(timeout=timeout)
    with pytest.raises(Empty):
        events.get(block=False)
