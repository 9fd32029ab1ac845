"""Pages of rating prediction: predictors side by side, the learning curve, ratings, grading; strangers' words escaped."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from rich.console import Console

from tests.luna.predict.pupils import pupils
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.finding import Finding, Signature
from vivavoce.luna.config import SplitsConfig
from vivavoce.luna.predict.compare import compare
from vivavoce.luna.predict.compare_finding import RatingComparison, RatingCurve
from vivavoce.luna.predict.curve import curve
from vivavoce.luna.predict.grading_finding import GraderScore, GradingSplit, GradingStudy
from vivavoce.luna.predict.models import OPTIONS
from vivavoce.luna.predict.predicted_ratings import learn, predict_ratings
from vivavoce.luna.predict.predicted_ratings_finding import PredictedRatings
from vivavoce.render.page import page
from vivavoce.render.pages.luna.predict import (
    SHOWN,
    comparison_rows,
    curve_headline,
    curve_rows,
    in_two,
    predicted_body,
    words_of,
)
from vivavoce.render.pages.luna.predict_grading import grading_rows
from vivavoce.render.terminals.luna.predict import (
    print_grading,
    print_predicted,
    print_rating_comparison,
    print_rating_curve,
)

pytest.importorskip("sklearn")
MADE = datetime(2026, 6, 14, tzinfo=UTC)


@cache
def compared() -> RatingComparison:
    return compare(pupils(), ["com", "cbg", "bow"], config=SplitsConfig(3), source="<i>pupils</i>")


@cache
def learning_curve() -> RatingCurve:
    return curve(pupils(), ["bow", "cbg"], [8, 16], config=SplitsConfig(3), source="pupils")


@cache
def predicted() -> PredictedRatings:
    return predict_ratings(learn(pupils(), "bow"), pupils(12, seed=1), source="new")


def many_predicted() -> PredictedRatings:
    return replace(predicted(), predictions=predicted().predictions * 50)


def grading() -> GradingStudy:
    def about(value: float | None) -> Estimate:
        return Estimate(value, Interval(-1, 1) if value is None else Interval(value - 0.1, value + 0.1), 90)

    rows = {
        "grader": GraderScore(about(0.7), about(0.8), None),
        "constant": GraderScore(about(1.1), about(None), about(0.4)),
    }
    split = GradingSplit(5, rows, repeated=3, fresh=about(0.75))
    signature = Signature("1", "luna predict grade", "answers", "<b>class</b>", "", 0, {"parts": 5})
    return GradingStudy(split, split, 90, 30, 5.0, 80, 0.95, signature)


@pytest.mark.parametrize(("found", "plots"), [(compared, 1), (learning_curve, 1), (predicted, 1), (grading, 1)])
def test_a_page_has_its_plot_and_what_is_not_shown(found: Callable[[], Finding], plots: int) -> None:
    finding = found()
    html = page([finding], made=MADE, version="1")
    assert html.count("<svg") == plots
    assert all(caveat.partition("'")[0] in html for caveat in finding.caveats)
    assert "<i>" not in html
    assert "<b>" not in html
    assert html == page([finding], made=MADE, version="1")


def test_predictors_stand_in_order_of_their_errors() -> None:
    rows = comparison_rows(compared())
    errors = [float(error) for _, _, (error, _), _, _ in rows]
    assert errors == sorted(errors)
    (com,) = (row for row in rows if row[0] == "com")
    assert com[1] == "10 of the 12 features of the thesis, without snl and syn"
    assert words_of("com?wordnet=") == "all 12 features of the thesis"
    assert com[3:] == (("", ""), "")  # it is what the others are compared with
    cbg = next(one for one in compared().scores if one.name == "cbg")
    assert cbg.difference is not None
    shown = next(row for row in rows if row[0] == "cbg")[3][0]
    assert shown == f"{cbg.difference.value:+.3f}".replace("-", "−")
    assert " ".join(in_two(compared())) == compared().statement


def test_the_curve_names_the_best_with_the_most_people() -> None:
    assert curve_headline(learning_curve()).startswith("With 16 people to learn from bow errs least")
    assert [(size, len(cells)) for size, cells in curve_rows(learning_curve())] == [("8", 2), ("16", 2)]
    lone = replace(learning_curve(), points=tuple(point for point in learning_curve().points if point.people == 16))
    assert curve_headline(lone).count("with") == 0


def test_every_predictor_says_what_it_goes_by() -> None:
    assert all(words_of(name) for name in OPTIONS)
    assert words_of("modern?from=ratings").endswith("from ratings alone")


def test_of_very_many_people_the_rest_is_counted() -> None:
    many = many_predicted()
    body = predicted_body(many, "s1")
    assert (len(body["rows"]), body["left"]) == (SHOWN, 100)
    assert "each with its 90% interval" in page([many], made=MADE, version="1")
    alone = replace(predicted(), predictions=predicted().predictions[:1])
    assert predicted_body(alone, "s1")["plot"] is None
    hostile = replace(predicted().predictions[0], person="<b>Ann</b>\u202e")
    html = page([replace(predicted(), predictions=(hostile,))], made=MADE, version="1")
    assert "<b>" not in html
    assert "\u202e" not in html


def test_graders_without_a_correlation_have_none() -> None:
    cells = (("1.10", "[1.00, 1.20]"), ("none", ""), ("+0.40", "[+0.30, +0.50]"))
    assert grading_rows(grading().unseen_answers)[1] == ("constant", cells)


@pytest.mark.parametrize(
    ("found", "printer"),
    [
        (compared, print_rating_comparison),
        (learning_curve, print_rating_curve),
        (predicted, print_predicted),
        (many_predicted, print_predicted),
        (grading, print_grading),
    ],
)
def test_the_terminal_ends_with_the_sentence(found: Callable[[], Finding], printer: Callable[[Any, Console], None]) -> None:
    finding, out = found(), io.StringIO()
    printer(finding, Console(file=out, width=200))
    assert out.getvalue().rstrip().endswith(finding.statement)
