"""Pages of rating prediction: predictors side by side, the learning curve, ratings, grading; strangers' words escaped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.util import find_spec

import pytest

from tests.luna.predict.people import pupils
from tests.render.html_pages import html_of
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.scope import Signature
from vivavoce.luna.predict.comparison import compare, curve
from vivavoce.luna.predict.comparison_finding import RatingComparison, RatingCurve, words_of
from vivavoce.luna.predict.grading_study import GraderScore, GradingSplit, GradingStudy
from vivavoce.luna.predict.predicted_ratings import SHOWN, PredictedRatings, learn, predict_ratings
from vivavoce.luna.predict.predictors import OPTIONS
from vivavoce.luna.settings import SplitsConfig
from vivavoce.render.drawing import drawing_of
from vivavoce.report.blocks import ReportTable
from vivavoce.report.reported import ReportedFinding

pytestmark = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")


@cache
def compared(source: str = "pupils") -> RatingComparison:
    return compare(pupils(), ["com", "cbg", "bow"], config=SplitsConfig(3), source=source)


@cache
def learning_curve() -> RatingCurve:
    return curve(pupils(), ["bow", "cbg"], [8, 16], config=SplitsConfig(3), source="pupils")


@cache
def predicted() -> PredictedRatings:
    return predict_ratings(learn(pupils(), "bow"), pupils(12, seed=1), source="new")


def predicted_of(person: str) -> PredictedRatings:
    return replace(predicted(), predictions=(replace(predicted().predictions[0], person=person), *predicted().predictions[1:]))


def many_predicted() -> PredictedRatings:
    return replace(predicted(), predictions=predicted().predictions * 50)


def grading(scope: str = "class") -> GradingStudy:
    def about(value: float | None) -> Estimate:
        return Estimate(value, Interval(-1, 1) if value is None else Interval(value - 0.1, value + 0.1), 90)

    rows = {
        "grader": GraderScore(about(0.7), about(0.8), None),
        "constant": GraderScore(about(1.1), about(None), about(0.4)),
    }
    split = GradingSplit(5, rows, repeated=3, rmse_of_others=about(0.75))
    signature = Signature("1", "luna predict grade", "answers", scope, "", 0, {"parts": 5})
    return GradingStudy(split, split, 90, 30, 5.0, 80, 0.95, signature)


@pytest.mark.parametrize(("made", "plots"), [(compared, 1), (learning_curve, 1), (predicted, 1), (grading, 1)])
def test_a_page_has_its_plot(made: Callable[[], ReportedFinding], plots: int) -> None:
    assert html_of(made()).count("<svg") == plots


def lines(table: ReportTable) -> list[list[str]]:
    return [[cell.words for cell in (row.head, *row.cells)] for row in table.rows]


def test_predictors_stand_in_order_of_their_errors() -> None:
    (table,) = compared().report().tables
    errors = [float(row.cells[0].text) for row in table.rows]
    assert errors == sorted(errors)
    (com,) = (row for row in table.rows if row.head.text == "com")
    assert com.head.below == ("10 of the 12 features of the thesis, without snl and syn",)
    assert words_of("com?wordnet=") == "all 12 features of the thesis"
    assert [cell.words for cell in com.cells[1:]] == ["", ""]  # it is what the others are compared with
    cbg = next(score for score in compared().scores if score.name == "cbg")
    assert cbg.difference is not None
    shown = next(row for row in table.rows if row.head.text == "cbg").cells[1].text
    assert shown == f"{cbg.difference.value:+.3f}".replace("-", "−")
    assert compared().statement.startswith(compared().report().headline)


def test_the_curve_names_the_best_with_the_most_people() -> None:
    assert learning_curve().headline.startswith("With 16 people to learn from, bow has the smallest error")
    assert [(line[0], len(line)) for line in lines(learning_curve().report().tables[0])] == [("8", 3), ("16", 3)]
    lone = replace(learning_curve(), points=tuple(point for point in learning_curve().points if point.people == 16))
    assert lone.headline.count("with") == 0


def test_every_predictor_says_what_it_goes_by() -> None:
    assert all(words_of(name) for name in OPTIONS)
    assert words_of("modern?from=ratings").endswith("from ratings alone")


def test_of_very_many_people_the_rest_is_counted() -> None:
    many = many_predicted()
    html = html_of(many)
    assert len(many.report().tables[0].rows) == SHOWN
    assert "And 100 more, with lower ratings." in html
    assert "each with its 90% interval" in html
    alone = replace(predicted(), predictions=predicted().predictions[:1])
    assert drawing_of(alone.report().figures[0].data) is None


def test_graders_without_a_correlation_have_none() -> None:
    first, _ = grading().report().tables
    assert lines(first)[1] == ["constant", "1.10 [1.00, 1.20]", "none", "+0.40 [+0.30, +0.50]"]
