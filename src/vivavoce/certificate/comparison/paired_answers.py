"""The answers of all candidates to the same questions in one order: the data of a comparison as they are collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.claims.draws import Draws, questions_in
from vivavoce.certificate.claims.repeated_answers import DrawsTally
from vivavoce.certificate.comparison.drawing import PairedDrawing, UnitPosition
from vivavoce.certificate.comparison.evidence import Pair, PairedEvidence, differences
from vivavoce.certificate.evidence.inference import InternedList
from vivavoce.certificate.graders.marking import Mark
from vivavoce.certificate.graders.trace import FirstReplies, GradedBy, marks_of, show_first
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import UNRECORDED, NoAnswer, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.reading import heard
from vivavoce.interview.results import AnswerEvent, ResultMark
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question, Unit
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.betting import Floats

LONGEST: Final = 2_000
"""The most characters of a question or reply that are kept for display."""
MOST_KEPT: Final = 400
"""The most discordant questions that are kept with texts, over all pairs; all are counted."""


@dataclass(frozen=True, slots=True)
class UnitAnswers:
    """The answers of one candidate to one unit, graded."""

    mean: UnitMean
    grades: tuple[Grade, ...]
    answers: tuple[Reply | NoAnswer, ...]
    if_anew_wrong: UnitMean
    """The mean if repeated answers counted 0."""
    as_read: UnitMean
    """The mean if short replies that are assumed wrong are wrong."""
    marks: tuple[Mark, ...] = ()
    """With a judge: who graded each answer, and the number of unparsed judgements."""

    @property
    def replies(self) -> tuple[str, ...]:
        """The texts of the replies, clipped."""
        return tuple(map(_said, self.answers))

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcome of each answer; an answer that a judge graded counts as parsed, even if the judgement was not."""
        judged = [mark.is_judged for mark in self.marks] or [False] * len(self.grades)
        pairs = zip(self.grades, judged, strict=True)
        return tuple(Outcome.ANSWER if by_judge else grade.outcome for grade, by_judge in pairs)

    @property
    def unread_judgements(self) -> int:
        """The number of unparsed or missing judgements of these answers."""
        return sum(mark.unreadable for mark in self.marks)

    @property
    def unrecorded(self) -> bool:
        """Whether a recording has no further answer to some of it."""
        return any(isinstance(answer, NoAnswer) and answer.reason == UNRECORDED for answer in self.answers)


@dataclass(frozen=True, slots=True)
class DiscordantQuestion:
    """A question that one of a pair answered better than the other."""

    id: str
    category: str
    question: str
    first: str
    """The first reply."""
    second: str
    scores: tuple[float, float]
    weight: float | None = None
    """How many times its share the question counts; None if all count alike."""

    @property
    def better(self) -> int:
        """Which answered better: 0 the first, 1 the second."""
        return int(self.scores[1] > self.scores[0])


class ComparedUnit(NamedTuple):
    """The figures of a unit that was taken, without the texts of questions and replies. Many units of a scope are equal."""

    questions: int
    """Prompts, if each question is answered several times."""
    category: str
    place: UnitPosition
    least: tuple[float, ...]
    """The lowest possible score of each candidate."""
    most: tuple[float, ...]
    most_as_read: tuple[float, ...]
    """The same if short replies that are assumed wrong are wrong."""
    if_anew_wrong: UnitMean
    """The first candidate's score if repeated answers counted 0."""


class PairedAnswers:
    """Takes the answers of all remaining candidates to each unit in drawn order."""

    def __init__(
        self,
        candidates: Sequence[str],
        pairs: Sequence[Pair],
        drawing: PairedDrawing,
        draws: Draws | None = None,
        *,
        keep_rows: bool = True,
    ) -> None:
        self.drawing = drawing
        self._draws = draws
        """How often each question of a unit is asked."""
        self.drawn = None if draws is None else tuple(DrawsTally(draws) for _ in candidates)
        """What came of answering each question several times, of each candidate; None if each is answered once."""
        self._names = {name: index for index, name in enumerate(candidates)}
        self._taken = InternedList[ComparedUnit]()
        self.asked_again = [0 for _ in candidates]
        """Answers of each candidate that were asked again after a fault in an earlier run."""
        self.assumed = [0 for _ in candidates]
        """Short replies of each that are wrong only by assumption."""
        self._pairs = np.array(pairs, dtype=np.intp).reshape(len(pairs), 2)
        self.outcomes: tuple[Counter[Outcome], ...] = tuple(Counter() for _ in candidates)
        self.ungraded = tuple(FirstReplies(lambda grade: grade.outcome.unread or grade.assumed) for _ in candidates)
        self.unread_judgements = [0 for _ in candidates]
        """Unparsed or missing judgements of each candidate's answers."""
        self._answers = [0 for _ in candidates]
        self._marks: tuple[list[ResultMark], ...] | None = tuple([] for _ in candidates) if keep_rows else None
        """Rows for a file of results; None if no file is wanted."""
        self.discordant: list[list[DiscordantQuestion]] = [[] for _ in pairs]
        self._kept = 0

    def take(self, unit: Unit, answers: Sequence[UnitAnswers | None], evidence: PairedEvidence) -> None:
        """Count the answers to a unit; None for a candidate that is no longer needed."""
        nothing = UnitMean(0.0, 0.0, 1.0, 0.0)
        means = [nothing if unit_answers is None else unit_answers.mean for unit_answers in answers]
        taken = ComparedUnit(
            len(unit),
            unit[0].category,
            self.drawing.place(unit),
            tuple(mean.score for mean in means),
            tuple(mean.upper for mean in means),
            tuple(1.0 if unit_answers is None else unit_answers.as_read.upper for unit_answers in answers),
            nothing if answers[0] is None else answers[0].if_anew_wrong,
        )
        open_, least, most = ~evidence.settled, np.array(taken.least), np.array(taken.most)
        evidence.take(least, most, taken.place)
        self._taken.append(taken)
        for index, unit_answers in enumerate(answers):
            if unit_answers is not None:
                self.assumed[index] += sum(grade.assumed for grade in unit_answers.grades)
                self.asked_again[index] += sum(answer.met == "asked again" for answer in unit_answers.answers)
                self.outcomes[index].update(unit_answers.outcomes)
                self.unread_judgements[index] += unit_answers.unread_judgements
                self._show_graded(index, unit, unit_answers)
                self._answers[index] += len(unit_answers.grades)
                if self._marks is not None:
                    self._keep_marks(self._marks[index], index, unit, unit_answers)
                if self.drawn is not None:
                    self.drawn[index].add(unit, unit_answers.answers, unit_answers.grades)
        low, high = differences(self._pairs, least, most)
        self._keep_discordant(unit, answers, open_ & ((low > 0) | (high < 0)))  # an unparsed reply may have been as good

    def _keep_marks(self, marks: list[ResultMark], index: int, unit: Unit, answered: UnitAnswers) -> None:
        further = marks_of(unit, answered.grades, draws=self._draws)
        for mark, grade, outcome in zip(further, answered.grades, answered.outcomes, strict=True):
            known = mark if grade.outcome is outcome else replace(mark, score=None, outcome=outcome)
            marks.append(replace(known, order=(len(self), index, len(marks))))

    def _show_graded(self, index: int, unit: Unit, answered: UnitAnswers) -> None:
        """Keep ungraded replies; the first answers are shown only for the first candidate."""
        judged = [mark.is_judged for mark in answered.marks] or [False] * len(answered.grades)
        for question, answer, grade, by_judge in zip(unit, answered.answers, answered.grades, judged, strict=True):
            by: GradedBy = "judge" if by_judge else "rule"
            self.ungraded[index].add(question, answer, grade, by)
            if index == 0:
                show_first(question, answer, grade, by)

    @property
    def questions(self) -> tuple[int, ...]:
        """Questions that each answered; one that is drawn again, or answered several times, counts each time."""
        return tuple(answers // self._answers_each for answers in self._answers)

    @property
    def answers(self) -> tuple[int, ...]:
        """Number of answers of each candidate."""
        return tuple(self._answers)

    def __len__(self) -> int:
        return len(self._taken)

    @property
    def places(self) -> list[UnitPosition]:
        """Positions of the units."""
        return [unit.place for unit in self._taken]

    @property
    def prompts(self) -> list[int]:
        """How many each unit has."""
        return [unit.questions for unit in self._taken]

    @property
    def categories(self) -> list[str]:
        """Categories of the units."""
        return [unit.category for unit in self._taken]

    @property
    def asked(self) -> int:
        """Total number of questions drawn."""
        return sum(self.prompts) // self._answers_each

    @property
    def _answers_each(self) -> int:
        return 1 if self._draws is None else self._draws.number

    def rows(self, heard: Sequence[AnswerEvent]) -> list[ResultMark | None]:
        """Rows for a file of results, for the answers that counted, question by question."""
        return [self._mark(event) for event in heard]

    def _mark(self, heard: AnswerEvent) -> ResultMark | None:
        marks = () if self._marks is None else self._marks[self._names[heard.candidate]]
        return marks[heard.number] if heard.number is not None and heard.number < len(marks) else None

    def scores(self) -> tuple[Floats, Floats]:
        """The lowest and the highest possible scores: shape (K, n)."""
        return self._columns("least"), self._columns("most")

    def _columns(self, ends: str) -> Floats:
        """A field of units that has a number for each candidate: shape (K, n)."""
        return self._taken.columns(attrgetter(ends), len(self._names))

    def scores_as_read(self) -> tuple[Floats, Floats]:
        """The same if short replies that are assumed wrong are wrong."""
        return self._columns("least"), self._columns("most_as_read")

    def scores_if_anew_wrong(self) -> tuple[Floats, Floats]:
        """The same if the first candidate's repeated answers counted 0."""
        least, most = self.scores()
        least[0] = self._taken.column(lambda unit: unit.if_anew_wrong.score)
        most[0] = self._taken.column(lambda unit: unit.if_anew_wrong.upper)
        return least, most

    def differences(self) -> tuple[Floats, Floats]:
        """The range of each pair's difference: shape (P, n), including those after the pair's end."""
        return differences(self._pairs, *self.scores())

    def unread(self, candidate: int) -> int:
        """How many replies of a candidate could not be graded."""
        return sum(number for outcome, number in self.outcomes[candidate].items() if outcome.unread)

    @property
    def _weight(self) -> float | None:
        largest = self.drawing.means.largest
        return None if largest == 1 else self._taken.last().place.share * largest

    def _keep_discordant(self, unit: Unit, answers: Sequence[UnitAnswers | None], apart: NDArray[np.bool_]) -> None:
        questions = questions_in(unit, self._draws)
        for pair in np.flatnonzero(apart) if self._kept < MOST_KEPT else ():
            first, second = (answers[_pair] for _pair in self._pairs[pair])
            if self._kept >= MOST_KEPT or first is None or second is None:
                continue
            self._kept += 1
            question = discordant(questions, first, second, each_once=self._draws is None)
            self.discordant[pair].append(replace(question, weight=self._weight))


def discordant(questions: Unit, first: UnitAnswers, second: UnitAnswers, *, each_once: bool = True) -> DiscordantQuestion:
    """Questions that one answered better than the other, with both replies; for several answers, how often each came."""
    messages = [answers.replies if each_once else _counted(answers.replies) for answers in (first, second)]
    return DiscordantQuestion(
        " + ".join(question.id for question in questions),
        questions[0].category,
        clipped("\n\n".join(map(_in_full, questions)), LONGEST),
        "\n\n".join(messages[0]),
        "\n\n".join(messages[1]),
        (first.mean.score, second.mean.score),
    )


def _counted(replies: Sequence[str]) -> Sequence[str]:
    return [f"{number} of {len(replies)}: {reply}" for reply, number in Counter(replies).most_common()]


def _said(answer: Reply | NoAnswer) -> str:
    words, why_not = heard(answer, whole=True)
    return clipped(words, LONGEST) if words else f"({why_not})"


def _in_full(question: Question) -> str:
    options = (f"({letter}) {option}" for letter, option in zip(question.letters, question.options, strict=True))
    return "\n".join([question.text, *options])
