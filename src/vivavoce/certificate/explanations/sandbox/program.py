"""A program that a candidate hands over, and what it says to a question."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from vivavoce.certificate.explanations.sandbox.rulings import Ruling
from vivavoce.errors import BadInput, VivavoceError

__all__ = ["Program", "Reason", "Ruling", "SandboxEnded", "SandboxUnavailable"]
CODE_CHARACTERS = 100_000
"""Of a program at most."""
Reason = Literal["CPU time", "total CPU time", "wall time", "memory", "output", "protocol", "code", "death"]
"""By what a batch was ended: one of the limits, its own or that of all batches of the examination, words that are no rulings,
code that cannot be loaded, or by ending itself."""


class SandboxUnavailable(BadInput):
    """What must hold does not hold on this machine; nothing was run."""


class SandboxEnded(VivavoceError):
    """A batch was ended before its last question.

    >>> ended = SandboxEnded("memory", "none left of 268435456 bytes", before=(Ruling(True, "42"),))
    >>> ended.reason, ended.rulings, str(ended)
    ('memory', 1, 'the program was ended after 1 ruling by its memory: none left of 268435456 bytes')
    """

    def __init__(self, reason: Reason, detail: str, *, before: tuple[Ruling, ...]) -> None:
        came = f"{len(before)} ruling{'s' * (len(before) != 1)}"
        super().__init__(f"the program was ended after {came} by its {reason}: {detail}")
        self.reason: Reason = reason
        self.before = before
        """The rulings that came; if the program forged the protocol, they are what it wished to say."""

    @property
    def rulings(self) -> int:
        """How many came before."""
        return len(self.before)


@dataclass(frozen=True, slots=True)
class Program:
    """Python that defines `covers(question) -> bool` and `answer(question) -> str | number`.

    A question is `{"text": str, "options": list[str], "category": str}`. Both are called for each question of a batch, in
    order, by one process: a program can keep state from question to question, and can find the questions that are still to
    come, so what it says to one may depend on the others of its batch. Where that matters, give each to a fresh process.
    Sets of text come in the same order and `random` gives the same numbers in each process; clocks can be read.

    >>> Program("def covers(question): ...").digest[:8]
    'e69359dd'
    """

    code: str

    def __post_init__(self) -> None:
        if len(self.code) > CODE_CHARACTERS:
            raise BadInput(f"a program of {len(self.code)} characters; at most {CODE_CHARACTERS}")
        if not self.code.strip():
            raise BadInput("a program without a line of code")

    @property
    def digest(self) -> str:
        """SHA-256 of the code."""
        return hashlib.sha256(self.code.encode(errors="surrogatepass")).hexdigest()
