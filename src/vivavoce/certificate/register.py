"""The register of attempts in the transcript: what is begun is written there first, and what came of it at the end.

Its records are ordinary ones, chained to all others, under a candidate's name that is nobody's. The n-th attempt of a candidate
is the n-th draw of one question, so of two processes that begin at once one record stands, and the other process sees it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC
from typing import Any, Final

from vivavoce.certificate.attempts import Attempt, Held, Terms, counted, delta_of, refusal
from vivavoce.certificate.finding import Certificate, Criterion, brief
from vivavoce.certificate.strata import Strata
from vivavoce.certificate.weighing import Weighing
from vivavoce.errors import OtherTerms, TranscriptDamaged
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import Entry, Record, canonical_json, digest_of
from vivavoce.interview.transcript import Transcript

REGISTER: Final = "viva:attempts"
"""Whose records these are; no candidate has that name."""
TOPIC: Final = "attempts"


def terms_of(
    examination: str,
    interview: Interview[Prompt, Reply],
    scopes: Sequence[Any],
    criterion: Criterion,
    **settings: object,
) -> Terms:
    """The terms of an examination that is about to begin; scopes by title and digest, whatever folder they lie in."""
    return Terms(
        examination,
        interview.candidate.name,
        tuple((brief(scope.name), scope.digest) for scope in scopes),
        asdict(criterion) | settings | {"asking": interview.settings["asking"]},
    )


def design_name(design: Strata | Weighing | None) -> str | None:
    """How questions are drawn, for the terms: the weights and categories themselves are in the scope's digest."""
    return None if design is None else "evenly" if isinstance(design, Weighing) else "strata"


async def begin(interview: Interview[Prompt, Reply], terms: Terms, *, again: bool) -> Attempt:
    """The attempt with these terms: the one on record, or a new one, which is on record before its first question.

    again: begin a new one, unless the last with these terms was interrupted, which then goes on.

    Raises `OtherTerms` where there are attempts with other terms alone and no new one is wanted.
    """
    while True:
        held = await asyncio.to_thread(attempts, interview.transcript, terms.candidate)
        related = [one for one in held if terms.touches(one.terms)]
        same = [one for one in related if one.terms.digest == terms.digest]
        if same and not (again and same[-1].verdict):
            return Attempt(same[-1], tuple(one for one in related if one is not same[-1]))
        number = counted(terms, held)
        delta = float(terms.settings["delta"])
        if related and not again:
            raise OtherTerms(refusal(terms, related[-1], number, delta))
        begun = Held(number, delta_of(delta, number), terms, interview.clock.now().astimezone(UTC).isoformat(), len(held))
        if await _written(interview.transcript, begun):
            return Attempt(begun, tuple(related))


async def end(interview: Interview[Prompt, Reply], attempt: Attempt, verdict: str, questions: int) -> Attempt:
    """Write down what came of an attempt, as far as it has come; the attempt with that."""
    held = replace(attempt.held, verdict=verdict, questions=questions)
    question = {"outcome of": held.terms.candidate, "attempt": held.line, "verdict": verdict, "questions": questions}
    entry = _entry(question, {}, 0, interview.clock.now().astimezone(UTC).isoformat())
    await asyncio.to_thread(interview.transcript.append, [entry])
    return replace(attempt, held=held)


def within(criterion: Criterion, attempt: Attempt) -> Criterion:
    """The criterion of an attempt: with the error that it may make."""
    return replace(criterion, delta=attempt.delta)


async def ended(interview: Interview[Prompt, Reply], found: Certificate, criterion: Criterion, attempt: Attempt) -> Certificate:
    """The certificate with the attempt that it is, which is on record with its outcome; the criterion as it was asked for."""
    attempt = await end(interview, attempt, found.verdict.value, found.questions)
    return replace(
        found,
        criterion=criterion,
        attempt=attempt,
        caveats=(*found.caveats, *attempt.caveats),
        signature=replace(found.signature, settings={**found.signature.settings, **of_attempt(criterion, attempt)}),
    )


def of_attempt(criterion: Criterion, attempt: Attempt) -> dict[str, object]:
    """What a signature says of the attempt."""
    return {"delta": criterion.delta, "attempt": attempt.number, "attempt_delta": attempt.delta}


def attempts(transcript: Transcript, candidate: str) -> list[Held]:
    """All attempts of a candidate on record, in their order, with what came of each.

    Raises `TranscriptDamaged` where a number is not the one that its place gives.
    """
    held: list[Held] = []
    for record in transcript.records(candidate=REGISTER, topic=TOPIC):
        question = json.loads(record.question)
        if question.get("attempts of") == candidate:
            held.append(_held(record, held))
        elif question.get("outcome of") == candidate:
            place = question["attempt"]
            held[place] = replace(held[place], verdict=question["verdict"], questions=question["questions"])
    return held


def _held(record: Record, before: Sequence[Held]) -> Held:
    values = json.loads(record.answer)
    terms = Terms.from_json(values["terms"])
    number = counted(terms, before)
    delta = delta_of(float(terms.settings["delta"]), number)
    if (record.draw, number, delta) != (len(before), values["number"], values["delta"]):
        raise TranscriptDamaged(f"{record} says that it is attempt {values['number']}; by its place it is attempt {number}")
    return Held(number, delta, terms, record.asked_at, len(before))


async def _written(transcript: Transcript, begun: Held) -> bool:
    """Whether it stands; if not, another process has begun an attempt of this candidate at the same time."""
    answer = {"number": begun.number, "delta": begun.delta, "terms": begun.terms.as_json()}
    entry = _entry({"attempts of": begun.terms.candidate}, answer, begun.line, begun.begun_at)
    [record] = await asyncio.to_thread(transcript.append, [entry])
    return (record.answer, record.asked_at) == (entry.answer, entry.asked_at)


def _entry(question: Mapping[str, Any], answer: Mapping[str, Any], draw: int, at: str) -> Entry:
    text = canonical_json(question)
    return Entry(
        REGISTER,
        digest_of(text),
        draw,
        topic=TOPIC,
        question=text,
        answer=canonical_json(answer),
        kind="answer",
        asked_at=at,
        seconds=0.0,
        tokens_in=0,
        tokens_out=0,
        money=0.0,
    )
