"""Makes the cards of a survey: asks a candidate the questions of a scope, and chooses pairs of them.

The candidate gets each question once, and the scope grades it. The answer "I don't know" is shown and is not right; an
unparsed or missing answer is counted and not shown. The second question of a pair may be any question, as its answer is not
shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Final

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.generalization.config import SurveyConfig
from vivavoce.generalization.pairs import BeliefPair, TaskQuestion
from vivavoce.generalization.predictors.base import Predictor
from vivavoce.generalization.survey.card_file import By, SurveyCard
from vivavoce.generalization.survey.pair_sampling import PairDraw, sample_stage, sample_test
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Grade, Scope
from vivavoce.scopes.questions import Question

LONGEST_SHOWN: Final = 750
"""Characters of an answer; longer ones are left out."""
POOL: Final = 20_000
"""Largest number of pairs to choose from; drawn uniformly from all."""
TOO_LONG: Final = "too long"
"""Outcome of a parsed answer that is longer than `LONGEST_SHOWN`."""


@dataclass(frozen=True, slots=True)
class CardAnswer:
    """A candidate's answer to a question, as it is shown."""

    question: int
    """Index of the question."""
    shown: str
    right: bool


@dataclass(frozen=True, slots=True)
class CandidateAnswers:
    """A candidate's answers to questions of a scope."""

    questions: tuple[TaskQuestion, ...]
    observed: tuple[CardAnswer, ...]
    """The answers that can be shown."""
    outcomes: Mapping[str, int]
    """Number of answers by outcome of parsing; only "answer" and "I don't know" are shown."""
    exhausted: str = ""
    """The limit of the budget that ended the questions; empty if none did."""

    @property
    def left_out(self) -> int:
        """Number of answers that are not shown."""
        return sum(self.outcomes.values()) - len(self.observed)


def draw_questions(scope: Scope[Question], config: SurveyConfig, rng: np.random.Generator) -> list[Question]:
    """The configured number of different questions of a scope, none of them too long; fewer if it has no more."""
    drawn: dict[str, Question] = {}
    n = config.wanted
    for tries, question in enumerate(question for unit in scope.draw(rng) for question in unit):
        text = wording(question)
        if len(text) <= config.longest:
            drawn.setdefault(text, question)
        # an endless scope may have few different questions, and weighted draws repeat questions
        if len(drawn) == n or tries >= 100 * n + 1000:
            break
    return list(drawn.values())


async def ask_answers(
    interview: Interview[Prompt, Reply], scope: Scope[Question], questions: Sequence[Question], *, expected: int | None = None
) -> CandidateAnswers:
    """Ask the candidate each question once, and grade its answers; with `expected`, stop when this many can be shown.

    Raises `CandidateMisconfigured`, `CandidateUnreachable`, `TranscriptError`.
    """
    observed: list[CardAnswer] = []
    outcomes: Counter[str] = Counter()

    prompts = map(scope.prompt, questions)
    replies = interview.ask_in_order(prompts, topic="survey", all_wanted=expected is None)
    async with aclosing(replies):
        async for _, answer in replies:
            number = sum(outcomes.values())
            grade = scope.grade(questions[number], answer)
            shown = shown_answer(questions[number], grade, answer)
            outcomes[TOO_LONG if shown is None and grade.outcome is Outcome.ANSWER else str(grade.outcome)] += 1
            if shown is not None:
                observed.append(CardAnswer(number, shown, grade.outcome is Outcome.ANSWER and grade.score == 1))
            if expected is not None and len(observed) >= expected:
                break
    texts = tuple(TaskQuestion(wording(question), question.category or scope.name) for question in questions)
    return CandidateAnswers(texts, tuple(observed), dict(outcomes), str(interview.exhausted))


def pool_of(answers: CandidateAnswers, rng: np.random.Generator, *, size: int = POOL, by: By = "machine") -> list[SurveyCard]:
    """All pairs of an answered question and another one, or `size` of them, drawn uniformly.

    Weights are the number of pairs that each represents.

    >>> import numpy as np
    >>> questions = TaskQuestion("1?", "a"), TaskQuestion("2?", "b")
    >>> answers = CandidateAnswers(questions, (CardAnswer(0, "one", True),), {"answer": 1})
    >>> [(card.q1, card.q2, card.weight) for card in pool_of(answers, np.random.default_rng(0))]
    [('1?', '2?', 1.0)]
    """
    others = len(answers.questions) - 1
    total = len(answers.observed) * others
    drawn = range(total) if total <= size else sorted(map(int, rng.choice(total, size, replace=False)))
    weight = total / max(len(drawn), 1)
    return [_card(number, answers, pair, weight=weight, by=by) for number, pair in enumerate(drawn, 1)]


def choose_cards(
    pool: Sequence[SurveyCard],
    n: int,
    *,
    rng: np.random.Generator,
    predictor: Predictor | None = None,
    stage: int | None = None,
    balanced: bool = False,
) -> tuple[SurveyCard, ...]:
    """Draw the cards of a survey from a pool: uniformly, or mostly from the top of a predictor's ranking.

    predictor: of belief change, fitted to earlier stages; None draws uniformly, as in the first stage.
    stage: saved with the cards; None keeps their stage.
    balanced: draw two thirds from the top hundredth of the predictor's ranking, and one third from the bottom hundredth, as
        in the paper's test stage.

    Weights are multiplied by the number of pairs of the pool that each represents. Raises `BadInput` for a pool that is too
    small.
    """
    if balanced and predictor is None:
        raise BadInput("a balanced test stage has no ranking: give a predictor")
    chances = None if predictor is None else predictor.predict([as_pair(card) for card in pool])
    drawn: PairDraw
    if balanced and chances is not None:
        drawn = sample_test(chances, n, rng=rng)
    else:
        drawn = sample_stage(chances, n, rng=rng, pool=len(pool))
    chosen = zip(map(int, drawn.indices), map(float, drawn.weights), strict=True)
    return tuple(
        replace(
            pool[index], number=number, weight=pool[index].weight * weight, stage=pool[index].stage if stage is None else stage
        )
        for number, (index, weight) in enumerate(chosen, 1)
    )


def as_pair(card: SurveyCard) -> BeliefPair:
    """A card as a pair for a predictor."""
    return BeliefPair(card.q1, card.q2, card.source1, card.source2, card.previous_correct, stage=card.stage, weight=card.weight)


def wording(question: Question) -> str:
    """A question as respondents read it: its text and lettered options."""
    return "\n".join([question.text, *(f"({letter}) {option}" for letter, option in _lettered(question))])


def _lettered(question: Question) -> Iterator[tuple[str, str]]:
    return zip(ascii_uppercase, question.options, strict=False)


def shown_answer(question: Question, grade: Grade, answer: Reply | NoAnswer) -> str | None:
    """The parsed answer as respondents read it; None if there is nothing to show."""
    if isinstance(answer, NoAnswer) or grade.outcome not in (Outcome.ANSWER, Outcome.DONT_KNOW):
        return None
    option = dict(_lettered(question)).get(grade.read_as)
    text = grade.read_as.strip() if option is None else f"({grade.read_as}) {option}"
    return text if 0 < len(text) <= LONGEST_SHOWN else None


def _card(number: int, answers: CandidateAnswers, pair: int, *, weight: float, by: By) -> SurveyCard:
    index, other = divmod(pair, len(answers.questions) - 1)
    seen = answers.observed[index]
    other += other >= seen.question
    first, second = answers.questions[seen.question], answers.questions[other]
    texts = (first.text, second.text, first.source, second.source, seen.shown)
    return SurveyCard(number, *texts, previous_correct=seen.right, by=by, weight=weight)
