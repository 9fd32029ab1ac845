"""Counts of right answers to each question, if each was asked several times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from vivavoce.certificate.claims.draws import RIGHT, Draws
from vivavoce.formats.wording import clipped, count, score
from vivavoce.interview.candidate import UNRECORDED, NoAnswer, Reply
from vivavoce.interview.scope import Grade
from vivavoce.report.blocks import Block, Column, InFull, InShort, ReportRow, ReportSection, ReportTable, notes
from vivavoce.report.cells import TableCell
from vivavoce.scopes.questions import Unit

LONGEST: Final = 2_000
"""The most characters of a question that are kept for display."""
MOST_SHOWN: Final = 20
"""The most questions with mixed results that are shown, the most mixed first."""


@dataclass(frozen=True, slots=True)
class QuestionDraws:
    """One question and all its answers, over all draws."""

    id: str
    question: str
    right: int
    """Number of answers known to have full marks."""
    answers: int

    json_keys = "id right answers"

    @property
    def mixed(self) -> bool:
        """Whether some answers were right and others not."""
        return 0 < self.right < self.answers

    @property
    def words(self) -> str:
        """How many were right."""
        return f"{count(self.right)} of {count(self.answers)}"


@dataclass(frozen=True, slots=True)
class DrawsFinding:
    """A certificate's statements about repeated answers."""

    draws: Draws
    answers: int
    """In all."""
    questions: int
    """Different ones."""
    always: int
    """Number of these that were answered correctly each time."""
    never: int
    mixed: int
    shown: tuple[QuestionDraws, ...]
    """Some of those with mixed results."""
    identical: bool
    """Whether each question got the same reply each time, word for word."""
    unrecorded: int = 0
    """Answers that a recording lacks, since the question was drawn more often than it was answered."""

    json_keys = (
        "number=draws.number claim=draws.claim reliability=draws.reliability answers different_questions=questions "
        "always_right=always never_right=never mixed identical unrecorded? most_mixed=shown"
    )

    @property
    def claimed(self) -> str:
        """The quantity that must reach the passing grade, as a subject with its article.

        >>> DrawsFinding(Draws(5, "all-right"), 0, 0, 0, 0, 0, (), False).claimed
        'the probability that all 5 answers to a question are right'
        """
        number = self.draws.number
        match self.draws.claim:
            case "all-right" if number > 1:
                return f"the probability that all {count(number)} answers to a question are right"
            case "vote" if number > 1:
                return f"the mean score of the answer that most of {count(number)} replies to a question agree on"
            case "share":
                return f"the share of questions with a probability of a right answer of at least {self.reliability}"
        return "the probability that an answer is right (the mean score over questions and draws)"

    @property
    def compared(self) -> str:
        """The quantity that candidates differ in, in the plural."""
        match self.draws.claim:
            case "all-right":
                return f"probabilities that all {count(self.draws.number)} answers to a question are right"
            case "vote":
                return f"mean scores of the answers that most of {count(self.draws.number)} replies to a question agree on"
        return "mean scores over questions and draws"

    @property
    def plotted(self) -> str:
        """The same below a plot."""
        match self.draws.claim:
            case "all-right":
                return f"probabilities of all {count(self.draws.number)} right"
            case "vote":
                return f"mean scores of votes of {count(self.draws.number)}"
        return "mean scores over draws"

    @property
    def row(self) -> str:
        """The same in a table."""
        match self.draws.claim:
            case "all-right":
                return f"All {count(self.draws.number)} answers right"
            case "vote":
                return f"Mean score of the vote of {count(self.draws.number)}"
            case "share":
                return f"Questions right with probability {self.reliability}"
        return "Mean score over draws"

    @property
    def reliability(self) -> str:
        """The required probability of a right answer, in words."""
        return score(self.draws.reliability or 0.0)

    @property
    def drawn(self) -> str:
        """How questions were drawn and answered, after their number."""
        times = "once" if self.draws.number == 1 else f"{count(self.draws.number)} times"
        return f"drawn with replacement and answered afresh {times} each"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats of the draws."""
        return self.caveats_of("the candidate")

    def caveats_of(self, who: str) -> tuple[str, ...]:
        """The same, with the name of the candidate."""
        lost = (
            f"{count(self.unrecorded)} of {count(self.answers)} answers of {who} are in no recording: some questions were "
            "drawn more often than they were answered. They may be worth anything, and no verdict rests on them. Fewer "
            "draws, or more answers to each question, lose less.",
        )
        same = (
            f"All {count(self.draws.number)} answers of {who} to each question were the same, word for word. They show no "
            "more than one would. Either it does not answer at random, or a cache repeats its answers.",
        )
        return (*(same if self.identical else ()), *(lost if self.unrecorded else ()))


@dataclass(slots=True)
class _AnswerCount:
    question: str
    right: int = 0
    answers: int = 0


@dataclass(slots=True)
class DrawsTally:
    """Counts right answers, question by question."""

    draws: Draws
    _asked: dict[str, _AnswerCount] = field(default_factory=dict)
    _identical: bool = True
    _unrecorded: int = 0

    def add(self, unit: Unit, answers: Sequence[Reply | NoAnswer], grades: Sequence[Grade]) -> int:
        """Count a repeated unit with this many questions."""
        questions = self.draws.questions_of(unit)
        for index, question in enumerate(questions):
            asked = self._asked.setdefault(question.id, _AnswerCount(clipped(question.text, LONGEST)))
            asked.right += sum(grade.score >= RIGHT for grade in grades[index :: len(questions)])
            asked.answers += self.draws.number
            results = answers[index :: len(questions)]
            self._unrecorded += sum(isinstance(answer, NoAnswer) and answer.reason == UNRECORDED for answer in results)
            self._identical &= all(isinstance(reply, Reply) for reply in results) and len(set(map(_words, results))) == 1
        return len(questions)

    @property
    def found(self) -> DrawsFinding:
        """The counts."""
        each = [
            QuestionDraws(name, answer_count.question, answer_count.right, answer_count.answers)
            for name, answer_count in self._asked.items()
        ]
        mixed = sorted((draws for draws in each if draws.mixed), key=lambda draws: abs(draws.right / draws.answers - 0.5))
        return DrawsFinding(
            draws=self.draws,
            answers=sum(draws.answers for draws in each),
            questions=len(each),
            always=sum(draws.right == draws.answers for draws in each),
            never=sum(draws.right == 0 for draws in each),
            mixed=len(mixed),
            shown=tuple(mixed[:MOST_SHOWN]),
            identical=self._identical and bool(each) and self.draws.number > 1,
            unrecorded=self._unrecorded,
        )


def _words(answer: Reply | NoAnswer) -> tuple[str, str]:
    """The words of a reply, with the reply to a follow-up."""
    if isinstance(answer, NoAnswer):
        return "", ""
    return answer.text, "" if answer.further is None else answer.further.text


MOST_IN_SHORT: Final = 5
"""In a terminal."""
SHOWN_QUESTION: Final = 160


def repeated_answers(draws: DrawsFinding | None, whose: str = "") -> tuple[Block, ...]:
    """How the questions were answered, with those that had mixed results; nothing if each was answered once.

    whose: the candidate, if there are several.
    """
    if draws is None or not draws.questions:
        return ()
    sentence = (
        f"Of {count(draws.questions)} different questions, {count(draws.always)} were answered correctly each time, "
        f"{count(draws.never)} never, and {count(draws.mixed)} with mixed results."
    )
    more = len(draws.shown) < draws.mixed
    note = notes(sentence + (f" The {len(draws.shown)} most mixed ones are shown." if more else ""))
    title = "Answers to the same question" + (f": {whose}" if whose else "")
    if not draws.shown:
        return (ReportSection(title, note),)
    in_short = _table(draws.shown[:MOST_IN_SHORT])
    return InFull((ReportSection(title, (*note, _table(draws.shown))),)), InShort((ReportSection(title, (*note, in_short)),))


def drawn_for_all(draws: DrawsFinding) -> tuple[str, ...]:
    """Sentences on how candidates were compared on draws."""
    number, again = count(draws.draws.number), "" if draws.draws.number == 1 else "s"
    return (
        f"Differences are of {draws.compared}. Questions were drawn with replacement, and each candidate answered each afresh "
        f"{number} time{again} whenever it was drawn. Answering all of a list would prove nothing about probabilities, so no "
        "verdict is exact.",
    )


def _table(shown: tuple[QuestionDraws, ...]) -> ReportTable:
    rows = tuple(
        ReportRow(
            TableCell(clipped(draws.id, 100)),
            (TableCell(draws.words, draws.right), TableCell(clipped(" ".join(draws.question.split()), SHOWN_QUESTION))),
        )
        for draws in shown
    )
    return ReportTable(
        (Column("Question", short="question"), Column("Right", short="right"), Column("Text", short="text")), rows
    )


def drawn_so(draws: DrawsFinding) -> tuple[str, ...]:
    """Sentences on how a claim on draws was tested."""
    number, again = count(draws.draws.number), "" if draws.draws.number == 1 else "s"
    sentence = (
        f"The claim is on probabilities, {draws.claimed}. Questions were drawn with replacement and each answered afresh "
        f"{number} time{again} whenever it was drawn. Answering all of a list would prove nothing about probabilities, so no "
        "verdict is exact."
    )
    if draws.draws.claim != "share":
        return (sentence,)
    reliability = draws.draws.reliability or 0.0
    together, none = reliability**draws.draws.number, (1 - reliability) ** draws.draws.number
    return (
        sentence,
        f"{number} answer{again} to a question do not tell its probability. Where it is below {reliability:g}, all are right "
        f"at most {together:.3g} of the time, and elsewhere none is right at most {none:.2g} of the time. The share lies "
        "between what these two leave, and is a range.",
    )
