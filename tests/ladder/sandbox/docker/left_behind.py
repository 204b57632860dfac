"""
Things that an instance could leave in its container for the next one: programs that leave them, and that find them.

Both are sources. *find* prints what it finds: a line that begins with ``found``, or nothing. `CHANNELS` are tried by
test_left_behind.py: the next instance must find nothing, and, to show that *find* can find, one that runs both must.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Channel:
    """One way."""

    leave: str
    find: str
    is_closed_to_itself: bool = False
    """True if even the instance that leaves it cannot find it: the call is refused."""
    is_thrown_away: bool | None = False
    """True if its container is not used again; None: that depends on how far it comes."""


def _files(folder: str) -> Channel:
    return Channel(f"open('{folder}/note', 'w').write('x')", f"if os.listdir('{folder}'): print('found')")


_FOLDERS = "('/tmp', '/dev/shm')"
_REPORTS = "os.write(writing, b'x')"


def _daemon(does: str, parent: str = "pass") -> str:
    """A program that continues when its daemon, or *parent* in the process that started it, has reported."""
    return f"""
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if (daemon := os.fork()) == 0:
        {does}
        while True: time.sleep(1)
    {parent}
    os._exit(0)
os.close(writing)
assert os.read(reading, 1)
"""


_OFFSET = """
import ctypes
libc = ctypes.CDLL(None)
libc.opendir.restype = ctypes.c_void_p
libc.readdir.argtypes, libc.readdir.restype = [ctypes.c_void_p], ctypes.POINTER(ctypes.c_int64)
def offset():
    folder = libc.opendir(b'/tmp')
    libc.readdir(folder)
    return libc.readdir(folder)[1]
"""
NO_SUCH_WAY = "no such way"
"""Text that *leave* prints if this kernel does not have the way."""
_OTHERS = "others = [n for n in os.listdir('/proc') if n.isdecimal() and n not in ('1', str(os.getpid()))]\n"

CHANNELS = {
    "a file in /tmp": _files("/tmp"),
    "a file in /dev/shm": _files("/dev/shm"),
    "a file in /dev/mqueue": _files("/dev/mqueue"),
    "folders 400 deep that may not be entered": Channel(
        """
for n in range(400):
    os.mkdir(f'/tmp/d{n}' if n == 0 else 'd')
    os.chdir('/tmp/d0' if n == 0 else 'd')
open('note', 'w').close()
for n in range(400):
    os.chmod('.', 0)
    try: os.chdir('..')
    except OSError: break
os.chdir('/')
""",
        "if os.listdir('/tmp'): print('found')",
        is_thrown_away=True,
    ),
    "4,000 files": Channel(
        "for n in range(4000): open(f'/tmp/{n}', 'w').close()",
        "if os.listdir('/tmp'): print('found')",
        is_thrown_away=True,
    ),
    "the number of its files": Channel(
        "for _ in range(100):\n    open('/tmp/x', 'w').close(); os.unlink('/tmp/x')\n"
        "def number():\n    open('/tmp/y', 'w').close(); return os.stat('/tmp/y').st_ino\n"
        "first = number(); os.unlink('/tmp/y')",
        "if 'first' in globals() and number() == first + 1: print('found')",
        is_thrown_away=True,
    ),
    "the number of its renamings": Channel(
        _OFFSET + "open('/tmp/x', 'w').close(); before = offset()\n"
        "for _ in range(100): os.rename('/tmp/x', '/tmp/y'); os.rename('/tmp/y', '/tmp/x')\n"
        "first = offset(); os.unlink('/tmp/x')\n"
        f"if first == before: print('{NO_SUCH_WAY}')",  # it counts the entries that there are
        _OFFSET + "open('/tmp/x', 'w').close()\nif 'first' in globals() and offset() == first + 1: print('found')",
        is_thrown_away=True,
    ),
    "the number of its processes": Channel(
        "for _ in range(100):\n    if not (pid := os.fork()): os._exit(0)\n    os.waitpid(pid, 0)",
        "if os.getpid() + 100 == globals().get('pid'): print('found')",
        is_thrown_away=True,
    ),
    "a name that is no text": Channel(
        "os.mkdir(b'/tmp/\\xff\\n'); open(b'/tmp/\\xff\\n/\\xfe', 'w').close()",
        "if os.listdir(b'/tmp'): print('found')",
    ),
    "a link and a socket": Channel(
        "os.symlink('/proc/1', '/tmp/link'); socket.socket(socket.AF_UNIX).bind('/tmp/socket')",
        "if os.listdir('/tmp'): print('found')",
    ),
    "the times of a folder": Channel(
        f"for folder in {_FOLDERS}: open(f'{{folder}}/x', 'w').close(); os.unlink(f'{{folder}}/x')\nleft = True",
        "laid = os.stat(sys.argv[0]).st_mtime_ns  # after the instance before has ended\n"
        f"if any(os.stat(folder).st_mtime_ns < laid for folder in {_FOLDERS}) or 'left' in globals(): print('found')",
    ),
    "a deleted file that is open": Channel(
        "import tempfile\nkept = tempfile.TemporaryFile(dir='/tmp'); kept.write(b'note'); kept.flush()",
        "for n in range(3, 64):\n"
        "    try: found = os.pread(n, 4, 0) == b'note'\n"
        "    except OSError: found = False\n"
        "    if found: print('found')",
    ),
    "a child": Channel("if os.fork() == 0:\n    while True: time.sleep(1)", _OTHERS + "if others: print('found')"),
    "a daemon": Channel(_daemon(_REPORTS), _OTHERS + "if others: print('found')"),
    "a daemon that hears no signal": Channel(
        _daemon(f"[signal.signal(n, signal.SIG_IGN) for n in range(1, 32) if n not in (9, 19)]; {_REPORTS}"),
        _OTHERS + "if others: print('found')",
    ),
    "a process that is stopped": Channel(
        _daemon(
            "os.kill(os.getpid(), signal.SIGSTOP)",
            f"os.WIFSTOPPED(os.waitpid(daemon, os.WUNTRACED)[1]) and {_REPORTS}",
        ),
        _OTHERS + "if others: print('found')",
    ),
    "processes that fork without end": Channel(
        _daemon(
            f"signal.signal(17, signal.SIG_IGN); fork() and os._exit(0); {_REPORTS}\n"
            "        while True: fork() and os._exit(0)"
        ),
        _OTHERS + "if others: print('found')",
        is_thrown_away=None,
    ),
    "an abstract socket": Channel(
        _daemon(f"s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + 'note'); s.listen(); {_REPORTS}"),
        "try: socket.socket(socket.AF_UNIX).connect(chr(0) + 'note')\nexcept OSError: pass\nelse: print('found')",
    ),
    "a socket on its way in another": Channel(
        "a, b = socket.socketpair(); c, d = socket.socketpair()\n"
        "socket.send_fds(a, [b'x'], [b.fileno()]); s = socket.socket(socket.AF_UNIX)\n"
        "s.bind(chr(0) + 'held'); s.listen(); socket.send_fds(a, [b'x'], [s.fileno()])",
        "try: socket.socket(socket.AF_UNIX).connect(chr(0) + 'held')\nexcept OSError: pass\nelse: print('found')",
    ),
    "shared memory": Channel(
        "import mmap\nf = open('/dev/shm/note', 'w+b'); f.truncate(9)\nm = mmap.mmap(f.fileno(), 9); m[:4] = b'note'",
        "if os.path.exists('/dev/shm/note'): print('found')",
    ),
    "System V's shared memory": Channel(
        "ctypes.CDLL(None).shmget(7, 4096, 0o1600)",
        "if ctypes.CDLL(None).shmget(7, 0, 0) >= 0: print('found')",
        is_closed_to_itself=True,
    ),
    "System V's semaphores": Channel(
        "ctypes.CDLL(None).semget(7, 1, 0o1600)",
        "if ctypes.CDLL(None).semget(7, 0, 0) >= 0: print('found')",
        is_closed_to_itself=True,
    ),
    "System V's message queues": Channel(
        "ctypes.CDLL(None).msgget(7, 0o1600)",
        "if ctypes.CDLL(None).msgget(7, 0) >= 0: print('found')",
        is_closed_to_itself=True,
    ),
    "a message queue in no folder": Channel(
        "ctypes.CDLL(None).mq_open(b'/note', os.O_CREAT | os.O_RDWR, 0o600, None)",
        "if ctypes.CDLL(None).mq_open(b'/note', os.O_RDWR) >= 0: print('found')",
        is_closed_to_itself=True,
    ),
    "a port of the network": Channel(
        """
try:
    listener = socket.create_server(('127.0.0.1', 5555), reuse_port=False)
    one = socket.create_connection(('127.0.0.1', 5555)); other, _ = listener.accept()
    other.close(); one.close(); listener.close()
except OSError: pass
""",
        "try: socket.socket().bind(('127.0.0.1', 5555))\n"
        "except OSError as error:\n    if error.errno == errno.EADDRINUSE: print('found')",
        is_closed_to_itself=True,
    ),
    "memory of the process": Channel("note = b'no' + b'te'", "if 'note' in globals(): print('found')"),
    "a lock": Channel(
        "import fcntl\nf = open('/tmp/lock', 'w')\ntry: fcntl.lockf(f, fcntl.LOCK_EX)\nexcept OSError: pass",
        "if os.path.exists('/tmp/lock') and 'f' not in globals(): print('found')",
        is_closed_to_itself=True,
    ),
    "a timer": Channel(
        "signal.setitimer(signal.ITIMER_REAL, 1000)", "if signal.getitimer(signal.ITIMER_REAL)[0]: print('found')"
    ),
    "a signal that is ignored": Channel(
        "signal.signal(signal.SIGUSR1, signal.SIG_IGN)",
        "if signal.getsignal(signal.SIGUSR1) == signal.SIG_IGN: print('found')",
    ),
    "a signal that is blocked": Channel(
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])",
        "if signal.pthread_sigmask(signal.SIG_BLOCK, []): print('found')",
    ),
    "its own nice value": Channel("os.nice(3)", "if os.getpriority(os.PRIO_PROCESS, 0) == 3: print('found')"),
    "the server's nice value": Channel(
        "for pid in (1, 0): attempt(os.setpriority, os.PRIO_PROCESS, pid, 5)",
        "if os.getpriority(os.PRIO_PROCESS, 0): print('found')",
    ),
    "the nice value of all of its user": Channel(
        "attempt(os.setpriority, os.PRIO_USER, 0, 5)",
        "if os.getpriority(os.PRIO_PROCESS, 0): print('found')",
        is_closed_to_itself=True,
    ),
    "the server's limits": Channel(
        "for pid in (1, 0): attempt(resource.prlimit, pid, resource.RLIMIT_STACK, (1 << 20, 1 << 20))",
        "if resource.getrlimit(resource.RLIMIT_STACK)[0] == 1 << 20: print('found')",
    ),
    "its own limits": Channel(
        "resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))",
        "if resource.getrlimit(resource.RLIMIT_STACK)[0] == 1 << 20: print('found')",
    ),
    "the server's cores": Channel(
        "for pid in (1, 0): attempt(os.sched_setaffinity, pid, {max(os.sched_getaffinity(0))})",
        "if len(os.sched_getaffinity(0)) == 1: print('found')",
    ),
    "the server's signals": Channel(
        "for n in range(1, 32):\n    try: os.kill(1, n)\n    except OSError: pass\nnote = 1",
        "if 'note' in globals(): print('found')",
    ),
    "the file mode mask and the folder": Channel(
        "os.umask(0o77); os.chdir('/tmp')", "if os.umask(0o22) == 0o77 or os.getcwd() == '/tmp': print('found')"
    ),
    "the environment": Channel("os.environ['NOTE'] = 'x'", "if 'NOTE' in os.environ: print('found')"),
    "an imported module": Channel(
        "import wave; sys.modules['note'] = wave", "if {'note', 'wave'} & set(sys.modules): print('found')"
    ),
    "a module's variable": Channel("os.note = 1; sys.path.append('/note')", "if hasattr(os, 'note'): print('found')"),
    "the state of random": Channel(
        "random.seed(7); random.random()", "if random.random() == 0.15084917392450192: print('found')"
    ),
    "the server's memory": Channel(
        "try: open('/proc/1/mem', 'r+b').write(b'x')\nexcept OSError: pass",
        "try: open('/proc/1/maps')\nexcept OSError: pass\nelse: print('found')",
        is_closed_to_itself=True,
    ),
    "the engine's pipes": Channel(
        "for n in ('0', '1', '2'):\n"
        "    try: open(f'/proc/1/fd/{n}', 'w')\n"
        "    except OSError: pass\n"
        "    else: print('found')",
        "pass",
        is_closed_to_itself=True,
    ),
    "the server's settings in /proc": Channel(
        "for n in ('oom_score_adj', 'coredump_filter', 'comm', 'timerslack_ns', 'autogroup'):\n"
        "    for pid in ('1', 'self'):\n"
        "        try: open(f'/proc/{pid}/{n}', 'w').write('7')\n"
        "        except OSError: pass\n"
        "        else: print('found')",
        "pass",
        is_closed_to_itself=True,
    ),
}

PREAMBLE = """
import ctypes, errno, os, random, resource, signal, socket, sys, time
def fork():
    try: return os.fork()
    except OSError: return 0
def attempt(call, *arguments):
    try: call(*arguments)
    except OSError: pass
"""

NUMBERS = f"""{_OFFSET}
open('/tmp/x', 'w').close()
open('/dev/shm/x', 'w').close()
file = os.stat('/tmp/x').st_ino
print('numbers', os.getpid(), file, offset() - file, os.stat('/dev/shm/x').st_ino)
"""
"""Prints the next numbers: of a process; in /tmp of a file, and of a name beyond that; in /dev/shm of a file."""
