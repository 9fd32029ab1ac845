"""What rating prediction says on a page: predictors compared, errors over the size of the training, and ratings predicted."""

from __future__ import annotations

from typing import Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.luna.predict.compare_finding import Point, PredictorScore, RatingComparison, RatingCurve, in_words, parts_of
from vivavoce.luna.predict.predicted_ratings_finding import PredictedRatings
from vivavoce.render.plots import style
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.luna.predict import Bar, Line, errors, learning, predicted
from vivavoce.report.wording import p_value

SHOWN: Final = 500
"""People in a table."""
LOOKS: Final = {"modern": style.BLUE, "constant": style.GREY, "cbg": style.GREY, "ran": style.GREY}
"""Of those that are no plain features."""
Cell = tuple[str, str]
"""A number and its interval."""
WORDS: Final = {
    "constant": "the mean of all ratings",
    "cbg": "the mean of all ratings",
    "ran": "at random",
    "bwo": "shares a word with the right answer",
    "fwo": "words in common with the right answer",
    "ced": "edits to the right answer, in characters",
    "wed": "edits to the right answer, in words",
    "wcs": "word vectors like the right answer's",
    "snl": "near the right answer in WordNet",
    "bow": "words of the answers",
    "big": "pairs of words",
    "syn": "words and their synonyms",
    "nno": "nearest neighbour by overlap",
    "nnc": "nearest neighbour by characters",
    "nnw": "nearest neighbour by words",
    "modern": "how good each answer seems",
}
"""What predictors go by."""


def rating_comparison_title(finding: RatingComparison) -> str:
    """What the page is."""
    return f"Ratings predicted, from {clipped(finding.signature.scope, 120) or 'answers'}"


def rating_comparison_body(finding: RatingComparison, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    ordered = sorted(finding.scores, key=lambda one: one.rmse.value or 0.0)
    first, last = ordered[0], ordered[-1]
    alt = (
        f"Error of ratings of people not seen before, with 95% intervals: from {in_words(first.rmse)} by {name_of(first.name)} "
        f"to {in_words(last.rmse)} by {name_of(last.name)}."
    )
    bars = [Bar(name_of(one.name), one.rmse, colour_of(one.name)) for one in ordered]
    return {
        "finding": finding,
        "sentences": in_two(finding),
        "counted": f"{count(finding.people)} people, {count(finding.questions)} questions, "
        + ("a grade for each answer." if finding.graded else "a rating for each person."),
        "plot": figure(errors(bars, f"{name}e", alt, across="root mean squared error of ratings")),
        "against": name_of(finding.against),
        "rows": comparison_rows(finding),
        "method": comparison_method(finding),
    }


def in_two(finding: RatingComparison) -> list[str]:
    """The statement as a headline and, where there is more to say, a second sentence."""
    first, more, second = finding.statement.partition(" It is ")
    return [first, f"{more}{second}".strip()] if more else [first]


def comparison_rows(finding: RatingComparison) -> list[tuple[str, str, Cell, Cell, str]]:
    """Predictor, what it goes by, its error, how much more that is than that of the one compared with, and the p-value."""
    ordered = sorted(finding.scores, key=lambda one: one.rmse.value or 0.0)
    return [(name_of(one.name), words_of(one.name), _cell(one.rmse), *_more(one)) for one in ordered]


def comparison_method(finding: RatingComparison) -> list[str]:
    """How the numbers were found, in sentences."""
    return [
        f"{count(finding.signature.settings['splits'])} times, {count(finding.tested)} people drawn at random were set aside; "
        "every predictor learnt from all others, and predicted the ratings of those from their answers. The root mean squared "
        "error is averaged over these splits.",
        "Intervals and p-values are of the corrected resampled t test, which allows for people who are in many splits. The "
        "difference is taken split by split.",
    ]


def rating_curve_title(finding: RatingCurve) -> str:
    """What the page is."""
    return f"Ratings predicted by number of people, from {clipped(finding.signature.scope, 120) or 'answers'}"


def rating_curve_body(finding: RatingCurve, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    lines = [
        Line(name_of(one), [point.people for point in finding.of(one)], [point.rmse for point in finding.of(one)])
        for one in finding.names
    ]
    return {
        "finding": finding,
        "headline": curve_headline(finding),
        "plot": figure(learning(lines, f"{name}l", f"{curve_headline(finding)} Bands are 95% intervals.")),
        "names": [name_of(one) for one in finding.names],
        "rows": curve_rows(finding),
    }


def curve_headline(finding: RatingCurve) -> str:
    """Who errs least with the most people to learn from, and how much more with the fewest."""
    most = max(point.people for point in finding.points)
    best = min((point for point in finding.points if point.people == most), key=lambda point: point.rmse.value or 0.0)
    first = finding.of(best.name)[0]
    before = "" if first.people == most else f"; with {count(first.people)} by {in_words(first.rmse)}"
    return f"With {count(most)} people to learn from {name_of(best.name)} errs least, by {in_words(best.rmse)}{before}."


def curve_rows(finding: RatingCurve) -> list[tuple[str, list[Cell]]]:
    """Number of people, and the error of each predictor that learnt from this many."""
    found = {(point.name, point.people): point for point in finding.points}
    sizes = sorted({point.people for point in finding.points})
    return [(count(size), [_error(found.get((name, size))) for name in finding.names]) for size in sizes]


def predicted_title(finding: PredictedRatings) -> str:
    """What the page is."""
    return f"Ratings predicted for {clipped(finding.signature.scope, 120) or 'answers'}"


def predicted_body(finding: PredictedRatings, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    values = sorted(one.rating for one in finding.predictions)
    alt = (
        f"Ratings of {count(len(values))} people in order, from {values[0]:.2f} to {values[-1]:.2f}, each with its "
        f"{finding.level:.0%} interval."
    )
    return {
        "finding": finding,
        "plot": figure(predicted(finding.predictions, f"{name}p", alt)) if len(values) > 1 else None,
        "rows": predicted_rows(finding)[:SHOWN],
        "left": max(0, len(values) - SHOWN),
        "method": predicted_method(finding),
    }


def predicted_rows(finding: PredictedRatings) -> list[tuple[str, str, str]]:
    """Person, rating and interval; the highest first."""
    ordered = sorted(finding.predictions, key=lambda one: -one.rating)
    return [(name_of(one.person), f"{one.rating:.2f}", f"[{one.lower:.2f}, {one.upper:.2f}]") for one in ordered]


def predicted_method(finding: PredictedRatings) -> list[str]:
    """How the numbers were found, in sentences."""
    tried = f"the rating of each of {count(finding.tried_on)} people was predicted by a predictor that had not seen them"
    return [
        f"The predictor {name_of(finding.predictor)} goes by: {words_of(finding.predictor)}. It has learnt from "
        f"{count(finding.learnt_from)} people who answered {count(finding.questions)} questions.",
        f"For the intervals {tried}; an interval reaches as far to each side as it took to hold {finding.level:.0%} of them."
        if finding.tried_on
        else "It has learnt from too few people to leave some out and see how far off it is: intervals are the whole scale.",
    ]


def words_of(name: str) -> str:
    """What a predictor goes by."""
    which, _, options = name.partition("?")
    return parts_of(name) or WORDS.get(which, "") + (
        ", from ratings alone" if which == "modern" and "from=ratings" in options else ""
    )


def colour_of(name: str) -> str:
    """Blue for the modern regressor, grey for those who look at no answer, orange for features."""
    return LOOKS.get(name.partition("?")[0], style.ORANGE)


def _more(score: PredictorScore) -> tuple[Cell, str]:
    found = score.difference
    if found is None:
        return ("", ""), ""
    value, lower, upper = (f"{one:+.3f}".replace("-", "−") for one in (found.value, found.interval.lower, found.interval.upper))
    return (value, f"[{lower}, {upper}]"), p_value(found.p)


def _cell(found: Estimate) -> Cell:
    number, _, ends = in_words(found).replace("-", "−").partition(" ")
    return number, ends


def _error(point: Point | None) -> Cell:
    return ("–", "") if point is None else _cell(point.rmse)
