"""One judge for the answers of all candidates of a comparison, and what it did.

The judge is shown a question, its rubric and an answer, in the same words for every candidate, and no name. It gets answers
question by question in drawn order. Those to one question come in the order of their digests, so neither the order in which
candidates were named nor their speed shows whose an answer is. Equal answers to one question have one judgement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vivavoce.certificate.comparison.order import Order, Said
from vivavoce.certificate.comparison.protocol import Answered
from vivavoce.certificate.config import Unreadable
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.grades import Grading, Ungraded
from vivavoce.certificate.graders.judge import Judge, shown_of
from vivavoce.certificate.graders.marking import Marker, all_together
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import canonical_json, digest_of
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question, Unit

Interviews = Sequence[Interview[Prompt, Reply]]
_Shown = tuple[str, str, object]
"""The id of a question, the digest of what a judge is shown of an answer to it, and what else makes its grade another one."""


@dataclass(frozen=True, slots=True)
class GradedUnit:
    """The graded answers of all candidates to one unit."""

    number: int
    answers: Mapping[int, Answered | None]
    """By the place of the candidate; None for a candidate that has no further answers."""
    exhausted: str = ""
    """The limit of the budget that left no room for a judgement; the unit does not count then."""


class BlindJudging:
    """Has a judge grade the answers of all candidates, and counts what it did on the units that were taken.

    interviews: with the candidates.
    unreadable: what a reply, or a judgement, is worth that cannot be read.
    """

    def __init__(self, interviews: Interviews, scope: Scope[Question], judge: Judge, unreadable: Unreadable) -> None:
        self.judge = judge
        self.exhausted = ""
        """The limit of the budget that left no room for a judgement; empty while there was room."""
        ahead = -(-max(one.ahead for one in interviews) // len(interviews))
        self._graders = Graders(judge=judge, unreadable=unreadable, ahead=ahead)
        self._marker: Marker = self._graders.marker(scope)
        self._interviews = interviews
        self._scope = scope
        self._by_rule = self._by_judge = self._unread = 0
        self._spending = Usage()

    @property
    def ahead(self) -> int:
        """How many units are graded at once at most."""
        return self._graders.ahead

    @property
    def terms(self) -> dict[str, object]:
        """The part of the grading that makes another attempt."""
        return self._graders.terms(self._scope)

    @property
    def settings(self) -> dict[str, object]:
        """The part of the grading that changes the finding, for its signature."""
        return self._graders.settings(self._scope)

    async def graded(self, order: Order, number: int, said: Mapping[int, Said | None]) -> GradedUnit:
        """The answers of all candidates to the unit with this number, graded."""
        unit, prompts = order.asked(number)
        shown = {place: self._shown(unit, prompts, given) for place, given in said.items() if given is not None}
        first: dict[_Shown, tuple[Question, Prompt, Reply | NoAnswer]] = {}
        for column, (question, asked) in enumerate(zip(unit, prompts, strict=True)):
            different = {keys[column]: (said[place] or ())[column] for place, keys in shown.items()}
            for key in sorted(different, key=lambda one: one[1]):
                first.setdefault(key, (question, asked, different[key]))
        found = await all_together(self._marker.mark(*one, number) for one in first.values())
        if missing := next((mark.judge for mark in found if isinstance(mark.judge, Ungraded)), None):
            return GradedUnit(number, dict.fromkeys(said), exhausted=missing.exhausted)
        marks = dict(zip(first, found, strict=True))
        answers = {
            place: None if given is None else order.judged(number, given, [marks[key] for key in shown[place]])
            for place, given in said.items()
        }
        return GradedUnit(number, answers)

    def take(self, answers: Iterable[Answered | None]) -> None:
        """Count the answers to a unit; None of a candidate that is not wanted any more."""
        marks = [mark for one in answers if one is not None for mark in one.marks]
        self._by_rule += sum(mark.by_rule for mark in marks)
        self._by_judge += sum(mark.is_judged for mark in marks)
        self._unread += sum(mark.unreadable for mark in marks)
        for mark in {id(mark): mark for mark in marks}.values():  # equal answers have one mark
            self._spending += mark.spending

    @property
    def grading(self) -> Grading:
        """What the judge did, for the finding."""
        judge = self.judge
        return Grading(
            judge=judge.name,
            judge_is_candidate=judge.name in {one.candidate.name for one in self._interviews},
            compared=True,
            draws=judge.draws,
            judgements=self._by_judge * judge.draws,
            unreadable=self._unread,
            rubric_digest=digest_of(judge.rubric),
            by_judge=self._by_judge,
            by_rule=self._by_rule,
            judge_spending=self._spending,
            unreadable_is_wrong=self._graders.unreadable == "wrong",
        )

    def _shown(self, unit: Unit, prompts: Iterable[Prompt], said: Said) -> list[_Shown]:
        return [self._key(*one) for one in zip(unit, prompts, said, strict=True)]

    def _key(self, question: Question, asked: Prompt, answer: Reply | NoAnswer) -> _Shown:
        if isinstance(answer, NoAnswer) or self._marker.is_ruled(question):
            return question.id, "", (answer, answer.met)
        return question.id, digest_of(canonical_json(shown_of(asked, answer))), answer.met
