"""What a study of grading says on a page: both ways of holding answers out, graders side by side."""

from __future__ import annotations

from typing import Any

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, signed, signed_interval
from vivavoce.luna.predict.grading_finding import GRADERS, GradingSplit, GradingStudy, grade_in_words
from vivavoce.render.plots import style
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.luna.predict import Bar, errors

COLOURS = {"grader": style.BLUE, "constant": style.GREY}
"""Of those who are no plain reference."""

Cell = tuple[str, str]
"""A number and its interval."""


def grading_title(finding: GradingStudy) -> str:
    """What the page is."""
    return f"Grades predicted, from {clipped(finding.signature.scope, 120) or 'answers'}"


def grading_body(finding: GradingStudy, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    bars = [
        Bar(
            f"{grader}, {'new questions' if 'questions' in unseen else 'new answers'}",
            score.rmse,
            COLOURS.get(grader, style.ORANGE),
        )
        for unseen, split in finding.splits.items()
        for grader, score in split.scores.items()
    ]
    alt = "Error of grades with 95% intervals. " + " ".join(
        f"On {unseen}: " + ", ".join(f"{grader} {score.rmse.value or 0.0:.2f}" for grader, score in split.scores.items()) + "."
        for unseen, split in finding.splits.items()
    )
    return {
        "finding": finding,
        "counted": f"{count(finding.answers)} graded answers to {count(finding.questions)} questions.",
        "plot": figure(errors(bars, f"{name}e", alt, across=f"typical error on the scale 0 to {finding.highest:g}")),
        "splits": [(f"{unseen[0].upper()}{unseen[1:]}", grading_rows(split)) for unseen, split in finding.splits.items()],
        "graders": list(GRADERS.items()),
        "method": method(finding),
    }


def grading_rows(split: GradingSplit) -> list[tuple[str, tuple[Cell, ...]]]:
    """Grader; error, correlation, and how much smaller the examined grader's error is."""
    return [
        (grader, (_cell(score.rmse), _cell(score.correlation), ("", "") if score.gain is None else _signed(score.gain)))
        for grader, score in split.scores.items()
    ]


def method(finding: GradingStudy) -> list[str]:
    """How the numbers were found, in sentences."""
    own = finding.unseen_answers
    return [
        f"Unseen answers: all answers fall at random into {own.parts} parts; each part is graded by graders that have learnt "
        "from the others. Unseen questions: the questions do. Each answer is graded once in each way.",
        "The grader is an ensemble of boosted trees. They see an answer's length and its words in common with question and "
        "reference answer; and, where answers to the question were learnt from, what a ridge and the nearest of these answers "
        "say.",
        f"The typical error is the root of the mean square. Intervals are at level {finding.confidence:.0%} and allow for "
        "answers to one question being alike: of errors by Student's t over questions, of correlations by leaving out each "
        "question in turn. The last column is the difference to the grader's error, with an interval over the same answers.",
        f"Of held-out answers that stand nowhere else word for word the grader's error is {grade_in_words(own.fresh)}.",
    ]


def _cell(found: Estimate) -> Cell:
    number, _, ends = grade_in_words(found).partition(" ")
    return number, ends


def _signed(found: Estimate) -> Cell:
    return signed(found.value or 0.0), signed_interval(found.interval)
