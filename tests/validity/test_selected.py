"""Questions that are chosen by the answers on record: how often a verdict on them is wrong.

A candidate answers each of 60 questions rightly with probability one half, whatever it said before. All are asked once. Then a
second list is made of them, and its claim is examined over the same record, exactly at the boundary:

- of the questions that it had right, whether its probability of a right answer is at least one half (`certify`, and it must not
  understand); or whether another candidate of the same kind is worse (`gate`, which must not fail);
- of those that it had wrong, whether that other candidate is better or worse (`compare`, which may say neither).

The honest twin chooses as many questions by lot. Whole examinations are held, with one answer to each drawn question. What
comes of answers that are read again is shown by a candidate that has none but those on record.

    python -m tests.validity.test_selected [--runs 2000]
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from random import Random
from typing import Final, Literal

import pytest

from tests.certificate.candidates import interview
from tests.certificate.claims.unsure import Guesser, of, tasks
from tests.validity.error_studies import print_table, runs_of, slack
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.gate import gate
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

pytestmark = [pytest.mark.slow, pytest.mark.study]

Claim = Literal["certify", "compare", "gate"]
Choice = Literal["by answers", "by lot"]
CLAIMS: Final[tuple[Claim, ...]] = ("certify", "compare", "gate")
TASKS, MOST, DELTA = 60, 60, 0.05
"""Questions of the first list; drawn from the second at most; error allowed."""


@dataclass
class RememberingCandidate(Guesser):
    """Says again what it said first."""

    asked_again: RepeatReason = "same"

    async def answer(self, prompt: Prompt, /) -> Reply:
        self.asked.clear()
        return await super().answer(prompt)


def wrong_verdict(claim: Claim, choice: Choice, *, reread: bool, seed: int) -> bool:
    """Whether one run ends with a wrong verdict on the second list."""
    return asyncio.run(_is_wrong(claim, choice, reread=reread, seed=seed))


async def _is_wrong(claim: Claim, choice: Choice, *, reread: bool, seed: int) -> bool:
    scope = tasks(TASKS)
    make = RememberingCandidate if reread else Guesser
    probabilities = of(scope, 0.5).p
    half, other = make(probabilities, "test:half", seed), make(probabilities, "test:other", seed + 1_000_003)
    with Transcript.open(None) as record:
        asked = interview(half, transcript=record)
        right = {question.id async for question, reply in _first_answers(asked, scope) if "A" in reply}
        chosen = _chosen(scope, right, claim, choice, seed)
        interviews = [interview(unsure, transcript=record) for unsure in (other, half)]
        if claim == "certify":
            once = Composition(draws=Draws(1))
            certificate = await certify(interviews[1], chosen, Criterion(0.5, None, DELTA), once, seed=seed, questions=MOST)
            return certificate.verdict is Verdict.PASS
        if claim == "compare":
            config = ComparisonConfig(seed=seed, draws=1, questions=MOST, delta=DELTA, margin=0)
            return (await compare(interviews, chosen, config)).pairs[0].verdict in ("better", "worse")
        return (await gate(interviews, chosen, GateConfig(seed=seed, draws=1, questions=MOST, delta=DELTA))).verdict == "fail"


async def _first_answers(asked, scope: ListedScope):  # type: ignore[no-untyped-def]
    by_id = {question.id: question for question in scope.questions}
    async for prompt, answer in asked.ask_in_order(map(scope.prompt, scope.questions)):
        yield by_id[prompt.id], answer.text.removeprefix("Answer: ")


def _chosen(scope: ListedScope, right: set[str], claim: Claim, choice: Choice, seed: int) -> ListedScope:
    if choice == "by lot":
        questions: list[Question] = Random(seed).sample(scope.questions, TASKS // 2)
    else:
        questions = [question for question in scope.questions if (question.id in right) != (claim == "compare")]
    return replace(scope, name="chosen", questions=tuple(questions))


def share_wrong(claim: Claim, choice: Choice, *, reread: bool = False, runs: int, seed: int = 0) -> float:
    """The share of runs with a wrong verdict."""
    return sum(wrong_verdict(claim, choice, reread=reread, seed=seed + run) for run in range(runs)) / runs


RUNS = 2_000
SLACK = slack(RUNS)


@pytest.mark.parametrize("choice", ["by answers", "by lot"])
@pytest.mark.parametrize("claim", CLAIMS)
def test_each_wrong_verdict_is_as_rare_as_promised(claim: Claim, choice: Choice) -> None:
    assert share_wrong(claim, choice, runs=RUNS) <= DELTA + SLACK


if __name__ == "__main__":
    runs = runs_of(__doc__, 2_000)
    rows = (
        (
            claim,
            share_wrong(claim, "by answers", reread=True, runs=min(runs, 200)),
            share_wrong(claim, "by answers", runs=runs),
            share_wrong(claim, "by lot", runs=runs),
        )
        for claim in CLAIMS
    )
    print_table(("claim at the boundary", "reread", "asked again", "chosen by lot"), rows)
