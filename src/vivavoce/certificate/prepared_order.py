"""What shards of an examination begin with, and what they tell: an order of questions on record, and how far each has come.

The order follows from the seed, which the record commits to. Its digest is on record as well, so that a machine that draws
otherwise, such as with another version of numpy, asks nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC
from typing import Any, Final

from vivavoce.certificate.attempts import Held
from vivavoce.errors import BadInput, TranscriptDamaged
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.commitment import COMMITTER, own_entry
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import Key, Record, canonical_json, digest_of
from vivavoce.interview.shard import Shard
from vivavoce.interview.transcript import Transcript

TOPIC: Final = "order"
"""Of the records that hold the digest of an order."""
ENDLESS: Final = "questions are drawn without an end: say how many of them shards are to ask, with --questions N"


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
        earliest = "" if self.least is None else f" (a pass takes {count(self.least)} questions at the earliest)"
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


def order_of(prompts: Iterable[Prompt]) -> Order:
    """The order in which these are drawn."""
    number, found = 0, hashlib.sha256()
    for prompt in prompts:
        number += 1
        found.update(canonical_json([prompt.id, prompt.text]).encode() + b"\n")
    return Order(number, found.hexdigest())


def write_order(interview: Interview[Prompt, Reply], held: Held, limit: int | None, order: Order) -> None:
    """Put the order of an attempt up to so many questions on record; None: of all there are.

    Raises `BadInput` where another one is there, which another machine drew.
    """
    transcript, question = interview.transcript, _question(held, limit)
    at = interview.clock.now().astimezone(UTC).isoformat()
    key = Key(COMMITTER, digest_of(question), 0)
    [record] = transcript.append([own_entry(key, topic=TOPIC, question=question, answer=canonical_json(asdict(order)), at=at)])
    if _order(record, transcript) != order:
        raise BadInput(
            f"transcript {transcript.name} was prepared with another order: go on with the versions of vivavoce and numpy that "
            "prepared it"
        )


def order_on_record(transcript: Transcript, held: Held, limit: int | None) -> Order | None:
    """The order of an attempt up to so many questions; None where none is on record."""
    record = transcript.find_all([Key(COMMITTER, digest_of(_question(held, limit)), 0)])[0]
    return None if record is None else _order(record, transcript)


async def longest_order(transcript: Transcript, held: Held) -> tuple[int | None, Order] | None:
    """Of an attempt that was prepared several times the most questions, and their order; None where none is on record."""
    limits = await asyncio.to_thread(limits_on_record, transcript, held)
    if not limits:
        return None
    most = None if None in limits else max(one for one in limits if one is not None)
    order = await asyncio.to_thread(order_on_record, transcript, held, most)
    return None if order is None else (most, order)


def check_order(transcript: Transcript, held: Held, limit: int | None, drawn: Order) -> None:
    """Refuse to ask what was not prepared: `BadInput`. `drawn`: the order of this machine."""
    prepared = order_on_record(transcript, held, limit)
    if prepared is None:
        raise BadInput(_not_prepared(transcript, held, limit))
    if drawn != prepared:
        raise BadInput(
            f"this machine draws other questions than the one that prepared (SHA-256 {drawn.sha256[:12]}..., not "
            f"{prepared.sha256[:12]}...): install the same versions of vivavoce and numpy on both"
        )


def limits_on_record(transcript: Transcript, held: Held) -> list[int | None]:
    """Up to how many questions an attempt was prepared, one after the other; None: all there are."""
    questions = [json.loads(record.question) for record in transcript.records(candidate=COMMITTER, topic=TOPIC)]
    own = [one for one in questions if (one["order of"], one["attempt"]) == (held.terms.candidate, held.line)]
    return [one["questions"] for one in own]


def _order(record: Record, transcript: Transcript) -> Order:
    try:
        values = json.loads(record.answer)
        return Order(int(values["questions"]), str(values["sha256"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TranscriptDamaged(f"{record} of transcript {transcript.name} should be an order, and is none") from None


def _not_prepared(transcript: Transcript, held: Held, limit: int | None) -> str:
    limits = limits_on_record(transcript, held)
    if not limits:
        return f"transcript {transcript.name} was not prepared: run the same command with --prepare in place of --shard first"
    known = " and ".join("all" if one is None else count(one) for one in limits)
    wished = "all questions" if limit is None else f"{count(limit)} questions"
    return (
        f"{wished} were not prepared in transcript {transcript.name}, but {known}: give --questions as it was, or let the "
        "shard begin anew, with another --transcript"
    )


def _question(held: Held, limit: int | None) -> str:
    return canonical_json({"order of": held.terms.candidate, "attempt": held.line, "questions": limit})
