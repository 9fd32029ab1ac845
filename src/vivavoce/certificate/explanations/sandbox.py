"""Programs of a candidate, run where they can do no harm: in a process of their own that can compute, and nothing else.

Hostile code is expected. The process (`child`) locks itself (`walls`) before it is told the program. The other side (`cell`)
believes nothing of what comes back: it is read from one pipe, within bounds, as rulings in order. Linux only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache

from vivavoce.certificate.explanations.cell import opened, unfit
from vivavoce.certificate.explanations.limits import Holds, Limits, Wall
from vivavoce.certificate.explanations.program import Program, SandboxEnded, SandboxUnavailable
from vivavoce.certificate.explanations.rulings import Ruling
from vivavoce.errors import BadInput

__all__ = ["Holds", "Limits", "Program", "Ruling", "Sandbox", "SandboxEnded", "SandboxUnavailable", "Wall", "what_holds"]
_USUAL = Limits()


class Sandbox:
    """Runs programs, each batch of questions in a fresh locked process.

    >>> squares = Program("def covers(q): return q['text'].isdigit()\\ndef answer(q): return int(q['text']) ** 2")
    >>> Sandbox().run(squares, [{"text": text, "options": [], "category": ""} for text in ("12", "twelve")])
    (Ruling(covers=True, answer='144', failure=''), Ruling(covers=False, answer='', failure=''))
    """

    def __init__(self, limits: Limits = _USUAL) -> None:
        self.limits = limits

    def run(self, program: Program, questions: Sequence[Mapping[str, object]]) -> tuple[Ruling, ...]:
        """The rulings on all questions, in order. Blocks; several threads may call it at once.

        Raises `SandboxUnavailable`, with nothing run, where the sandbox would not hold, and `SandboxEnded` where the batch was
        ended by its limits, by the program, or because what came back is not rulings.
        """
        batch = _batch(program, questions, self.limits)
        _require(_machine())
        with opened(self.limits) as cell:
            _require(cell.holds.missing)
            return cell.rulings(batch, len(questions))


@cache
def what_holds() -> Holds:
    """Which walls stand on this machine; found out once, by a process that locks itself and tries them.

    >>> what_holds()["seccomp"].stands
    True
    """
    if _machine():
        return Holds(_machine())
    with opened(_USUAL) as cell:
        return cell.holds


def _machine() -> tuple[Wall, ...]:
    why_not = unfit()
    return (Wall("machine", why_not),) if why_not else ()


def _require(missing: tuple[Wall, ...]) -> None:
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
