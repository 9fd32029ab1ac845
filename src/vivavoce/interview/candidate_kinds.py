"""Special kinds of candidates: engines, classifiers, code on this machine, and servers that refuse parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Protocol, runtime_checkable

from pydantic import Field

from vivavoce.interview.candidate import Candidate


@dataclass(frozen=True, slots=True)
class Position:
    """A chess position, by its full FEN; an engine learns nothing of the game before it."""

    fen: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An engine's evaluation of a position, from the point of view of the side to move.

    >>> Evaluation(q=0.25, best_move="e2e4", nodes=10_000, wins=500, draws=250, losses=250).win_probability
    0.5
    """

    q: float
    """Expected outcome in [-1, 1]: (wins - losses) / 1000, or a logistic of the centipawns if the engine gives no WDL."""
    best_move: str
    """In UCI notation."""
    nodes: int
    """Searched, by the engine's own count."""
    wins: int | None = None
    """In a thousand games; None if the engine does not say."""
    draws: int | None = None
    losses: int | None = None
    centipawns: int | None = None
    mate: int | None = None
    """Moves to mate, negative if the side to move is mated; None without a mate."""

    @property
    def win_probability(self) -> float | None:
        """p(win) = (q + 1 - d) / 2, equation (4) of `fluri2024`; None if draws are unknown."""
        return None if self.draws is None else (self.q + 1 - self.draws / 1000) / 2


@dataclass(frozen=True, slots=True)
class FactCase:
    """A case as a list of facts in words, which is all that a classifier sees.

    >>> case = FactCase(("The applicant is a teacher.", "She was held for three days."))
    >>> case.without(0).facts, case.with_fact(1, "She was detained for three days.").facts[1]
    (('She was held for three days.',), 'She was detained for three days.')
    """

    facts: tuple[str, ...]
    weigh: bool = False
    """Also return how important each fact is, if the classifier can; this does not change the probability."""

    def without(self, number: int) -> FactCase:
        """The case without the fact of that number, counted from 0; not weighed."""
        return FactCase(self.facts[:number] + self.facts[number + 1 :])

    def with_fact(self, number: int, fact: str) -> FactCase:
        """The case with the fact of that number replaced, counted from 0; not weighed."""
        return replace(self, facts=(*self.facts[:number], fact, *self.facts[number + 1 :]), weigh=False)


@dataclass(frozen=True, slots=True)
class CaseJudgement:
    """A classifier's judgement of a case."""

    probability: Annotated[float, Field(ge=0, le=1)]
    """Probability of the outcome in question, e.g. that the case shows a violation."""
    importance: tuple[float, ...] | None = None
    """Importance of each fact, where larger is more important; None if not requested, or unknown to the classifier."""
    unread: Annotated[int, Field(ge=0)] = 0
    """How many of the last facts it did not read completely, because its input is limited."""


def name_on_record(name: str, source: str) -> str:
    """The name of a candidate with the digest of its source; the plain name without a digest.

    >>> name_on_record("function:m:double", "1a2b")
    'function:m:double@1a2b'
    """
    return f"{name}@{source}" if source else name


def source_of(candidate: Candidate[Any, Any]) -> str:
    """The `source_digest` of a candidate that is code on this machine; empty if it has none, or the source cannot be read.

    It separates answers: a change of the source makes it another candidate of the same name.
    """
    return getattr(candidate, "source_digest", "")


def recorded_name(candidate: Candidate[Any, Any]) -> str:
    """The name under which this candidate's answers are on record.

    >>> class Doubler:
    ...     name = "function:m:double"
    ...     source_digest = "1a2b"
    ...     async def answer(self, question: str, /) -> str:
    ...         return question * 2
    >>> recorded_name(Doubler())
    'function:m:double@1a2b'
    """
    return name_on_record(candidate.name, source_of(candidate))


@runtime_checkable
class ParameterRefuser(Protocol):
    """A candidate whose server may refuse parameters; it raises `ParameterRefused`."""

    @property
    def never_sent(self) -> frozenset[str]:
        """Parameters that the server is known to refuse, and that are never sent."""
        ...
