"""Ends a study whose replies can't be parsed, before it has spent its share of the budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.reading import read

if TYPE_CHECKING:
    from vivavoce.interview.budget import Limit, Limits
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.results import AnswerEvent

FIRST: Final = 12
"""If one reply in four can be parsed, none of so many can in 3% of cases."""


@dataclass(slots=True)
class EarlyEnd:
    """The replies to a study so far; missing ones, which are the service's, don't count."""

    replies: int = 0
    any_parsed: bool = False
    is_reached: bool = False
    """Whether none of the first replies could be parsed; a later one, which was in flight, changes nothing."""

    def watch(self, interview: Interview[Any, Any]) -> None:
        """End this interview as if its budget were used up; batches are asked in one go and never end early."""
        if not interview.drawing.by_batch:
            interview.budget = _WatchedLimits(interview.budget, self)


@dataclass(slots=True)
class _WatchedLimits:
    """The limits of an interview, and an early end."""

    limits: Limits
    end: EarlyEnd
    by_answers = True

    def reached(self, *, questions: int, usage: Usage) -> Limit:
        return self.limits.reached(questions=questions, usage=usage) or ("questions" if self.end.is_reached else "")

    def heard(self, event: AnswerEvent) -> None:
        answer = event.settled.answer
        if not self.end.any_parsed and isinstance(event.asked, Prompt) and isinstance(answer, Reply):
            self.end.replies += 1
            # without a form every reply can be used
            self.end.any_parsed = event.asked.form is None or not read(event.asked, answer).outcome.unread
            self.end.is_reached |= not self.end.any_parsed and self.end.replies >= FIRST
