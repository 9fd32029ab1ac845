"""An examination whose questions are asked by many machines, each a part of them, before one looks at the answers.

`prepare` puts the attempt on record with its seed, and the order that follows from it up to a number of questions. `ask_shard`
asks every n-th of these over a record that begins so. `interview.merging` brings the records together; over what comes of that
`examine.certify` finds all answers on record, and gives the verdict that one run would have given.

The guarantee is that of `certify`: which questions are asked, in which order and as which draw, is settled before any answer,
and answers are taken in that order. What was asked beyond the verdict counts for nothing; it is the price of asking at once.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from vivavoce.certificate.composition import Composition, Subject
from vivavoce.certificate.course import Begun
from vivavoce.certificate.deployed import Deployment
from vivavoce.certificate.examine import begun_examination, target_of
from vivavoce.certificate.features import refusal, refuse
from vivavoce.certificate.questions import Question
from vivavoce.certificate.verdict import Criterion, answers_topic
from vivavoce.errors import BadInput, TranscriptDamaged
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.commitment import COMMITTER, own_entry
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import Key, Record, canonical_json, digest_of
from vivavoce.interview.scope import Scope
from vivavoce.interview.shard import Shard
from vivavoce.interview.transcript import Transcript
from vivavoce.statistics.planning import rate_boundary

TOPIC: Final = "order"
"""Of the records that hold the digest of an order."""


@dataclass(frozen=True, slots=True)
class Order:
    """The questions of an attempt up to a number, in the order in which they are drawn."""

    questions: int
    """Drawn; at most as many as were wished for, since no cluster is cut in two."""
    sha256: str
    """In hex, over the id and the text of each."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What shards may begin with."""

    candidate: str
    scope: str
    order: Order
    attempt: int
    """From 1."""
    least: int | None
    """Questions that the verdict "understands" takes at the earliest; None where that depends on the answers."""

    @property
    def cost(self) -> str:
        """What it costs to ask side by side, in a sentence or two."""
        earliest = "" if self.least is None else f" ('understands' takes {count(self.least)} questions at the earliest)"
        return (
            f"One run stops at its verdict{earliest}; shards ask all {count(self.order.questions)}, and what is beyond the "
            "verdict counts for nothing. 'viva plan' tells how many to expect."
        )

    @property
    def statement(self) -> str:
        """What was done, in a sentence."""
        return (
            f"{count(self.order.questions)} questions on {self.scope} to {self.candidate} are drawn, and their order is on "
            f"record (SHA-256 {self.order.sha256[:12]}...). Nothing was asked."
        )

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "candidate": self.candidate,
            "scope": self.scope,
            "attempt": self.attempt,
            "prepared": self.order.questions,
            "order_sha256": self.order.sha256,
            "least_to_understand": self.least,
        }


@dataclass(frozen=True, slots=True)
class Beyond:
    """What was asked side by side, and what of it counted."""

    prepared: int
    answered: int
    """Of these, how many have an outcome on record."""
    counted: int
    """Of these, how many the finding rests on."""

    @property
    def wasted(self) -> int:
        """Answers that count for nothing."""
        return max(0, self.answered - self.counted)

    @property
    def statement(self) -> str:
        """How many were asked for nothing, in a sentence.

        >>> Beyond(640, 640, 94).statement
        '640 of 640 prepared questions are on record, and the finding rests on 94: 546 (85%) were asked for nothing.'
        """
        return (
            f"{count(self.answered)} of {count(self.prepared)} prepared questions are on record, and the finding rests on "
            f"{count(self.counted)}: {count(self.wasted)} ({self.wasted / self.answered:.0%}) were asked for nothing."
        )


@dataclass(frozen=True, slots=True)
class ShardAsked:
    """How far a shard has come. It has no verdict: that takes the answers of all of them."""

    candidate: str
    scope: str
    shard: Shard
    share: int
    """Its questions."""
    asked: int
    """Of these, how many have an outcome on record."""
    no_answers: int
    """Of those, how many brought no answer."""
    exhausted: str
    """Which limit of the budget ended the questions; empty where none did."""
    spending: Usage

    @property
    def complete(self) -> bool:
        """Whether all of its questions have an outcome."""
        return self.asked == self.share

    @property
    def statement(self) -> str:
        """How far it has come, in a sentence."""
        none = f", {count(self.no_answers)} of them without an answer" if self.no_answers else ""
        ended = f"; the budget for {self.exhausted} is used up" if self.exhausted else ""
        return (
            f"Shard {self.shard} of {self.candidate} on {self.scope}: {count(self.asked)} of {count(self.share)} questions "
            f"asked{none}{ended}. The verdict takes the answers of all shards."
        )

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "candidate": self.candidate,
            "scope": self.scope,
            "shard": self.shard.number,
            "of": self.shard.of,
            "questions": self.share,
            "asked": self.asked,
            "no_answers": self.no_answers,
            "complete": self.complete,
            "exhausted": self.exhausted or None,
            "spending": asdict(self.spending),
        }


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
    order = _order_of(await _prompts(begun, composition))
    await asyncio.to_thread(_written, interview, begun, order)
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
    prepared = await asyncio.to_thread(order_on_record, interview.transcript, begun)
    if prepared is None:
        raise BadInput(_not_prepared(interview.transcript, begun))
    drawn = _order_of(await _prompts(begun, composition))
    if drawn != prepared:
        raise BadInput(
            f"this machine draws other questions than the one that prepared (SHA-256 {drawn.sha256[:12]}..., not "
            f"{prepared.sha256[:12]}...): install the same versions of vivavoce and numpy on both"
        )
    asked = no_answers = 0
    prompts, times = await _prompts(begun, composition), await _times(begun)
    async with aclosing(
        interview.ask_in_order(prompts, topic=answers_topic(begun.scope.name), times=times, shard=shard)
    ) as answers:
        async for _, answer in answers:
            asked += 1
            no_answers += isinstance(answer, NoAnswer)
    share = shard.share(prepared.questions)
    name = interview.candidate.name
    return ShardAsked(name, begun.scope.name, shard, share, asked, no_answers, interview.exhausted, interview.spending)


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
    limits = await asyncio.to_thread(_limits, interview.transcript, begun)
    if not limits:
        return None
    most = None if None in limits else max(one for one in limits if one is not None)
    whole = replace(begun, terms=replace(begun.terms, limit=most))
    prepared = await asyncio.to_thread(order_on_record, interview.transcript, whole)
    answered = await interview.on_record(await _prompts(whole, composition), topic=answers_topic(begun.scope.name))
    return None if prepared is None else Beyond(prepared.questions, answered, counted)


def order_on_record(transcript: Transcript, begun: Begun) -> Order | None:
    """The order of this attempt up to this number of questions; None where none is on record."""
    record = transcript.find_all([_key(begun)])[0]
    return None if record is None else _order(record, transcript)


def _divisible(
    scope: Scope[Question] | Deployment, composition: Composition, criterion: Criterion, questions: int | None
) -> Subject:
    """What is examined. Raises `BadInput` where it cannot be divided."""
    subject = Subject.of(scope)
    composition.check(subject, criterion, questions)
    refuse(composition.features(subject) | {"shards"})
    if questions is None and any(one.population is None for one in composition.populations(subject)):
        raise BadInput("questions are drawn without an end: say how many of them shards are to ask, with --questions N")
    return subject


async def _prompts(begun: Begun, composition: Composition) -> Iterator[Prompt]:
    """All that is asked, from the first question; none of it depends on an answer."""
    return (await composition.grading.course(begun, target_of(begun))).prompts()


async def _times(begun: Begun) -> Iterator[datetime] | None:
    """The moments of the questions. The first of them is on record from now on."""
    terms = begun.terms
    each = None if terms.draws is None else terms.draws.number
    return await terms.endurance.times(begun.interview, begun.scope, seed=begun.seed, questions=terms.limit, answers=each)


def _order_of(prompts: Iterator[Prompt]) -> Order:
    number, found = 0, hashlib.sha256()
    for prompt in prompts:
        number += 1
        found.update(canonical_json([prompt.id, prompt.text]).encode() + b"\n")
    return Order(number, found.hexdigest())


def _written(interview: Interview[Prompt, Reply], begun: Begun, order: Order) -> None:
    """Put the order on record. Raises `BadInput` where another one is there, which another machine drew."""
    at = interview.clock.now().astimezone(UTC).isoformat()
    entry = own_entry(_key(begun), topic=TOPIC, question=_question(begun), answer=canonical_json(asdict(order)), at=at)
    [record] = interview.transcript.append([entry])
    if _order(record, interview.transcript) != order:
        raise BadInput(
            f"transcript {interview.transcript.name} was prepared with another order: go on with the versions of vivavoce and "
            "numpy that prepared it"
        )


def _order(record: Record, transcript: Transcript) -> Order:
    try:
        values = json.loads(record.answer)
        return Order(int(values["questions"]), str(values["sha256"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TranscriptDamaged(f"{record} of transcript {transcript.name} should be an order, and is none") from None


def _not_prepared(transcript: Transcript, begun: Begun) -> str:
    limits, given = _limits(transcript, begun), begun.terms.limit
    if not limits:
        return f"transcript {transcript.name} was not prepared: run the same command with --prepare in place of --shard first"
    known = " and ".join("all" if one is None else count(one) for one in limits)
    wished = "all questions" if given is None else f"{count(given)} questions"
    return (
        f"{wished} were not prepared in transcript {transcript.name}, but {known}: give --questions as it was, or prepare anew"
    )


def _limits(transcript: Transcript, begun: Begun) -> list[int | None]:
    """Up to how many questions this attempt was prepared; None: all."""
    held = begun.attempt.held
    questions = [json.loads(record.question) for record in transcript.records(candidate=COMMITTER, topic=TOPIC)]
    own = [one for one in questions if (one["order of"], one["attempt"]) == (held.terms.candidate, held.line)]
    return [one["questions"] for one in own]


def _least(begun: Begun) -> int | None:
    """Questions that "understands" takes at the earliest: those without a ridiculous answer that the limit on these takes."""
    limit, terms = begun.own.ridiculous_limit, begun.terms
    if terms.procedure == "fixed":
        return terms.limit
    if limit is None or terms.draws is not None:
        return None
    clean = next(rate_boundary(limit, begun.own.delta))
    return max(clean, terms.endurance.at_least or 0)


def _key(begun: Begun) -> Key:
    return Key(COMMITTER, digest_of(_question(begun)), 0)


def _question(begun: Begun) -> str:
    held = begun.attempt.held
    return canonical_json({"order of": held.terms.candidate, "attempt": held.line, "questions": begun.terms.limit})
