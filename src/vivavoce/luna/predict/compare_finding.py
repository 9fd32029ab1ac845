"""How well predictors predict ratings, as values, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.interview.scope import Signature
from vivavoce.luna.cells import number_cell
from vivavoce.luna.predict.figures import errors, learning
from vivavoce.luna.predict.models import FEATURES, combined
from vivavoce.report.blocks import Caveats, Column, Figure, InFull, Paragraph, Report, Row, Table
from vivavoce.report.cells import Cell
from vivavoce.report.figures import IntervalRows, Kind
from vivavoce.report.parts import method_of
from vivavoce.report.reported import Reported
from vivavoce.report.wording import p_value

LIKELY: Final = 0.05
"""p-value below which a difference is told as one."""
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
    "wcs": "word vectors like the right answer's",
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
"""What predictors go by."""
_KINDS: Final[Mapping[str, Kind]] = {"modern": "plain", "constant": "control", "cbg": "control", "ran": "control"}
"""Of those that are no plain features."""


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much one error is above another, on the same splits."""

    value: float
    """Below 0 where the predictor is nearer to the ratings."""
    interval: Interval
    p: float
    """Two-sided, by the corrected resampled t test."""

    def as_json(self) -> dict[str, Any]:
        """The numbers as JSON values."""
        return {"value": self.value, "lower": self.interval.lower, "upper": self.interval.upper, "p": self.p}


@dataclass(frozen=True, slots=True)
class PredictorScore:
    """One predictor."""

    name: str
    rmse: Estimate
    """Root mean squared error of ratings from 0 to 1, the mean over splits."""
    difference: Difference | None
    """From the predictor compared with; None for itself."""


@dataclass(frozen=True, slots=True, repr=False)
class RatingComparison(Reported):
    """Predictors on the same splits."""

    scores: tuple[PredictorScore, ...]
    """In the order in which they were named."""
    against: str
    """The predictor that all others are compared with."""
    people: int
    questions: int
    graded: bool
    """Whether every answer has a grade."""
    tested: int
    """People predicted in each split."""
    keyed: int
    """Questions with right answers that somebody has written down."""
    signature: Signature

    @property
    def best(self) -> PredictorScore:
        """The one with the smallest error."""
        return min(self.scores, key=lambda one: one.rmse.value or 0.0)

    @property
    def statement(self) -> str:
        """The result in up to two plain sentences."""
        best = self.best
        others = [one.rmse for one in self.scores if one is not best]
        comes = "comes nearest" if best.rmse.is_smallest(others) else "is not shown to come nearer than all others"
        of = f"Of {count(len(self.scores))} predictors {name_of(best.name)} {comes} to"
        told = (
            f"{of if others else f'{name_of(best.name)} predicts'} the ratings of people it has not seen: root mean squared "
            f"error {in_words(best.rmse)} of a scale from 0 to 1."
        )
        if best.difference is None:
            return told
        found = best.difference
        rival = f"{name_of(self.against)}'s" + (f" ({parts_of(self.against)})" if _is_partial(self.against) else "")
        than = f"{rival} by {-found.value:.3f} [{-found.interval.upper:.3f}, {-found.interval.lower:.3f}]"
        judged = f"smaller than {than}" if found.p < LIKELY else f"not shown to be smaller than {rival}"
        return f"{told} It is {judged} (p = {found.p:.1g})."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        told = [
            f"Intervals and p-values are over {count(self.signature.settings['splits'])} random splits of the same "
            f"{count(self.people)} people, {count(self.tested)} of whom are predicted in each. Splits share people, which is "
            "allowed for by an approximation.",
            "It shows how ratings are predicted for people like these who answer these very questions. New questions, and "
            "people who know how they are rated, are another matter: words of a right answer suffice to look right.",
        ]
        names = [one.name.partition("?")[0] for one in self.scores]
        with_key = bool(set(names) & set(_WITH_KEY))
        if with_key and self.keyed:
            told.append(
                f"An answer key was given for {count(self.keyed)} of {count(self.questions)} questions: whoever wrote it may "
                "have seen answers like these."
            )
        if with_key and self.keyed < self.questions:
            others = " for the others" if self.keyed else ""
            told.append(
                f"No answer key comes with the answers{others}: for features that compare with one it is the commonest answer "
                + ("with the best grade among those learnt from." if self.graded else "among those learnt from.")
            )
        if any(_is_partial(one.name) for one in self.scores):
            told.append(
                f"com stands for {parts_of('com')}: these need WordNet's files. All {len(FEATURES)} together are "
                "'com?wordnet=FOLDER'."
            )
        if set(names) & set(_OF_THESIS):
            told.append(
                "Where the thesis leaves open how a feature is made, it is made so that its printed errors come out as far as "
                "they are known: words of all answers in one bag, and people who are learnt from are neighbours of themselves."
            )
        if "modern" in names and self.graded:
            told.append(
                "The modern regressor learns from the grade of each answer, unless it is told 'from=ratings'; the features of "
                "the thesis learn from ratings, and from grades only what the key is."
            )
        return tuple(told)

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
            Figure(self._figure),
            self._table,
            Caveats(self.caveats),
            method_of(
                (
                    f"{count(self.signature.settings['splits'])} times, {count(self.tested)} people drawn at random were "
                    "set aside; every predictor learnt from all others, and predicted the ratings of those from their "
                    "answers. The root mean squared error is averaged over these splits.",
                    "Intervals and p-values are of the corrected resampled t test, which allows for people who are in many "
                    "splits. The difference is taken split by split.",
                )
            ),
            headline=headline,
        )

    @property
    def _ordered(self) -> list[PredictorScore]:
        """The nearest to the ratings first."""
        return sorted(self.scores, key=lambda one: one.rmse.value or 0.0)

    @property
    def _figure(self) -> IntervalRows:
        first, last = self._ordered[0], self._ordered[-1]
        alt = (
            f"Error of ratings of people not seen before, with 95% intervals: from {in_words(first.rmse)} by "
            f"{name_of(first.name)} to {in_words(last.rmse)} by {name_of(last.name)}."
        )
        bars = ((name_of(one.name), one.rmse, _KINDS.get(one.name.partition("?")[0], "reference")) for one in self._ordered)
        return errors(bars, "root mean squared error of ratings", alt)

    @property
    def _table(self) -> Table:
        rows = (
            Row(
                Cell(name_of(one.name), below=(words_of(one.name),)),
                (number_cell(one.rmse, 3), *_more(one.difference)),
            )
            for one in self._ordered
        )
        than = Column(f"More than {name_of(self.against)}'s by")
        return Table((Column("Predictor"), Column("Error"), than, Column("p")), tuple(rows))

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "people": self.people,
            "questions": self.questions,
            "graded": self.graded,
            "tested": self.tested,
            **({"questions_with_key": self.keyed} if self.keyed else {}),
            "against": self.against,
            "predictors": [
                {
                    "name": one.name,
                    "rmse": one.rmse.as_json(),
                    "difference": None if one.difference is None else one.difference.as_json(),
                }
                for one in self.scores
            ],
        }


@dataclass(frozen=True, slots=True)
class Point:
    """A predictor that learnt from this many people."""

    name: str
    people: int
    rmse: Estimate


@dataclass(frozen=True, slots=True, repr=False)
class RatingCurve(Reported):
    """How errors shrink as there are more people to learn from."""

    points: tuple[Point, ...]
    """By predictor, in the order in which they were named, then by number of people."""
    people: int
    """In all."""
    tested: int
    """People predicted in each split, the same for every number."""
    signature: Signature

    def of(self, name: str) -> tuple[Point, ...]:
        """The points of one predictor."""
        return tuple(point for point in self.points if point.name == name)

    @property
    def names(self) -> Sequence[str]:
        """Predictors, in the order in which they were named."""
        return tuple(dict.fromkeys(point.name for point in self.points))

    @property
    def statement(self) -> str:
        """The result in a sentence for each predictor."""
        return " ".join(self._told(self.of(name)) for name in self.names)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        return (
            "In each split fewer people are the first of those drawn for more: points of one predictor rise and fall together.",
            f"All numbers of people are judged on the same {count(self.tested)} left out in each of "
            f"{count(self.signature.settings['splits'])} splits. Beyond {count(self.points[-1].people)} it says nothing.",
        )

    @property
    def headline(self) -> str:
        """Who errs least with the most people to learn from, and how much more with the fewest."""
        most = max(point.people for point in self.points)
        last = [point for point in self.points if point.people == most]
        best = min(last, key=lambda point: point.rmse.value or 0.0)
        others = [point.rmse for point in last if point is not best]
        errs = "errs least, by" if best.rmse.is_smallest(others) else "is not shown to err less than all others: by"
        if not others:
            errs = "errs by"
        first = self.of(best.name)[0]
        before = "" if first.people == most else f"; with {count(first.people)} by {in_words(first.rmse)}"
        return f"With {count(most)} people to learn from {name_of(best.name)} {errs} {in_words(best.rmse)}{before}."

    def report(self) -> Report:
        """All of it as blocks."""
        lines = {
            name_of(name): ([point.people for point in self.of(name)], [point.rmse for point in self.of(name)])
            for name in self.names
        }
        return self.reported(
            "Ratings predicted from answers",
            f"Ratings predicted by number of people, from {clipped(self.signature.scope, 120) or 'answers'}",
            Figure(learning(lines, f"{self.headline} Bands are 95% intervals.")),
            self._table,
            Caveats(self.caveats),
        )

    @property
    def _table(self) -> Table:
        found = {(point.name, point.people): number_cell(point.rmse, 3) for point in self.points}
        sizes = sorted({point.people for point in self.points})
        nothing = Cell("–", known=False)
        rows = tuple(
            Row(Cell(count(size), size), tuple(found.get((name, size), nothing) for name in self.names)) for size in sizes
        )
        return Table((Column("People learnt from"), *(Column(name_of(name)) for name in self.names)), rows)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "people": self.people,
            "tested": self.tested,
            "points": [{"name": one.name, "people": one.people, "rmse": one.rmse.as_json()} for one in self.points],
        }

    def _told(self, points: Sequence[Point]) -> str:
        first, last = points[0], points[-1]
        return f"{name_of(first.name)} errs by {in_words(first.rmse)} with {count(first.people)} people to learn from" + (
            "." if first is last else f", and by {in_words(last.rmse)} with {count(last.people)}."
        )


def parts_of(name: str) -> str:
    """What `com` combines, in words; empty for other predictors.

    >>> parts_of("com"), parts_of("com?fit=lasso&wordnet=")
    ('10 of the 12 features of the thesis, without snl and syn', 'all 12 features of the thesis')
    """
    parts, every = combined(name), f"{len(FEATURES)} features of the thesis"
    if not parts:
        return ""
    left_out = [one for one in FEATURES if one not in parts]
    return f"{len(parts)} of the {every}, without {' and '.join(left_out)}" if left_out else f"all {every}"


def words_of(name: str) -> str:
    """What a predictor goes by."""
    which, _, options = name.partition("?")
    from_ratings = which == "modern" and "from=ratings" in options
    return parts_of(name) or WORDS.get(which, "") + (", from ratings alone" if from_ratings else "")


def _more(found: Difference | None) -> tuple[Cell, Cell]:
    """By how much its error is above that of the predictor compared with, and the p-value."""
    if found is None:
        return Cell("", known=False), Cell("", known=False)
    value, lower, upper = (f"{one:+.3f}".replace("-", "−") for one in (found.value, found.interval.lower, found.interval.upper))
    return Cell(value, found.value, found.interval, f"[{lower}, {upper}]"), Cell(p_value(found.p), found.p)


def _is_partial(name: str) -> bool:
    return 0 < len(combined(name)) < len(FEATURES)


def in_words(found: Estimate) -> str:
    """An error and its interval, to three decimals.

    >>> in_words(Estimate(0.0447, Interval(0.0401, 0.0512), 100))
    '0.045 [0.040, 0.051]'
    """
    return f"{found.value:.3f} [{found.interval.lower:.3f}, {found.interval.upper:.3f}]"
