"""Data on single answers that a run keeps to show later: evidence, first and worst answers, reasons for grades, marks."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import Final, Literal

from vivavoce.certificate.claims.claim import Evidence, GradedAnswer
from vivavoce.certificate.claims.draws import RIGHT, Draws
from vivavoce.certificate.claims.repeated_answers import DrawsTally
from vivavoce.certificate.evidence.sequential import LogEvidence
from vivavoce.certificate.graders.agent import AgentTally, shown_steps
from vivavoce.certificate.report.caveats import ReplyCounts
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.forms.form import COPY, Outcome
from vivavoce.interview.results import AS_READ, AnswerEvent, ResultMark
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question, Unit
from vivavoce.scopes.score import overlooked
from vivavoce.scopes.unit_laws import LawTally

GradedBy = Literal["rule", "judge", "people"]
"""The grader: the scope's own rule, a judge, or people."""
NOT_GRADABLE: Final = "not gradable by rule"
ASSUMED: Final = "wrong by assumption, which no verdict rests on"
_UNREAD: Final = {
    Outcome.UNREADABLE: "no answer could be read in it",
    Outcome.COPIED: f"it {COPY}",
    Outcome.CUT_OFF: "a limit ended it, so its last words may be missing",
    Outcome.FAULT: "the service failed",
}
_MATCHES: Final = ("contains", "exact", "number", "regex")


def is_gradable(grade: Grade) -> bool:
    """Whether the grade is one number.

    >>> is_gradable(Grade(0.5, False)), is_gradable(Grade(0.0, False, Outcome.UNREADABLE, upper=1.0))
    (True, False)
    """
    return grade.upper_score <= grade.score


def grade_in_words(grade: Grade, by: GradedBy = "rule") -> str:
    """The grade in a few words; a question that the service failed to answer has none.

    >>> [grade_in_words(Grade(score, False)) for score in (1.0, 0.5, 0.0)]
    ['right', 'score 0.50', 'wrong']
    >>> grade_in_words(Grade(0.0, False, Outcome.UNREADABLE, upper=1.0))
    'not gradable by rule'
    """
    if grade.outcome.unknowable:
        return "none: the service failed" if grade.outcome is Outcome.FAULT else f"none: {grade.outcome.value}"
    if grade.outcome is Outcome.NO_ANSWER:
        return "no answer, which counts 0"
    if grade.assumed:
        return ASSUMED
    if not is_gradable(grade):
        if by == "rule" or grade.upper_score - grade.score == 1:
            return NOT_GRADABLE if by == "rule" else "not judged"
        return f"score {grade.score:.2f} to {grade.upper_score:.2f}"
    words = "right" if grade.score == 1 else "wrong" if grade.score == 0 else f"score {grade.score:.2f}"
    return f"{words}, and unacceptable" if grade.unacceptable else words


def why(question: Question, answer: Reply | NoAnswer, grade: Grade, by: GradedBy = "rule") -> str:
    """Why the reply got this grade, in a clause.

    >>> asked = Question("q", "Capital of France?", accepted=("Paris",))
    >>> why(asked, Reply("Lyon"), Grade(0.0, False, read_as="Lyon"))
    'it is not an accepted answer'
    """
    if isinstance(answer, NoAnswer):
        return answer.reason
    if grade.why:
        return grade.why
    if grade.outcome is not Outcome.FAULT and by != "rule":
        return _of_graders(grade, by)
    if grade.outcome is Outcome.DONT_KNOW:
        return "it says that it does not know"
    if grade.outcome is not Outcome.ANSWER:
        return _UNREAD.get(grade.outcome, grade.outcome.value)
    if not is_gradable(grade):
        return _UNREAD[Outcome.UNREADABLE]
    if question.judged_by_law:
        return "by itself it breaks no law" if grade.score else "it is listed as unacceptable"
    if 0 < grade.score < 1:
        return "it is listed with this score"
    return "it is an accepted answer" if grade.score else "it is not an accepted answer"


def _of_graders(grade: Grade, by: GradedBy) -> str:
    if by == "people":
        return "people graded it so"
    return "the judge graded it so" if is_gradable(grade) else "a judgement could not be read"


def what_decides(question: Question, grade: Grade, by: GradedBy = "rule") -> tuple[str, ...]:
    """What would give the reply a grade, each in a few words; empty if it has a grade or the service failed.

    >>> asked = Question("q", "Capital of France?", accepted=("Paris",), match="exact")
    >>> for remedy in what_decides(asked, Grade(0.0, False, Outcome.UNREADABLE, upper=1.0)):
    ...     print(remedy)
    a judge ('--judge MODEL')
    in a question file, a further accepted answer, or '?match=contains|number|regex' after its name
    """
    if is_gradable(grade) or grade.outcome.unknowable:
        return ()
    more = ("more room for replies ('?max_tokens=N' after the model's name)",) if grade.outcome is Outcome.CUT_OFF else ()
    if by != "rule":
        return (*more, "another judge, or more judgements ('--set judge-samples')") if by == "judge" else more
    judge = "a judge ('--judge MODEL')"
    if question.rule:
        return (*more, judge)
    if question.options:
        return (*more, judge, "another way to ask ('--set reply-format')")
    others = "|".join(rule for rule in _MATCHES if rule != question.match)
    return (*more, judge, f"in a question file, a further accepted answer, or '?match={others}' after its name")


_CERTAIN = 700.0
"""Replaces the logarithm of an infinite (or, negative, of a zero) e-value, which JSON and plots cannot hold."""
_POINTS = 1_000
_EARLY = 100
"""Number of early points that are never thinned out, since most changes come early."""
_WORST = 10
_REPLIES = 5
_CHARACTERS = 4_000


class EvidencePoints:
    """The evidence over questions: every point at first, later every second one, and so on; the last one always."""

    def __init__(self) -> None:
        self._points: list[Evidence] = []
        self.last: Evidence | None = None
        self._looks = 0
        self._stride = 1

    def add(self, questions: int, evidence: LogEvidence) -> None:
        """The last of the evidence, after this many questions."""
        rate = None if evidence.unacceptable_pass is None else _shown(evidence.unacceptable_pass[-1])
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
    """Up to ten answers with the lowest scores: unacceptable ones first, then by score, then in the order of asking."""

    def __init__(self, *, each_once: bool = False) -> None:
        self._each_once = each_once
        """Whether only the worst of several answers to one question is kept."""
        self._ranked: list[tuple[bool, float, int, GradedAnswer]] = []
        self._seen = 0

    def add(self, question: Question, answer: Reply | NoAnswer, grade: Grade, by: GradedBy = "rule") -> None:
        """Consider one answer; full marks are never among the worst, and neither are answers that may deserve them."""
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
            unacceptable=True,
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
            same = next((entry for entry in self._ranked if entry[3].id == answer.id), None)
            if same is not None and same[:2] <= rank[:2]:
                return
            self._ranked = [entry for entry in self._ranked if entry is not same]
        insort(self._ranked, (*rank, answer), key=lambda ranked: ranked[:3])
        del self._ranked[_WORST:]

    def _rank(self, grade: Grade) -> tuple[bool, float, int]:
        return not grade.unacceptable, grade.score, self._seen


class FirstReplies:
    """The first replies whose grades a reader may want to check.

    Parameters
    ----------
    wanted: tells whether to keep a reply, by its grade.
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
    """One answer for display: its grade in words, the reason, and what would decide it if it has none."""
    return GradedAnswer(
        id=question.id,
        question=_cut(_asked(question)),
        answer=_cut(_said(answer, grade)),
        expected=_cut(question.expected),
        score=grade.score,
        unacceptable=grade.unacceptable,
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
    """The reply, with the one to the further turn if the answer was parsed from that."""
    if isinstance(answer, NoAnswer):
        return f"(no answer: {answer.reason})"
    if grade.after_turn and answer.further is not None:
        return f"{answer.text}\n[after a further turn]\n{answer.further.text}"
    return answer.text


def _numbered(texts: Sequence[str]) -> str:
    return _cut("\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1)))


def _cut(text: str) -> str:
    """The beginning of a long text and its end, which has the conclusion."""
    half = _CHARACTERS // 2
    return text if len(text) <= _CHARACTERS else f"{text[:half]}\n[...]\n{text[-half:]}"


FIRST: Final = 3
"""Most replies that are shown, each to a different question."""


class FirstAnswers:
    """Shows the first answers that are graded, and no more.

    >>> shown = []
    >>> first = FirstAnswers(shown.append)
    >>> for number in (1, 1, 2, 3, 4):
    ...     first(Question(f"q{number}", "2 + 2?", accepted=("4",)), Reply("4"), Grade(1.0, False))
    >>> [mark.id for mark in shown]
    ['q1', 'q2', 'q3']
    """

    def __init__(self, show: Callable[[GradedAnswer], None]) -> None:
        self._show = show
        self._asked: set[str] = set()

    def __call__(self, question: Question, answer: Reply | NoAnswer, grade: Grade, by: GradedBy = "rule") -> None:
        """Add one more answer."""
        if len(self._asked) < FIRST and question.id not in self._asked:
            self._asked.add(question.id)
            self._show(graded_answer(question, answer, grade, by))


first_answers: ContextVar[FirstAnswers | None] = ContextVar("first_answers", default=None)
"""Shows the first answers of the examination in this context; None: they are not shown."""


def show_first(question: Question, answer: Reply | NoAnswer, grade: Grade, by: GradedBy = "rule") -> None:
    """Show an answer that was taken, if it is among the first ones and these are shown in this context."""
    first = first_answers.get()
    if first is not None:
        first(question, answer, grade, by)


class RunTally:
    """Counts answers one by one, and units by the laws over their questions.

    by: who grades.
    ruled: whether the scope's own rule grades the questions that it can grade, and they the others.
    """

    def __init__(self, draws: Draws | None = None, *, by: GradedBy = "rule", ruled: bool = False) -> None:
        self._by, self._ruled = by, ruled
        self.drawn = None if draws is None else DrawsTally(draws)
        """Counts of repeated answers; None if each question is answered once."""
        self.questions = 0
        """Of the units whose questions have all been answered."""
        self.outcomes: Counter[Outcome] = Counter()
        self.turned_away = self.asked_again = self.unacceptable = self.overlooked = self.after_turn = 0
        self.laws = LawTally()
        self.path = EvidencePoints()
        self.worst = WorstAnswers(each_once=draws is not None)
        self.unread = FirstReplies(lambda grade: grade.outcome.unread)
        self.assumed = FirstReplies(lambda grade: grade.assumed)
        """Short replies that are wrong only by assumption."""
        self.agent = AgentTally()
        """Steps before answers, for candidates that report them."""

    def add(self, question: Question, answer: Reply | NoAnswer, grade: Grade) -> None:
        """Count one answer."""
        self.outcomes[grade.outcome] += 1
        self.turned_away += answer.met == "turned away"
        self.asked_again += answer.met == "asked again"
        self.unacceptable += grade.unacceptable
        self.overlooked += overlooked(question, answer, grade)
        self.after_turn += grade.after_turn
        by: GradedBy = "rule" if self._ruled and question.for_rule else self._by
        self.unread.add(question, answer, grade, by)
        self.assumed.add(question, answer, grade, by)
        show_first(question, answer, grade, by)
        self.agent.add(question.id, answer, grade.score)
        if not question.law:  # else it may be worse than by itself
            self.worst.add(question, answer, grade, by)

    @property
    def replies(self) -> ReplyCounts:
        """How many answers had each outcome that a reader should know of."""
        of = self.outcomes
        return ReplyCounts(
            unreadable=of[Outcome.UNREADABLE],
            copied=of[Outcome.COPIED],
            cut_off=of[Outcome.CUT_OFF],
            after_turn=self.after_turn,
            no_answers=of[Outcome.NO_ANSWER],
            orphans=of[Outcome.ORPHAN],
            faults=of[Outcome.FAULT],
            turned_away=self.turned_away,
            asked_again=self.asked_again,
            dont_know=of[Outcome.DONT_KNOW],
        )

    def add_unit(self, unit: Unit, answers: Sequence[Reply | NoAnswer], grades: Sequence[Grade]) -> Sequence[Grade]:
        """Count a unit whose answers have all been counted; its grades, judged by its law."""
        judged, contradiction = self.laws.judge(unit, grades)
        if unit[0].law:
            self.unacceptable += sum(g.unacceptable for g in judged) - sum(g.unacceptable for g in grades)
            self.worst.add_unit(unit, answers, judged, contradiction)
        self.questions += len(unit) if self.drawn is None else self.drawn.add(unit, answers, judged)
        return judged


def mark_of(question: Question, grade: Grade | None, *, scope: str = "") -> ResultMark:
    """The mark of an answer; `grade` is None if no one graded it.

    >>> mark_of(Question("q1", "2 + 2?", accepted=("4", "four")), Grade(1.0, False))
    ResultMark(id='q1', expected='4 or four', score=1.0, ..., outcome=<Outcome.ANSWER: 'answer'>, scope='', ...)
    """
    expected = question.expected
    if grade is None:
        return ResultMark(question.id, expected, scope=scope)
    read_as = grade.read_as if question.rule else None  # no form has parsed the reply
    score = None if grade.upper_score > grade.score else float(grade.score)
    return ResultMark(question.id, expected, score, read_as, grade.outcome, scope)


def marks_of(unit: Unit, grades: Sequence[Grade], *, scope: str = "", draws: Draws | None = None) -> list[ResultMark]:
    """The marks of a unit with its grades, of which the last ones may be missing.

    draws: how often each question of a unit is repeated.
    """
    marks = [mark_of(*pair, scope=scope) for pair in zip(unit, grades, strict=False)]
    return marks if draws is None else of_draws(marks, len(draws.questions_of(unit)), draws.number)


def of_draws(marks: Sequence[ResultMark], questions: int, number: int) -> list[ResultMark]:
    """The marks of a unit that is answered several times: each says which answer it is, and how many are right.

    >>> [(mark.draw, mark.right) for mark in of_draws([ResultMark("1", score=1.0), ResultMark("1", score=0.0)], 1, 2)]
    [('1 of 2', '1 of 2'), ('2 of 2', '1 of 2')]
    """
    right = [sum((mark.score or 0.0) >= RIGHT for mark in marks[index::questions]) for index in range(questions)]
    return [
        replace(mark, draw=f"{index // questions + 1} of {number}", right=f"{right[index % questions]} of {number}")
        for index, mark in enumerate(marks)
    ]


def in_order(
    heard: Sequence[AnswerEvent], marks: Sequence[ResultMark] | Mapping[int, ResultMark], *, over: bool = True
) -> list[ResultMark | None]:
    """The marks by the places of the answers.

    over: whether the examination came to its end, so that an answer without a mark counted for nothing and has no row.
    """
    known = marks if isinstance(marks, Mapping) else dict(enumerate(marks))
    return [AS_READ if event.number is None else known.get(event.number, None if over else AS_READ) for event in heard]
