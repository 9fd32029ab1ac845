"""What a procedure is to the examination: something frozen that says which questions it covers, and what it answers to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from vivavoce.certificate.explanations.sandbox.program import Program, Ruling, SandboxEnded
from vivavoce.certificate.explanations.sandbox.sandbox import Sandbox
from vivavoce.interview.candidate import Reply
from vivavoce.scopes.questions import Question

Kind = Literal["program", "table"]

AT_ONCE = 2_000
"""Questions that are given to a procedure together: in the checks as in the examination, so that it cannot tell them apart."""


class Procedure(Protocol):
    """A frozen explanation."""

    @property
    def source(self) -> str:
        """Where it came from, in words."""
        ...

    @property
    def kind(self) -> Kind: ...

    @property
    def digest(self) -> str:
        """SHA-256 in hex of all that it is."""
        ...

    @property
    def text(self) -> str:
        """What it says; a stranger's words."""
        ...

    def rulings(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """What it says to each question. Blocks. Raises `SandboxEnded`, `SandboxUnavailable`."""
        ...


@dataclass(frozen=True, slots=True)
class Coded:
    """A program, run in the sandbox."""

    source: str
    program: Program
    sandbox: Sandbox

    @property
    def kind(self) -> Kind:
        """`program`."""
        return "program"

    @property
    def digest(self) -> str:
        """Of the code."""
        return self.program.digest

    @property
    def text(self) -> str:
        """The code."""
        return self.program.code

    def rulings(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Those of one fresh process."""
        shown = [{"text": q.text, "options": list(q.options), "category": q.category} for q in questions]
        return self.sandbox.run(self.program, shown)


def ruled(procedure: Procedure, questions: Sequence[Question]) -> tuple[Ruling, ...]:
    """What an accepted procedure says to any number of questions.

    One that is ended in the middle has given no answer to the rest of its batch. That is an outcome, and scored. Where the CPU
    time of all programs together has run out none of them is to blame: that raises `SandboxEnded`.
    """
    found: list[Ruling] = []
    for start in range(0, len(questions), AT_ONCE):
        batch = questions[start : start + AT_ONCE]
        try:
            found += procedure.rulings(batch)
        except SandboxEnded as ended:
            if ended.reason == "total CPU time":
                raise
            found += ended.before[: len(batch)]
            found += [Ruling(True, "", str(ended))] * (len(batch) - len(ended.before[: len(batch)]))
    return tuple(found)


def reply(ruling: Ruling) -> Reply:
    """A procedure's answer in the form in which candidates answer, so that it is read and scored as theirs are.

    >>> reply(Ruling(True, "42")).text, reply(Ruling(True, "", "ZeroDivisionError")).text
    ('Answer: 42', '')
    """
    return Reply("" if ruling.failure else f"Answer: {ruling.answer}")
