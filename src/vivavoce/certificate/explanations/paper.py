"""Procedure 5.1 of `leytonbrown2024`: explanations with known mass, score and ridiculousness, at a number fixed in advance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final, Literal

from vivavoce.certificate.evidence import exact_verdict
from vivavoce.certificate.inference import FixedLook
from vivavoce.certificate.verdict import Criterion, Verdict
from vivavoce.errors import BadInput
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.bounds import Bounds, kl_lower, kl_upper

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Part:
    """What the paper takes as known of an explanation."""

    mass: float
    """p: the share of all questions that it covers."""
    score: float
    """s: of its answers."""
    ridiculous: float
    """r: the rate of ridiculous ones among them."""


def uncovered(parts: Sequence[Part]) -> float:
    """The share of all questions that no part covers; 0 where what is left is rounding."""
    rest = 1 - fsum(part.mass for part in parts)
    return rest if rest > _ROUNDING else 0.0


def explained_verdict(
    parts: Sequence[Part],
    score: float,
    rate: float,
    n: int,
    criterion: Criterion,
    *,
    upper: float | None = None,
    maybe: float | None = None,
) -> Verdict:
    """The verdict for mean score and ridiculous rate over `n` answers to questions that no part covers; `n` fixed in advance.

    Printed, Bad-Rid-Exp and (A.19) sum p s where p r is meant: by the letter every candidate with a good explanation
    fails. Here it is p r. (A.14) and (A.17) to (A.19) mix delta with delta/2 and n with n-bar; here as in the procedure itself.

    Valid only if the parts were chosen without regard to these answers and n was fixed: the paper's "at every point" is not so
    (see `ledger`). Without a ridiculous limit only the score counts, and failing needs no split of delta. `upper` and `maybe`
    are the most that score and rate may be, where replies could not be read. Where the parts cover all, nothing is left to
    be bounded, and `n` may be 0.

    >>> half = Part(0.5, 1.0, 0.0)
    >>> [explained_verdict([half], 0.9, 0.0, n, Criterion(0.7, 0.00052)).value for n in (2_879, 2_880)]
    ['undecided', 'pass']
    >>> explained_verdict([half, half], 0.0, 0.0, 0, Criterion(0.7, 0.00052)).value
    'pass'
    """
    if fsum(part.mass for part in parts) > 1 + _ROUNDING:
        raise BadInput("the explanations cover more than all questions: a question belongs to one of them")
    grade, limit, delta = criterion.passing_grade, criterion.ridiculous_limit, criterion.delta
    rest = uncovered(parts)
    good = fsum(part.mass * part.score for part in parts)
    absurd = fsum(part.mass * part.ridiculous for part in parts)
    against = delta if limit is None else delta / 2
    most, absurd_most = score if upper is None else upper, rate if maybe is None else maybe
    if not rest:
        return exact_verdict(good, absurd, criterion)
    passes = good + rest * kl_lower(score, n, delta) >= grade
    fails = good + rest * kl_upper(most, n, against) < grade
    if limit is not None:
        passes = passes and absurd + rest * kl_upper(absurd_most, n, delta) <= limit
        fails = fails or absurd + rest * kl_lower(rate, n, against) > limit
    if passes:
        return Verdict.PASS
    return Verdict.FAIL if fails else Verdict.UNDECIDED


class PaperLook(FixedLook):
    """One look at units that no part covers, with what is taken as known of the parts."""

    def __init__(self, criterion: Criterion, parts: Sequence[Part], population: int | None) -> None:
        super().__init__(criterion, population)
        self._parts = parts

    def conclude(self) -> None:
        """Look; an answer is needed only where the parts leave some question open."""
        mean, n = super().estimates(), self.units.score.size
        self.looked = n > 0
        if mean is not None:
            ends = {"upper": mean.upper, "maybe": mean.maybe}
            self.verdict = explained_verdict(self._parts, mean.score, mean.ridiculous, n, self.criterion, **ends)
        elif not uncovered(self._parts):
            self.verdict = explained_verdict(self._parts, 0.0, 0.0, 0, self.criterion)

    def estimates(self) -> UnitMean | None:
        """Of the whole; None where nothing was asked although something had to be."""
        rest = super().estimates()
        if rest is None and (not self._parts or uncovered(self._parts)):
            return None
        rest = rest or UnitMean(0.0, 0.0, 0.0, 0.0)
        return UnitMean(
            self._of_all(rest.score, "score"),
            self._of_all(rest.ridiculous, "ridiculous"),
            self._of_all(rest.upper, "score"),
            self._of_all(rest.maybe, "ridiculous"),
        )

    def intervals(self) -> tuple[Bounds, Bounds]:
        """Of the whole."""
        score, rate = super().intervals()
        return (
            Bounds(*(self._of_all(end, "score") for end in score)),
            Bounds(*(self._of_all(end, "ridiculous") for end in rate)),
        )

    def _of_all(self, rest: float, what: Literal["score", "ridiculous"]) -> float:
        """For the whole, from the mean over what no part covers."""
        if not self._parts:
            return rest
        parts = fsum(part.mass * (part.score if what == "score" else part.ridiculous) for part in self._parts)
        return min(1.0, parts + rest * uncovered(self._parts))
