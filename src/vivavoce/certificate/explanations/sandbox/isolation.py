"""The layers of isolation that a process with hostile code builds around itself, with features of Linux.

Everything is denied except what a Python program needs to compute: memory that is not executable, reading its standard input,
writing its standard output, the clock, and exiting. No call is left to open, connect, start or signal anything.

A clock's id may contain the number of a process or a thread, and then reads its CPU time for any caller; or it contains a
descriptor. All such ids are negative. Only fixed ids are allowed, including the process's own CPU time.

Source: `man 2 seccomp`, `man 2 clock_getres`, `linux/time.h`, `linux/bpf_common.h`; numbers from `asm/unistd_64.h` (x86_64) and
`asm-generic/unistd.h` (aarch64).

Each layer is active, or says why not. One must always be active: the filter of calls (`filter_for`), with the limits. The
others are there in case that one has a hole.
"""

from __future__ import annotations

import ctypes
import errno
import math
import mmap
import os
import resource
import signal
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from errno import EPERM


@dataclass(frozen=True, slots=True)
class ProcessorNumbers:
    """Linux's numbers for one kind of processor."""

    audit: int
    """`AUDIT_ARCH_...`: by it a filter knows whose numbers it looks at."""
    capset: int
    pivot_root: int
    allowed: dict[str, int]


MACHINES = {
    "x86_64": ProcessorNumbers(
        audit=0xC000003E,
        capset=126,
        pivot_root=155,
        allowed={
            "read": 0,
            "write": 1,
            "mmap": 9,
            "mprotect": 10,
            "munmap": 11,
            "brk": 12,
            "mremap": 25,
            "futex": 202,
            "restart_syscall": 219,
            "clock_gettime": 228,
            "exit_group": 231,
        },
    ),
    "aarch64": ProcessorNumbers(
        audit=0xC00000B7,
        capset=91,
        pivot_root=41,
        allowed={
            "read": 63,
            "write": 64,
            "exit_group": 94,
            "futex": 98,
            "clock_gettime": 113,
            "restart_syscall": 128,
            "brk": 214,
            "munmap": 215,
            "mremap": 216,
            "mmap": 222,
            "mprotect": 226,
        },
    ),
}
"""Numbers of system calls by `os.uname().machine`; other machines are refused."""

_ALLOW, _DENY, _KILL = 0x7FFF0000, 0x00050000 | EPERM, 0x80000000
_LOAD, _IS, _IS_ABOVE, _HAS_BITS, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_NUMBER_AT, _MACHINE_AT, _FIRST_AT, _THIRD_AT = 0, 4, 16, 32
"""Offsets in `struct seccomp_data`; for arguments, of the lower half, on little-endian processors."""
_EXECUTABLE = 0x4
_LAST_CLOCK = 7
"""Fixed clocks from 0, the time of day, to 7, the time since the start of the machine; those above set alarms. Compared without
a sign, a negative id lies above them."""

Step = tuple[int, int, int, int]
"""An instruction of the filter: operation, jump if true, jump if false, value."""


def _if_equal(value: int, then: list[Step]) -> list[Step]:
    return [(_IS, 0, len(then), value), *then]


def _verdict(call: str) -> list[Step]:
    """The filter's decision on one of the allowed calls; each of these ends the filter."""
    if call in ("read", "write"):
        descriptor = ("read", "write").index(call)
        return [(_LOAD, 0, 0, _FIRST_AT), (_IS, 0, 1, descriptor), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _DENY)]
    if call in ("mmap", "mprotect"):
        return [(_LOAD, 0, 0, _THIRD_AT), (_HAS_BITS, 1, 0, _EXECUTABLE), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _DENY)]
    if call == "clock_gettime":
        return [(_LOAD, 0, 0, _FIRST_AT), (_IS_ABOVE, 1, 0, _LAST_CLOCK), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _DENY)]
    return [(_RETURN, 0, 0, _ALLOW)]


def filter_for(machine: ProcessorNumbers) -> bytes:
    """The filter as an array of `struct sock_filter`; a call with another processor's numbers ends the process.

    >>> [len(filter_for(machine)) // 8 for machine in MACHINES.values()]
    [42, 42]
    """
    steps: list[Step] = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_IS, 1, 0, machine.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    for call, number in machine.allowed.items():
        steps += _if_equal(number, _verdict(call))
    steps.append((_RETURN, 0, 0, _DENY))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


Layer = tuple[str, str]
"""A layer's name, and why it could not be built; "" if it could."""
_libc = ctypes.CDLL(None, use_errno=True)
_NOBODY = 65534
_SET_DEATH_SIGNAL, _SET_DUMPABLE, _SET_SECCOMP, _SET_NO_NEW_PRIVILEGES = 1, 4, 22, 38
_BY_FILTER = 2
_NEW_USERS, _NEW_MOUNTS, _NEW_PROCESSES, _NEW_MESSAGES, _NEW_NETWORK = 0x10000000, 0x20000, 0x20000000, 0x8000000, 0x40000000
_PRIVATE, _BARE, _DETACH = 0x44000, 0xF, 2
"""Flags of mounts: all of them no longer shared; read only, no programs, no devices; let go of it."""
_CAPABILITIES_64_BIT, _MAY_KILL = 0x20080522, 1 << 5
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_CLOCK_BY_PROCESS = ~0 << 3 | 2
"""A clock whose id holds a process's number: 0, which is this one, so it exists unless it is refused."""
_FILE_RIGHTS = (13, 14, 15, 15, 16)
"""How many kinds of access to files each version of Landlock knows; the last, all later ones."""


def die_with(parent: int) -> None:
    """Have the kernel kill this process when `parent` ends; 0 if the parent is outside of the process namespace."""
    _prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def build(parent: int, cpu_seconds: float, memory_bytes: int) -> list[Layer]:
    """Build all layers around this process, on a best-effort basis, and test them.

    With a process namespace, a fork of this process returns, as the first process in it.
    """
    machine = MACHINES[os.uname().machine]
    layers = [_tried("another user", _become_nobody), _tried("user namespace", _own_users)]
    layers += [
        _tried("network namespace", lambda: _unshare(_NEW_NETWORK)),
        _tried("message namespace", lambda: _unshare(_NEW_MESSAGES)),
        _tried("process namespace", lambda: _unshare(_NEW_PROCESSES)),
    ]
    if not layers[-1][1]:
        _continue_as_fork(parent)
        parent = 0
    layers += [
        _tried("empty root", lambda: _empty_root(machine)),
        _tried("no capabilities", lambda: _drop_capabilities(machine)),
    ]
    die_with(parent)
    layers += [
        _tried("no new privileges", lambda: _prctl(_SET_NO_NEW_PRIVILEGES, 1)),
        _tried("landlock", _landlock),
        _tried("limits", lambda: _limit(cpu_seconds, memory_bytes)),
        _tried("seccomp", lambda: _lock(machine)),
    ]
    return layers + [_refused(name, attempt) for name, attempt in _attempts(memory_bytes).items()]


def _tried(name: str, layer: Callable[[], None]) -> Layer:
    try:
        layer()
    except (OSError, ValueError) as error:
        return name, (getattr(error, "strerror", None) or str(error)).lower()
    return name, ""


def _refused(name: str, attempt: Callable[[], object]) -> Layer:
    """Whether the kernel refuses a hostile program's calls, by the filter and not by chance."""
    try:
        attempt()
    except OSError as error:
        expected = error.errno in (errno.EPERM, errno.ENOMEM)
        return name, "" if expected else f"refused for another reason: {error.strerror}".lower()
    return name, "it was tried, and was not refused"


def _attempts(memory_bytes: int) -> dict[str, Callable[[], object]]:
    return {
        "no network": lambda: socket.socket(socket.AF_INET),
        "no local sockets": socket.socketpair,
        "no files": lambda: os.open("/", os.O_RDONLY),
        "no processes": lambda: os.fork() or os._exit(0),
        "no programs": lambda: os.execv("/", ["/"]),  # noqa: S606 - it is to be refused
        "no signals": lambda: os.kill(0, 0),
        "no others' clocks": lambda: time.clock_gettime(_CLOCK_BY_PROCESS),
        "bounded memory": lambda: mmap.mmap(-1, memory_bytes),
    }


def _checked(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _prctl(option: int, value: int, pointer: object = None) -> None:
    third = ctypes.c_ulong(0) if pointer is None else pointer
    _checked(_libc.prctl(option, ctypes.c_ulong(value), third, ctypes.c_ulong(0), ctypes.c_ulong(0)))


def _unshare(flag: int) -> None:
    _checked(_libc.unshare(flag))


def _become_nobody() -> None:
    """Change from root to a user that owns nothing, if it can still kill that user's processes."""
    if os.getuid() != 0:
        raise ValueError("not started as root")
    with open("/proc/self/status") as status:
        capabilities = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff"))
    if not capabilities & _MAY_KILL:
        raise ValueError("root may not kill here")
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def _own_users() -> None:
    """Enter a namespace in which this process may build layers that need root, and has no rights outside."""
    user, group = os.getuid(), os.getgid()
    _unshare(_NEW_USERS)
    _prctl(_SET_DUMPABLE, 1)  # after a change of user the next three files belong to root otherwise
    for file, text in (("setgroups", "deny"), ("uid_map", f"{_NOBODY} {user} 1"), ("gid_map", f"{_NOBODY} {group} 1")):
        with open(f"/proc/self/{file}", "w") as opened:
            opened.write(text)


def _continue_as_fork(parent: int) -> None:
    """Continue in a fork, and end as it ends: a process never enters the process namespace that it made."""
    fork = os.fork()
    if not fork:
        return
    die_with(parent)
    os.close(0)
    os.close(1)
    _, status = os.waitpid(fork, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)


def _empty_root(machine: ProcessorNumbers) -> None:
    """Hide all files: the root becomes an empty folder in memory, and all mounts are removed."""
    _unshare(_NEW_MOUNTS)
    _checked(_libc.mount(None, b"/", None, ctypes.c_ulong(_PRIVATE), None))
    _checked(_libc.mount(b"none", b"/tmp", b"tmpfs", ctypes.c_ulong(_BARE), b"size=4k,mode=500"))
    os.chdir("/tmp")  # noqa: S108 - any folder will do: it is hidden, not used
    _checked(_libc.syscall(ctypes.c_long(machine.pivot_root), b".", b"."))
    _checked(_libc.umount2(b".", _DETACH))
    os.chdir("/")


def _drop_capabilities(machine: ProcessorNumbers) -> None:
    _checked(_libc.syscall(ctypes.c_long(machine.capset), struct.pack("Ii", _CAPABILITIES_64_BIT, 0), bytes(24)))


def _landlock() -> None:
    """Landlock rules that allow no file, and, if supported, no port, no abstract socket and no signal to others."""
    version = _libc.syscall(ctypes.c_long(_LANDLOCK_CREATE), None, ctypes.c_size_t(0), ctypes.c_uint(1))
    _checked(version)
    files = (1 << _FILE_RIGHTS[min(version, len(_FILE_RIGHTS)) - 1]) - 1
    rules = struct.pack("QQQ", files, 3, 3)[: 24 if version >= 6 else 16 if version >= 4 else 8]
    ruleset = _libc.syscall(ctypes.c_long(_LANDLOCK_CREATE), rules, ctypes.c_size_t(len(rules)), ctypes.c_uint(0))
    _checked(ruleset)
    _checked(_libc.syscall(ctypes.c_long(_LANDLOCK_RESTRICT), ctypes.c_int(ruleset), ctypes.c_uint(0)))
    os.close(ruleset)


def _limit(cpu_seconds: float, memory_bytes: int) -> None:
    """Limit the process's resources. A timer of its CPU time ends it, and a second or two later the kernel does.

    The timer's signal calls `_exit` with its number: its default would not end the first process of a namespace.
    """
    whole_seconds = math.ceil(cpu_seconds) + 1
    limits = {"CPU": whole_seconds, "AS": memory_bytes, "FSIZE": 0, "NPROC": 0, "NOFILE": 0, "CORE": 0, "MEMLOCK": 0}
    for name, most in limits.items():
        which = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(which)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (most, most))
    _libc.signal(signal.SIGPROF, ctypes.cast(_libc._exit, ctypes.c_void_p))
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)


def _lock(machine: ProcessorNumbers) -> None:
    """Install the filter; from here on only its calls are allowed."""
    _prctl(_SET_DUMPABLE, 0)
    code = filter_for(machine)
    steps = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(steps))
    _prctl(_SET_SECCOMP, _BY_FILTER, program)
