"""A program that reads what strangers wrote, run in a process of its own that is bounded in time, memory and output.

This file runs there too, by its path: it imports nothing of this package, sets the bounds and runs the program.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

CPU_SECONDS: Final = 60
MEMORY: Final = 2 << 30
OUTPUT: Final = 512 << 20
_KEPT: Final = ("PATH", "SYSTEMROOT")


class OutOfBoundsError(Exception):
    """The program took too long or too much, or crashed; the text says which bounds there are."""


def answers_of(program: Path, asked: dict[str, Any]) -> Iterator[Any]:
    """The JSON values, one a line, that a program writes for the JSON that it reads.

    Raises `OutOfBoundsError` before the first of them, also where the program ends with an error.
    """
    with TemporaryFile() as written:
        try:
            ran = subprocess.run(  # noqa: S603 -- our own interpreter with our own program
                [sys.executable, "-I", "-B", __file__, str(program), str(CPU_SECONDS), str(MEMORY), str(OUTPUT)],
                input=json.dumps(asked).encode(),
                env={name: os.environ[name] for name in _KEPT if name in os.environ},
                stdout=written,
                stderr=subprocess.DEVNULL,
                timeout=2 * CPU_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise OutOfBoundsError(f"longer than {2 * CPU_SECONDS} s") from None
        if ran.returncode != 0:
            raise OutOfBoundsError(f"more than {CPU_SECONDS} s of computing or {MEMORY >> 30} GiB")
        written.seek(0)
        for line in written:
            yield json.loads(line)


def _bound(cpu_seconds: int, memory: int, output: int) -> None:
    """Let the kernel end this process when it takes more; where there is no such thing, the parent's patience ends it."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (output, output))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


if __name__ == "__main__":
    _bound(*map(int, sys.argv[2:5]))
    runpy.run_path(sys.argv[1], run_name="__main__")
