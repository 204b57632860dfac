"""
Runs inside a container: makes each forbidden system call, and prints what came of it as JSON.

All with arguments that make the call fail for another reason (EFAULT, EBADF, EINVAL) were it let through.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import socket

FORBIDDEN = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "cachestat": (451, 451),
    "capset": (126, 91),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "execveat": (322, 281),
    "fadvise64": (221, 223),
    "fanotify_init": (300, 262),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "finit_module": (313, 273),
    "flock": (73, 32),
    "fsopen": (430, 430),
    "init_module": (175, 105),
    "inotify_add_watch": (254, 27),
    "inotify_init1": (294, 26),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioprio_get": (252, 31),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "migrate_pages": (256, 238),
    "mincore": (27, 232),
    "mlock": (149, 228),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_notify": (244, 184),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "preadv2": (327, 286),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "pwritev2": (328, 287),
    "quotactl": (179, 60),
    "readahead": (187, 213),
    "request_key": (249, 218),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_getattr": (315, 275),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "seccomp": (317, 277),
    "semget": (64, 190),
    "setfsgid": (123, 152),
    "setfsuid": (122, 151),
    "setgid": (106, 144),
    "setgroups": (116, 159),
    "setns": (308, 268),
    "setregid": (114, 143),
    "setresgid": (119, 149),
    "setreuid": (113, 145),
    "setuid": (105, 146),
    "setxattr": (188, 5),
    "shmget": (29, 194),
    "splice": (275, 76),
    "swapon": (167, 224),
    "sync": (162, 81),
    "sync_file_range": (277, 84),
    "syncfs": (306, 267),
    "sysinfo": (99, 179),
    "syslog": (103, 116),
    "timer_create": (222, 107),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vmsplice": (278, 75),
}
"""The numbers of each on x86_64 and on aarch64."""

CLONE3 = 435
CLONE = {"x86_64": 56, "aarch64": 220}
IOCTL = {"x86_64": 16, "aarch64": 29}
NAMESPACES = {
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
    "mnt": 0x00020000,
    "CLONE_PIDFD": 0x00001000,
}
ARGUMENTS: dict[str, tuple[tuple[int, int], tuple[int, ...]]] = {
    "madvise(MADV_WILLNEED)": ((28, 233), (0, 0, 3)),
    "madvise(MADV_COLD)": ((28, 233), (0, 0, 20)),
    "madvise(MADV_PAGEOUT)": ((28, 233), (0, 0, 21)),
    "madvise(MADV_POPULATE_READ)": ((28, 233), (0, 0, 22)),
    "madvise(MADV_POPULATE_READ + 2**32)": ((28, 233), (0, 0, 22 + 2**32)),
    "madvise(MADV_COLLAPSE)": ((28, 233), (0, 0, 25)),
    "mmap(MAP_POPULATE)": ((9, 222), (0, 4096, 1, 0x8022, -1, 0)),
    "mmap(MAP_LOCKED)": ((9, 222), (0, 4096, 1, 0x2022, -1, 0)),
    "mmap(MAP_SHARED | MAP_ANONYMOUS)": ((9, 222), (0, 4096, 3, 0x21, -1, 0)),
    "mmap(MAP_SHARED_VALIDATE | MAP_ANONYMOUS)": ((9, 222), (0, 4096, 3, 0x23, -1, 0)),
    "prlimit64(1)": ((302, 261), (1, 0)),
    "prlimit64(2**32)": ((302, 261), (2**32, 0)),
    "getpriority(PRIO_PROCESS, 1)": ((140, 141), (0, 1)),
    "getpriority(PRIO_PGRP)": ((140, 141), (1, 0)),
    "setpriority(PRIO_PROCESS, 1)": ((141, 140), (0, 1, 19)),
    "setpriority(PRIO_PGRP)": ((141, 140), (1, 0, 19)),
    "setpriority(PRIO_USER)": ((141, 140), (2, 0, 19)),
    "getsid(1)": ((124, 156), (1,)),
    "get_robust_list(1)": ((274, 100), (1,)),
    "sched_rr_get_interval(1)": ((148, 127), (1,)),
    "clock_gettime(of process 1)": ((228, 113), ((~1 << 3) | 2,)),
    "clock_getres(of thread 1)": ((229, 114), ((~1 << 3) | 6,)),
    "clock_nanosleep(of process 1)": ((230, 115), ((~1 << 3) | 2,)),
    "fcntl(F_GETLK)": ((72, 25), (0, 5)),
    "fcntl(F_SETLK)": ((72, 25), (0, 6)),
    "fcntl(F_SETLKW)": ((72, 25), (0, 7)),
    "fcntl(F_OFD_GETLK)": ((72, 25), (0, 36)),
    "fcntl(F_OFD_SETLK)": ((72, 25), (0, 37)),
    "fcntl(F_SETLEASE)": ((72, 25), (0, 1024)),
    "fcntl(F_NOTIFY)": ((72, 25), (0, 1026)),
    "fcntl(F_SETLK + 2**32)": ((72, 25), (0, 6 + 2**32)),
    "futex(FUTEX_REQUEUE)": ((202, 98), (0, 3)),
    "futex(FUTEX_LOCK_PI)": ((202, 98), (0, 6)),
    "getsockopt(SO_COOKIE)": ((55, 209), (0, 1, 57)),
    "getsockopt(SO_NETNS_COOKIE)": ((55, 209), (0, 1, 71)),
    "openat(O_DIRECT)": ((257, 56), (-1, 0, 0x14000)),  # and O_DIRECTORY: each machine has the two the other way round
    "fcntl(F_SETFL, O_DIRECT)": ((72, 25), (0, 4, 0x14000)),
    "prctl(PR_SET_MEMORY_MERGE)": ((157, 167), (67, 1)),
    "setsockopt(SO_PASSPIDFD)": ((54, 208), (0, 1, 76)),
    "membarrier(MEMBARRIER_CMD_GLOBAL)": ((324, 283), (1, 0)),
    "membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED)": ((324, 283), (2, 0)),
}
"""Calls that are forbidden with these arguments: their numbers on both machines, and the arguments."""
FUTEX_WAIT, FUTEX_WAKE, FUTEX_PRIVATE, FUTEX = 0, 1, 128, (202, 98)
REQUESTS = {"TIOCSTI": 0x5412, "TIOCSETD": 0x5423, "TIOCLINUX": 0x541C, "TIOCGPTN": 0x80045430, "FICLONE": 0x40049409}
FAMILIES = ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG", "AF_BLUETOOTH", "AF_CAN", "AF_TIPC"]

libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: int) -> int:
    """The error number of a system call, 0 if it succeeds."""
    words = [ctypes.c_long(argument) for argument in (*arguments, *[0] * (6 - len(arguments)))]
    return ctypes.get_errno() if libc.syscall(ctypes.c_long(number), *words) < 0 else 0


def open_socket(family: int) -> int:
    """0 if a socket of any type can be made, else the error number of the last attempt."""
    last = 0
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            socket.socket(family, kind).close()
        except OSError as error:
            last = error.errno or -1
        else:
            return 0
    return last


def open_pair(family: int) -> int:
    try:
        for end in socket.socketpair(family):
            end.close()
    except OSError as error:
        return error.errno or -1
    return 0


def clone(flags: int) -> int:
    """Make a child, which ends at once, with *flags*."""
    ctypes.set_errno(0)
    child = libc.syscall(ctypes.c_long(CLONE[machine]), ctypes.c_long(flags | 17), *[ctypes.c_long(0)] * 4)
    if child == 0:
        os._exit(0)
    if child > 0:
        os.waitpid(child, 0)
    return 0 if child > 0 else ctypes.get_errno()


_word = ctypes.c_int(1)


def futex_calls() -> dict[str, tuple[int, ...]]:
    """Calls on a word that holds 1: a wait for 0 fails with EAGAIN, and a wait for 1 lasts until a wake."""
    at = ctypes.addressof(_word)
    return {
        "shared wait": (at, FUTEX_WAIT, 1),
        "shared wake": (at, FUTEX_WAKE, 1),
        "private wait for another value": (at, FUTEX_WAIT | FUTEX_PRIVATE, 0),
        "private wake": (at, FUTEX_WAKE | FUTEX_PRIVATE, 1),
    }


def named(number: int) -> str:
    """A word for an error number."""
    return errno.errorcode[number] if number else "allowed"


if __name__ == "__main__":
    machine = platform.machine()
    column = ["x86_64", "aarch64"].index(machine)
    facts = {
        "calls": {name: named(call(both[column], -1)) for name, both in FORBIDDEN.items()},
        "arguments": {name: named(call(both[column], *words)) for name, (both, words) in ARGUMENTS.items()},
        "futex": {name: named(call(FUTEX[column], *words)) for name, words in futex_calls().items()},
        "clone3": named(call(CLONE3)),
        "clone": {name: named(clone(flag)) for name, flag in {**NAMESPACES, "none": 0}.items()},
        "ioctl": {name: named(call(IOCTL[machine], 0, request)) for name, request in REQUESTS.items()},
        "sockets": {name: named(open_socket(getattr(socket, name))) for name in [*FAMILIES, "AF_UNIX"]},
        "pairs": {name: named(open_pair(getattr(socket, name))) for name in ["AF_TIPC", "AF_UNIX"]},
    }
    print(json.dumps(facts))
