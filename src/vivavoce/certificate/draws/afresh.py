"""Who can answer the same question afresh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.candidate import Candidate, Prompt, Recording, RepeatedRecording, Reply
from vivavoce.scopes.questions import Question


def check_answers_afresh(candidates: Iterable[Candidate[Prompt, Reply]], number: int, questions: Sequence[Question]) -> None:
    """Refuse recordings without so many answers to each of these questions: `BadInput`.

    What a recording holds is so many draws of each question; one of these said again is no further draw.
    """
    for candidate in candidates:
        name = clipped(candidate.name, 200)
        if isinstance(candidate, RepeatedRecording):
            times = candidate.times
            few = [] if times is None else [one.id for one in questions if times.get(one.id, 0) < number]
            if times is not None and few:
                raise BadInput(
                    f"{name} has fewer than {count(number)} answers to {count(len(few))} of {count(len(questions))} questions, "
                    f"such as '{clipped(few[0], 80)}', which has {count(times.get(few[0], 0))}: give fewer '--draws'"
                )
        elif isinstance(candidate, Recording):
            raise BadInput(
                f"{name} is a recording, which has one answer to each question: '--draws' needs a "
                "candidate that answers afresh. What one has answered several times is on its transcript: name the candidate "
                "itself, with that '--transcript'"
            )


def check_answers_once(candidates: Iterable[Candidate[Prompt, Reply]]) -> None:
    """Refuse recordings with several answers to a question, where each is asked once: `BadInput`."""
    for candidate in candidates:
        if isinstance(candidate, RepeatedRecording) and candidate.times is not None and max(candidate.times.values()) > 1:
            raise BadInput(
                f"{clipped(candidate.name, 200)} has several answers to a question: give '--draws N', for a claim on "
                "probabilities, or a file with one answer to each"
            )
