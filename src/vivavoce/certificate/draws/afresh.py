"""Who can answer the same question afresh."""

from __future__ import annotations

from collections.abc import Iterable

from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import Candidate, Prompt, Recording, Reply


def check_answers_afresh(candidates: Iterable[Candidate[Prompt, Reply]]) -> None:
    """Refuse recordings: `BadInput`. What they hold is one answer to a question, and that again is no further draw."""
    for candidate in candidates:
        if isinstance(candidate, Recording):
            raise BadInput(
                f"{clipped(candidate.name, 200)} is a recording, which has one answer to each question: '--draws' needs a "
                "candidate that answers afresh. What one has answered several times is on its transcript: name the candidate "
                "itself, with that '--transcript'"
            )
