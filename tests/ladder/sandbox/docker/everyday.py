"""Runs inside a container: what an honest Python bot may do, and prints what came of it as JSON."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import multiprocessing
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Lock
from pathlib import Path

CPU_TIME_OF_PROCESS_0 = (~0 << 3) | 2


def threads() -> int:
    done: list[int] = []
    workers = [threading.Thread(target=done.append, args=[number]) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(done)


def programs() -> str:
    line = "echo one | cat; cp /etc/passwd /tmp/a && mv /tmp/a /tmp/b && ls /tmp/b && rm /tmp/b"
    return subprocess.run(["sh", "-ec", line], capture_output=True, text=True, check=True).stdout


def files() -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a").write_text("x" * 100_000)
        shutil.copy2(folder / "a", folder / "b")
        shutil.copytree(folder, folder.parent / "copy")
        shutil.rmtree(folder.parent / "copy")
        os.link(folder / "a", folder / "c")
        (folder / "d").symlink_to("a")
        store = sqlite3.connect(f"file:{folder / 'e'}?nolock=1", uri=True)  # there are no locks on files
        store.execute("create table cards (name)")
        store.close()
        return sorted(path.name for path in folder.iterdir())


def unix_sockets() -> str:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/socket")
        server.listen()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"{folder}/socket")
            client.sendall(b"card")
            client.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT)  # as gRPC does where half a message has come
        return server.accept()[0].recv(10).decode()


async def event_loop() -> list[object]:
    """A child, a thread and a signal."""
    signalled = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, signalled.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await signalled.wait()
    child = await asyncio.create_subprocess_exec("sh", "-c", "exit 3")
    return [await asyncio.to_thread(os.getpid) == os.getpid(), await child.wait()]


def pools() -> list[int]:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        first = pool.map(abs, [-1, -2])
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as executor:
        return [*first, *executor.map(abs, [-3])]


def of_itself() -> list[object]:
    """List the calls by which a program asks for or changes itself by its number; its children's groups, too."""
    os.nice(1)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    child = subprocess.Popen(["sleep", "100"], start_new_session=True)
    os.killpg(os.getpgid(child.pid), signal.SIGTERM)
    os.sched_setaffinity(os.getpid(), os.sched_getaffinity(threading.get_native_id()))
    return [
        os.getpriority(os.PRIO_PROCESS, 0),
        resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        child.wait(),
        time.thread_time() > 0.0 < time.process_time(),
        time.clock_gettime(CPU_TIME_OF_PROCESS_0) > 0.0,
    ]


def count(lock: Lock, number: Synchronized[int]) -> None:
    for _ in range(100):
        with lock:
            number.value += 1


def locks() -> int:
    """Processes that wait for one another."""
    forking = multiprocessing.get_context("fork")
    lock, number = forking.Lock(), forking.Value("i", 0, lock=False)
    workers = [forking.Process(target=count, args=(lock, number)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return int(number.value)


if __name__ == "__main__":
    facts = {
        "threads": threads(),
        "programs": programs(),
        "files": files(),
        "unix_sockets": unix_sockets(),
        "event_loop": asyncio.run(event_loop()),
        "pools": pools(),
        "locks": locks(),
        "of_itself": of_itself(),
        "is_a_terminal": sys.stdout.isatty(),
    }
    print(json.dumps(facts))
