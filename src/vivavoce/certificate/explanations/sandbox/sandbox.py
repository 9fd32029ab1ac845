"""Programs of a candidate, run where they can do no harm: in a process of their own that can compute, and nothing else.

Hostile code is expected. The process (`child`) locks itself (`isolation`) before it is told the program. The other side
(`process`) believes nothing of what comes back: it is read from one pipe, within bounds, as rulings in order. Linux only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from vivavoce.certificate.explanations.sandbox.limits import CpuTime, Holds, Layer, Limits
from vivavoce.certificate.explanations.sandbox.process import LockedProcess, opened, unfit
from vivavoce.certificate.explanations.sandbox.program import Program, SandboxEnded, SandboxUnavailable
from vivavoce.certificate.explanations.sandbox.rulings import Ruling
from vivavoce.errors import BadInput

__all__ = [
    "CpuTime",
    "Holds",
    "Layer",
    "Limits",
    "Program",
    "Ruling",
    "Sandbox",
    "SandboxEnded",
    "SandboxUnavailable",
    "what_holds",
]
_USUAL = Limits()


class Sandbox:
    """Runs programs, each batch of questions in a fresh locked process.

    together: the CPU time that its batches share with those of other sandboxes; None: each has its own limit alone.

    >>> squares = Program("def covers(q): return q['text'].isdigit()\\ndef answer(q): return int(q['text']) ** 2")
    >>> Sandbox().run(squares, [{"text": text, "options": [], "category": ""} for text in ("12", "twelve")])
    (Ruling(covers=True, answer='144', failure=''), Ruling(covers=False, answer='', failure=''))
    """

    def __init__(self, limits: Limits = _USUAL, together: CpuTime | None = None) -> None:
        self.limits = limits
        self.together = together

    def within(self, together: CpuTime) -> Sandbox:
        """The same, for programs that share their CPU time."""
        return Sandbox(self.limits, together)

    def run(self, program: Program, questions: Sequence[Mapping[str, object]]) -> tuple[Ruling, ...]:
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

    def _sharing(self, together: CpuTime, batch: bytes, questions: int) -> tuple[Ruling, ...]:
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


def _rulings(locked: LockedProcess, batch: bytes, questions: int) -> tuple[Ruling, ...]:
    _require(locked.holds.missing)
    return locked.rulings(batch, questions)


def _used_up(together: CpuTime, before: tuple[Ruling, ...]) -> SandboxEnded:
    return SandboxEnded("total CPU time", f"all programs have {together.seconds:g} seconds together", before=before)


@cache
def what_holds() -> Holds:
    """Which layers stand on this machine; found out once, by a process that locks itself and tries them.

    >>> what_holds()["seccomp"].stands
    True
    """
    if _machine():
        return Holds(_machine())
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


def _batch(program: Program, questions: Sequence[Mapping[str, object]], limits: Limits) -> bytes:
    try:
        lines = [json.dumps(line, allow_nan=False) for line in (program.code, *map(dict, questions))]
    except (TypeError, ValueError) as error:
        raise BadInput(f"a question for a program holds text and lists of text only: {error}") from None
    batch = "".join(f"{line}\n" for line in lines).encode()
    if len(batch) > limits.memory_bytes // 4:
        raise BadInput(
            f"{len(questions)} questions of {len(batch)} bytes in all are too many for a program with "
            f"{limits.memory_bytes} bytes of memory: give fewer at a time"
        )
    return batch
