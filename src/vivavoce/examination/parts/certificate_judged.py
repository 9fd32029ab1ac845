"""Scopes that a judge grades, as part of an examination: one certificate each, within the same budget."""

from __future__ import annotations

from typing import Any, Final

from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.questions import mixed
from vivavoce.certificate.verdict import Criterion, brief
from vivavoce.examination.part import CostEstimate, ExaminationConfig, Table, priced
from vivavoce.examination.plan import CertificatePlan
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview

TOKENS: Final = (600, 100)
"""Of what a judge is shown and what it says: a guess to decide by."""


def judging_estimate(examination: ExaminationConfig, one: CertificatePlan, scope: Any, calls: int) -> CostEstimate:
    """The judgements of this many answers, less those that the rule grades, at the judge's prices.

    Raises `BadInput` for a rubric that cannot be read, and `UnknownName` for a judge that is no candidate.
    """
    from vivavoce.candidates.names import kind_of
    from vivavoce.certificate.graders.judge import rubric_of

    assert one.judge is not None
    kind_of(one.judge)
    if one.rubric is not None:
        rubric_of(one.rubric)
    questions = getattr(scope, "questions", ())
    if mixed(questions):
        calls = -(-calls * sum(not question.for_rule for question in questions) // len(questions))
    return priced(examination.judges.get(one.judge), calls, calls * TOKENS[0], calls * TOKENS[1])


def together(asked: CostEstimate, *judged: CostEstimate) -> CostEstimate:
    """What is asked with all judgements of it.

    >>> together(CostEstimate(60, 9000, 0.5, "at most"), CostEstimate(15, 3000, 0.25)).note
    'at most; ~15 of them to the judge'
    """
    judgements = sum(one.calls for one in judged)
    return CostEstimate(
        asked.calls + judgements,
        asked.tokens + sum(one.tokens for one in judged),
        asked.money + sum(one.money for one in judged),
        f"{asked.note}; ~{judgements} of them to the judge",
    )


async def certify_judged(
    table: Table, interview: Interview[Prompt, Reply], one: CertificatePlan, scope: Any, criterion: Criterion
) -> Certificate:
    """The certificate on this scope by the judgement of the plan's judge."""
    from vivavoce.certificate.composition import Composition
    from vivavoce.certificate.examine import certify
    from vivavoce.certificate.graders.annotation import Graders
    from vivavoce.certificate.graders.judge import RUBRIC, Judge, rubric_of

    assert one.judge is not None
    assert table.judged_by is not None
    judge = Judge(
        table.judged_by(one.judge, scope.digest),
        rubric=RUBRIC if one.rubric is None else rubric_of(one.rubric),
        topic=f"judging/{brief(scope.name)}",
    )
    composition = Composition(grading=Graders(judge=judge, ahead=2 * interview.concurrency))
    found: Certificate = await certify(
        interview,
        scope,
        criterion,
        composition,
        seed=table.examination.plan.seed,
        questions=one.questions,
        again=table.again,
    )
    table.rests_on(found.spending)
    return found
