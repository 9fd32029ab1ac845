"""Verdicts on understanding: what there can be, when one is given, and what it rests on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from vivavoce.certificate.config import USUAL_LIMIT, ClaimConfig
from vivavoce.formats.interval import Interval
from vivavoce.interview.candidate import Step
from vivavoce.interview.forms.form import Outcome

_USUAL: Final = ClaimConfig()
_WHERE_ANY: Final = ("broken_law", "upper", "steps", "read_as", "grade", "why", "decided_by")
"""Of an answer as JSON what is left out where it is empty."""


class Verdict(StrEnum):
    """What an examination concludes about understanding."""

    PASS = "pass"  # noqa: S105 -- no password
    """The paper's "pass", at this pass mark and limit of unacceptable answers; proven."""
    FAIL = "fail"
    """The paper's "fail", proven."""
    UNDECIDED = "undecided"
    """Neither is proven."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """When a candidate counts as understanding (Definition 3.2 of `leytonbrown2024`), and how sure one wants to be."""

    passing_grade: float = _USUAL.passing_grade
    """The mean score that understanding requires, in (0, 1)."""
    ridiculous_limit: float | None = USUAL_LIMIT
    """The largest acceptable probability of a ridiculous answer, in (0, 1); None: not examined."""
    delta: float = _USUAL.delta
    """Bound on the probability that a verdict is given and is wrong."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence after this many questions, as natural logarithms of e-values (0 is none, ln(1/delta) is enough).

    With the fixed procedure there is one look only, and no path.
    """

    questions: int
    score_pass: float
    """Against "the mean score is below the passing grade"."""
    ridiculous_pass: float | None
    """Against "ridiculous answers are too frequent"; None where they are not examined."""
    fail: float
    """Against "the candidate understands"."""


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """One question of the examination with its answer, as shown among the worst."""

    id: str
    question: str
    answer: str
    expected: str
    score: float
    ridiculous: bool
    outcome: Outcome
    broken_law: str = ""
    """How the answers of a cluster contradict each other, in a sentence; question and answer are then several."""
    upper: float | None = None
    """The most that it may be worth, where nobody can know; `score` is the least then."""
    steps: tuple[Step, ...] = ()
    """What an agent did before it answered, as far as it is shown."""
    read_as: str = ""
    """What the answer was taken to say; empty where nothing could be read, and where several stand here."""
    grade: str = ""
    """In a word or two, such as `right`; empty where several stand here."""
    why: str = ""
    """Why it got this grade, in a clause."""
    decided_by: tuple[str, ...] = ()
    """What would give it a grade where it has none, each in a few words."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values; the score is null where it is not known."""
        values = asdict(self)
        values |= {"outcome": self.outcome.value, "decided_by": list(values["decided_by"]), "steps": list(values["steps"])}
        if self.upper is not None and self.upper > self.score:
            values["score"] = None
        return {name: value for name, value in values.items() if name not in _WHERE_ANY or value}


@dataclass(frozen=True, slots=True)
class Stratum:
    """What was found in one stratum of the scope."""

    name: str
    mass: float
    """Its share of the scope."""
    questions: int
    ridiculous: int
    score: float | None
    """Mean; None where nothing was asked."""
    upper: float | None = None
    """The most that it may be, where some replies could not be read; `score` is the least then. None: as `score`."""


def range_of(lower: float, upper: float) -> Interval | None:
    """From the least to the most that a mean may be; None where that is one number."""
    return None if upper - lower <= 1e-12 else Interval(lower, upper)


def range_as_json(name: str, ends: Interval | None) -> dict[str, list[float]]:
    """A range under its name; empty where there is none."""
    return {} if ends is None else {name: [ends.lower, ends.upper]}


def brief(scope: str) -> str:
    """The name of a scope without the folders of its file.

    >>> brief("mmlu-pro:/some/where/questions.jsonl.gz#health"), brief("arithmetic?operations=*/")
    ('mmlu-pro:questions.jsonl.gz#health', 'arithmetic?operations=*/')
    """
    kind, colon, place = scope.partition(":")
    path, sharp, part = place.partition("#")
    return f"{kind}{colon}{path.rstrip('/').rpartition('/')[2]}{sharp}{part}"


def answers_topic(scope: str) -> str:
    """Where the answers of a scope's certificate stand in a transcript."""
    return f"certificate/{brief(scope)}"
