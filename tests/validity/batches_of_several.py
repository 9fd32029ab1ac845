"""The same where several are asked, or several are asked about: comparisons, certificates of two scopes, judged ones.

Comparisons are examined as certificates are in `batches`: question by question, which says where the verdict falls, and block
by block as `block_plan` chooses. Answers of both candidates are counted once, as all are asked the same. Of all questions 30%
tell the two apart. The others are whole examinations with candidates whose batches are at once at their end.

Required, fixed beforehand: of all that is asked less than 9% is wasted on average over the rows of comparisons in which 100
questions or more are needed. Shorter examinations waste a larger share, and are not required to waste less.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Final

import numpy as np

from tests.certificate.by_batch import ByBatch
from tests.certificate.candidates import Knows, interview
from tests.certificate.graders.graded import Points, essays, judge
from vivavoce.certificate.comparison.batch_rounds import rounds_of_pair
from vivavoce.certificate.composition import Composition
from vivavoce.certificate.examine import certify
from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.many_finding import ManyScopes
from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.certificate.verdict import Criterion
from vivavoce.interview.candidate import Prompt

CRITERION: Final = Criterion(0.7, None)
DELTA: Final = 0.05
APART: Final = 0.3
"""Of the questions, the share that one of two candidates has right and the other wrong."""
LONGEST: Final = 20_000
LONG: Final = 100
"""Questions; what is required is required where so many are needed."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two candidates, and what is asked."""

    difference: float
    margin: float = 0.0
    population: int | None = None

    def __str__(self) -> str:
        size = "endless" if self.population is None else f"of {self.population}"
        return f"compare, {size}, D = {self.difference:g}" + (f", margin {self.margin:g}" if self.margin else "")


COMPARISONS: Final = (
    Compared(0.05),
    Compared(0.1),
    Compared(0.2),
    Compared(0.0, margin=0.1),
    Compared(0.1, population=500),
)


@dataclass(frozen=True, slots=True)
class Several:
    """What runs came to; arrays of one number a run."""

    needed: np.ndarray
    asked: np.ndarray
    rounds: np.ndarray

    @property
    def wasted(self) -> float:
        """Of all that was asked in all runs."""
        return float(1 - self.needed.sum() / self.asked.sum())


def answers_of(two: Compared, rng: np.random.Generator) -> np.ndarray:
    """Right or wrong of both candidates, shape (2, n)."""
    size = two.population or LONGEST
    drawn = (rng.permutation(size) + 0.5) / size if two.population else rng.random(size)
    better = drawn < (APART + two.difference) / 2
    alike = rng.random(size) < 0.75
    first = np.where(drawn < APART, better, alike)
    return np.stack([first, np.where(drawn < APART, ~better, alike)]).astype(float)


def compared(two: Compared, seed: int) -> tuple[int, int, int]:
    """One run: questions until the verdict, questions that were asked, and batches."""
    scores = answers_of(two, np.random.default_rng([seed, round(1_000 * two.difference), round(1_000 * two.margin)]))
    found = rounds_of_pair(scores, margin=two.margin, delta=DELTA, population=two.population)
    return found.needed, found.asked, found.batches


class Mixed(Knows):
    """Knows so much of each scope, which the first part of a question's id names."""

    def __init__(self, scores: dict[str, float], salt: str) -> None:
        super().__init__(0.0, salt=salt)
        self._scores = scores

    def right(self, prompt: Prompt) -> bool:
        drawn = hashlib.sha256((self.salt + prompt.id).encode()).digest()
        return int.from_bytes(drawn[:6], "big") / 256**6 < self._scores[prompt.id.split(".")[0]]


def letters(name: str, size: int = 5_000) -> ListedScope:
    """Questions to which A is right."""
    questions = (Question(f"{name}.{n}", f"{name} {n}?", options=("yes", "no"), accepted=("A",)) for n in range(size))
    return ListedScope(name, tuple(questions))


async def two_scopes(seed: int) -> tuple[int, int, int]:
    """One run on two scopes, of which the candidate knows 80% and 85%."""
    scores = {"first": 0.8, "second": 0.85}
    candidate = ByBatch(Mixed(scores, f"{seed}"))
    found = await certify(interview(candidate), [letters(name) for name in scores], CRITERION, seed=seed)
    assert isinstance(found, ManyScopes)
    return sum(one.questions for one in found.scopes), sum(candidate.batches), len(candidate.batches)


async def judged(seed: int) -> tuple[int, int, int]:
    """One run with a judge by batch, who gives 9 points to 80% of the answers, and 3 to the others; both wait for both."""
    candidate, points = ByBatch(Knows(0.85, salt=f"{seed}")), ByBatch(Points("9", "3"))
    composition = Composition(grading=Graders(judge=judge(points)))
    found = await certify(interview(candidate), essays(5_000), CRITERION, composition, seed=seed)
    assert isinstance(found, Certificate)
    assert points.batches == candidate.batches
    return found.questions, sum(candidate.batches), len(candidate.batches) + len(points.batches)


def comparisons(two: Compared, runs: int) -> Several:
    """So many runs, seeds from 0."""
    return Several(*np.array([compared(two, seed) for seed in range(runs)], dtype=float).T)


def examinations(runs: int) -> dict[str, Several]:
    """So many of each kind."""

    async def all_of_them() -> dict[str, Several]:
        kinds = {"two scopes, .8 and .85": two_scopes, "judged, mean .81": judged}
        return {
            name: Several(*np.array([await one(seed) for seed in range(runs)], dtype=float).T) for name, one in kinds.items()
        }

    return asyncio.run(all_of_them())


def line(name: str, found: Several) -> str:
    """A row of the table."""
    rounds = found.rounds
    cells = (
        name,
        f"{found.needed.mean():.0f}",
        f"{found.asked.mean():.0f}",
        f"{found.wasted:.1%}",
        f"{(1 - found.needed / found.asked).mean():.1%}",
        f"{rounds.mean():.1f} ({np.quantile(rounds, 0.9):.0f}, {rounds.max():.0f})",
    )
    return f"| {' | '.join(cells)} |"
