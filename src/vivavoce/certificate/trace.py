"""What a run keeps to show afterwards, in bounded space: the evidence, the worst answers, and what could not be graded."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence

from vivavoce.certificate.agent import shown_steps
from vivavoce.certificate.evidence import LogEvidence
from vivavoce.certificate.reasons import GradedBy, grade_in_words, what_decides, why
from vivavoce.certificate.verdict import Evidence, GradedAnswer
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question

_CERTAIN = 700.0
"""Stands for the logarithm of an infinite (negative: of a zero) e-value, which JSON and plots cannot hold."""
_POINTS = 1_000
_EARLY = 100
"""Points that are never thinned out: most of what happens, happens early."""
_WORST = 10
_REPLIES = 5
_CHARACTERS = 4_000


class EvidencePath:
    """The evidence over questions: every point at first, later every second one, and so on; the last one always."""

    def __init__(self) -> None:
        self._points: list[Evidence] = []
        self.last: Evidence | None = None
        self._looks = 0
        self._stride = 1

    def add(self, questions: int, evidence: LogEvidence) -> None:
        """The last of the evidence, after this many questions."""
        rate = None if evidence.ridiculous_pass is None else _shown(evidence.ridiculous_pass[-1])
        self.last = Evidence(questions, _shown(evidence.score_pass[-1]), rate, _shown(evidence.fail[-1]))
        self._looks += 1
        if self._looks % self._stride == 0:
            self._points.append(self.last)
        if len(self._points) == _POINTS:
            self._points[_EARLY:] = self._points[_EARLY + 1 :: 2]
            self._stride *= 2

    @property
    def points(self) -> tuple[Evidence, ...]:
        """At most 1,000 points, the last one included."""
        kept = tuple(self._points)
        return kept if self.last is None or self.last in kept[-1:] else (*kept, self.last)


class WorstAnswers:
    """Up to ten answers that earned least: ridiculous ones first, then by score, then in the order of asking."""

    def __init__(self, *, each_once: bool = False) -> None:
        self._each_once = each_once
        """Whether of several answers to one question the worst alone is kept."""
        self._ranked: list[tuple[bool, float, int, GradedAnswer]] = []
        self._seen = 0

    def add(self, question: Question, answer: Reply | NoAnswer, grade: Grade, by: GradedBy = "rule") -> None:
        """Consider one answer; full marks are never among the worst, nor is what may deserve them."""
        self._seen += 1
        if grade.upper_score >= 1 or (len(self._ranked) == _WORST and self._rank(grade) >= self._ranked[-1][:3]):
            return
        self._keep(self._rank(grade), graded_answer(question, answer, grade, by))

    def add_unit(
        self, unit: Sequence[Question], answers: Sequence[Reply | NoAnswer], grades: Sequence[Grade], contradiction: str
    ) -> None:
        """Consider the answers of a cluster: together where they contradict each other, else each by itself."""
        if not contradiction:
            for question, answer, grade in zip(unit, answers, grades, strict=True):
                self.add(question, answer, grade)
            return
        self._seen += 1
        worst = min(grades, key=self._rank)
        kept = GradedAnswer(
            id=unit[0].cluster or unit[0].id,
            question=_numbered([_asked(question) for question in unit]),
            answer=_numbered([_said(*pair) for pair in zip(answers, grades, strict=True)]),
            expected=_numbered([question.expected for question in unit]) if unit[0].accepted else "",
            score=worst.score,
            ridiculous=True,
            outcome=worst.outcome,
            broken_law=_cut(contradiction),
        )
        self._keep(self._rank(worst), kept)

    @property
    def answers(self) -> tuple[GradedAnswer, ...]:
        """The worst first."""
        return tuple(answer for *_, answer in self._ranked)

    def _keep(self, rank: tuple[bool, float, int], answer: GradedAnswer) -> None:
        if self._each_once:
            same = next((kept for kept in self._ranked if kept[3].id == answer.id), None)
            if same is not None and same[:2] <= rank[:2]:
                return
            self._ranked = [kept for kept in self._ranked if kept is not same]
        insort(self._ranked, (*rank, answer), key=lambda ranked: ranked[:3])
        del self._ranked[_WORST:]

    def _rank(self, grade: Grade) -> tuple[bool, float, int]:
        return not grade.ridiculous, grade.score, self._seen


class FirstReplies:
    """The first replies that a reader may want to look at: those whose grades are as given.

    Parameters
    ----------
    wanted: whether a grade is one of them.
    """

    def __init__(self, wanted: Callable[[Grade], bool]) -> None:
        self._wanted = wanted
        self._replies: list[GradedAnswer] = []
        self.count = 0
        """All of them."""

    def add(self, question: Question, answer: Reply | NoAnswer, grade: Grade, by: GradedBy = "rule") -> None:
        """Consider one answer."""
        if not self._wanted(grade):
            return
        self.count += 1
        if self.count <= _REPLIES:
            self._replies.append(graded_answer(question, answer, grade, by))

    @property
    def replies(self) -> tuple[GradedAnswer, ...]:
        """In the order of asking."""
        return tuple(self._replies)


def graded_answer(question: Question, answer: Reply | NoAnswer, grade: Grade, by: GradedBy = "rule") -> GradedAnswer:
    """One answer as it is shown, with its grade in words, why it got it, and what would decide it where it has none."""
    return GradedAnswer(
        id=question.id,
        question=_cut(_asked(question)),
        answer=_cut(_said(answer, grade)),
        expected=_cut(question.expected),
        score=grade.score,
        ridiculous=grade.ridiculous,
        outcome=grade.outcome,
        upper=grade.upper,
        steps=shown_steps(answer),
        read_as=_cut(grade.read_as),
        grade=grade_in_words(grade, by),
        why=_cut(why(question, answer, grade, by)),
        decided_by=what_decides(question, grade, by),
    )


def _shown(log_e: float) -> float:
    return float(max(-_CERTAIN, min(_CERTAIN, log_e)))


def _asked(question: Question) -> str:
    return question.text + "".join(f"\n({x}) {o}" for x, o in zip(question.letters, question.options, strict=True))


def _said(answer: Reply | NoAnswer, grade: Grade) -> str:
    """The reply; with the one to the further turn, where the answer was read from that."""
    if isinstance(answer, NoAnswer):
        return f"(no answer: {answer.reason})"
    if grade.after_turn and answer.further is not None:
        return f"{answer.text}\n[after a further turn]\n{answer.further.text}"
    return answer.text


def _numbered(texts: Sequence[str]) -> str:
    return _cut("\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1)))


def _cut(text: str) -> str:
    """The beginning and, since conclusions stand there, the end of a long text."""
    half = _CHARACTERS // 2
    return text if len(text) <= _CHARACTERS else f"{text[:half]}\n[...]\n{text[-half:]}"
