"""A program that reads what strangers wrote, run in a process of its own that is bounded in time and memory.

This file runs there too, by its path: it imports nothing of this package, sets the bounds and runs the program.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

CPU_SECONDS: Final = 60
MEMORY: Final = 2 << 30
BOUNDS: Final = f"{CPU_SECONDS} s of computing or {MEMORY >> 30} GiB"
_KEPT: Final = ("PATH", "SYSTEMROOT")


def answer_of(program: Path, asked: dict[str, Any]) -> Any:
    """The JSON that a program writes for the JSON that it reads; None if it ended without a word, as at a bound.

    Raises `TimeoutError` after twice the seconds that it may compute.
    """
    try:
        ran = subprocess.run(  # noqa: S603 -- our own interpreter with our own program
            [sys.executable, "-I", "-B", __file__, str(program), str(CPU_SECONDS), str(MEMORY)],
            input=json.dumps(asked).encode(),
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
            capture_output=True,
            timeout=2 * CPU_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"longer than {2 * CPU_SECONDS} s") from None
    return json.loads(ran.stdout) if ran.returncode == 0 and ran.stdout else None


def _bound(cpu_seconds: int, memory: int) -> None:
    """Let the kernel end this process when it takes more; where there is no such thing, the parent's patience ends it."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


if __name__ == "__main__":
    _bound(int(sys.argv[2]), int(sys.argv[3]))
    runpy.run_path(sys.argv[1], run_name="__main__")
