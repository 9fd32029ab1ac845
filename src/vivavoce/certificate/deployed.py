"""One examination, two verdicts: on a scope as a whole, and on its questions as people will really put them.

People use a model for what they believe it can do (`vafa2024`), so a scope's questions come with weights: the distribution of
what they will ask *this* model, which `viva generalization deploy` writes from their beliefs. Questions are drawn evenly, each
once. The same answers count alike for the whole, and by importance weights with a cap (`weighting`) for the deployment.

Each verdict is given at delta / 2, so any of the two is wrong with probability at most delta, whenever one looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace

import numpy as np

from vivavoce.certificate.deployed_finding import DeploymentCertificate
from vivavoce.certificate.endurance import Endurance
from vivavoce.certificate.evidence import check_terms
from vivavoce.certificate.finding import Criterion, Verdict, answers_topic
from vivavoce.certificate.importance_weighting import ImportanceWeighting, importance_weighting_of
from vivavoce.certificate.questions import Question
from vivavoce.certificate.register import begin, end, of_attempt, terms_of, within
from vivavoce.certificate.rows import in_order, marks_of
from vivavoce.certificate.run import Run
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.certificate.score import Unreadable
from vivavoce.certificate.signed import as_asked, signed
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope

NAME = "deployment certificate"


async def certify_deployed(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question],
    criterion: Criterion,
    *,
    seed: int | None = None,
    questions: int | None = None,
    unreadable: Unreadable = "interval",
    again: bool = False,
    endurance: Endurance = Endurance(),  # noqa: B008 -- frozen
) -> DeploymentCertificate:
    """Does this candidate understand the scope as a whole, and as people will use it, with error at most delta for both?

    Parameters
    ----------
    scope: a list of questions; their weights say how often each will be asked.
    criterion: the same for both; its delta is that of the two verdicts together.
    questions: at most this many. When all have been asked both verdicts are exact.
    unreadable, endurance: see `certify`.
    again: see `certify`; each verdict has half of the attempt's share of delta.

    The weights are taken as given: delta does not cover what is unknown about people's beliefs.

    Raises what the interview raises, and `BadInput` for a scope without an end or with weights that are all alike.

    >>> import asyncio
    >>> from vivavoce.candidates import open_candidate
    >>> sums = [Question(f"q{n}", f"What is {n} + {n}?", accepted=(str(2 * n),), weight=n) for n in range(1, 40)]
    >>> interview = Interview(open_candidate("bot:calculator"), answers=Reply)
    >>> found = asyncio.run(certify_deployed(interview, ListedScope("doubles", tuple(sums)), Criterion(0.7, None)))
    >>> found.headline
    'bot:calculator understands doubles, both as a whole and as people will use it.'
    """
    check_terms(criterion, questions, [scope])
    used = importance_weighting_of(scope)
    if not isinstance(scope, ListedScope) or used.alike:
        raise BadInput("the weights are all alike: 'viva generalization deploy' writes a scope with what people will ask")
    endurance.check("sequential", questions)
    attempt = await begin(
        interview,
        terms_of(NAME, interview, [scope], criterion, unreadable=unreadable, seed=seed, **endurance.settings),
        again=again,
    )
    runs = _runs(scope, used, of_either(within(criterion, attempt)), questions, unreadable, endurance)
    open_ones = list(runs)
    asked = 0
    prompts = _prompts(runs, used, np.random.default_rng(attempt.seed.number), questions)
    times = await endurance.times(interview, scope, seed=attempt.seed.number, questions=questions)
    # the one that has its verdict first takes no more: the other has the marks of all
    interview.results.mark_by(lambda heard: in_order(heard, max((marks_of(one.taken) for one in runs), key=len)))
    async with aclosing(interview.ask_in_order(prompts, topic=answers_topic(scope.name), times=times)) as answers:
        async for _, answer in answers:
            asked += 1
            for one in open_ones:
                one.take(answer)
            open_ones = [one for one in open_ones if not one.over]
            if not open_ones:
                break
    name = interview.candidate.name
    found = [
        as_asked(one.certificate(name, interview.exhausted, interview.spending, attempt.seed.number), interview) for one in runs
    ]
    over = all(one.complete or one.verdict is not Verdict.NO_CONCLUSION for one in found)
    attempt = await end(interview, attempt, f"{found[0].verdict.value} / {found[1].verdict.value}", asked, over=over)
    found = [replace(one, signature=replace(one.signature, seed=attempt.told_seed)) for one in found]
    return DeploymentCertificate(
        whole=found[0],
        deployed=found[1],
        criterion=criterion,
        asked=asked,
        shares=used.shares(),
        signature=of_attempt(
            signed(
                NAME,
                name,
                scope=scope.name,
                digest=scope.digest,
                criterion=criterion,
                seed=attempt.seed.number,
                questions=questions,
                unreadable=unreadable,
                **endurance.settings,
                **interview.settings,
            ),
            criterion,
            attempt,
        ),
        attempt=attempt,
    )


def of_either(criterion: Criterion) -> Criterion:
    """The criterion of either verdict: half of the error."""
    return replace(criterion, delta=criterion.delta / 2)


def _runs(
    scope: ListedScope,
    used: ImportanceWeighting,
    criterion: Criterion,
    limit: int | None,
    unreadable: Unreadable,
    endurance: Endurance,
) -> tuple[Run, Run]:
    """On the scope as a whole, and by its weights."""
    whole = replace(scope, questions=_alike(scope.questions))
    evenly = None if whole.population else importance_weighting_of(whole)
    return (
        Run(whole, criterion, "sequential", limit=limit, design=evenly, unreadable=unreadable, endurance=endurance),
        Run(scope, criterion, "sequential", limit=limit, design=used, unreadable=unreadable, endurance=endurance),
    )


def _prompts(runs: tuple[Run, Run], used: ImportanceWeighting, rng: np.random.Generator, limit: int | None) -> Iterator[Prompt]:
    """What to ask, unit by unit; both runs wait for the same answers."""
    drawn = 0
    for unit in used.draw(rng):
        drawn += len(unit)
        if limit is not None and drawn > limit:
            return
        whole, deployed = runs
        for _ in whole.prompts(iter([_alike(unit)])):
            pass
        yield from deployed.prompts(iter([unit]))


def _alike(questions: tuple[Question, ...]) -> tuple[Question, ...]:
    return tuple(replace(question, weight=1.0) for question in questions)
