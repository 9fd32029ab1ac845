"""The sequential test on few answers graded by people and many graded by a judge.

Answers come in blocks of m + 1. The judge grades them all; only then is it drawn, in private, which one people grade
(`people.Places`).

Why any judge is allowed. A block has m + 1 answers to questions drawn i.i.d., so people's grade of each would have the right
mean given everything before; therefore a finite scope is drawn with replacement. The judge may know all of these grades and
answers, those to come, its own words, how often and in which order it was asked, and which answers people graded in every block
that it has judged. It does not know the place in a block that it is still judging: that comes from a secret and from the record
when the whole block is judged, people are shown nothing of the block before, and every answer is put to the judge in the same
way, whether it will be people's or not. Given all that the judge knows the place is uniform, so its grade of people's answer
has the same mean as its grades of the others (`statistics.prediction_powered` has the rest). It must not know the secret: a
judge that is a function of the examiner's own process could look for it. The examiner must not start again with other secrets
until a verdict pleases, either.

Where the scope's own rule grades some questions (`graders.Graders`), its grade is what people would give to them, as it is
what is sought, and the judge's prediction as well. All of the above still holds: the place is drawn among all units of
the block and falls on either kind, and predictions that happen to be the truth are predictions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.evidence.inference import Inference
from vivavoce.certificate.evidence.sequential import LogEvidence, SequentialTest, UnitValues
from vivavoce.errors import BadInput
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.prediction_powered import Correction, PredictedTest, predicted_bounds


class PredictedSequentialTest(SequentialTest):
    """`SequentialTest` with the evidence on the score from people's grades and a judge's together.

    `predict` takes the judge's part of a block before `update` takes people's. The unacceptable rate rests on people's
    alone: how many the judge overlooks is not known. Where the judge's words cannot be read its prediction is an interval, and
    if no one knows what an answer is worth people's grade is one; each counts by that end which speaks against the verdict
    (see `statistics.prediction_powered`).

    >>> test = PredictedSequentialTest(Criterion(0.5, None), further=4)
    >>> test.predict([0.9] * 20, [0.9] * 20)
    >>> test.update(np.ones(20), np.zeros(20)), test.n
    (<Verdict.PASS: 'pass'>, 8)
    """

    def __init__(self, criterion: Criterion, *, further: int, whole: bool = True) -> None:
        super().__init__(criterion, whole=whole)
        self._correction = Correction(further=further)
        self._above = PredictedTest(criterion.passing_grade)
        self._below = PredictedTest(criterion.passing_grade, mirrored=True)
        self._foreseen: list[tuple[float, ...]] = []
        self._values: tuple[list[float], list[float]] = ([], [])
        self._corrected: tuple[list[float], list[float]] = ([], [])
        """The least and the most that each may be."""

    def predict(
        self,
        judged: ArrayLike,
        fresh: ArrayLike,
        *,
        judged_at_most: ArrayLike | None = None,
        fresh_at_most: ArrayLike | None = None,
    ) -> None:
        """Take the judge's score of the answers that people grade next, and the mean of its scores of those before each.

        The last two are upper ends, where the judge's words could not be read.
        """
        ends = (
            judged,
            fresh,
            judged if judged_at_most is None else judged_at_most,
            fresh if fresh_at_most is None else fresh_at_most,
        )
        self._foreseen.extend(zip(*(np.atleast_1d(values).tolist() for values in ends), strict=True))

    def score_bounds(self, delta: float) -> Bounds:
        """Confidence sequence for the mean score by all grades."""
        low, high = (values[: self.n] for values in self._corrected)
        least, most = (values[: self.n] for values in self._values)
        return predicted_bounds(least, low, delta, at_most=high, values_at_most=most)

    @property
    def estimate(self) -> tuple[float, float]:
        """Mean of the corrected scores, cut off at 0 and 1; before the cut it is unbiased for any judge.

        The least and the most that it may be.
        """
        low, high = (float(np.clip(np.mean(values[: self.n]), 0.0, 1.0)) for values in self._corrected)
        return low, high

    def _evidence(self, units: UnitValues) -> LogEvidence:
        x = units.score
        if len(self._foreseen) < x.size:
            raise BadInput(f"{x.size} grades by people, but only {len(self._foreseen)} predictions by the judge")
        judged, fresh, judged_most, fresh_most = np.array(self._foreseen[: x.size]).T
        del self._foreseen[: x.size]
        low, high = self._correction.update(x, judged, fresh, predictions_at_most=judged_most, fresh_at_most=fresh_most)
        high = high + (units.upper - x)
        for kept, values in zip((*self._values, *self._corrected), (x, units.upper, low, high), strict=True):
            kept += values.tolist()
        return self._with_rate(self._above.update(x, low), self._below.update(units.upper, high), units)


class PredictedInference(Inference):
    """Inference on i.i.d. units of which people graded some, with a judge's grades as predictions."""

    can_fork = False

    def __init__(self, criterion: Criterion, *, further: int) -> None:
        super().__init__(criterion, None)
        self._test = self.test = PredictedSequentialTest(criterion, further=further)

    def estimates(self) -> UnitMean | None:
        """With the mean score by all grades; None if people graded nothing."""
        mean = super().estimates()
        if mean is None:
            return None
        low, high = self.test.estimate
        return mean._replace(score=low, upper=high)

    def _score_bounds(self, scores: Floats) -> Bounds:
        return self.test.score_bounds(self.criterion.delta)
