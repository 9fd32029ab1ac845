"""What explanations do to the evidence: which system is examined, which process judges it, and what share of delta that has.

What is examined is a *system*: the candidate together with the procedures that have been frozen and accepted so far. A
question that a procedure covers is answered by it, any other by the candidate, and both are graded alike. A system is a
candidate like any other, so the test without explanations applies to it word for word. Covered questions cost the candidate
nothing: where procedures cover a share p and are right, it answers 1 - p of the questions that it would answer alone.

What is not so simple is that the system may change in the middle, on account of the very answers that were seen. So:

- Process 1 judges the system of the beginning, with the procedures that were there before the first question. It runs to the
  end and is never restarted: whatever is explained later, its questions are still put to the candidate.
- When a procedure is accepted later, a new process begins for the new system, with questions that nobody had seen when the
  procedure was frozen. Nothing from before counts in it. The one before it, if it is not process 1, is given up.
- The v-th process has the share delta_v = delta (1/v^2) / (1/1^2 + ... + 1/m^2) of delta, m the number of processes that the
  schedule allows, fixed in advance. If explanations are asked for at the beginning only, m = 1, and the share is all of
  delta.

Argument. Let the system of process v be frozen at the moment t_v. Given everything up to t_v it is a fixed candidate, and its
draws are fresh, so process v gives a wrong verdict on it, at whatever moment, with conditional probability at most delta_v
(the test's own guarantee: delta is not split between score and ridiculous answers, since one false claim about one system is
all it takes to be wrong, and a system either understands or not). That holds however v came to be begun, so on average too. A
verdict of the examination is a verdict of one of the processes on its own system. The probability that any of them is wrong
is at most delta_1 + ... + delta_m = delta.

How units are drawn does not matter to any of this, as long as the test fits it. A system's answers are graded like a
candidate's, so `stratified` holds of them word for word where strata are asked in proportion, and `importance_weighting` where
units are drawn evenly, each once. A process that begins later needs draws that are fresh given all before. In strata of a scope
without an end these are i.i.d. within each, and the evidence there is valid for whatever counts of the strata the masses
settle, also from the middle of a round on. Without replacement what is left depends on what was asked before, so there
explanations are asked for at the beginning only.

Where this departs from section 5 of `leytonbrown2024`, and why:

- "Theorem 2 then applies directly at every point in this process" is false: discarding the answers that an explanation
  covers, after having seen them, lets a candidate pass that explains away each ridiculous answer. Here no answer is
  discarded.
- The paper takes a procedure's mass, score and failures as known. To bound each from checks, at a share of delta, and to take
  the bounds off the limit is valid, but dearer: for p = .5 and 10^5 checks without a failure 3,523 questions where this takes
  3,141. Nothing has to be known of a procedure whose answers are graded on every draw. The checks before it is accepted
  (`audit`) decide whether it is worth having, and for what the finding says about it.
- Where a finite scope can be run whole, what procedures answer is known without a bound; the rest alone is drawn (`known`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import Generic, Protocol, TypeVar

from vivavoce.certificate.verdict import Verdict
from vivavoce.errors import BadInput
from vivavoce.statistics.bounds import check_delta


class Process(Protocol):
    """Evidence on one system, such as `evidence.SequentialTest`."""

    @property
    def verdict(self) -> Verdict:
        """As far as it has come."""
        ...


P = TypeVar("P", bound=Process)


def share(delta: float, number: int, *, most: int) -> float:
    """delta_v: what process `number` (from 1) of at most this many may err.

    >>> round(share(0.05, 1, most=1), 6), [round(share(0.05, v, most=2), 6) for v in (1, 2)]
    (0.05, [0.04, 0.01])
    """
    check_delta(delta)
    if not 1 <= number <= most:
        raise BadInput(f"process {number} of at most {most}: more changes of the explanations than were planned")
    return delta / number**2 / fsum(1 / v**2 for v in range(1, most + 1))


class Ledger(Generic[P]):
    """The processes of one examination, and the verdict that follows from them.

    Parameters
    ----------
    begin: makes a process for the system as it is now, with its share of delta.
    most: how many processes there may be.

    Example
    -------
    >>> from vivavoce.certificate.evidence import SequentialTest
    >>> from vivavoce.certificate.verdict import Criterion
    >>> ledger = Ledger(lambda delta: SequentialTest(Criterion(0.5, None, delta)), delta=0.05, most=2)
    >>> _ = ledger.first.update([1.0] * 20, [0.0] * 20)
    >>> ledger.verdict, ledger.deciding is ledger.first
    (<Verdict.PASS: 'pass'>, True)
    """

    def __init__(self, begin: Callable[[float], P], *, delta: float, most: int) -> None:
        self._begin = begin
        self._delta, self._most = delta, most
        self.begun = 1
        """Processes so far."""
        self.first = self.latest = begin(share(delta, 1, most=most))
        """Process 1, and that of the present system."""

    @property
    def left(self) -> int:
        """How often the system may still change."""
        return self._most - self.begun

    def change(self) -> P:
        """The system has changed: begin its process."""
        self.begun += 1
        self.latest = self._begin(share(self._delta, self.begun, most=self._most))
        return self.latest

    @property
    def deciding(self) -> P:
        """The process that speaks for the examination: process 1 if it finds understanding, else that of the present system.

        That the candidate fails without its later explanations is no verdict on what it does with them.
        """
        return self.first if self.first.verdict is Verdict.PASS else self.latest

    @property
    def verdict(self) -> Verdict:
        """That of the deciding process."""
        return self.deciding.verdict

    def delta_of(self, process: P) -> float:
        """The share of one of the two processes."""
        return share(self._delta, 1 if process is self.first else self.begun, most=self._most)
