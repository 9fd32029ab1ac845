"""What graders give, and what a certificate says about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from vivavoce.certificate.graders.agreement import Agreement
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.record import canonical_json, digest_of
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question

_KEY = 16
"""Hexadecimal digits: two of a million answers share them with probability 3e-8."""


@dataclass(frozen=True, slots=True)
class Ungraded:
    """There is no grade yet."""

    exhausted: str = ""
    """The limit of the budget that left no room for it; empty where somebody may still give it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A grade by a judge, and how many of the judgements behind it could not be read or did not come."""

    grade: Grade
    unreadable: int = 0
    spending: Usage = field(default_factory=Usage, compare=False)
    """What these judgements cost."""


class Grader(Protocol):
    """Scores answers to questions that no rule scores, as people do."""

    async def grade(self, question: Question, asked: Prompt, answer: Reply, /) -> Grade | Ungraded:
        """The grade of one answer; `asked` is the question in the words in which it was put."""
        ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """An answer that waits for people's grade."""

    id: str
    question: str
    """As it was asked."""
    answer: str
    rubric: str = ""

    @property
    def key(self) -> str:
        """Tells this answer to this question from every other."""
        return answer_key(self.id, self.answer)


@dataclass(frozen=True, slots=True)
class Grading:
    """Who graded the answers of a certificate, and how."""

    judge: str = ""
    """Name of the candidate that judged; empty where none did."""
    judge_is_candidate: bool = False
    compared: bool = False
    """Whether answers of several candidates were graded; the judge may be one of them."""
    draws: int = 0
    """Judgements of each answer."""
    judgements: int = 0
    unreadable: int = 0
    """Judgements that could not be read or did not come; each may have been for any points."""
    rubric_digest: str = ""
    by_people: bool = False
    """Whether people's grades decide."""
    graded_by_people: int = 0
    by_judge: int = 0
    """Answers that a judge alone graded, on whose grades the evidence rests."""
    by_rule: int = 0
    """Answers that the scope's own rule graded, where others have a rubric; the evidence rests on them, too."""
    judged_only: int = 0
    """Answers that the judge alone graded, besides those that people did."""
    ruled_only: int = 0
    """Answers that the rule graded in the same place."""
    waiting: tuple[Waiting, ...] = ()
    agreement: Agreement | None = None
    """Of the judge with people, on answers that both graded; None where there are none."""
    judge_spending: Usage = field(default_factory=Usage)
    unreadable_is_wrong: bool = False
    """Whether a judgement that could not be read counts 0 points, as the user wished."""
    commitment: str = ""
    """SHA-256 of the secret that settles which answers people grade where a judge grades all; on record before the first."""

    @property
    def judge_alone(self) -> bool:
        """Whether nobody graded the judge."""
        return bool(self.judge) and not self.by_people

    @property
    def caveats(self) -> tuple[str, ...]:
        """What comes from the way in which answers were graded."""
        sentences = (
            self._of_judge if self.judge_alone else "",
            self._of_itself if self.judge_is_candidate else "",
            f"{self.unreadable} of {self.judgements} judgements could not be read or did not come: {self._their_worth}."
            if self.unreadable
            else "",
            "People's grades are taken as the truth; 'viva grade import' says how far the people of two sheets agree."
            if self.by_people
            else "",
            "The judge's grades make only the mean score more precise: the rate of ridiculous answers rests on the "
            "answers that people graded."
            if self.judge and self.by_people
            else "",
        )
        return tuple(sentence for sentence in sentences if sentence)

    @property
    def _of_itself(self) -> str:
        if self.compared:
            return f"The judge, {self.judge}, is one of the candidates, and may favour answers like its own."
        return "The judge is the candidate itself."

    @property
    def _of_judge(self) -> str:
        if self.by_rule:
            return (
                f"A judge graded the {self.by_judge} answers to questions with a rubric, and nobody graded the judge: of these "
                f"the verdict is on what {self.judge} says, and a candidate that pleases the judge gains by it. The other "
                f"{self.by_rule} were graded by rule."
            )
        return (
            f"A judge graded the answers, and nobody graded the judge: the verdict is on what {self.judge} says about them, "
            "and a candidate that pleases the judge gains by it."
        )

    @property
    def by_whom(self) -> str:
        """How many answers of the evidence were graded by whom, in brackets; empty where it was the same for all."""
        if not self.by_rule:
            return ""
        others = f"{count(self.graded_by_people)} by people" if self.by_people else f"{count(self.by_judge)} by the judge"
        return f" ({count(self.by_rule)} graded by rule, {others})"

    @property
    def _their_worth(self) -> str:
        if self.unreadable_is_wrong:
            return "they count 0 points"
        return "each may stand for any points, and the verdict rests on none of them"

    def as_json(self) -> dict[str, Any]:
        """The values that fit, as JSON."""
        values: dict[str, Any] = {"by": "people" if self.by_people else "judge"}
        if self.judge:
            values |= {
                "judge": self.judge,
                "draws": self.draws,
                "judgements": self.judgements,
                "unreadable_judgements": self.unreadable,
                "rubric_digest": self.rubric_digest,
                "judge_tokens": self.judge_spending.tokens,
                "judge_money": self.judge_spending.money,
            }
        if self.by_rule or self.ruled_only:
            values["graded_by_rule"] = self.by_rule
        if self.judge_alone:
            values["graded_by_judge"] = self.by_judge
        if self.by_people:
            values |= {"graded_by_people": self.graded_by_people, "waiting": [waiting.id for waiting in self.waiting]}
        if self.judge and self.by_people:
            values |= {"judged_only": self.judged_only, "places_committed": self.commitment}
            values |= {"ruled_only": self.ruled_only} if self.ruled_only else {}
            values["agreement"] = None if self.agreement is None else self.agreement.as_json()
        return values


def answer_key(question: str, answer: str) -> str:
    """The same for equal answers to equal questions, no matter who gave them; `question` is its id.

    >>> answer_key("q1", "yes") == answer_key("q1", "yes"), answer_key("q1", "yes") == answer_key("q2", "yes")
    (True, False)
    """
    return digest_of(canonical_json([question, answer]))[:_KEY]
