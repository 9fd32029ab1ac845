"""Certificates as an Inspect task: samples are drawn questions, and their answers are taken in drawn order, in whatever order
they complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Annotated, Any, Literal

import numpy as np
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import EarlyStop
from pydantic import TypeAdapter

from vivavoce.candidates.inspect_ai import finish_of
from vivavoce.candidates.text import as_unicode
from vivavoce.certificate.attempts.attempt import CHOSEN
from vivavoce.certificate.attempts.log import as_given
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.config import GradingConfig, Unreadable
from vivavoce.certificate.design.drawing import AsDrawn
from vivavoce.certificate.evidence.sequential import check_terms
from vivavoce.certificate.run import CertificateRun, RunTerms
from vivavoce.errors import VivavoceError
from vivavoce.formats.interval import Estimate
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.requests import full_prompt
from vivavoce.interview.scope import Scope
from vivavoce.plugins.inspect_plugin.private import PrerequisiteError
from vivavoce.scopes import open_scope
from vivavoce.scopes.questions import Question, Unit
from vivavoce.settings import Seed, Within


def numbers(estimates: Mapping[str, Estimate | None]) -> dict[str, float]:
    """Estimates with the ends of their intervals as metrics; unknown and unbounded values are left out."""
    result: dict[str, float] = {}
    for name, estimate in estimates.items():
        if estimate is not None and estimate.value is not None:
            ends = {name: estimate.value, f"{name}_lower": estimate.interval.lower, f"{name}_upper": estimate.interval.upper}
            result |= {key: float(value) for key, value in ends.items() if isfinite(value)}
    return result


SIGN = {Verdict.PASS: 1, Verdict.UNDECIDED: 0, Verdict.FAIL: -1}
"""The verdict as a number, since metrics must be numbers."""

NOT_COUNTED = (
    "Inspect's logs do not count attempts: no one notices if you repeat the evaluation until the model passes. The guarantee "
    "is for this evaluation alone."
)

_ANSWER: TypeAdapter[Reply | NoAnswer] = TypeAdapter(Reply | NoAnswer)


@dataclass(frozen=True, slots=True)
class CertificateTerms:
    """The claim to certify, and the most questions."""

    scope: str
    passing_grade: float
    """`check_terms` checks the bounds of a criterion."""
    unacceptable_limit: Literal["usual"] | float | None
    delta: float
    questions: Annotated[int, Within(1, 1_000_000)]
    """A limit, because all are made before the first is asked."""
    seed: Seed
    zero_is_unacceptable: bool
    unreadable: Unreadable = GradingConfig().unreadable

    @property
    def criterion(self) -> Criterion:
        """When the candidate passes."""
        return Criterion(self.passing_grade, as_given(self.unacceptable_limit, [_scope(self)]), self.delta)


class OrderedExamination:
    """A run that gets answers in any order, and takes each only after all earlier draws. So a model that is slow when it is
    wrong gains nothing. A sample that never completes (a skipped error, `--sample-id`) blocks all later ones: they are asked,
    but not counted.
    """

    def __init__(self, terms: CertificateTerms, candidate: str = "") -> None:
        scope = _scope(terms)
        self._terms = terms
        self._candidate = candidate
        self._run = CertificateRun(
            scope, AsDrawn(scope).inference(terms.criterion), RunTerms(limit=terms.questions, unreadable=terms.unreadable)
        )
        self._drawn = self._run.prompts(scope.draw(np.random.default_rng(terms.seed)))
        self._waiting: dict[int, Reply | NoAnswer] = {}
        self._next = 1
        self._spent = Usage()
        self._verdict = Verdict.UNDECIDED

    @property
    def ended(self) -> str:
        """The verdict, or that there is none once no further answer can change it."""
        return self._verdict.value if self._run.over else ""

    def take(self, number: int, score: Score) -> None:
        """Take a scored answer, and those that have waited for it; the first answer to a question counts."""
        if number >= self._next and score.metadata is not None and "answer" in score.metadata:
            self._waiting.setdefault(number, _ANSWER.validate_python(score.metadata["answer"]))
        while not self.ended and self._next in self._waiting and next(self._drawn, None) is not None:
            answer = self._waiting.pop(self._next)
            self._spent += answer.usage if isinstance(answer, Reply) else Usage()
            self._verdict = self._run.take(answer)
            self._next += 1

    def finding(self) -> Certificate:
        """The certificate on the answers that were taken; only these count as spending."""
        certificate = self._run.certificate(self._candidate, "", self._spent, self._terms.seed)
        certificate = replace(certificate, caveats=(*certificate.caveats, NOT_COUNTED, CHOSEN))
        if certificate.why_not and self._waiting:
            why_not = f"sample {self._next} never completed, so later samples do not count"
            return replace(certificate, why_not=why_not)
        return certificate


def samples(terms: CertificateTerms) -> list[Sample]:
    """The questions in the order in which the seed draws them. Raises `BadInput`."""
    check_terms(terms.criterion, terms.questions, [_scope(terms)])
    return [
        Sample(id=number, input=_input(full_prompt(prompt)), target=list(question.accepted), metadata={"question": question.id})
        for number, (question, prompt) in enumerate(_drawn(terms), 1)
    ]


def _input(prompt: Prompt) -> str | list[ChatMessage]:
    """The model's input: worked examples as turns before the question."""
    if not prompt.shown:
        return prompt.text
    messages = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [messages[role](content=text) for role, text in prompt.conversation]


class Conclusion:
    """Inspect's protocol for early stopping, by which a task stops once the answers in drawn order are sufficient evidence.

    The certificate's JSON goes to `results.early_stopping.metadata` of the log, which the viewer shows with the task. One
    `Task` may examine several models at once.
    """

    def __init__(self, terms: CertificateTerms) -> None:
        self._terms = terms
        self._examinations: dict[str, OrderedExamination] = {}

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Refuse epochs, because a repeated question is not a second question."""
        if epochs != 1:
            raise PrerequisiteError(f"{epochs} epochs: a repeated question is not another question; leave out --epochs")
        self._examinations[str(get_model())] = OrderedExamination(self._terms, f"inspect:{get_model()}")
        return "vivavoce"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002 -- Inspect names it
        """Skips samples that need not be asked any more."""
        reason = self._of_model().ended
        return EarlyStop(id=id, epoch=epoch, reason=reason) if reason else None

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:  # noqa: A002
        """Takes the score of one sample."""
        if graded.__name__ in scores:
            self._of_model().take(int(id), scores[graded.__name__].score)

    async def complete_task(self) -> dict[str, Any]:
        """The certificate's JSON; without one, the reason in one sentence."""
        try:
            return self._of_model().finding().as_json()
        except VivavoceError as error:
            return {"nothing found": str(error)}

    def _of_model(self) -> OrderedExamination:
        return self._examinations[str(get_model())]


@scorer(metrics=[])
def graded(terms: dict[str, Any]) -> Scorer:
    """Grades an answer by the rule of the scope: its score, and whether it is unacceptable."""
    given = CertificateTerms(**terms)
    scope, questions = _scope(given), [question for question, _ in _drawn(given)]

    async def grade(state: TaskState, target: Target) -> Score:
        answer = _answer(state.output)
        marked = scope.grade(questions[int(state.sample_id) - 1], answer)
        return Score(
            value={"score": marked.score, "unacceptable": int(marked.unacceptable)},
            answer=marked.read_as or None,
            explanation=marked.outcome.value,
            metadata={"answer": _ANSWER.dump_python(answer, mode="json")},
        )

    return grade


@metric
def certified(terms: dict[str, Any]) -> Metric:
    """The e-process over the answers in drawn order: verdict (1, 0, -1), estimates with intervals, logarithms of e-values."""
    given = CertificateTerms(**terms)

    def replay(scores: list[SampleScore]) -> Value:
        in_order = OrderedExamination(given)
        for score in scores:
            if score.sample_id is not None:
                in_order.take(int(score.sample_id), score.score)
        certificate = in_order.finding()
        document: dict[str, float] = {"verdict": SIGN[certificate.verdict], "questions": certificate.questions}
        document |= numbers({"score": certificate.score, "unacceptable": certificate.unacceptable})
        if certificate.score_range is not None:
            document |= {"score_at_most": certificate.score_range.upper, "unread": certificate.unread_counts.count}
        for evidence in certificate.path[-1:]:
            log_e = evidence._asdict().items()
            document |= {f"log_e_{name}": value for name, value in log_e if value is not None and name != "questions"}
        return document | {"log_e_enough": certificate.threshold}

    return replay


def _answer(output: ModelOutput) -> Reply | NoAnswer:
    """The answer, or a missing one if a limit of Inspect ended the sample first."""
    if not output.choices:
        reason = as_unicode(output.error or "the sample ended without an answer")
        return NoAnswer(reason, by_service=bool(output.error))
    used = output.usage
    usage = Usage() if used is None else Usage(used.input_tokens, used.output_tokens, used.total_cost or 0.0)
    return Reply(as_unicode(output.completion), usage, output.model, finish_of(output))


@lru_cache(maxsize=8)
def _scope(terms: CertificateTerms) -> Scope[Question]:
    return open_scope(terms.scope, zero_is_unacceptable=terms.zero_is_unacceptable)


@lru_cache(maxsize=8)
def _drawn(terms: CertificateTerms) -> tuple[tuple[Question, Prompt], ...]:
    """The questions that the run asks at most, each with its prompt."""
    questions: list[Question] = []

    def noted(units: Iterator[Unit]) -> Iterator[Unit]:
        for unit in units:
            questions.extend(unit)
            yield unit

    scope = _scope(terms)
    run = CertificateRun(scope, AsDrawn(scope).inference(terms.criterion), RunTerms(limit=terms.questions))
    prompts = list(run.prompts(noted(scope.draw(np.random.default_rng(terms.seed)))))
    return tuple(zip(questions, prompts, strict=False))  # a cluster that would exceed the limit was drawn, and is not asked
