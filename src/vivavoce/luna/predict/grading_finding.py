"""What a study of grading finds, as a value, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.scope import Signature
from vivavoce.luna.cells import number_cell
from vivavoce.luna.predict.figures import errors
from vivavoce.report.blocks import Caveats, Column, Figure, InFull, Paragraph, Report, Row, Section, Table
from vivavoce.report.cells import Cell, signed_cell
from vivavoce.report.figures import IntervalRows, Kind
from vivavoce.report.parts import method_of, notes
from vivavoce.report.reported import Reported

GRADERS: Final[Mapping[str, str]] = {
    "grader": "likeness and graded answers",
    "ridge": "a ridge on words",
    "question mean": "the mean of the question's grades",
    "constant": "the mean of all grades",
}
"""Who is compared, the one that is examined first, and what each goes by."""
_KINDS: Final[Mapping[str, Kind]] = {"grader": "plain", "constant": "control"}


@dataclass(frozen=True, slots=True)
class GraderScore:
    """How far grades predicted are from the true ones."""

    rmse: Estimate
    """Root mean squared error, on the scale of the grades."""
    correlation: Estimate
    """Pearson's; without a value where all that is predicted is the same."""
    gain: Estimate | None
    """By this much the grader's error is smaller; None for the grader itself."""

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        gain = {} if self.gain is None else {"gain_of_grader": self.gain.as_json()}
        return {"rmse": self.rmse.as_json(), "r": self.correlation.as_json()} | gain


@dataclass(frozen=True, slots=True)
class GradingSplit:
    """One way of holding answers out."""

    parts: int
    scores: Mapping[str, GraderScore]
    """By names of `GRADERS`."""
    repeated: int
    """Answers that stand word for word, to the same question, among those that were learnt from."""
    fresh: Estimate
    """The grader's error on all others."""

    def as_json(self) -> dict[str, Any]:
        """The split as JSON values."""
        return {
            "parts": self.parts,
            "graders": {name: score.as_json() for name, score in self.scores.items()},
            "repeated": self.repeated,
            "rmse_of_others": self.fresh.as_json(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class GradingStudy(Reported):
    """How well the grades of single answers can be predicted."""

    unseen_answers: GradingSplit
    """Answers to questions that others' graded answers were learnt from."""
    unseen_questions: GradingSplit
    """Answers to questions of which no answer was."""
    answers: int
    questions: int
    highest: float
    """The best grade of the table."""
    references: int
    """Answers that come with a reference answer."""
    confidence: float
    signature: Signature

    @property
    def splits(self) -> Mapping[str, GradingSplit]:
        """By what was not seen before."""
        return {"unseen answers": self.unseen_answers, "unseen questions": self.unseen_questions}

    @property
    def statement(self) -> str:
        """The result in plain sentences."""
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, str]:
        """One on each way of holding answers out."""
        return (
            self._sentence("New answers to questions that were graded before", self.unseen_answers),
            self._sentence("Answers to questions that never were", self.unseen_questions),
        )

    def _sentence(self, what: str, split: GradingSplit) -> str:
        own, constant = split.scores["grader"].rmse, split.scores["constant"]
        gain = constant.gain
        judged = "not shown to be graded better than by a constant"
        if gain is not None and gain.interval.lower > 0:
            judged = "graded better than by a constant"
        if gain is not None and gain.interval.upper < 0:
            judged = "graded worse than by a constant"
        errors = f"{grade_in_words(own)} against {grade_in_words(constant.rmse)}"
        return f"{what} are {judged}: typical error {errors}, on a scale from 0 to {self.highest:g}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        told = [
            "A grade is predicted from words that graded answers and reference answers have in common with an answer. What is "
            "right in words that nobody used before is graded too low, and a wrong answer in the right words too high.",
            "People who know that this grades them can write for it. Do not let it alone decide about anybody.",
            "Intervals allow for answers to one question going up and down together. They take the parts as they fell, and the "
            "graders as fitted.",
        ]
        repeated = self.unseen_answers.repeated
        if repeated:
            fresh = self.unseen_answers.fresh
            without = "there are none else" if fresh.value is None else f"without them the error is {grade_in_words(fresh)}"
            told.append(
                f"{count(repeated)} of {count(self.answers)} held-out answers stand word for word among those learnt from; "
                f"{without}."
            )
        if self.references < self.answers:
            told.append(
                f"{count(self.answers - self.references)} of {count(self.answers)} answers come without a reference answer: to "
                "questions never graded before there is little to go by."
            )
        if self.questions < 20:
            told.append(f"With {count(self.questions)} questions the figures on unseen questions are rough.")
        return tuple(told)

    def report(self) -> Report:
        """All of it as blocks."""
        counted = f"{count(self.answers)} graded answers to {count(self.questions)} questions."
        graders = "; ".join(f"{grader}: {words}" for grader, words in GRADERS.items())
        return self.reported(
            "Grades of single answers, predicted",
            f"Grades predicted, from {clipped(self.signature.scope, 120) or 'answers'}",
            InFull((Paragraph(self.sentences[1]), Paragraph(counted))),
            Figure(self._figure),
            *(Section(f"{unseen[0].upper()}{unseen[1:]}", (_table(split),)) for unseen, split in self.splits.items()),
            InFull(notes(f"{graders}.")),
            Caveats(self.caveats),
            method_of(self._method),
            headline=self.sentences[0],
        )

    @property
    def _figure(self) -> IntervalRows:
        bars = (
            (
                f"{grader}, {'new questions' if 'questions' in unseen else 'new answers'}",
                score.rmse,
                _KINDS.get(grader, "reference"),
            )
            for unseen, split in self.splits.items()
            for grader, score in split.scores.items()
        )
        alt = "Error of grades with 95% intervals. " + " ".join(
            f"On {unseen}: "
            + ", ".join(f"{grader} {score.rmse.value or 0.0:.2f}" for grader, score in split.scores.items())
            + "."
            for unseen, split in self.splits.items()
        )
        return errors(bars, f"typical error on the scale 0 to {self.highest:g}", alt)

    @property
    def _method(self) -> tuple[str, ...]:
        own = self.unseen_answers
        return (
            f"Unseen answers: all answers fall at random into {own.parts} parts; each part is graded by graders that have "
            "learnt from the others. Unseen questions: the questions do. Each answer is graded once in each way.",
            "The grader is an ensemble of boosted trees. They see an answer's length and its words in common with question and "
            "reference answer; and, where answers to the question were learnt from, what a ridge and the nearest of these "
            "answers say.",
            f"The typical error is the root of the mean square. Intervals are at level {self.confidence:.0%} and allow for "
            "answers to one question being alike: of errors by Student's t over questions, of correlations by leaving out "
            "each question in turn. The last column is the difference to the grader's error, with an interval over the same "
            "answers.",
            f"Of held-out answers that stand nowhere else word for word the grader's error is {grade_in_words(own.fresh)}.",
        )

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "answers": self.answers,
            "questions": self.questions,
            "highest": self.highest,
            "with_reference": self.references,
            "confidence": self.confidence,
            "unseen_answers": self.unseen_answers.as_json(),
            "unseen_questions": self.unseen_questions.as_json(),
        }


def _table(split: GradingSplit) -> Table:
    """Grader; error, correlation, and how much smaller the examined grader's error is."""
    heads = ("Graded by", "Typical error", "Correlation with grades", "The grader is nearer by")
    rows = tuple(
        Row(
            Cell(grader),
            (
                number_cell(score.rmse, 2, unknown="none"),
                number_cell(score.correlation, 2, unknown="none"),
                Cell("", known=False) if score.gain is None else signed_cell(score.gain),
            ),
        )
        for grader, score in split.scores.items()
    )
    return Table(tuple(map(Column, heads)), rows)


def grade_in_words(found: Estimate) -> str:
    """A number on the scale of grades, with its interval.

    >>> from vivavoce.formats.interval import Interval
    >>> grade_in_words(Estimate(0.681, Interval(0.6, 0.75), 9))
    '0.68 [0.60, 0.75]'
    """
    if found.value is None:
        return "none"
    if not isfinite(found.interval.upper):
        return f"{found.value:.2f} (too little for an interval)"
    return f"{found.value:.2f} [{found.interval.lower:.2f}, {found.interval.upper:.2f}]".replace("-", "−")
