"""A comparison of many recordings on one scope: CPU seconds, and beside it the same answers from candidates that are asked.

Each candidate knows the answers of a model of its own: from .4 to .9 right, on questions that are easy or hard for all.
Recordings have their answers at hand, so that they are asked in blocks. Candidates that say the same, but have to be asked,
take a task for each question, as models behind a server do. Both are timed with a few candidates, and then recordings with
half of all and with all. Answers grow as the number of candidates, and pairs as its square: the exponent by which time grows
from half to all should be near 1.

    python bench/comparison.py [--candidates 50] [--questions 1000] [--beside 8]
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Mapping, Sequence
from math import log
from typing import Final

import numpy as np

from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

GOAL: Final = 20.0
"""CPU seconds for 50 candidates and 1,000 questions."""
MOST_EXPONENT: Final = 1.5


class KnowledgeTable:
    """Says what it knows, when it is asked."""

    asked_again: RepeatReason = "same"

    def __init__(self, name: str, answers: Mapping[str, str]) -> None:
        self.name = name
        self._answers = answers

    async def answer(self, question: Prompt, /) -> Reply:
        """The answer to the question of this id."""
        return Reply(self._answers[question.id])


class AtHand(KnowledgeTable):
    """The same, with its answers at hand."""

    @property
    def recorded(self) -> Mapping[str, str]:
        """All answers."""
        return self._answers


def known(candidates: int, questions: int, seed: int = 0) -> list[dict[str, str]]:
    """What each candidate answers: A, which is right, or B."""
    rng, ease = np.random.default_rng(seed), np.random.default_rng(seed + 1).random(questions)
    scores = np.linspace(0.4, 0.9, candidates)
    right = (ease + rng.random((candidates, questions))) / 2 < 0.1 + 0.8 * scores[:, None]
    return [{f"q{n}": "A" if entry else "B" for n, entry in enumerate(row)} for row in right]


def scope(questions: int) -> ListedScope:
    """Questions to which A is right."""
    options = ("one", "two", "three", "four")
    listed = (Question(f"q{n}", f"Question number {n}?", options, ("A",), category=f"c{n % 7}") for n in range(questions))
    return ListedScope("bench", tuple(listed))


def timed(kind: type[KnowledgeTable], answers: Sequence[Mapping[str, str]], questions: int) -> tuple[float, Comparison]:
    """CPU seconds of a comparison, and what it found."""
    interviews = [Interview(kind(f"bench:{n}", answer), answers=Reply) for n, answer in enumerate(answers)]
    began = time.process_time()
    result = asyncio.run(compare(interviews, scope(questions), ComparisonConfig(seed=1)))
    return time.process_time() - began, result


def main() -> None:
    """Print times and their ratios; fails where the whole takes longer than it should, or grows faster."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidates", type=int, default=50)
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--beside", type=int, default=8, help="Candidates for the comparison of both kinds; 0 leaves it out.")
    given = parser.parse_args()
    if given.beside:
        few = known(given.beside, given.questions)
        by_hand, result = timed(AtHand, few, given.questions)
        one_by_one, same = timed(KnowledgeTable, few, given.questions)
        assert [pair.log_e for pair in result.pairs] == [pair.log_e for pair in same.pairs], "both must find the same"
        print(f"{given.beside} candidates: at hand {by_hand:.1f} s, asked {one_by_one:.1f} s, {one_by_one / by_hand:.1f} times")
    half, _ = timed(AtHand, known(given.candidates // 2, given.questions), given.questions)
    seconds, result = timed(AtHand, known(given.candidates, given.questions), given.questions)
    exponent = log(seconds / half) / log(given.candidates / (given.candidates // 2))
    answers = sum(candidate.questions for candidate in result.candidates)
    goal = GOAL * given.candidates * given.questions / 50_000
    print(
        f"{given.candidates} candidates, {given.questions} questions: {seconds:.1f} s of CPU, {answers} answers, "
        f"{1e6 * seconds / answers:.0f} µs each; goal {goal:.0f} s; {result.told_apart} of {len(result.pairs)} pairs told apart"
    )
    print(f"half as many: {half:.1f} s, so that time grows with exponent {exponent:.2f}")
    if seconds > goal or exponent > MOST_EXPONENT:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
