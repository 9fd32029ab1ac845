"""What a batch of questions may use, what all of an examination may use together, and which layers of the sandbox stand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from threading import Lock

from vivavoce.errors import BadInput

_LEAST_MEMORY = 64 * 1024**2
"""An interpreter with the modules that it offers takes about half of this."""
_LEAST_CPU_SECONDS = 0.01
"""Less is as good as none: a timer of 0 would be none."""
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
"""What must hold before anything hostile runs; the other layers stand behind these."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one batch of questions may use.

    >>> Limits(cpu_seconds=0)
    Traceback (most recent call last):
    vivavoce.errors.BadInput: 'cpu_seconds' is 0, it must be above 0
    """

    cpu_seconds: float = 10.0
    """Of the processor, after the interpreter has started."""
    wall_seconds: float = 20.0
    """By the clock, the start included."""
    memory_bytes: int = 256 * 1024**2
    """Addresses that the process may use; about 40 MiB of them are the interpreter's."""
    output_bytes: int = 8 * 1024**2
    """Of all rulings as they come through the pipe: about 25 and the answer for each question."""

    def __post_init__(self) -> None:
        for name in ("cpu_seconds", "wall_seconds", "memory_bytes", "output_bytes"):
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise BadInput(f"'{name}' is {value}, it must be above 0")
        if self.memory_bytes < _LEAST_MEMORY:
            raise BadInput(f"'memory_bytes' is {self.memory_bytes}, it must be at least {_LEAST_MEMORY}")


class CpuTime:
    """CPU time that all batches of one examination have together, whatever procedure they belong to.

    Several threads may take of it at once: each batch sets aside beforehand what it may use at most, so that all together
    never get more than there is. (An interpreter's start is counted afterwards, some 0.2 seconds for a batch.)

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
        """Seconds that are neither used nor set aside."""
        return self._left

    def set_aside(self, most: float) -> float:
        """Seconds for one batch, at most this many; 0 where there are none left."""
        with self._lock:
            given = min(most, self._left)
            if given < _LEAST_CPU_SECONDS:
                return 0.0
            self._left -= given
            return given

    def settle(self, given: float, *, used: float) -> None:
        """Give back what a batch had and did not use; what it used beyond is taken."""
        with self._lock:
            self._left = max(0.0, self._left + given - used)


@dataclass(frozen=True, slots=True)
class Layer:
    """One of the means that keep a program in."""

    name: str
    why_not: str = ""
    """Why it does not stand, in a word or two; "" where it does."""

    @property
    def stands(self) -> bool:
        """Whether it does."""
        return not self.why_not

    def __str__(self) -> str:
        return self.name if self.stands else f"{self.name} ({self.why_not})"


@dataclass(frozen=True, slots=True)
class Holds:
    """Which layers stand on this machine, as a locked process found when it built and tried them.

    >>> holds = Holds((Layer("seccomp"), Layer("landlock", "function not implemented")))
    >>> holds["seccomp"].stands, holds["landlock"].stands, holds["no network"].why_not
    (True, False, 'not tried')
    >>> holds.words
    'seccomp; not landlock (function not implemented)'
    """

    layers: tuple[Layer, ...]

    def __getitem__(self, name: str) -> Layer:
        """The layer of that name; one that was not tried does not stand."""
        return next((layer for layer in self.layers if layer.name == name), Layer(name, "not tried"))

    @property
    def missing(self) -> tuple[Layer, ...]:
        """What must hold and does not; nothing hostile is run where there is any."""
        untried = tuple(self[name] for name in NEEDED if self[name] not in self.layers)
        return tuple(layer for layer in self.layers if not layer.stands and (untried or layer.name in NEEDED)) or untried

    @property
    def words(self) -> str:
        """All in one line, those that stand first."""
        standing = ", ".join(str(layer) for layer in self.layers if layer.stands) or "nothing"
        absent = ", ".join(str(layer) for layer in self.layers if not layer.stands)
        return f"{standing}; not {absent}" if absent else standing
