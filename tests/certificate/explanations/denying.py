"""Kernels that can do less: a filter that answers some calls with an error, to the process that asks and all below it."""

from __future__ import annotations

import ctypes
import platform
import struct
from collections.abc import Iterable
from errno import EPERM

NUMBERS = {
    "x86_64": {
        "setresuid": 117,
        "prctl": 157,
        "setrlimit": 160,
        "unshare": 272,
        "prlimit64": 302,
        "seccomp": 317,
        "landlock": 444,
    },
    "aarch64": {
        "setresuid": 147,
        "prctl": 167,
        "setrlimit": 164,
        "unshare": 97,
        "prlimit64": 261,
        "seccomp": 277,
        "landlock": 444,
    },
}
"""From `asm/unistd_64.h` and `asm-generic/unistd.h`."""


def deny(calls: Iterable[str], *, error: int = EPERM) -> None:
    """Answer these calls with that error; `prctl:22` only with this first argument."""
    steps = [(0x20, 0, 0, 0)]
    for call in calls:
        name, _, option = call.partition(":")
        wanted = [(0x20, 0, 0, 16), (0x15, 0, 1, int(option))] if option else []
        refusal = [*wanted, (0x06, 0, 0, 0x00050000 | error), (0x20, 0, 0, 0)]
        steps += [(0x15, 0, len(refusal) - 1, NUMBERS[platform.machine()][name]), *refusal]
    steps.append((0x06, 0, 0, 0x7FFF0000))
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, struct.pack("HxxxxxxP", len(steps), ctypes.addressof(buffer)), 0, 0) == 0
