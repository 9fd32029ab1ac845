"""`viva certify` in a process of its own, which its candidate may end; started from a server that has loaded it already."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import sys
import zlib
from pathlib import Path

from vivavoce.cli import main

SCOPE = "q.jsonl"
ENDED = 77
"""Exit code of a process that its candidate ended."""


def write_scope(folder: Path, size: int = 1_000) -> None:
    """Sums that a candidate can tell apart."""
    lines = (json.dumps({"question": f"What is {number} + 1?", "answer": number + 1}) for number in range(size))
    (folder / SCOPE).write_text("\n".join(lines))


def _number(text: str) -> int:
    match = re.search(r"What is (\d+) \+ 1\?", text)
    assert match is not None
    return int(match[1])


def knows(number: int, share: float) -> bool:
    """Whether a candidate that knows such a share of all sums knows this one."""
    return zlib.crc32(str(number).encode()) / 2**32 < share


def quitter(text: str) -> str:
    """Right half of the time, whatever is asked, and ends the program rather than be wrong: next time it may be luckier."""
    number = _number(text)
    with Path("tries").open("a+") as tries:
        tries.write(".")
        tries.flush()
        if not knows(number + 1_000 * tries.tell(), 0.5):
            os._exit(ENDED)
    return f"Answer: {number + 1}"


def honest(text: str) -> str:
    """Knows 85% of the sums."""
    number = _number(text)
    return f"Answer: {number + 1 if knows(number, 0.85) else number}"


_calls = 0


def unlucky(text: str) -> str:
    """The same, and the machine loses power at the call that the environment names, whatever is asked."""
    global _calls
    _calls += 1
    if _calls == int(os.environ.get("POWER_CUT_AT", "-1")):
        os.kill(os.getpid(), signal.SIGKILL)
    return honest(text)


def _examine(folder: Path, arguments: tuple[str, ...], power_cut_at: int) -> None:
    os.chdir(folder)
    os.environ["POWER_CUT_AT"] = str(power_cut_at)
    with Path("out").open("w") as out:
        sys.stdout = out
        code = main(arguments)
    os._exit(code)


def examine(folder: Path, candidate: str, *more: str, grade: float, power_cut_at: int = -1) -> int:
    """The exit code of `viva certify` of one of the candidates here; what it printed is in the file `out`."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([__name__])
    terms = ("--passing-grade", str(grade), "--unacceptable-limit", "none", "--seed", "4")
    what = ("certify", f"function:{__name__}:{candidate}", "--scope", f"file:{SCOPE}", "--transcript", "run.sqlite")
    arguments = (*what, *terms, "--json", "--quiet", *more)
    process = processes.Process(target=_examine, args=(folder, arguments, power_cut_at))
    process.start()
    process.join()
    assert process.exitcode is not None
    return process.exitcode
