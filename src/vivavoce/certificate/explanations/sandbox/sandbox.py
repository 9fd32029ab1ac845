"""The outer side of the sandbox: programs, their limits, and the locked process that runs them.

Hostile code is expected. The process (`child`) locks itself (`isolation`) before it receives the program. From then on its
output is untrusted: `LockedProcess` reads it from one pipe, within bounds, as rulings in order. Linux only.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Event, Lock, Timer
from typing import Literal

from vivavoce.certificate.explanations.sandbox.isolation import MACHINES
from vivavoce.certificate.explanations.sandbox.program_reply import (
    LINE_BYTES,
    OUT_OF_MEMORY,
    ProgramReply,
    is_failure,
    ruling_in,
)
from vivavoce.errors import BadInput, VivavoceError

CODE_CHARACTERS = 100_000
"""The most characters of a program."""
Reason = Literal["CPU time", "total CPU time", "wall time", "memory", "output", "protocol", "code", "death"]
"""Why a batch ended: a limit of its own or of all batches of the examination, output that is not a ruling, code that cannot be
loaded, or its own exit."""


class SandboxUnavailable(BadInput):
    """A required layer is missing on this machine; nothing was run."""


class SandboxEnded(VivavoceError):
    """A batch was ended before its last question.

    >>> ended = SandboxEnded("memory", "none left of 268435456 bytes", before=(ProgramReply(True, "42"),))
    >>> ended.reason, ended.rulings, str(ended)
    ('memory', 1, 'the program was ended after 1 ruling by its memory: none left of 268435456 bytes')
    """

    def __init__(self, reason: Reason, detail: str, *, before: tuple[ProgramReply, ...]) -> None:
        came = f"{len(before)} ruling{'s' * (len(before) != 1)}"
        super().__init__(f"the program was ended after {came} by its {reason}: {detail}")
        self.reason: Reason = reason
        self.before = before
        """The rulings that came; a program that forges the protocol can make them up."""

    @property
    def rulings(self) -> int:
        """The number of rulings that came before."""
        return len(self.before)


@dataclass(frozen=True, slots=True)
class Program:
    """Python that defines `covers(question) -> bool` and `answer(question) -> str | number`.

    A question is `{"text": str, "options": list[str], "category": str}`. Both are called for each question of a batch, in
    order, by one process: a program can keep state from question to question, and can find the questions that are still to
    come, so what it says to one may depend on the others of its batch. If that matters, give each to a fresh process. Sets of
    text come in the same order and `random` gives the same numbers in each process; clocks can be read.

    >>> Program("def covers(question): ...").digest[:8]
    'e69359dd'
    """

    code: str

    def __post_init__(self) -> None:
        if len(self.code) > CODE_CHARACTERS:
            raise BadInput(f"a program of {len(self.code)} characters: give at most {CODE_CHARACTERS}")
        if not self.code.strip():
            raise BadInput("the program is empty: give at least one line of code")

    @property
    def digest(self) -> str:
        """SHA-256 of the code."""
        return hashlib.sha256(self.code.encode(errors="surrogatepass")).hexdigest()


_LEAST_MEMORY = 64 * 1024**2
"""An interpreter with the modules that it offers takes about half of this."""
_LEAST_CPU_SECONDS = 0.01
"""Less counts as none: a timer of 0 would not run."""
NEEDED = (
    "no new privileges",
    "limits",
    "seccomp",
    "no network",
    "no local sockets",
    "no files",
    "no processes",
    "no programs",
    "no signals",
    "no others' clocks",
    "bounded memory",
)
"""Layers that must be active before anything hostile runs."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of one batch of questions.

    >>> SandboxLimits(cpu_seconds=0)
    Traceback (most recent call last):
    vivavoce.errors.BadInput: 'cpu_seconds' is 0, it must be above 0
    """

    cpu_seconds: float = 10.0
    """CPU time, after the interpreter has started."""
    wall_seconds: float = 20.0
    """Wall time, including the start."""
    memory_bytes: int = 256 * 1024**2
    """Address space of the process; the interpreter takes about 40 MiB."""
    output_bytes: int = 8 * 1024**2
    """The most bytes of all rulings: about 25 and the answer for each question."""

    def __post_init__(self) -> None:
        for name in ("cpu_seconds", "wall_seconds", "memory_bytes", "output_bytes"):
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise BadInput(f"'{name}' is {value}, it must be above 0")
        if self.memory_bytes < _LEAST_MEMORY:
            raise BadInput(f"'memory_bytes' is {self.memory_bytes}, it must be at least {_LEAST_MEMORY}")


class CpuTime:
    """CPU time that all batches of one examination have together, whatever procedure they belong to.

    Several threads may use it at once: each batch reserves its limit beforehand, so all together never exceed the total. (An
    interpreter's start is counted afterwards, some 0.2 seconds for a batch.)

    >>> together = CpuTime(15)
    >>> first, second = together.set_aside(10), together.set_aside(10)
    >>> together.settle(first, used=2)
    >>> first, second, together.left
    (10, 5.0, 8.0)
    """

    def __init__(self, seconds: float) -> None:
        if not (seconds > 0 and math.isfinite(seconds)):
            raise BadInput(f"{seconds} seconds of CPU time for all programs: it must be above 0")
        self.seconds = seconds
        self._left = float(seconds)
        self._lock = Lock()

    @property
    def left(self) -> float:
        """Free seconds: neither used nor reserved."""
        return self._left

    def set_aside(self, most: float) -> float:
        """Seconds for one batch, at most this many; 0 if there are none left."""
        with self._lock:
            given = min(most, self._left)
            if given < _LEAST_CPU_SECONDS:
                return 0.0
            self._left -= given
            return given

    def settle(self, given: float, *, used: float) -> None:
        """Return a batch's unused seconds; any excess is deducted."""
        with self._lock:
            self._left = max(0.0, self._left + given - used)


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of isolation."""

    name: str
    why_not: str = ""
    """The reason why the layer is missing, in a word or two; "" if it is not."""

    @property
    def stands(self) -> bool:
        """Whether the layer is in place."""
        return not self.why_not

    def __str__(self) -> str:
        return self.name if self.stands else f"{self.name} ({self.why_not})"


@dataclass(frozen=True, slots=True)
class SandboxLayers:
    """The active layers on this machine, as built and tested by a locked process.

    >>> holds = SandboxLayers((Layer("seccomp"), Layer("landlock", "function not implemented")))
    >>> holds["seccomp"].stands, holds["landlock"].stands, holds["no network"].why_not
    (True, False, 'not tried')
    >>> holds.words
    'seccomp; not landlock (function not implemented)'
    """

    layers: tuple[Layer, ...]

    def __getitem__(self, name: str) -> Layer:
        """The layer of that name; one that was not tried is not in place."""
        return next((layer for layer in self.layers if layer.name == name), Layer(name, "not tried"))

    @property
    def missing(self) -> tuple[Layer, ...]:
        """Required layers that are missing; if there are any, nothing hostile is run."""
        untried = tuple(self[name] for name in NEEDED if self[name] not in self.layers)
        return tuple(layer for layer in self.layers if not layer.stands and (untried or layer.name in NEEDED)) or untried

    @property
    def words(self) -> str:
        """All layers on one line, those in place first."""
        standing = ", ".join(str(layer) for layer in self.layers if layer.stands) or "nothing"
        absent = ", ".join(str(layer) for layer in self.layers if not layer.stands)
        return f"{standing}; not {absent}" if absent else standing


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
"""Starts `child` without the imports of the packages above it."""
_BARE = ("-P", "-s", "-S", "-B", "-X", "utf8")
"""Options of the interpreter: as `-I -S -B`, but for `-E`, since the environment below is to count."""
_CLEAN = "exit code 0"
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
"""The whole environment, with a fixed order of sets of text."""


def unfit() -> str:
    """Why no process can be locked on this machine; "" if it may be tried.

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
def opened(limits: SandboxLimits, on_end: Callable[[float], None] = lambda used: None) -> Iterator[LockedProcess]:
    """A process that has locked itself and waits for its program; at the end it is killed with its whole group.

    on_end: called with the seconds of CPU that it used, once it has ended.
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


def _ended(process: subprocess.Popen[bytes], limits: SandboxLimits, late: Event) -> float:
    """End a process, and say how much CPU time it used, its start included.

    A process that we killed cannot report its CPU time: the child in its PID namespace cannot be waited for. It counts as
    having used all of its limit, and so does one that its timer ended, since kernels may report less.
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

    def __init__(self, process: subprocess.Popen[bytes], limits: SandboxLimits, late: Event) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.number = process.pid
        self._in = process.stdin
        self._out = process.stdout
        self._limits = limits
        self._late = late
        self.holds = self._report()

    def _report(self) -> SandboxLayers:
        """The first line, which comes before the process knows anything hostile."""
        line = self._out.readline(LINE_BYTES)
        if not line.endswith(b"\n"):
            return SandboxLayers((Layer("process", f"it ended before its layers stood: {self._end()[1]}"),))
        return SandboxLayers(tuple(Layer(name, why_not) for name, why_not in json.loads(line)))

    def rulings(self, batch: bytes, questions: int) -> tuple[ProgramReply, ...]:
        """Hand over the program with its questions, and take one ruling on each. Raises `SandboxEnded`."""
        with suppress(BrokenPipeError):
            self._in.write(batch)
            self._in.close()
        rulings: list[ProgramReply] = []
        for line in self._lines(rulings):
            ruling = ruling_in(line, len(rulings))
            if ruling is None or len(rulings) == questions:
                raise _no_ruling(line, tuple(rulings))
            rulings.append(ruling)
        reason, detail = self._end()
        if len(rulings) < questions or detail != _CLEAN:
            raise SandboxEnded(reason, detail, before=tuple(rulings))
        return tuple(rulings)

    def _lines(self, rulings: Sequence[ProgramReply]) -> Iterator[bytes]:
        left = self._limits.output_bytes
        while line := self._out.readline(LINE_BYTES):
            left -= len(line)
            if left < 0:
                raise SandboxEnded("output", f"more than {self._limits.output_bytes} bytes", before=tuple(rulings))
            yield line

    def _end(self) -> tuple[Reason, str]:
        """How the process ended, once nothing writes to its pipe; its process number is not reused yet."""
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


def _no_ruling(line: bytes, before: tuple[ProgramReply, ...]) -> SandboxEnded:
    """Explain a line that is not a ruling on the next question: the first line may say why the code can't be loaded."""
    with suppress(ValueError, RecursionError):
        why = json.loads(line.decode())
        if not before and isinstance(why, str) and is_failure(why):
            return SandboxEnded("code", why, before=())
    return SandboxEnded("protocol", "a line that is no ruling on the next question", before=before)


_USUAL = SandboxLimits()


class Sandbox:
    """Runs programs, each batch of questions in a fresh locked process.

    together: the CPU time that its batches share with those of other sandboxes; None: each has its own limit alone.

    >>> squares = Program("def covers(q): return q['text'].isdigit()\\ndef answer(q): return int(q['text']) ** 2")
    >>> Sandbox().run(squares, [{"text": text, "options": [], "category": ""} for text in ("12", "twelve")])
    (ProgramReply(covers=True, answer='144', failure=''), ProgramReply(covers=False, answer='', failure=''))
    """

    def __init__(self, limits: SandboxLimits = _USUAL, together: CpuTime | None = None) -> None:
        self.limits = limits
        self.together = together

    def within(self, together: CpuTime) -> Sandbox:
        """The same, for programs that share their CPU time."""
        return Sandbox(self.limits, together)

    def run(self, program: Program, questions: Sequence[Mapping[str, object]]) -> tuple[ProgramReply, ...]:
        """The rulings on all questions, in order. Blocks; several threads may call it at once.

        Raises `SandboxUnavailable`, with nothing run, where the sandbox would not hold, and `SandboxEnded` where the batch was
        ended by its limits, by the program, or because what came back is not rulings.
        """
        batch = _batch(program, questions, self.limits)
        _require(_machine())
        if self.together is None:
            with opened(self.limits) as locked:
                return _rulings(locked, batch, len(questions))
        return self._sharing(self.together, batch, len(questions))

    def _sharing(self, together: CpuTime, batch: bytes, questions: int) -> tuple[ProgramReply, ...]:
        """The rulings, with no more CPU time than is left for all."""
        given = together.set_aside(self.limits.cpu_seconds)
        if not given:
            raise _used_up(together, ())
        limits = replace(self.limits, cpu_seconds=given)
        try:
            with opened(limits, lambda used: together.settle(given, used=used)) as locked:
                return _rulings(locked, batch, questions)
        except SandboxEnded as ended:
            if ended.reason == "CPU time" and given < self.limits.cpu_seconds:
                raise _used_up(together, ended.before) from None
            raise


def _rulings(locked: LockedProcess, batch: bytes, questions: int) -> tuple[ProgramReply, ...]:
    _require(locked.holds.missing)
    return locked.rulings(batch, questions)


def _used_up(together: CpuTime, before: tuple[ProgramReply, ...]) -> SandboxEnded:
    return SandboxEnded("total CPU time", f"all programs have {together.seconds:g} seconds together", before=before)


@cache
def what_holds() -> SandboxLayers:
    """The active layers on this machine, found once by a process that locks itself and tests them.

    >>> what_holds()["seccomp"].stands
    True
    """
    if _machine():
        return SandboxLayers(_machine())
    with opened(_USUAL) as locked:
        return locked.holds


def _machine() -> tuple[Layer, ...]:
    why_not = unfit()
    return (Layer("machine", why_not),) if why_not else ()


def _require(missing: tuple[Layer, ...]) -> None:
    if missing:
        raise SandboxUnavailable(
            f"the candidate's programs cannot be run safely here: {', '.join(map(str, missing))}. This needs Linux on "
            "x86_64 or aarch64 where a process may lock itself (seccomp): leave explanations out, or examine on such a machine"
        )


def _batch(program: Program, questions: Sequence[Mapping[str, object]], limits: SandboxLimits) -> bytes:
    try:
        lines = [json.dumps(line, allow_nan=False) for line in (program.code, *map(dict, questions))]
    except (TypeError, ValueError) as error:
        raise BadInput(f"a question for a program holds text and lists of text only: {error}") from None
    batch = "".join(f"{line}\n" for line in lines).encode()
    if len(batch) > limits.memory_bytes // 4:
        raise BadInput(
            f"{len(questions)} questions of {len(batch)} bytes are too many for a program with "
            f"{limits.memory_bytes} bytes of memory: give fewer at once"
        )
    return batch
