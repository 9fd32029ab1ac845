"""The examination: draw questions, ask them, stop as soon as the evidence is enough."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Final, overload

from vivavoce.certificate.attempts import Terms as AttemptTerms
from vivavoce.certificate.claims import ClaimFinding
from vivavoce.certificate.composition import Composition, Subject
from vivavoce.certificate.course import Begun, Course, OneRun, Target
from vivavoce.certificate.deployed import NAME as DEPLOYED
from vivavoce.certificate.deployed import DeployedRuns, Deployment
from vivavoce.certificate.deployed_finding import DeploymentCertificate
from vivavoce.certificate.determinism import DeclarationCheck
from vivavoce.certificate.draws.afresh import check_answers_afresh, check_answers_once
from vivavoce.certificate.extension import check_seed, extended_by, rescore
from vivavoce.certificate.extension import put_on_record as put_extension_on_record
from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.history import put_on_record
from vivavoce.certificate.many import NAME as MANY
from vivavoce.certificate.many import ManyCourse
from vivavoce.certificate.many_finding import ManyScopes
from vivavoce.certificate.register import attempts, begin, known_seed, terms_of
from vivavoce.certificate.run import Terms
from vivavoce.certificate.verdict import Criterion, answers_topic
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.results import stands
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question

MANY_TOPIC: Final = "certificate/many"
"""Where answers stand that several scopes have in one examination."""


@overload
async def certify(
    interview: Interview[Prompt, Reply],
    scope: Deployment,
    criterion: Criterion,
    composition: Composition = ...,
    *,
    seed: int | None = ...,
    questions: int | None = ...,
    again: bool = ...,
) -> DeploymentCertificate: ...


@overload
async def certify(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question],
    criterion: Criterion,
    composition: Composition = ...,
    *,
    seed: int | None = ...,
    questions: int | None = ...,
    again: bool = ...,
) -> Certificate: ...


@overload
async def certify(
    interview: Interview[Prompt, Reply],
    scope: Sequence[Scope[Question]],
    criterion: Criterion,
    composition: Composition = ...,
    *,
    seed: int | None = ...,
    questions: int | None = ...,
    again: bool = ...,
) -> ManyScopes: ...


async def certify(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question] | Deployment | Sequence[Scope[Question]],
    criterion: Criterion,
    composition: Composition = Composition(),  # noqa: B008 -- frozen
    *,
    seed: int | None = None,
    questions: int | None = None,
    again: bool = False,
) -> ClaimFinding:
    """Does this candidate understand this scope, or which of these scopes, with error at most delta?

    Parameters
    ----------
    scope: one, of several each for a verdict of its own, or `deployed.deployment_of` one, for two verdicts on the same answers:
        on the scope as a whole, and as people will use it.
    criterion: the claim: a mean score of at least this, and ridiculous answers at most this often; with delta.
    composition: how questions are drawn, who grades, and how one looks; as the scope draws and grades, after every answer.
    seed: of the order in which questions are drawn. None draws one, and has the transcript commit to it before the first
        question; one that is given is for examples and studies, and the finding says so. Of several scopes, what each draws
        depends on the seed and on that scope, not on the others.
    questions: at most this many (sequential), or this many (fixed, where it must be given); of several scopes in all. A
        cluster is never cut in two. With a judge and people both it counts all that are asked, the finding's `questions` those
        that people graded; with explanations those that are put to the candidate.
    again: begin another attempt, at what is left of delta, although the transcript holds one (see `attempts`).

    The guarantee: P(a verdict is given and is wrong) <= delta for every fixed candidate, whatever the interview's budget and
    whenever it is interrupted, for all attempts on record together; this one has its share of delta. Of several scopes see
    `multiple_testing`. It needs answers in drawn order, which `Interview.ask_in_order` keeps, and grades in that order, too: an
    answer that waits for people's grade ends the evidence there, and the same call with more grades goes on from the record.
    When all of a finite scope has been asked the verdict is exact.

    Raises what the interview raises; what was answered before is on record, and the same call goes on from there. Raises
    `BadInput` for what does not go together (`features.REFUSED`), and `OtherTerms` where the transcript holds an examination of
    this candidate on this scope that is not the same.

    >>> import asyncio
    >>> from vivavoce.candidates import open_candidate
    >>> from vivavoce.scopes import open_scope
    >>> interview = Interview(open_candidate("bot:calculator"), answers=Reply)
    >>> chosen = [open_scope("arithmetic"), open_scope("intervals")]
    >>> asyncio.run(certify(interview, chosen, Criterion(0.7, None), seed=0)).headline
    'bot:calculator passes 1 of 2 scopes and fails 1: 0% to 100% correct, 70% required.'
    """
    subject = Subject.of(scope)
    composition.check(subject, criterion, questions)
    begun = await begun_examination(interview, subject, criterion, composition, seed=seed, questions=questions, again=again)
    if subject.several:
        many = ManyCourse(begun, composition.grading, composition.correction, composition.family)
        apart = composition.family is not None  # as a certificate by itself, or a comparison, has its answers
        await _carry_out(begun, many, topic=answers_topic(begun.scope.name) if apart else MANY_TOPIC, steady=True)
        return await many.finish()
    course = await composition.grading.course(begun, target_of(begun))
    await _carry_out(begun, course, topic=answers_topic(begun.scope.name))
    found = await course.finish()
    if composition.extension is None or not isinstance(found, Certificate):
        return found
    return found.by_extended_list(extended_by(interview.transcript, composition.extension, begun.attempt))


async def begun_examination(
    interview: Interview[Prompt, Reply],
    subject: Subject,
    criterion: Criterion,
    composition: Composition,
    *,
    seed: int | None,
    questions: int | None,
    again: bool,
) -> Begun:
    """The examination with its terms on record."""
    grading, scopes = composition.grading, subject.scopes
    name = MANY if subject.several else "certificate" if subject.deployment is None else DEPLOYED

    def settled(by: Composition) -> AttemptTerms:
        return terms_of(name, interview, scopes, criterion, seed=seed, **by.terms(subject, questions))

    if composition.draws is None:
        check_answers_once([interview.candidate])
    else:
        check_answers_afresh([interview.candidate], composition.draws.number, getattr(scopes[0], "questions", ()))
    await grading.prepare()
    populations = composition.populations(subject)
    if composition.extension is not None:
        held = await asyncio.to_thread(attempts, interview.transcript, interview.candidate.name)
        check_seed(seed, settled(composition), held)
        await put_extension_on_record(interview, composition.extension)
    attempt = await begin(interview, settled(composition), scopes, again=again)
    if composition.history is not None:
        await put_on_record(interview, composition.history)
    if composition.extension is not None:
        await rescore(interview, composition.extension, scopes[0], attempt, known_seed)
    terms = Terms(
        composition.procedure,
        questions,
        grading.unreadable,
        composition.endurance,
        design=populations[0].settings,
        graded={name: value for one in scopes for name, value in grading.settings(one).items()},
        judged=grading.judged,
        ruled=any(map(grading.mix, scopes)),
        draws=composition.draws,
        rows=interview.results.wanted,
    )
    return Begun(interview, scopes, populations, criterion, terms, attempt)


async def _carry_out(begun: Begun, course: Course, *, topic: str, steady: bool = False) -> None:
    """Ask until the course is at its end, or nothing is left to ask; `steady`: answers decide what is drawn."""
    interview, terms = begun.interview, begun.terms
    each = None if terms.draws is None else terms.draws.number
    times = await terms.endurance.times(interview, begun.scope, seed=begun.seed, questions=terms.limit, answers=each)
    interview.results.mark_by(course.rows)
    asked = interview.ask_in_order(
        course.prompts(),
        topic=topic,
        times=times,
        all_wanted=terms.procedure == "fixed",
        steady=steady,
        first_draw=begun.first_draw,
    )
    check = DeclarationCheck(interview, topic, begun.first_draw)
    async with (
        aclosing(check.heard(asked)) as answers,
        aclosing(course.graded(answers)) as graded,
    ):
        async for one in graded:
            over = await course.take(one)
            stands(course.so_far)
            if over:
                break
    await check.finish()


def target_of(begun: Begun) -> Target:
    """What graded units are evidence for."""
    population = begun.population
    if isinstance(population, Deployment):
        return DeployedRuns(begun, population)
    return OneRun(begun.scope, population.inference(begun.own, begun.terms.procedure), begun.terms)
