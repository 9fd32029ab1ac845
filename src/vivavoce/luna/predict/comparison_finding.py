"""The finding of comparing rating predictors, with its figure and table.

Compares rating predictors on the same random splits of people (Figure 5.3 of `silver2016`).

Differences are tested by the corrected resampled t test (`nadeau2003`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from math import isfinite, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.interview.scope import Signature
from vivavoce.luna.identification import in_words, number_cell
from vivavoce.luna.predict.answers import PeopleTable
from vivavoce.luna.predict.predictor import FEWEST, targets
from vivavoce.luna.predict.predictors import FEATURES, combined, predictor
from vivavoce.luna.settings import SplitsConfig
from vivavoce.report.blocks import Caveats, Column, InFull, Paragraph, Report, ReportFigure, ReportRow, ReportTable, method_of
from vivavoce.report.cells import TableCell, p_value
from vivavoce.report.figures import IntervalRow, IntervalRows, Kind
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.bounds import Bounds, check_confidence
from vivavoce.version import __version__

KEY: Final[tuple[tuple[Kind, str], ...]] = (("plain", "examined"), ("reference", "a single feature"), ("control", "a baseline"))


def errors(bars: Iterable[tuple[str, Estimate, Kind]], axis: str, alt: str) -> IntervalRows:
    """A figure of errors, one row each: name, value and kind of predictor."""
    rows = [IntervalRow.of(name, f"{error.value or 0.0:.2f}", error, kind) for name, error, kind in bars]
    top = max((row.interval.upper for row in rows if isfinite(row.interval.upper)), default=1.0)
    kinds = {row.kind for row in rows}
    key = tuple((kind, words) for kind, words in KEY if kind in kinds)
    return IntervalRows(axis, rows, alt=alt, unit="number", span=(0.0, 1.05 * top), key=key)


LIKELY: Final = 0.05
"""p-value below which a difference counts as significant."""
_OF_THESIS: Final = ("bwo", "fwo", "ced", "wed", "wcs", "snl", "bow", "big", "syn", "nno", "nnc", "nnw", "com")
_WITH_KEY: Final = (*_OF_THESIS[:6], "com", "items")
WORDS: Final[Mapping[str, str]] = {
    "constant": "the mean of all ratings",
    "cbg": "the mean of all ratings",
    "ran": "at random",
    "bwo": "shares a word with the right answer",
    "fwo": "words in common with the right answer",
    "ced": "edits to the right answer, in characters",
    "wed": "edits to the right answer, in words",
    "wcs": "word vectors close to the right answer's",
    "snl": "near the right answer in WordNet",
    "bow": "words of the answers",
    "big": "pairs of words",
    "syn": "words and their synonyms",
    "nno": "nearest neighbour by overlap",
    "nnc": "nearest neighbour by characters",
    "nnw": "nearest neighbour by words",
    "items": "difficulty and discrimination of the questions",
    "modern": "how good each answer seems",
}
"""A short description of each predictor."""
_KINDS: Final[Mapping[str, Kind]] = {"modern": "plain", "constant": "control", "cbg": "control", "ran": "control"}
"""Predictors other than plain features."""


@dataclass(frozen=True, slots=True)
class ErrorDifference:
    """The difference of two errors on the same splits."""

    value: float
    """Below 0 if the predictor has the smaller error."""
    interval: Interval
    p: float
    """Two-sided, by the corrected resampled t test."""


@dataclass(frozen=True, slots=True)
class PredictorScore:
    """One predictor."""

    name: str
    rmse: Estimate
    """Root mean squared error of ratings from 0 to 1, the mean over splits."""
    difference: ErrorDifference | None
    """The difference to the predictor compared with; None for that one itself."""


@dataclass(frozen=True, slots=True, repr=False)
class RatingComparison(ReportedFinding):
    """Predictors compared on the same splits."""

    scores: tuple[PredictorScore, ...]
    """In the order of the names."""
    against: str
    """The predictor that all others are compared with."""
    people: int
    questions: int
    graded: bool
    """Whether every answer has a grade."""
    tested: int
    """People predicted in each split."""
    keyed: int
    """Questions with known right answers."""
    signature: Signature

    json_keys = "people questions graded tested questions_with_key?=keyed against predictors=scores"

    @property
    def best(self) -> PredictorScore:
        """The predictor with the smallest error."""
        return min(self.scores, key=lambda score: score.rmse.value or 0.0)

    @property
    def statement(self) -> str:
        """The result in up to two plain sentences."""
        best = self.best
        others = [score.rmse for score in self.scores if score is not best]
        has = "has the smallest error" if others else "predicts ratings with an error"
        doubt = "" if not others or best.rmse.is_smallest(others) else ", but not significantly"
        among = f" of {count(len(self.scores))} predictors{doubt}:" if others else " of"
        error = f"{name_of(best.name)} {has}{among} {in_words(best.rmse, 3)} (root mean squared, ratings from 0 to 1)."
        if best.difference is None:
            return error
        difference = best.difference
        rival = f"{name_of(self.against)}'s" + (f" ({parts_of(self.against)})" if _is_partial(self.against) else "")
        interval = f"[{-difference.interval.upper:.3f}, {-difference.interval.lower:.3f}]"
        is_significant = difference.p < LIKELY
        than = f"{rival} by {-difference.value:.3f} {interval}" if is_significant else rival
        return f"{error} It is {'' if is_significant else 'not significantly '}smaller than {than} (p = {difference.p:.1g})."

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the result, one sentence each."""
        caveats = [
            f"Intervals and p-values are over {count(self.signature.settings['splits'])} random splits of the same "
            f"{count(self.people)} people, {count(self.tested)} of whom are predicted in each. Splits share people; "
            "an approximation allows for it.",
            "The result holds for people like these who answer the same questions. New questions, and people who "
            "know how they are rated, may differ: the words of a right answer are enough to look right.",
        ]
        names = [score.name.partition("?")[0] for score in self.scores]
        with_key = bool(set(names) & set(_WITH_KEY))
        if with_key and self.keyed:
            caveats.append(
                f"An answer key was given for {count(self.keyed)} of {count(self.questions)} questions; its author "
                "may have seen answers like these."
            )
        if with_key and self.keyed < self.questions:
            others = " for the others" if self.keyed else ""
            caveats.append(
                f"There is no answer key{others}: features that compare with one use the commonest answer "
                + ("with the best grade among those learnt from." if self.graded else "among those learnt from.")
            )
        if any(_is_partial(score.name) for score in self.scores):
            caveats.append(
                f"com means {parts_of('com')}: these need WordNet's files. All {len(FEATURES)} together are "
                "'com?wordnet=FOLDER'."
            )
        if set(names) & set(_OF_THESIS):
            caveats.append(
                "If the thesis does not define a feature fully, our definition reproduces its printed errors as far as they "
                "are known. Words of all answers are in one bag, and people learnt from count as their own neighbours."
            )
        if "modern" in names and self.graded:
            caveats.append(
                "The modern regressor learns from the grade of each answer, unless its name has 'from=ratings'. "
                "The features of the thesis learn from ratings, and use grades only to make the key."
            )
        return tuple(caveats)

    def report(self) -> Report:
        """All of it as blocks."""
        headline, more, second = self.statement.partition(" It is ")
        graded = "a grade for each answer." if self.graded else "a rating for each person."
        return self.reported(
            "Ratings predicted from answers",
            f"Ratings predicted, from {clipped(self.signature.scope, 120) or 'answers'}",
            InFull(
                (
                    Paragraph(f"{more}{second}".strip()),
                    Paragraph(f"{count(self.people)} people, {count(self.questions)} questions, {graded}"),
                )
            ),
            ReportFigure(self._figure),
            Caveats(self.caveats),
            self._table,
            method_of(
                (
                    f"{count(self.signature.settings['splits'])} times, {count(self.tested)} random people were set "
                    "aside. Every predictor learnt from all others and predicted the ratings of those set aside "
                    "from their answers. The root mean squared error is averaged over these splits.",
                    "Intervals and p-values use the corrected resampled t test, which allows for people in many "
                    "splits. Differences are computed split by split.",
                )
            ),
            headline=headline,
        )

    @property
    def _ordered(self) -> list[PredictorScore]:
        """The nearest to the ratings first."""
        return sorted(self.scores, key=lambda score: score.rmse.value or 0.0)

    @property
    def _figure(self) -> IntervalRows:
        first, last = self._ordered[0], self._ordered[-1]
        alt = (
            f"Error of ratings of people not seen before, with 95% intervals: from {in_words(first.rmse, 3)} by "
            f"{name_of(first.name)} to {in_words(last.rmse, 3)} by {name_of(last.name)}."
        )
        bars = (
            (name_of(score.name), score.rmse, _KINDS.get(score.name.partition("?")[0], "reference")) for score in self._ordered
        )
        return errors(bars, "root mean squared error of ratings", alt)

    @property
    def _table(self) -> ReportTable:
        rows = (
            ReportRow(
                TableCell(name_of(score.name), below=(words_of(score.name),)),
                (number_cell(score.rmse, 3), *_more(score.difference)),
            )
            for score in self._ordered
        )
        than = Column(f"More than {name_of(self.against)}'s by")
        return ReportTable((Column("Predictor"), Column("Error"), than, Column("p")), tuple(rows))


def parts_of(name: str) -> str:
    """The features that `com` combines, in words; empty for other predictors.

    >>> parts_of("com"), parts_of("com?fit=lasso&wordnet=")
    ('10 of the 12 features of the thesis, without snl and syn', 'all 12 features of the thesis')
    """
    parts, every = combined(name), f"{len(FEATURES)} features of the thesis"
    if not parts:
        return ""
    left_out = [feature for feature in FEATURES if feature not in parts]
    return f"{len(parts)} of the {every}, without {' and '.join(left_out)}" if left_out else f"all {every}"


def words_of(name: str) -> str:
    """A short description of a predictor."""
    which, _, options = name.partition("?")
    from_ratings = which == "modern" and "from=ratings" in options
    return parts_of(name) or WORDS.get(which, "") + (", from ratings alone" if from_ratings else "")


def _more(difference: ErrorDifference | None) -> tuple[TableCell, TableCell]:
    """The difference of errors to the predictor compared with, and its p-value."""
    if difference is None:
        return TableCell("", known=False), TableCell("", known=False)
    value, lower, upper = (
        f"{number:+.3f}".replace("-", "−")
        for number in (difference.value, difference.interval.lower, difference.interval.upper)
    )
    return TableCell(value, difference.value, difference.interval, f"[{lower}, {upper}]"), TableCell(
        p_value(difference.p), difference.p
    )


def _is_partial(name: str) -> bool:
    return 0 < len(combined(name)) < len(FEATURES)


class ResampledMean(NamedTuple):
    """A mean over splits."""

    mean: float
    bounds: Bounds
    p: float
    """Two-sided: the chance of a mean at least as far from 0 if the true mean is 0."""
    splits: int


def resampled_t(values: ArrayLike, *, tested: int, learnt: int, confidence: float = CONFIDENCE) -> ResampledMean:
    """The corrected resampled t test, and its interval.

    Splits share most of their data, so their values differ less than values from new data. The usual t test would find a
    difference in noise, the more so with more splits. Here the variance of the mean over k splits is s² (1/k + tested/learnt),
    with s² the variance of the values, at k - 1 degrees of freedom. The correction is an approximation: it uses the share of
    tested data as the correlation of two splits.

    Parameters
    ----------
    values: one for each split, such as an error, or the difference of two errors on the same split; finite.
    tested, learnt: observations on the two sides of each split.

    Raises `NotEnoughEvidence` for fewer than two splits, `BadInput` for impossible numbers.

    >>> test = resampled_t([1.0, 2.0, 3.0], tested=1, learnt=3, confidence=0.5)  # variance 1 (1/3 + 1/3), t.75 at 2: .816
    >>> test.mean, round(test.bounds.upper - 2, 4)
    (2.0, 0.6667)
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise BadInput("the values of splits must be one row of finite numbers")
    if array.size < 2:
        raise NotEnoughEvidence(f"{array.size} splits; the test needs at least 2")
    if tested < 1 or learnt < 1:
        raise BadInput(f"{tested} tested and {learnt} learnt from: both must be at least 1")
    check_confidence(confidence)
    mean = float(array.mean())
    error = sqrt(float(array.var(ddof=1)) * (1 / array.size + tested / learnt))
    half = float(stdtrit(array.size - 1, (1 + confidence) / 2)) * error
    p = 2 * float(stdtr(array.size - 1, -abs(mean) / error)) if error else float(mean == 0)
    return ResampledMean(mean, Bounds(mean - half, mean + half), p, array.size)


TEST_SHARE: Final = 0.2
"""Share of people whose ratings are predicted, rounded to whole people: 4:1 in `silver2016`."""


@dataclass(frozen=True, slots=True)
class PeopleSplit:
    """One split of people into two disjoint sides."""

    number: int
    learn: tuple[str, ...]
    test: tuple[str, ...]


def splits_of(people: PeopleTable, config: SplitsConfig) -> list[PeopleSplit]:
    """The splits, drawn one by one. Raises `NotEnoughEvidence` for too few people.

    >>> from vivavoce.luna.predict.answers import PersonAnswer, people_of
    >>> table = people_of([PersonAnswer(name, "1", "yes", 1.0) for name in "abcdefghij"])
    >>> [len(side) for split in splits_of(table, SplitsConfig(2)) for side in (split.learn, split.test)]
    [8, 2, 8, 2]
    """
    names = people.people
    tested = max(1, round(TEST_SHARE * len(names)))
    if len(names) - tested < FEWEST:
        raise NotEnoughEvidence(f"{len(names)} people, {tested} of them to predict: fewer than {FEWEST} are left to learn from")
    drawn = []
    for number in range(config.splits):
        order = [names[index] for index in np.random.default_rng([config.seed, number]).permutation(len(names))]
        drawn.append(PeopleSplit(number, tuple(order[tested:]), tuple(order[:tested])))
    return drawn


AGAINST = "com"


def compare(
    people: PeopleTable,
    names: Sequence[str],
    config: SplitsConfig = SplitsConfig(),  # noqa: B008 -- frozen
    *,
    source: str = "",
    digest: str = "",
    executor: Executor | None = None,
    on_split: Callable[[int], None] | None = None,
) -> RatingComparison:
    """Root mean squared errors of predictors, and whether they differ from the error of `com`, or else of the first.

    Parameters
    ----------
    names: as for `predictor`, each once.
    config: all predictors use the same splits.
    source, digest: the origin of the table, for the signature.
    on_split: gets the number of finished splits.

    Raises `UnknownName`, `BadInput`, `NotEnoughEvidence`, and `MissingExtra` for a missing package.
    """
    check(people, names)
    drawn = splits_of(people, config)
    rows = []
    for row in errors_of(people, drawn, names, executor=executor):
        rows.append(row)
        if on_split is not None:
            on_split(len(rows))
    table = np.array(rows)
    judged = partial(resampled_t, tested=len(drawn[0].test), learnt=len(drawn[0].learn))
    against = AGAINST if AGAINST in names else names[0]
    base = table[:, list(names).index(against)]
    settings = {"splits": config.splits, "test_share": TEST_SHARE}
    return RatingComparison(
        scores=tuple(
            PredictorScore(
                name, estimate(judged(table[:, index])), None if name == against else difference(judged(table[:, index] - base))
            )
            for index, name in enumerate(names)
        ),
        against=against,
        people=len(people.people),
        questions=len(people.questions),
        graded=people.graded,
        tested=len(drawn[0].test),
        keyed=sum(question in people.references for question in people.questions),
        signature=Signature(__version__, "luna predict", ", ".join(names), source, digest, config.seed, settings),
    )


def check(people: PeopleTable, names: Sequence[str]) -> None:
    """Raises `UnknownName` or `BadInput` for names that cannot be compared, `NotEnoughEvidence` if all ratings are equal."""
    for name in names:
        predictor(name)
    if not names:
        raise BadInput("there are no predictors to compare: name one or more")
    if len(set(names)) < len(names):
        raise BadInput(f"a predictor is repeated among {', '.join(names)[:200]}: name each once")
    ratings = targets(people)
    if np.ptp(ratings) == 0:
        raise NotEnoughEvidence(f"all {ratings.size} ratings are {ratings[0]:g}; comparing predictors needs different ones")


def errors_of(
    people: PeopleTable, splits: Iterable[PeopleSplit], names: Sequence[str], *, executor: Executor | None = None
) -> Iterable[list[float]]:
    """For each split the root mean squared error of each predictor, in the order of the splits."""
    return (map if executor is None else executor.map)(partial(_errors, people, tuple(names)), splits)


def _errors(people: PeopleTable, names: Sequence[str], split: PeopleSplit) -> list[float]:
    learn, test = people.only(split.learn), people.only(split.test)
    values, asked = targets(test), test.unrated()
    errors = (predictor(name).fit(learn, seed=split.number).predict(asked) - values for name in names)
    return [float(np.sqrt(np.mean(each**2))) for each in errors]


def estimate(mean: ResampledMean) -> Estimate:
    """An error with its interval, which does not go below 0."""
    return Estimate(mean.mean, Interval(max(0.0, mean.bounds.lower), mean.bounds.upper), mean.splits)


def difference(mean: ResampledMean) -> ErrorDifference:
    """A difference of errors on the same splits."""
    return ErrorDifference(mean.mean, Interval(*mean.bounds), mean.p)
