"""A locked process seen from outside: it is started, fed, read within bounds, and killed with all that belongs to it.

Nothing that it writes is believed after it was told the program, but for being that program's words.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Timer

from vivavoce.certificate.explanations.sandbox.limits import Holds, Layer, Limits
from vivavoce.certificate.explanations.sandbox.program import Reason, SandboxEnded
from vivavoce.certificate.explanations.sandbox.rulings import LINE_BYTES, OUT_OF_MEMORY, Ruling, is_failure, ruling_in
from vivavoce.certificate.explanations.sandbox.system_calls import MACHINES

_START = """
import sys, types
name = ""
for part in ("vivavoce", ".certificate", ".explanations", ".sandbox"):
    name += part
    sys.modules[name] = types.ModuleType(name)
sys.modules[name].__path__ = [sys.argv[1]]
from vivavoce.certificate.explanations.sandbox.child import main
main(int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
"""
"""Starts `child` without what the packages above it import."""
_BARE = ("-P", "-s", "-S", "-B", "-X", "utf8")
"""Options of the interpreter: as `-I -S -B`, but for `-E`, since the environment below is to count."""
_CLEAN = "exit code 0"
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
"""All of it; so that sets of text come in the same order each time."""


def unfit() -> str:
    """Why no process can be locked on this machine; "" where one may be tried.

    >>> unfit()
    ''
    """
    if sys.platform != "linux":
        return f"this is {platform.system()}, not Linux"
    machine = platform.machine()
    if machine not in MACHINES or sys.byteorder != "little" or sys.maxsize < 2**32:
        return f"this is {machine}, not one of {', '.join(MACHINES)} with 64 bits"
    can_start = os.access(sys.executable or "", os.X_OK)
    return "" if can_start else f"the interpreter '{sys.executable}' cannot be started again"


@contextmanager
def opened(limits: Limits, on_end: Callable[[float], None] = lambda used: None) -> Iterator[LockedProcess]:
    """A process that has locked itself and waits for its program; at the end it is killed with its whole group.

    on_end: told the seconds of CPU that it used, once it is gone.
    """
    command = [sys.executable, *_BARE, "-c", _START, str(Path(__file__).parent), str(os.getpid())]
    command += [str(limits.cpu_seconds), str(limits.memory_bytes)]
    process = subprocess.Popen(  # noqa: S603 - our own interpreter with our own words
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=_ENVIRONMENT,
        start_new_session=True,
    )
    late = Event()
    timer = Timer(limits.wall_seconds, _kill, (process, late))
    timer.start()
    try:
        yield LockedProcess(process, limits, late)
    finally:
        timer.cancel()
        timer.join()  # it must not kill after the process's number has gone to another
        on_end(_ended(process, limits, late))
        with suppress(BrokenPipeError), process:  # closes the pipes
            pass


def _ended(process: subprocess.Popen[bytes], limits: Limits, late: Event) -> float:
    """End a process, and say how much CPU time it used, its start included.

    What a process was at that was killed from here is not told: the one inside of its own namespace is nobody's to wait for
    then. It counts as having used all that it might, as does one that its timer ended: of that, kernels may tell less.
    """
    ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    by_itself = ended is not None and not late.is_set() and not _out_of_time(ended)
    _kill(process)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    used = usage.ru_utime + usage.ru_stime
    return used if by_itself else max(used, limits.cpu_seconds)


def _out_of_time(ended: os.waitid_result) -> bool:
    """Whether the timer of its CPU time ended a process."""
    return ended.si_code == os.CLD_EXITED and ended.si_status == signal.SIGPROF


def _kill(process: subprocess.Popen[bytes], late: Event | None = None) -> None:
    if late is not None:
        late.set()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class LockedProcess:
    """A locked process, made by `opened`; it takes one batch."""

    def __init__(self, process: subprocess.Popen[bytes], limits: Limits, late: Event) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.number = process.pid
        self._in = process.stdin
        self._out = process.stdout
        self._limits = limits
        self._late = late
        self.holds = self._report()

    def _report(self) -> Holds:
        """The first line, which comes before the process knows anything hostile."""
        line = self._out.readline(LINE_BYTES)
        if not line.endswith(b"\n"):
            return Holds((Layer("process", f"it ended before its layers stood: {self._end()[1]}"),))
        return Holds(tuple(Layer(name, why_not) for name, why_not in json.loads(line)))

    def rulings(self, batch: bytes, questions: int) -> tuple[Ruling, ...]:
        """Hand over the program with its questions, and take one ruling on each. Raises `SandboxEnded`."""
        with suppress(BrokenPipeError):
            self._in.write(batch)
            self._in.close()
        rulings: list[Ruling] = []
        for line in self._lines(rulings):
            ruling = ruling_in(line, len(rulings))
            if ruling is None or len(rulings) == questions:
                raise _no_ruling(line, tuple(rulings))
            rulings.append(ruling)
        reason, detail = self._end()
        if len(rulings) < questions or detail != _CLEAN:
            raise SandboxEnded(reason, detail, before=tuple(rulings))
        return tuple(rulings)

    def _lines(self, rulings: Sequence[Ruling]) -> Iterator[bytes]:
        left = self._limits.output_bytes
        while line := self._out.readline(LINE_BYTES):
            left -= len(line)
            if left < 0:
                raise SandboxEnded("output", f"more than {self._limits.output_bytes} bytes", before=tuple(rulings))
            yield line

    def _end(self) -> tuple[Reason, str]:
        """How the process ended, now that nothing writes to its pipe any more; its number stays its own."""
        ended = os.waitid(os.P_PID, self.number, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        status, by_signal = ended.si_status, ended.si_code != os.CLD_EXITED
        if self._late.is_set():
            return "wall time", f"more than {self._limits.wall_seconds:g} seconds"
        if _out_of_time(ended):
            return "CPU time", f"more than {self._limits.cpu_seconds:g} seconds"
        if not by_signal and status == OUT_OF_MEMORY:
            return "memory", f"none left of {self._limits.memory_bytes} bytes"
        return "death", f"{'signal' if by_signal else 'exit code'} {status}"


def _no_ruling(line: bytes, before: tuple[Ruling, ...]) -> SandboxEnded:
    """What a line means that is no ruling on the next question: the first may say why the code cannot be loaded."""
    with suppress(ValueError, RecursionError):
        why = json.loads(line.decode())
        if not before and isinstance(why, str) and is_failure(why):
            return SandboxEnded("code", why, before=())
    return SandboxEnded("protocol", "a line that is no ruling on the next question", before=before)
