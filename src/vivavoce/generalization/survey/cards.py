"""@@@
Makes the cards of a survey: questions of a scope, a candidate's answers to them, and which pairs of them are asked about.

Every question is put to the candidate once and graded by the scope's own rule. An answer that is "I don't know" is shown as
that, and is not right; one that could not be read, or did not come, is counted and never shown. The second question of a pair
may be any question, for its answer is not shown.

---
What a candidate says about its own answers, for arms of a survey: an explanation, and how sure it is.

Each is a fresh conversation that holds the question and the answer as respondents read it. An explanation of more than 750
characters, and a reply without one probability, cannot be shown: the answer is left out of all arms then, so that arms show the
same answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from vivavoce.errors import BadInput
from vivavoce.generalization.config import SurveyConfig
from vivavoce.generalization.pairs import Pair, TaskQuestion
from vivavoce.generalization.predictors.base import Predictor
from vivavoce.generalization.survey.card_file import By, CardExtras, SeenAnswer, SurveyCard
from vivavoce.generalization.survey.pair_sampling import PairDraw, sample_stage, sample_test
from vivavoce.generalization.survey.plan import ArmKind
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.probability import Probability
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.interview.scope import Grade, Scope

if TYPE_CHECKING:
    import numpy as np


LONGEST_SHOWN: Final = 750
"""Characters of an answer; a longer one is left out too."""
POOL: Final = 20_000
"""Pairs of which a survey's are chosen, at most; drawn uniformly from all."""
TOO_LONG: Final = "too long"
"""How an answer is counted that was read and is longer than `LONGEST_SHOWN`."""


class CardQuestion(Protocol):
    """What a question has to say about itself to stand on a card."""

    @property
    def text(self) -> str: ...

    @property
    def options(self) -> tuple[str, ...]:
        """Empty where the answer is free."""
        ...

    @property
    def category(self) -> str:
        """Its task; may be empty."""
        ...


Q = TypeVar("Q", bound=CardQuestion)


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """What a candidate said to one of the questions."""

    question: int
    """Its place among the questions."""
    shown: str
    right: bool
    explanation: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class CandidateAnswers:
    """All that a candidate said to questions of a scope."""

    questions: tuple[TaskQuestion, ...]
    observed: tuple[ShownAnswer, ...]
    """Those that can be shown."""
    outcomes: Mapping[str, int]
    """How often an answer was read in which way; only "answer" and "I don't know" are shown."""
    exhausted: str = ""
    """Which limit of the budget ended the questions; empty while none has."""

    @property
    def left_out(self) -> int:
        """CandidateAnswers that are not shown."""
        return sum(self.outcomes.values()) - len(self.observed)


def draw_questions(scope: Scope[Q], config: SurveyConfig, rng: np.random.Generator) -> list[Q]:
    """As many different questions of a scope as are wanted, none of them too long; fewer where it has no more."""
    found: dict[str, Q] = {}
    n = config.wanted
    for tries, question in enumerate(question for unit in scope.draw(rng) for question in unit):
        text = wording(question)
        if len(text) <= config.longest:
            found.setdefault(text, question)
        # a scope without an end may have few different questions, and one whose draws are weighted repeats itself
        if len(found) == n or tries >= 100 * n + 1000:
            break
    return list(found.values())


async def ask_answers(
    interview: Interview[Prompt, Reply], scope: Scope[Q], questions: Sequence[Q], *, expected: int | None = None
) -> CandidateAnswers:
    """Put each question to the candidate once, and grade what it says; with `expected`, stop when this many can be shown.

    Raises `CandidateMisconfigured`, `CandidateUnreachable`, `TranscriptError`.
    """
    observed: list[ShownAnswer] = []
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
                observed.append(ShownAnswer(number, shown, grade.outcome is Outcome.ANSWER and grade.score == 1))
            if expected is not None and len(observed) >= expected:
                break
    asked = tuple(TaskQuestion(wording(one), one.category or scope.name) for one in questions)
    return CandidateAnswers(asked, tuple(observed), dict(outcomes), str(interview.exhausted))


def pool_of(answers: CandidateAnswers, rng: np.random.Generator, *, size: int = POOL, by: By = "machine") -> list[SurveyCard]:
    """Every pair of a question that was answered and another one, or `size` of these pairs, drawn uniformly.

    Weights say how many of all pairs each stands for.

    >>> import numpy as np
    >>> said = CandidateAnswers((TaskQuestion("1?", "a"), TaskQuestion("2?", "b")), (ShownAnswer(0, "one", True),), {"answer": 1})
    >>> [(card.q1, card.q2, card.weight) for card in pool_of(said, np.random.default_rng(0))]
    [('1?', '2?', 1.0)]
    """
    others = len(answers.questions) - 1
    total = len(answers.observed) * others
    kept = range(total) if total <= size else sorted(map(int, rng.choice(total, size, replace=False)))
    right = {one.question: one.right for one in answers.observed}
    return [_card(number, answers, pair, weight=total / len(kept), by=by, right=right) for number, pair in enumerate(kept, 1)]


def with_more_answers(
    cards: Sequence[SurveyCard], pool: Sequence[SurveyCard], answers: int, rng: np.random.Generator
) -> list[SurveyCard]:
    """Cards that hold answers to further questions, for arms that show `answers` at once; uniformly from those of a pool.

    They are by the same answerer, and neither question of the card is among them. A card for which there are too few has what
    there is.

    >>> import numpy as np
    >>> pool = [SurveyCard(n, f"{n}?", "z?", "a", "b", str(n), True) for n in range(1, 5)]
    >>> [len({one.question for one in card.extras.more} - {card.q1}) for card in
    ...  with_more_answers(pool, pool, 3, np.random.default_rng(0))]
    [2, 2, 2, 2]
    """
    known = {(card.by, card.q1): SeenAnswer(card.q1, card.shown, card.previous_correct) for card in pool}
    found = []
    for card in cards:
        others = [seen for (by, question), seen in known.items() if by == card.by and question not in (card.q1, card.q2)]
        places = rng.choice(len(others), min(answers - 1, len(others)), replace=False) if others else ()
        more = tuple(others[int(place)] for place in places)
        found.append(replace(card, extras=replace(card.extras, more=more)))
    return found


def choose_cards(
    pool: Sequence[SurveyCard],
    n: int,
    *,
    rng: np.random.Generator,
    predictor: Predictor | None = None,
    stage: int | None = None,
    balanced: bool = False,
) -> tuple[SurveyCard, ...]:
    """The cards of a survey, from a pool: uniformly, or mostly those that a predictor thinks telling.

    Parameters
    ----------
    predictor: of belief change, fitted to earlier stages; None draws uniformly, as in the first stage.
    stage: kept with the cards; None leaves what they have.
    balanced: draw two thirds from the top hundredth of the predictor's ranking, and one third from the bottom hundredth, as
        in the paper's test stage.

    Weights are multiplied by how many pairs of the pool each stands for. Raises `BadInput` where the pool is too small.
    """
    if balanced and predictor is None:
        raise BadInput("a balanced test stage needs a predictor: it predicts which pairs change beliefs")
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


def as_pair(card: SurveyCard) -> Pair:
    """What a predictor may know of a card."""
    return Pair(card.q1, card.q2, card.source1, card.source2, card.previous_correct, stage=card.stage, weight=card.weight)


def wording(question: CardQuestion) -> str:
    """A question as respondents read it: its text, and its options with their letters."""
    return "\n".join([question.text, *(f"({letter}) {option}" for letter, option in _lettered(question))])


def _lettered(question: CardQuestion) -> Iterator[tuple[str, str]]:
    return zip(ascii_uppercase, question.options, strict=False)


def shown_answer(question: CardQuestion, grade: Grade, answer: Reply | NoAnswer) -> str | None:
    """The answer as respondents read it, without what was said around it; None where there is nothing to show."""
    if isinstance(answer, NoAnswer) or grade.outcome not in (Outcome.ANSWER, Outcome.DONT_KNOW):
        return None
    said = dict(_lettered(question)).get(grade.read_as)
    text = grade.read_as.strip() if said is None else f"({grade.read_as}) {said}"
    return text if 0 < len(text) <= LONGEST_SHOWN else None


def _card(number: int, answers: CandidateAnswers, pair: int, *, weight: float, by: By, right: Mapping[int, bool]) -> SurveyCard:
    place, other = divmod(pair, len(answers.questions) - 1)
    seen = answers.observed[place]
    other += other >= seen.question
    first, second = answers.questions[seen.question], answers.questions[other]
    extras = CardExtras(seen.explanation, seen.confidence, second_correct=right.get(other))
    texts = (first.text, second.text, first.source, second.source, seen.shown)
    return SurveyCard(number, *texts, previous_correct=seen.right, by=by, weight=weight, extras=extras)


ABOUT: Final = "You were asked this question:\n\n{question}\n\nYou answered:\n\n{answer}\n\n"
EXPLAIN: Final = ABOUT + "Explain in at most three plain sentences why this is the answer. Write the explanation alone."
HOW_SURE: Final = ABOUT + "How probable is it that your answer is correct?"


async def ask_self_reports(
    interview: Interview[Prompt, Reply], answers: CandidateAnswers, kinds: Collection[ArmKind]
) -> CandidateAnswers:
    """The answers with what the candidate says about them, for the kinds of arms that a survey has; others left out."""
    observed = list(answers.observed)
    if "explanation" in kinds:
        prompts = [_prompt(EXPLAIN, answers, one) for one in observed]
        replies = await _replies(interview, prompts, "survey/explanation")
        explained = (_explained(one, reply) for one, reply in zip(observed, replies, strict=False))
        observed = [one for one in explained if one is not None]
    if "confidence" in kinds:
        prompts = [replace(_prompt(HOW_SURE, answers, one), form=Probability()) for one in observed]
        replies = await _replies(interview, prompts, "survey/confidence")
        values = (read(prompt, reply).value for prompt, reply in zip(prompts, replies, strict=False))
        observed = [replace(one, confidence=value) for one, value in zip(observed, values, strict=False) if value is not None]
    return replace(answers, observed=tuple(observed), exhausted=str(interview.exhausted))


async def _replies(interview: Interview[Prompt, Reply], prompts: Sequence[Prompt], topic: str) -> list[Reply | NoAnswer]:
    """Fewer than the prompts where the budget has run out."""
    replies = interview.ask_in_order(prompts, topic=topic, all_wanted=True)
    async with aclosing(replies):
        return [answer async for _, answer in replies]


def _prompt(text: str, answers: CandidateAnswers, one: ShownAnswer) -> Prompt:
    return Prompt(text.format(question=answers.questions[one.question].text, answer=one.shown))


def _explained(one: ShownAnswer, reply: Reply | NoAnswer) -> ShownAnswer | None:
    text = reply.text.strip() if isinstance(reply, Reply) else ""
    return replace(one, explanation=text) if 0 < len(text) <= LONGEST_SHOWN else None
