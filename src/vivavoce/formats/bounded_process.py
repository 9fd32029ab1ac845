"""Runs a program on untrusted input in a process with bounded time, memory and output.

The process runs this file by its path, so it stays small and imports nothing of this package.
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
    """The program exceeded its bounds or crashed; the text names the bounds."""


def answers_of(program: Path, asked: dict[str, Any]) -> Iterator[Any]:
    """Give a program JSON, and yield the JSON lines that it writes.

    Raises `OutOfBoundsError` before the first line, also if the program fails.
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
            raise OutOfBoundsError(f"more than {CPU_SECONDS} s of CPU time or {MEMORY >> 30} GiB")
        written.seek(0)
        for line in written:
            yield json.loads(line)


def _bound(cpu_seconds: int, memory: int, output: int) -> None:
    """Set kernel limits for this process; without them, the parent's time-out ends it."""
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
