"""Makes the cards of a survey: asks a candidate the questions of a scope, and chooses pairs of them.

The candidate gets each question once, and the scope grades it. The answer "I don't know" is shown and is not right; an
unparsed or missing answer is counted and not shown. The second question of a pair may be any question, as its answer is not
shown.

Samples the pairs of a survey: mostly those with a high predicted chance of a change, with weights that undo the choice.

Most pairs change no belief (`vafa2024`, Figure 3). A stage of the survey therefore draws most of its pairs from the top of the
predictor's ranking and the rest from below it (epsilon-greedy, `kuleshov2014`). Both draws are uniform and without replacement,
so each pair's sampling probability is known. With weights 1 / probability, shares among the drawn pairs are unbiased estimates
of shares in the whole pool. The paper kept no weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from math import sqrt
from string import ascii_uppercase
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.generalization.config import EPSILON, TOP, SurveyConfig
from vivavoce.generalization.pairs import BeliefPair, Floats, TaskQuestion
from vivavoce.generalization.predictors.base import Predictor
from vivavoce.generalization.survey.plan import By, SurveyCard
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Grade, Scope
from vivavoce.scopes.questions import Question


class PairDraw(NamedTuple):
    """Pairs drawn from a pool."""

    indices: NDArray[np.int64]
    """Indices in the pool, in random order, each at most once."""
    weights: Floats
    """How many pairs of the pool each represents."""


def sample_stage(
    chances: ArrayLike | None,
    n: int,
    *,
    rng: np.random.Generator,
    top: float = TOP,
    epsilon: float = EPSILON,
    pool: int | None = None,
) -> PairDraw:
    """Draw the pairs of one stage.

    chances: predicted chance of a change of each pair in the pool; None draws uniformly, as in the first stage.
    n: number of pairs to draw.
    top: share of the pool that counts as its top; ties are broken at random.
    epsilon: share of the draw that comes from the rest of the pool. It is above 0, as weights can't correct for pairs that
        are never drawn.
    pool: size of the pool; needed without chances.

    Raises `BadInput` if the pool has fewer than `n` pairs.

    >>> draw = sample_stage(np.arange(1000) / 1000, 100, rng=np.random.default_rng(0))
    >>> int((draw.indices >= 900).sum()), round(float(draw.weights.sum()))
    (70, 1000)
    """
    if not (0 < top < 1 and 0 < epsilon < 1):
        raise BadInput(f"top is {top} and epsilon {epsilon}: give numbers between 0 and 1")
    if chances is None:
        if pool is None:
            raise BadInput("the chances and the size of the pool are missing: give one of them")
        return _drawn([(np.arange(pool), n)], rng)
    order = _ranked(chances, rng)
    if n < 2:
        raise BadInput(f"a stage has {n} pairs: draw at least 2, one from the top and one from the rest")
    cut = min(max(1, round(top * order.size)), order.size - 1)
    from_rest = min(max(1, round(epsilon * n)), n - 1)
    from_rest = min(max(from_rest, n - cut), order.size - cut)  # draw all of a part that is too small
    return _drawn([(order[:cut], n - from_rest), (order[cut:], from_rest)], rng)


def sample_test(chances: ArrayLike, n: int, *, rng: np.random.Generator) -> PairDraw:
    """Draw the final, balanced stage: two thirds from the top hundredth of the ranking, one third from the bottom hundredth.

    In a small pool the ends are as large as the draw needs. Weights are for the two ends only, as such a draw can't represent
    the pairs between them.

    >>> draw = sample_test(np.arange(10_000) / 10_000, 60, rng=np.random.default_rng(0))
    >>> sorted({int(i) // 100 for i in draw.indices}), int((draw.indices >= 9900).sum())
    ([0, 99], 40)
    """
    order = _ranked(chances, rng)
    from_top, end = round(2 / 3 * n), round(0.01 * order.size)
    high, low = max(from_top, end), max(n - from_top, end)
    if high + low > order.size:
        raise BadInput(f"{n} pairs don't fit the two ends of a pool of {order.size} pairs: give a larger pool")
    return _drawn([(order[:high], from_top), (order[-low:], n - from_top)], rng)


def majority(changes: Sequence[bool]) -> bool | None:
    """The majority of people's answers about a pair; None for a tie, or without answers.

    >>> majority([True, True, False]), majority([True, False])
    (True, None)
    """
    excess = 2 * sum(changes) - len(changes)
    return None if excess == 0 else excess > 0


def weighted_share(changed: Sequence[bool], weights: ArrayLike) -> Estimate:
    """Share of the pool's pairs that change a belief, estimated from drawn pairs (the ratio estimator of `hajek1971`).

    The interval is linearised, with Student's t at the effective number of pairs minus one (`kish1965`), on the log-odds
    scale, so it stays within 0 and 1. It assumes sampling with replacement, so it is slightly too wide. Raises
    `NotEnoughEvidence` for fewer than two pairs, and if all agree.

    >>> estimate = weighted_share([True] * 60 + [False] * 40, [1] * 50 + [9] * 50)
    >>> estimate.value, round(estimate.interval.lower, 2), round(estimate.interval.upper, 2)
    (0.28, 0.19, 0.4)
    """
    y, w = np.asarray(changed, dtype=float), np.asarray(weights, dtype=float)
    if y.size < 2 or y.min() == y.max():
        raise NotEnoughEvidence(
            f"{y.size} pairs, of which {round(float(y.sum()))} changed a belief: an interval needs changed and unchanged ones"
        )
    share = float(np.average(y, weights=w))
    error = sqrt(float((w**2 * (y - share) ** 2).sum())) / float(w.sum())
    effective = float(w.sum()) ** 2 / float((w**2).sum())
    half = float(stdtrit(max(effective - 1, 1), (1 + CONFIDENCE) / 2)) * error / (share * (1 - share))
    centre = np.log(share / (1 - share))
    lower, upper = (float(1 / (1 + np.exp(-end))) for end in (centre - half, centre + half))
    return Estimate(share, Interval(lower, upper), y.size)


def _ranked(chances: ArrayLike, rng: np.random.Generator) -> NDArray[np.int64]:
    """Indices of the pairs, the highest chance first."""
    array = np.asarray(chances, dtype=float)
    if array.ndim != 1 or array.size < 2 or not np.isfinite(array).all():
        raise BadInput("invalid chances: give one finite number per pair, for at least two pairs")
    return np.lexsort((rng.random(array.size), -array))


def _drawn(parts: list[tuple[NDArray[np.int64], int]], rng: np.random.Generator) -> PairDraw:
    """Draw this many from each part, with weights, in random order."""
    indices, weights = [], []
    for members, n in parts:
        if n > members.size:
            raise BadInput(f"{n} pairs can't be drawn from {members.size}: draw fewer, or give a larger pool")
        if n > 0:
            indices.append(rng.choice(members, n, replace=False))
            weights.append(np.full(n, members.size / n))
    if not indices:
        raise BadInput("0 pairs requested: draw at least 1")
    order = rng.permutation(sum(part.size for part in indices))
    return PairDraw(np.concatenate(indices)[order].astype(np.int64), np.concatenate(weights)[order])


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
