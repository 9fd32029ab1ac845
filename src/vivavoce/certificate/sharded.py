"""An examination whose questions are asked by many machines, each a part of them, before one looks at the answers.

`prepare` puts the attempt on record with its seed, and the order that follows from it up to a number of questions. `ask_shard`
asks every n-th of these over a record that begins so. `interview.merging` brings the records together; over what comes of that
`examine.certify` finds all answers on record, and gives the verdict that one run would have given.

The guarantee is that of `certify`: which questions are asked, in which order and as which draw, is settled before any answer,
and answers are taken in that order. What was asked beyond the verdict counts for nothing; it is the price of asking at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from typing import Any

from vivavoce.certificate.composition import Composition, Subject
from vivavoce.certificate.course import Begun
from vivavoce.certificate.deployed import Deployment
from vivavoce.certificate.examine import begun_examination, target_of
from vivavoce.certificate.features import refusal, refuse
from vivavoce.certificate.prepared_order import (
    ENDLESS,
    TOPIC,
    Beyond,
    Prepared,
    ShardAsked,
    check_order,
    longest_order,
    order_of,
    write_order,
)
from vivavoce.certificate.questions import Question
from vivavoce.certificate.verdict import Criterion, answers_topic
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope
from vivavoce.interview.shard import Shard
from vivavoce.statistics.planning import rate_boundary


async def prepare(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question] | Deployment,
    criterion: Criterion,
    composition: Composition = Composition(),  # noqa: B008 -- frozen
    *,
    seed: int | None = None,
    questions: int | None = None,
    again: bool = False,
) -> Prepared:
    """Begin an examination that shards will ask: its attempt, seed and order go on record, and nothing is asked.

    The parameters are those of `certify`; so are the terms that they make up. A second time with more questions it goes on
    with the same order. Raises `BadInput` where what is asked depends on answers, or where questions have no end.
    """
    subject = _divisible(scope, composition, criterion, questions)
    begun = await begun_examination(interview, subject, criterion, composition, seed=seed, questions=questions, again=again)
    await _times(begun)
    order = order_of(await _prompts(begun, composition))
    await asyncio.to_thread(write_order, interview, begun.attempt.held, questions, order)
    return Prepared(interview.candidate.name, begun.scope.name, order, begun.attempt.number, _least(begun))


async def ask_shard(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question] | Deployment,
    criterion: Criterion,
    composition: Composition = Composition(),  # noqa: B008 -- frozen
    *,
    shard: Shard,
    seed: int | None = None,
    questions: int | None = None,
) -> ShardAsked:
    """Ask this part of the questions of an examination that was prepared with the same terms and number of questions.

    What is on record is not asked again. Raises `BadInput` where the record does not begin with a preparation, or where this
    machine draws other questions than the one that prepared.
    """
    subject = _divisible(scope, composition, criterion, questions)
    begun = await begun_examination(
        interview, subject, criterion, composition, seed=seed, questions=questions, again=False, on_record=True
    )
    order = order_of(await _prompts(begun, composition))
    await asyncio.to_thread(check_order, interview.transcript, begun.attempt.held, questions, order)
    prompts, times = await _prompts(begun, composition), await _times(begun)
    asked, no_answers = await asked_of(interview, prompts, begun.scope.name, shard, begun.first_draw, times)
    share, name = shard.share(order.questions), interview.candidate.name
    return ShardAsked(name, begun.scope.name, shard, share, asked, no_answers, interview.exhausted, interview.spending)


async def asked_of(
    interview: Interview[Prompt, Reply],
    prompts: Iterator[Prompt],
    scope: str,
    shard: Shard,
    first_draw: int,
    times: Iterator[datetime] | None = None,
) -> tuple[int, int]:
    """Ask a shard of what is drawn: how many have an outcome on record now, and how many of these are no answers."""
    asked = no_answers = 0
    topic = answers_topic(scope)
    asking = interview.ask_in_order(prompts, topic=topic, times=times, shard=shard, all_wanted=True, first_draw=first_draw)
    async with aclosing(asking) as answers:
        async for _, answer in answers:
            asked += 1
            no_answers += isinstance(answer, NoAnswer)
    return asked, no_answers


async def asked_beyond(
    interview: Interview[Prompt, Reply],
    scope: Any,
    criterion: Criterion,
    composition: Composition,
    *,
    seed: int | None,
    questions: int | None,
) -> Beyond | None:
    """What shards asked beyond what `certify` has just found in this interview; None where nothing was prepared for it."""
    if not await asyncio.to_thread(interview.transcript.knows_topic, COMMITTER, TOPIC):
        return None
    counted, subject = len(interview.handed_out), Subject.of(scope)
    if refusal(composition.features(subject) | {"shards"}):
        return None
    begun = await begun_examination(
        interview, subject, criterion, composition, seed=seed, questions=questions, again=False, on_record=True
    )
    longest = await longest_order(interview.transcript, begun.attempt.held)
    if longest is None:
        return None
    most, prepared = longest
    whole = replace(begun, terms=replace(begun.terms, limit=most))
    answered = await interview.on_record(
        await _prompts(whole, composition), topic=answers_topic(begun.scope.name), first_draw=begun.first_draw
    )
    return Beyond(prepared.questions, answered, counted)


def _divisible(
    scope: Scope[Question] | Deployment, composition: Composition, criterion: Criterion, questions: int | None
) -> Subject:
    """What is examined. Raises `BadInput` where it cannot be divided."""
    subject = Subject.of(scope)
    composition.check(subject, criterion, questions)
    refuse(composition.features(subject) | {"shards"})
    if questions is None and any(one.population is None for one in composition.populations(subject)):
        raise BadInput(ENDLESS)
    return subject


async def _prompts(begun: Begun, composition: Composition) -> Iterator[Prompt]:
    """All that is asked, from the first question; none of it depends on an answer."""
    return (await composition.grading.course(begun, target_of(begun))).prompts()


async def _times(begun: Begun) -> Iterator[datetime] | None:
    """The moments of the questions. The first of them is on record from now on."""
    terms = begun.terms
    each = None if terms.draws is None else terms.draws.number
    return await terms.endurance.times(begun.interview, begun.scope, seed=begun.seed, questions=terms.limit, answers=each)


def _least(begun: Begun) -> int | None:
    """Questions that "understands" takes at the earliest: those without a ridiculous answer that the limit on these takes."""
    limit, terms = begun.own.ridiculous_limit, begun.terms
    if terms.procedure == "fixed":
        return terms.limit
    if limit is None or terms.draws is not None:
        return None
    clean = next(rate_boundary(limit, begun.own.delta))
    return max(clean, terms.endurance.at_least or 0)
