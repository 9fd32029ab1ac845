"""The grading study and its finding: how well grades are predicted for new answers and for new questions."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import atanh, inf, isfinite, sqrt, tanh
from typing import Final

import numpy as np
from scipy.special import stdtrit

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import clipped, count, duration
from vivavoce.interview.scope import Signature
from vivavoce.luna.identification import number_cell
from vivavoce.luna.predict.answers import GradedResponse
from vivavoce.luna.predict.comparison_finding import errors
from vivavoce.luna.predict.grader import AnswerGrader, Places, apart, folds, grades_of, lexicon_of, places_by_question
from vivavoce.luna.predict.predictor import FloatArray
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, signed_cell
from vivavoce.report.figures import IntervalRows, Kind
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.clustered import mean_interval
from vivavoce.version import __version__

GRADERS: Final[Mapping[str, str]] = {
    "grader": "similarity and graded answers",
    "ridge": "a ridge on words",
    "question mean": "the mean of the question's grades",
    "constant": "the mean of all grades",
}
"""The compared graders, the examined one first, and what each uses."""
_KINDS: Final[Mapping[str, Kind]] = {"grader": "plain", "constant": "control"}


@dataclass(frozen=True, slots=True)
class GraderScore:
    """How far predicted grades are from the true ones."""

    rmse: Estimate
    """Root mean squared error, on the scale of the grades."""
    correlation: Estimate
    """Pearson's; no value if all predictions are equal."""
    gain_of_grader: Estimate | None
    """How much smaller the grader's error is; None for the grader itself."""


@dataclass(frozen=True, slots=True)
class GradingSplit:
    """Results for one way to hold answers out."""

    parts: int
    graders: Mapping[str, GraderScore]
    """Results by names of `GRADERS`."""
    repeated: int
    """Held-out answers with an exact copy, to the same question, among those learnt from."""
    rmse_of_others: Estimate
    """The grader's error on all others."""


@dataclass(frozen=True, slots=True, repr=False)
class GradingStudy(ReportedFinding):
    """How well the grades of single answers can be predicted."""

    unseen_answers: GradingSplit
    """Answers to questions with graded answers among those learnt from."""
    unseen_questions: GradingSplit
    """Answers to questions without any."""
    answers: int
    questions: int
    highest: float
    """The highest grade of the table."""
    references: int
    """Answers with a reference answer."""
    confidence: float
    signature: Signature

    json_keys = "answers questions highest with_reference=references confidence unseen_answers unseen_questions"

    @property
    def splits(self) -> Mapping[str, GradingSplit]:
        """Splits by what was unseen."""
        return {"unseen answers": self.unseen_answers, "unseen questions": self.unseen_questions}

    @property
    def statement(self) -> str:
        """The result in plain sentences."""
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, str]:
        """One sentence for each way to hold answers out."""
        return (
            self._sentence("New answers to known questions", self.unseen_answers),
            self._sentence("Answers to new questions", self.unseen_questions),
        )

    def _sentence(self, what: str, split: GradingSplit) -> str:
        own, constant = split.graders["grader"].rmse, split.graders["constant"]
        gain = constant.gain_of_grader
        judged = "not graded significantly better than by a constant"
        if gain is not None and gain.interval.lower > 0:
            judged = "graded better than by a constant"
        if gain is not None and gain.interval.upper < 0:
            judged = "graded worse than by a constant"
        errors = f"{grade_in_words(own)} against {grade_in_words(constant.rmse)}"
        return f"{what} are {judged}: typical error {errors}. Grades are from 0 to {self.highest:g}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the result, one sentence each."""
        caveats = [
            "A grade is predicted from words that an answer shares with graded answers and reference answers. A "
            "right answer in new words is graded too low, and a wrong answer in the right words too high.",
            "People who know how this works can write for it. Do not let it decide about people by itself.",
            "Intervals allow for answers to one question being alike. They do not include the choice of the parts, "
            "or the fit of the graders.",
        ]
        repeated = self.unseen_answers.repeated
        if repeated:
            fresh = self.unseen_answers.rmse_of_others
            without = "there are no others" if fresh.value is None else f"without them the error is {grade_in_words(fresh)}"
            caveats.append(
                f"{count(repeated)} of {count(self.answers)} held-out answers have an exact copy among those learnt "
                f"from; {without}."
            )
        if self.references < self.answers:
            caveats.append(
                f"{count(self.answers - self.references)} of {count(self.answers)} answers have no reference "
                "answer: for new questions, little else helps."
            )
        if self.questions < 20:
            caveats.append(f"With {count(self.questions)} questions, the figures on unseen questions are rough.")
        return tuple(caveats)

    def report(self) -> blocks.Report:
        """All of it as blocks."""
        counted = f"{count(self.answers)} graded answers to {count(self.questions)} questions."
        graders = "; ".join(f"{grader}: {words}" for grader, words in GRADERS.items())
        return self.reported(
            "Grades of single answers, predicted",
            f"Grades predicted, from {clipped(self.signature.scope, 120) or 'answers'}",
            blocks.InFull((blocks.Paragraph(self.sentences[1]), blocks.Paragraph(counted))),
            blocks.ReportFigure(self._figure),
            blocks.Caveats(self.caveats),
            *(
                blocks.ReportSection(f"{unseen[0].upper()}{unseen[1:]}", (_table(split),))
                for unseen, split in self.splits.items()
            ),
            blocks.InFull(blocks.notes(f"{graders}.")),
            blocks.method_of(self._method),
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
            for grader, score in split.graders.items()
        )
        alt = "Error of grades with 95% intervals. " + " ".join(
            f"On {unseen}: "
            + ", ".join(f"{grader} {score.rmse.value or 0.0:.2f}" for grader, score in split.graders.items())
            + "."
            for unseen, split in self.splits.items()
        )
        return errors(bars, f"typical error on the scale 0 to {self.highest:g}", alt)

    @property
    def _method(self) -> tuple[str, ...]:
        own = self.unseen_answers
        return (
            f"Unseen answers: all answers are divided at random into {own.parts} parts; each part is graded by "
            "graders that learnt from the others. Unseen questions: the questions are divided instead. Each answer "
            "is graded once in each way.",
            "The grader is an ensemble of boosted trees. They see an answer's length, and its words in common with "
            "question and reference answer. For known questions they also see the predictions of a ridge "
            "regression and of the nearest graded answers.",
            f"The typical error is the root of the mean square. Intervals are at level {self.confidence:.0%} and "
            "allow for answers to one question being alike. Those of errors are Student's t over questions; those of "
            "correlations leave out each question in turn. The last column is the difference to the grader's error, with "
            "an interval over the same answers.",
            f"For held-out answers without an exact copy, the grader's error is {grade_in_words(own.rmse_of_others)}.",
        )


def _table(split: GradingSplit) -> blocks.ReportTable:
    """Grader; error, correlation, and how much smaller the examined grader's error is."""
    heads = ("Graded by", "Typical error", "Correlation with grades", "Grader's error is smaller by")
    rows = tuple(
        blocks.ReportRow(
            TableCell(grader),
            (
                number_cell(score.rmse, 2, unknown="none"),
                number_cell(score.correlation, 2, unknown="none"),
                TableCell("", known=False) if score.gain_of_grader is None else signed_cell(score.gain_of_grader),
            ),
        )
        for grader, score in split.graders.items()
    )
    return blocks.ReportTable(tuple(map(blocks.Column, heads)), rows)


def grade_in_words(estimate: Estimate) -> str:
    """A number on the scale of grades, with its interval.

    >>> from vivavoce.formats.interval import Interval
    >>> grade_in_words(Estimate(0.681, Interval(0.6, 0.75), 9))
    '0.68 [0.60, 0.75]'
    """
    return number_cell(estimate, 2, unknown="none").words


FOLDS: Final = 5
"""Parts of the answers, and of the questions, each held out once."""
FEWEST_ANSWERS: Final = 50
FEWEST_QUESTIONS: Final = 5

Answers = Sequence[GradedResponse]


def grade_study(
    answers: Answers,
    *,
    seed: int = 0,
    source: str = "",
    digest: str = "",
    on_progress: Callable[[str], None] | None = None,
) -> GradingStudy:
    """Measure how well grades are predicted for answers to known questions and to new ones.

    In each of the two ways, an answer is graded once by a grader that has not seen it: five parts of the answers, and five
    parts of the questions. The grader is compared with a ridge regression on words, the mean of the question's grades, and the
    overall mean.

    Parameters
    ----------
    source, digest: the origin of the answers, for the signature.
    on_progress: gets a line before each part, with the estimated remaining time.

    Raises `NotEnoughEvidence` for fewer than 50 answers or 5 questions, or if all grades are equal, and `MissingExtra` without
    scikit-learn.
    """
    questions = [places for _, places in places_by_question(answers)]
    if len(answers) < FEWEST_ANSWERS or len(questions) < FEWEST_QUESTIONS:
        raise NotEnoughEvidence(
            f"{len(answers)} graded answers to {len(questions)} questions; a study of grading needs at least "
            f"{FEWEST_ANSWERS} answers and {FEWEST_QUESTIONS} questions"
        )
    if np.ptp(grades_of(answers)) == 0:
        raise NotEnoughEvidence(f"all {len(answers)} grades are {answers[0].grade:g}; a study of grading needs different ones")
    of_questions = [np.concatenate([questions[index] for index in part]) for part in folds(len(questions), FOLDS, seed)]
    ways = {"answers": folds(len(answers), FOLDS, seed), "questions": of_questions}
    tell = None if on_progress is None else _estimating(on_progress, sum(map(len, ways.values())))
    splits = {unseen: _split(answers, parts, f"unseen {unseen}", seed=seed, tell=tell) for unseen, parts in ways.items()}
    settings = {"parts": FOLDS, "confidence": CONFIDENCE}
    return GradingStudy(
        unseen_answers=splits["answers"],
        unseen_questions=splits["questions"],
        answers=len(answers),
        questions=len(questions),
        highest=float(grades_of(answers).max()),
        references=sum(bool(answer.reference) for answer in answers),
        confidence=CONFIDENCE,
        signature=Signature(__version__, "luna predict grade", "answers one by one", source, digest, seed, settings),
    )


def _estimating(tell: Callable[[str], None], parts: int, clock: Callable[[], float] = time.monotonic) -> Callable[[str], None]:
    """Adds to each line the remaining time, estimated from the finished parts."""
    begun, done = clock(), itertools.count()

    def report(line: str) -> None:
        before = next(done)
        left = f"; about {duration((clock() - begun) / before * (parts - before))} left" if before else ""
        tell(f"{line}{left}")

    return report


def _split(
    answers: Answers,
    parts: Sequence[Places],
    name: str,
    *,
    seed: int,
    tell: Callable[[str], None] | None,
) -> GradingSplit:
    predicted: dict[str, FloatArray] = {}
    repeated = np.zeros(len(answers), dtype=bool)
    for number, held in enumerate(parts, start=1):
        if tell is not None:
            tell(f"{name}: part {number} of {len(parts)}")
        training, test = apart(answers, held), [answers[index] for index in held]
        known = {(response.question, _folded(response.text)) for response in training}
        repeated[held] = [(response.question, _folded(response.text)) in known for response in test]
        for grader, grades in _predicted(training, test, seed).items():
            predicted.setdefault(grader, np.zeros(len(answers)))[held] = grades
    if name == "unseen questions":
        del predicted["question mean"]  # without grades of a question this equals the overall mean
    return GradingSplit(
        parts=len(parts),
        graders=scores(answers, predicted),
        repeated=int(repeated.sum()),
        rmse_of_others=_rmse(
            [answer for answer, is_old in zip(answers, repeated, strict=True) if not is_old],
            predicted["grader"][~repeated],
        ),
    )


def _predicted(training: Answers, test: Answers, seed: int) -> Mapping[str, FloatArray]:
    """One grade for each test answer, by names of `GRADERS`."""
    grades = grades_of(training)
    lexicon = lexicon_of(training)
    ridge = import_module("sklearn.linear_model").Ridge(alpha=1.0)
    ridge.fit(lexicon.vectors([answer.text for answer in training])[0], grades)
    means = {question: float(grades[places].mean()) for question, places in places_by_question(training)}
    constant = float(grades.mean())
    return {
        "grader": AnswerGrader().fit(training, seed=seed).predict(test),
        "ridge": np.clip(ridge.predict(lexicon.vectors([answer.text for answer in test])[0]), 0, grades.max()),
        "question mean": np.array([means.get(answer.question, constant) for answer in test]),
        "constant": np.full(len(test), constant),
    }


def scores(answers: Answers, predicted: Mapping[str, FloatArray]) -> Mapping[str, GraderScore]:
    """Error, correlation, and how much smaller the grader's error is, for each name of `predicted`, which includes `grader`.

    Intervals allow for answers to one question being alike. Those of mean squares come from `mean_interval`, with roots of its
    ends. Those of correlations leave out one question at a time, on Fisher's scale (`fisher1921`), at one degree of freedom
    less than there are questions.
    """
    errors = {name: _rmse(answers, grades) for name, grades in predicted.items()}
    return {
        name: GraderScore(
            rmse=errors[name],
            correlation=_correlation(answers, grades),
            gain_of_grader=None if name == "grader" else _gain(answers, predicted["grader"], grades),
        )
        for name, grades in predicted.items()
    }


def _rmse(answers: Answers, predicted: FloatArray) -> Estimate:
    """No interval for too few answers or questions, and no value without answers."""
    squares = (predicted - grades_of(answers)) ** 2
    value = sqrt(squares.mean()) if squares.size else None
    try:
        bounds = mean_interval(squares, [answer.question for answer in answers], confidence=CONFIDENCE)
    except NotEnoughEvidence:
        return Estimate(value, Interval(0.0, inf), squares.size)
    return Estimate(value, Interval(sqrt(max(0.0, bounds.lower)), sqrt(bounds.upper)), squares.size)


def _gain(answers: Answers, grader: FloatArray, other: FloatArray) -> Estimate:
    """Difference of the two errors: the mean difference of squares over the sum of both errors, taken as fixed."""
    own, others = ((some - grades_of(answers)) ** 2 for some in (grader, other))
    scale = sqrt(own.mean()) + sqrt(others.mean())
    if scale == 0:
        return Estimate(0.0, Interval(0.0, 0.0), own.size)
    differences = (others - own) / scale
    bounds = mean_interval(differences, [answer.question for answer in answers], confidence=CONFIDENCE)
    return Estimate(float(differences.mean()), Interval(bounds.lower, bounds.upper), own.size)


def _correlation(answers: Answers, predicted: FloatArray) -> Estimate:
    grades = grades_of(answers)
    value = _pearson(predicted, grades)
    if value is None:
        return Estimate(None, Interval(-1.0, 1.0), grades.size)
    left_out = [np.delete(np.arange(grades.size), places) for _, places in places_by_question(answers)]
    partial = [_pearson(predicted[rows], grades[rows]) for rows in left_out]
    scaled = np.array([atanh(correlation) for correlation in partial if correlation is not None and abs(correlation) < 1])
    if scaled.size < len(left_out) or abs(value) >= 1:
        return Estimate(value, Interval(-1.0, 1.0), grades.size)
    deviation = sqrt((scaled.size - 1) / scaled.size * float(((scaled - scaled.mean()) ** 2).sum()))
    half = float(stdtrit(scaled.size - 1, (1 + CONFIDENCE) / 2)) * deviation
    return Estimate(value, Interval(tanh(atanh(value) - half), tanh(atanh(value) + half)), grades.size)


def _pearson(first: FloatArray, second: FloatArray) -> float | None:
    """None if one list is constant."""
    x, y = first - first.mean(), second - second.mean()
    scale = sqrt(float(x @ x) * float(y @ y))
    value = float(x @ y) / scale if scale > 1e-12 * first.size else float("nan")
    return value if isfinite(value) else None


def _folded(text: str) -> str:
    return " ".join(text.lower().split())
