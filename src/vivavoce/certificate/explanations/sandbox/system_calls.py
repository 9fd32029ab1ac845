"""Which of Linux's calls a locked process may still make, as a filter for seccomp.

Everything is denied but what a Python program needs to compute: memory that is not executable, reading its standard input,
writing its standard output, the clock, and ending. There is no call left to open, to connect, to start or to signal anything.

A clock's id may hold the number of a process or a thread, and then tells the CPU time of that one, no matter who asks; or it
holds a descriptor. All such ids are negative. Only the fixed ones go through, among them that of the process's own CPU time.

Source: `man 2 seccomp`, `man 2 clock_getres`, `linux/time.h`, `linux/bpf_common.h`; numbers from `asm/unistd_64.h` (x86_64) and
`asm-generic/unistd.h` (aarch64).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from errno import EPERM


@dataclass(frozen=True, slots=True)
class Machine:
    """The numbers that Linux gives on one kind of processor."""

    audit: int
    """`AUDIT_ARCH_...`: by it a filter knows whose numbers it looks at."""
    capset: int
    pivot_root: int
    allowed: dict[str, int]


MACHINES = {
    "x86_64": Machine(
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
    "aarch64": Machine(
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
"""By what `os.uname().machine` says; others are refused."""

_ALLOW, _DENY, _KILL = 0x7FFF0000, 0x00050000 | EPERM, 0x80000000
_LOAD, _IS, _IS_ABOVE, _HAS_BITS, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_NUMBER_AT, _MACHINE_AT, _FIRST_AT, _THIRD_AT = 0, 4, 16, 32
"""Where `struct seccomp_data` has them; of arguments the lower half, on processors that store it first."""
_EXECUTABLE = 0x4
_LAST_CLOCK = 7
"""Fixed clocks from 0, the time of day, to 7, the time since the start of the machine; those above set alarms. Compared without
a sign, a negative id lies above them."""

Step = tuple[int, int, int, int]
"""An instruction of the filter: what, how many to skip if so, how many if not, the value."""


def _if_equal(value: int, then: list[Step]) -> list[Step]:
    return [(_IS, 0, len(then), value), *then]


def _verdict(call: str) -> list[Step]:
    """What is said to one of the allowed calls; all of these end the filter."""
    if call in ("read", "write"):
        descriptor = ("read", "write").index(call)
        return [(_LOAD, 0, 0, _FIRST_AT), (_IS, 0, 1, descriptor), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _DENY)]
    if call in ("mmap", "mprotect"):
        return [(_LOAD, 0, 0, _THIRD_AT), (_HAS_BITS, 1, 0, _EXECUTABLE), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _DENY)]
    if call == "clock_gettime":
        return [(_LOAD, 0, 0, _FIRST_AT), (_IS_ABOVE, 1, 0, _LAST_CLOCK), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _DENY)]
    return [(_RETURN, 0, 0, _ALLOW)]


def filter_for(machine: Machine) -> bytes:
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
