"""The study of grading: how well are grades predicted of new answers, and of answers to new questions?"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import count
from math import atanh, inf, isfinite, sqrt, tanh
from typing import Final

import numpy as np
from scipy.special import stdtrit

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import duration
from vivavoce.interview.scope import Signature
from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.grader import Grader, apart, folds, lexicon_of
from vivavoce.luna.predict.grading_features import Places, grades_of, places_by_question
from vivavoce.luna.predict.grading_finding import GraderScore, GradingSplit, GradingStudy
from vivavoce.luna.predict.grading_table import GradedAnswer
from vivavoce.statistics.clustered import mean_interval
from vivavoce.version import __version__

FOLDS: Final = 5
"""Parts of the answers, and of the questions, each held out once."""
FEWEST_ANSWERS: Final = 50
FEWEST_QUESTIONS: Final = 5

Answers = Sequence[GradedAnswer]


def grade_study(
    answers: Answers,
    *,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    source: str = "",
    digest: str = "",
    on_progress: Callable[[str], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> GradingStudy:
    """How well are grades predicted of answers to questions that were graded before, and to questions that never were?

    Both ways each answer is graded once, by a grader that has not seen it: five parts of the answers, and five parts of the
    questions. Beside the grader stand a ridge on words, the mean of the question's grades, and the mean of all.

    Parameters
    ----------
    source, digest: where the answers are from, for the signature.
    on_progress: told in a line before each part, with the time that the rest will take, by how long the parts took so far.
    clock: seconds, for that time.

    Raises `NotEnoughEvidence` for fewer than 50 answers or 5 questions, and for grades that are all the same, and
    `MissingExtra` without scikit-learn.
    """
    questions = [places for _, places in places_by_question(answers)]
    if len(answers) < FEWEST_ANSWERS or len(questions) < FEWEST_QUESTIONS:
        raise NotEnoughEvidence(
            f"{len(answers)} graded answers to {len(questions)} questions; a study of grading needs at least "
            f"{FEWEST_ANSWERS} answers and {FEWEST_QUESTIONS} questions"
        )
    if np.ptp(grades_of(answers)) == 0:
        raise NotEnoughEvidence(f"all {len(answers)} grades are {answers[0].grade:g}; a study of grading needs different ones")
    of_questions = [np.concatenate([questions[one] for one in part]) for part in folds(len(questions), FOLDS, seed)]
    ways = {"answers": folds(len(answers), FOLDS, seed), "questions": of_questions}
    tell = None if on_progress is None else _estimating(on_progress, sum(map(len, ways.values())), clock)
    splits = {
        unseen: _split(answers, parts, f"unseen {unseen}", seed=seed, confidence=confidence, tell=tell)
        for unseen, parts in ways.items()
    }
    return GradingStudy(
        unseen_answers=splits["answers"],
        unseen_questions=splits["questions"],
        answers=len(answers),
        questions=len(questions),
        highest=float(grades_of(answers).max()),
        references=sum(bool(one.reference) for one in answers),
        confidence=confidence,
        signature=Signature(
            version=__version__,
            examination="luna predict grade",
            candidate="answers one by one",
            scope=source,
            scope_digest=digest,
            seed=seed,
            settings={"parts": FOLDS, "confidence": confidence},
        ),
    )


def _estimating(tell: Callable[[str], None], parts: int, clock: Callable[[], float]) -> Callable[[str], None]:
    """Tells what begins, and how long it and the rest will take if they take as long as what was before."""
    begun, done = clock(), count()

    def told(line: str) -> None:
        before = next(done)
        left = f"; about {duration((clock() - begun) / before * (parts - before))} left" if before else ""
        tell(f"{line}{left}")

    return told


def _split(
    answers: Answers,
    parts: Sequence[Places],
    name: str,
    *,
    seed: int,
    confidence: float,
    tell: Callable[[str], None] | None,
) -> GradingSplit:
    found: dict[str, FloatArray] = {}
    repeated = np.zeros(len(answers), dtype=bool)
    for number, held in enumerate(parts, start=1):
        if tell is not None:
            tell(f"{name}: part {number} of {len(parts)}")
        training, test = apart(answers, held), [answers[place] for place in held]
        known = {(one.question, _folded(one.text)) for one in training}
        repeated[held] = [(one.question, _folded(one.text)) in known for one in test]
        for grader, grades in _predicted(training, test, seed).items():
            found.setdefault(grader, np.zeros(len(answers)))[held] = grades
    if name == "unseen questions":
        del found["question mean"]  # of a question that was never graded it is the constant
    return GradingSplit(
        parts=len(parts),
        scores=scores(answers, found, confidence),
        repeated=int(repeated.sum()),
        fresh=_rmse(
            [answer for answer, is_old in zip(answers, repeated, strict=True) if not is_old],
            found["grader"][~repeated],
            confidence,
        ),
    )


def _predicted(training: Answers, test: Answers, seed: int) -> Mapping[str, FloatArray]:
    """By names of `GRADERS`, one grade for each test answer."""
    grades = grades_of(training)
    lexicon = lexicon_of(training)
    ridge = import_module("sklearn.linear_model").Ridge(alpha=1.0)
    ridge.fit(lexicon.vectors([one.text for one in training])[0], grades)
    means = {question: float(grades[places].mean()) for question, places in places_by_question(training)}
    constant = float(grades.mean())
    return {
        "grader": Grader().fit(training, seed=seed).predict(test),
        "ridge": np.clip(ridge.predict(lexicon.vectors([one.text for one in test])[0]), 0, grades.max()),
        "question mean": np.array([means.get(one.question, constant) for one in test]),
        "constant": np.full(len(test), constant),
    }


def scores(answers: Answers, predicted: Mapping[str, FloatArray], confidence: float = CONFIDENCE) -> Mapping[str, GraderScore]:
    """Error, correlation and how much smaller the grader's error is, for each name of `predicted`, `grader` among them.

    Intervals allow for answers to one question going together: of mean squares by `mean_interval`, its ends' roots taken; of
    correlations by leaving out one question after the other, on Fisher's scale (`fisher1921`), at one degree of freedom less
    than there are questions.
    """
    errors = {name: _rmse(answers, grades, confidence) for name, grades in predicted.items()}
    return {
        name: GraderScore(
            rmse=errors[name],
            correlation=_correlation(answers, grades, confidence),
            gain=None if name == "grader" else _gain(answers, predicted["grader"], grades, confidence),
        )
        for name, grades in predicted.items()
    }


def _rmse(answers: Answers, predicted: FloatArray, confidence: float) -> Estimate:
    """No interval for too few answers or questions, and no value for none."""
    squares = (predicted - grades_of(answers)) ** 2
    value = sqrt(squares.mean()) if squares.size else None
    try:
        bounds = mean_interval(squares, [one.question for one in answers], confidence=confidence)
    except NotEnoughEvidence:
        return Estimate(value, Interval(0.0, inf), squares.size)
    return Estimate(value, Interval(sqrt(max(0.0, bounds.lower)), sqrt(bounds.upper)), squares.size)


def _gain(answers: Answers, grader: FloatArray, other: FloatArray, confidence: float) -> Estimate:
    """Difference of the two errors: the mean difference of squares over the sum of both errors, taken as it is."""
    own, others = ((some - grades_of(answers)) ** 2 for some in (grader, other))
    scale = sqrt(own.mean()) + sqrt(others.mean())
    if scale == 0:
        return Estimate(0.0, Interval(0.0, 0.0), own.size)
    differences = (others - own) / scale
    bounds = mean_interval(differences, [one.question for one in answers], confidence=confidence)
    return Estimate(float(differences.mean()), Interval(bounds.lower, bounds.upper), own.size)


def _correlation(answers: Answers, predicted: FloatArray, confidence: float) -> Estimate:
    grades = grades_of(answers)
    value = _pearson(predicted, grades)
    if value is None:
        return Estimate(None, Interval(-1.0, 1.0), grades.size)
    left_out = [np.delete(np.arange(grades.size), places) for _, places in places_by_question(answers)]
    partial = [_pearson(predicted[kept], grades[kept]) for kept in left_out]
    scaled = np.array([atanh(one) for one in partial if one is not None and abs(one) < 1])
    if scaled.size < len(left_out) or abs(value) >= 1:
        return Estimate(value, Interval(-1.0, 1.0), grades.size)
    deviation = sqrt((scaled.size - 1) / scaled.size * float(((scaled - scaled.mean()) ** 2).sum()))
    half = float(stdtrit(scaled.size - 1, (1 + confidence) / 2)) * deviation
    return Estimate(value, Interval(tanh(atanh(value) - half), tanh(atanh(value) + half)), grades.size)


def _pearson(first: FloatArray, second: FloatArray) -> float | None:
    """None where all numbers of one side are the same."""
    one, other = first - first.mean(), second - second.mean()
    scale = sqrt(float(one @ one) * float(other @ other))
    value = float(one @ other) / scale if scale > 1e-12 * first.size else float("nan")
    return value if isfinite(value) else None


def _folded(text: str) -> str:
    return " ".join(text.lower().split())
