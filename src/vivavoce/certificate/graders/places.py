"""Which unit of each block people grade, where a judge grades all of them.

The place is drawn in private, once every judgement of the block stands in the record, and nobody can know it before: it comes
from a secret that the record committed to before the first question (`interview.commitment`), from the number of the block, and
from the answers and judgements themselves. So a judge whose words change when it is asked again, over another transcript or
under other settings, meets another place. It depends on no seed. An examination that goes on finds the same places.

Up to now people graded exactly every (m+1)-th answer, and a judge that counts its calls could have any verdict. What is on
record from that time is not mixed with what is asked by this rule (`by_old_rule`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.errors import BadInput
from vivavoce.interview.commitment import CommittedSecret, committed_secret, is_committed
from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Places:
    """Draws the place of each block.

    >>> places = Places(CommittedSecret("places", bytes(32)), "digest of the scope", further=4)
    >>> places.place(1, [["q1", "answer", 0.9, 0.9]]) in range(5)
    True
    """

    secret: CommittedSecret
    scope: str
    """Its digest."""
    further: int
    """Units of a block that the judge alone grades."""

    def place(self, block: int, judged: Sequence[Sequence[Any]]) -> int:
        """Which unit of this block people grade, from 0; `judged`: its answers and what the judge says of them, as JSON."""
        return self.secret.number(self.further + 1, self.scope, block, judged)


async def private_places(
    transcript: Transcript,
    *,
    candidate: str,
    scope: str,
    digest: str,
    judge: str,
    judging: str,
    further: int,
    attempt: int,
    again: bool,
) -> Places:
    """Where people grade in the examination of this candidate on this scope.

    Parameters
    ----------
    transcript: holds the candidate's answers, and the commitment.
    scope, digest: of the scope, its name and its digest.
    judge, judging: the judge's name, and the topic of its judgements.
    attempt: its line in the register of attempts; each has a secret of its own.
    again: whether another attempt was asked for, so that a record from the time of the old rule is gone on with.

    Raises `BadInput` where the record was begun when places could be foreseen, `TranscriptError` where the secret is gone.
    """

    def found() -> CommittedSecret:
        old = by_old_rule(transcript, candidate=candidate, scope=scope, judge=judge, judging=judging, attempt=attempt)
        if old and not again:
            raise BadInput(
                f"transcript {transcript.name} holds an examination of {candidate} in which people graded exactly every so "
                "many answers, so that a judge that counts its calls knew which: it cannot go on by that rule. Begin a new "
                "examination with '--again'; answers and judgements are kept"
            )
        return committed_secret(transcript, secret_name(candidate, scope, attempt))

    return Places(await asyncio.to_thread(found), digest, further)


async def commit_to_places(
    transcript: Transcript, *, candidate: str, scope: str, judge: str, judging: str, attempt: int, again: bool
) -> None:
    """Where a judge grades alone: have it on record that people who join later meet places that nobody could foresee."""

    def commit() -> None:
        name = secret_name(candidate, scope, attempt)
        old = by_old_rule(transcript, candidate=candidate, scope=scope, judge=judge, judging=judging, attempt=attempt)
        if (again or not old) and not is_committed(transcript, name):
            committed_secret(transcript, name)

    await asyncio.to_thread(commit)


def secret_name(candidate: str, scope: str, attempt: int = 0) -> str:
    """Under which name the record commits to the places of this examination."""
    return f"places/{candidate}/{scope}" + (f"/{attempt}" if attempt else "")


def by_old_rule(transcript: Transcript, *, candidate: str, scope: str, judge: str, judging: str, attempt: int = 0) -> bool:
    """Whether answers and judgements are on record without a commitment to the places.

    They come from a time when people graded exactly every so many answers. What they found has perhaps been seen, so that a new
    beginning is another attempt, and has to be one by name.
    """
    return (
        attempt == 0
        and not is_committed(transcript, secret_name(candidate, scope))
        and transcript.knows_topic(candidate, answers_topic(scope))
        and transcript.knows_topic(judge, judging)
    )


def answers_topic(scope: str) -> str:
    """Where the answers of this scope's certificate stand in a transcript."""
    return f"certificate/{scope}"
