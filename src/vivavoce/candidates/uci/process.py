"""An untrusted engine process behind pipes; it cannot outlive its owner, and is read with a deadline."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from vivavoce.errors import BadInput, TransportFault

GAMES = "/usr/games"
"""Debian's folder of chess engines, which is not on every $PATH."""
MOST_SAID = 4 * 2**20
"""Bytes that an engine may write in one search; a long search writes less than a tenth of it."""
WATCHED = 4096
"""Bytes before the newest ones that the caller sees: more than a line."""
GRACE = 0.5
"""Seconds that an engine has to end by itself."""

_LAUNCHER = """\
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
"""Asks the kernel to kill it when its parent dies (PR_SET_PDEATHSIG, SIGKILL), then becomes the engine.

Most engines end when their input ends; some (GNU Chess) and hanging ones do not. It is a separate process, since code between
fork and exec is not safe in a program with threads.
"""


def program_path(program: str) -> str:
    """The path of a program, given by path or by a name that is searched on $PATH and in /usr/games; `BadInput` if it is
    not found.
    """
    text = shutil.which(program) or shutil.which(program, path=GAMES)
    if text is None:
        package = program.rpartition("/")[2]
        how = " (apt-get install stockfish)" if package == "stockfish" else ""
        raise BadInput(f"there is no program '{program[:200]}': give its path, or install it{how}")
    return os.path.abspath(text)


class EngineProcess:
    """A process that reads and writes lines.

    Raises `TransportFault` (worth retrying) if the process has died, and one not worth retrying if it says nothing in time or
    too much; a caller that gets one calls `kill`.
    """

    def __init__(self, command: Sequence[str]) -> None:
        line = [program_path(command[0]), *command[1:]]
        if sys.platform == "linux":
            line = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), *line]
        # in its own session: an interrupt from the keyboard does not reach the engine, and `kill` reaches its children
        self._process = subprocess.Popen(  # noqa: S603 - the user names the program; no shell is involved
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, start_new_session=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        os.set_blocking(self._to.fileno(), False)
        self._ready = select.poll()
        self._ready.register(self._from, select.POLLIN)
        self._said = bytearray(b"\n")

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, lines: bytes) -> None:
        """Write without waiting: an engine that does not read a full pipe counts as dead."""
        try:
            written = self._to.write(lines)
        except BrokenPipeError:
            written = 0
        if written != len(lines):
            raise _died()

    def read_until(self, word: bytes, *, deadline: float, watched: Callable[[bytes], None] = lambda words: None) -> bytes:
        """All output up to and including the line that begins with that word; `deadline` is on the monotonic clock.

        watched: called with the last output after each write; it may raise.
        """
        value, searched = self._said, 0
        line_start, from_engine = b"\n" + word, self._from.fileno()
        watched(bytes(value[-WATCHED:]))  # output that came with the previous answer
        while True:
            at = value.find(line_start, searched)
            end = value.find(b"\n", at + 1) if at >= 0 else -1
            if end >= 0:
                text = bytes(value[:end])
                del value[:end]
                return text
            searched = at if at >= 0 else max(0, len(value) - len(line_start))
            if len(value) > MOST_SAID:
                raise TransportFault(f"the engine wrote more than {MOST_SAID >> 20} MB at once", worth_retrying=False)
            if not self._ready.poll(max(0.0, 1000 * (deadline - time.monotonic()))):
                raise TransportFault("time-out", worth_retrying=False)
            heard = os.read(from_engine, 65536)
            if not heard:
                raise _died()
            watched(bytes(value[-WATCHED:] + heard))
            value += heard

    def end(self) -> None:
        """Ask it to quit, and kill it if it does not; does nothing if it is dead."""
        with suppress(TransportFault):
            self.tell(b"quit\n")
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        self.kill()

    def kill(self) -> None:
        """Kill it at once, with all processes that it has started."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._to.close()
        self._from.close()


def _died() -> TransportFault:
    return TransportFault("the engine died")
