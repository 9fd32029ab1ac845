"""Which unit of each block people grade, where a judge grades all of them.

The place is drawn in private, once every judgement of the block stands in the record, and nobody can know it before: it comes
from a secret that the record committed to before the first question (`interview.commitment`), from the number of the block, and
from the answers and judgements themselves. So a judge whose words change when it is asked again, over another transcript or
under other settings, meets another place. It depends on no seed. An examination that goes on finds the same places.
When it is over the secret is revealed in the register (`register.end`), so that a stranger can find each place, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.certificate.attempts import Held
from vivavoce.certificate.verdict import brief
from vivavoce.errors import TranscriptDamaged
from vivavoce.interview.commitment import CommittedSecret, commitment_to, committed_secret
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
        """Which unit of this block people grade, from 0; `judged`: its answers and what the judge says about them, as JSON."""
        return self.secret.number(self.further + 1, self.scope, block, judged)


async def private_places(
    transcript: Transcript, *, candidate: str, scope: str, digest: str, attempt: Held, further: int
) -> Places:
    """Where people grade in one attempt at the examination of this candidate on this scope.

    Parameters
    ----------
    transcript: holds the candidate's answers, and the commitment.
    scope, digest: of the scope, its name and its digest.
    attempt: as it stands in the register; each has places of its own.

    Raises `TranscriptError` where the secret is gone, and `TranscriptDamaged` where another one was revealed.
    """
    line, revealed = attempt.line, attempt.places

    def committed() -> CommittedSecret:
        name = secret_name(candidate, brief(scope), line)
        if revealed is None:
            return committed_secret(transcript, name)
        if revealed.name != name or commitment_to(transcript, revealed) is None:
            raise TranscriptDamaged(f"transcript {transcript.name} reveals other places than those that it commits to")
        return revealed

    return Places(await asyncio.to_thread(committed), digest, further)


def secret_name(candidate: str, scope: str, attempt: int = 0) -> str:
    """Under which name the record commits to the places of an attempt."""
    return f"places/{candidate}/{scope}" + (f"/{attempt}" if attempt else "")
