"""What is asked of a candidate that may tire: questions enough, at times that it cannot predict."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Final

import numpy as np

from vivavoce.certificate.config import Procedure
from vivavoce.certificate.verdict import answers_topic
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.schedule import Clock
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question

_TIMES = 3
"""The stream of random numbers for times, apart from those for questions, checks and examples."""
_LONGEST: Final = 24.0 * 366


@dataclass(frozen=True, slots=True)
class Endurance:
    """How many questions "pass" needs at least, and over how many hours they are spread.

    With a fixed number of questions these are spread, and with `at_least` this many. Further ones come at the same rate.

    >>> Endurance(spread_hours=24.0).check("sequential", None)
    Traceback (most recent call last):
    vivavoce.errors.BadInput: questions spread over hours need their number: --min-questions N
    """

    at_least: int | None = None
    """No verdict "pass" before this many, nor on evidence that was there before and went.

    Where a finite scope has fewer questions, all of them are enough: the verdict is exact then.
    """
    spread_hours: float | None = None
    """None: each question as soon as there is room for it."""

    @property
    def settings(self) -> dict[str, object]:
        """For a finding's signature: what was asked for."""
        given = {"at_least": self.at_least, "spread_hours": self.spread_hours}
        return {name: value for name, value in given.items() if value is not None}

    def check(self, procedure: Procedure, questions: int | None) -> None:
        """Refuse what cannot be meant; `questions`: at most this many, or with the fixed procedure this many."""
        if self.at_least is not None and procedure == "fixed":
            raise BadInput("the fixed procedure asks its number of questions in any case: leave out --min-questions")
        if self.at_least is not None and not 1 <= self.at_least <= (questions or self.at_least):
            most = "" if questions is None else f" and at most {questions}"
            raise BadInput(f"at least {self.at_least}{most} questions: the first must be 1 or more, and not above the second")
        if self.spread_hours is None:
            return
        if not 0 < self.spread_hours <= _LONGEST:
            raise BadInput(f"questions spread over {self.spread_hours} hours: it must be above 0, and a year at most")
        if self.at_least is None and procedure != "fixed":
            raise BadInput("questions spread over hours need their number: --min-questions N")

    async def times(
        self,
        interview: Interview[Prompt, Reply],
        scope: Scope[Question],
        *,
        seed: int,
        questions: int | None,
        answers: int | None = None,
    ) -> Iterator[datetime] | None:
        """The earliest moment for each question, one after the other; None where they are not spread.

        answers: to each question, of a list too with replacement; None: one to each, of a list each once.

        They follow from the seed and from the moment at which the examination first began. That moment is a record of its own
        in the transcript, by the examiner: an examination that is taken up again has the same times, and what it missed
        meanwhile is asked at once.
        """
        if self.spread_hours is None:
            return None
        size = getattr(scope, "size", None) if answers is None else None
        number = min(n for n in (self.at_least, questions, size) if n is not None) * (answers or 1)
        begins = await _begun(interview, scope, f"{seed} {number} {self.spread_hours!r}")
        return moments(begins, self.spread_hours, number, np.random.default_rng([seed, _TIMES]))


def moments(begins: datetime, hours: float, number: int, rng: np.random.Generator) -> Iterator[datetime]:
    """Moments in order, without an end: this many at random in each such stretch of hours.

    >>> from datetime import UTC
    >>> times = moments(datetime(2030, 1, 1, tzinfo=UTC), 1.0, 3, np.random.default_rng(0))
    >>> [next(times).strftime("%H:%M") for _ in range(6)]
    ['00:02', '00:16', '00:38', '01:00', '01:48', '01:54']
    """
    for stretch in count():
        for share in np.sort(rng.random(number)):
            yield begins + timedelta(hours=hours * (stretch + float(share)))


class _Examiner:
    """Answers when it was asked."""

    name = "examiner:clock"

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def answer(self, question: Prompt, /) -> Reply:
        return Reply(self._clock.now().isoformat())


async def _begun(interview: Interview[Prompt, Reply], scope: Scope[Question], terms: str) -> datetime:
    """When this examination first began: on record, or now and on record from here on."""
    own = " ".join((interview.candidate.name, scope.digest, terms))
    prompt = Prompt(f"When did this examination begin? {hashlib.sha256(own.encode()).hexdigest()}", id="beginning")
    examiner = Interview(
        _Examiner(interview.clock), answers=Reply, transcript=interview.transcript, concurrency=1, clock=interview.clock
    )
    said = await examiner.ask(prompt, topic=f"{answers_topic(scope.name)}/beginning")
    assert not isinstance(said, NoAnswer)
    return datetime.fromisoformat(said.text)
