"""Counting flips: pure functions on what answers said.

A question with its variants is a cluster under the law `same`, or one of the user's own. Where two answers break it, it
flipped. Where none do, and one of them could not be read or says "I don't know", nobody can tell: it counts as no flip at the
lower end and as one at the upper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from vivavoce.consistency.invariance.clusters import AGAIN, Ask, Cluster
from vivavoce.consistency.invariance.kinds import Variation
from vivavoce.consistency.invariance.summary import (
    Excess,
    Flip,
    FlipRate,
    KindSummary,
    Ranged,
    Robustness,
    RobustnessVerdict,
)
from vivavoce.consistency.invariance.wording import Wording
from vivavoce.formats.interval import Interval
from vivavoce.statistics.bounded import bounded_share
from vivavoce.statistics.rate import rate_above, rate_below

Outcome = Literal["same", "flipped", "unknown"]
Pair = tuple[str, str]
"""Two answers, the earlier one first."""
LONGEST_SHOWN: Final = 2_000
"""Characters of an open answer that flipped."""
NOTHING: Final = Interval(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Heard:
    """All answers to one question and its variants."""

    cluster: Cluster
    answers: tuple[tuple[Ask, str | None], ...]
    """Each with what was said; None where nothing could be read, or nothing is known."""
    judged: Mapping[Pair, bool | None] | None = None
    """Whether two answers that may differ say the same, by a judge, None where nobody can tell; None: nobody judged."""

    def said(self, kind: str) -> list[str | None]:
        """What was said to the question as it is, and to all variants of a kind."""
        return [said for ask, said in self.answers if ask.kind in ("", kind)]

    def outcome(self, kinds: Collection[str]) -> Outcome:
        """What became of the question under these kinds; each is compared with the question as it is."""
        outcomes = {self._of(kind) for kind in kinds}
        return "flipped" if "flipped" in outcomes else "unknown" if "unknown" in outcomes else "same"

    def _of(self, kind: str) -> Outcome:
        said = self.said(kind)
        known = [words for words in said if words is not None]
        if said and said[0] is None and self.cluster.subject.one_way:
            return "unknown"
        if self.judged is None:
            apart = self.cluster.subject.differ(known) if len(known) > 1 else False
        else:
            found = [self.apart(known[0], other) for other in known[1:]]
            apart = True if True in found else None if None in found else False
        if apart:
            return "flipped"
        return "unknown" if apart is None or len(known) < len(said) else "same"

    def apart(self, first: str, other: str) -> bool | None:
        """Whether another answer is given than the first; None where neither a rule nor the judge can tell."""
        differ = self.cluster.subject.differ([first, other])
        if differ is False or self.judged is None:
            return differ
        same = self.judged.get((first, other))
        return None if same is None else not same


def flip_rate(outcomes: Sequence[Outcome], units: Sequence[int]) -> FlipRate:
    """The share of flips, with an interval that holds whatever became of those that are unknown.

    Clopper and Pearson's at level 95%, its lower end where none of them flipped and its upper where all did; at the effective
    number of questions where some share a unit.

    >>> rate = flip_rate(["same"] * 8 + ["flipped", "unknown"], range(10))
    >>> rate.least, rate.most, round(rate.interval.lower, 4), round(rate.interval.upper, 4)
    (0.1, 0.2, 0.0025, 0.5561)
    """
    groups = [(unit,) for unit in units]
    flipped = [one == "flipped" for one in outcomes]
    maybe = [one != "same" for one in outcomes]
    if not outcomes:
        return FlipRate(0, 0, 0, NOTHING)
    interval = Interval(bounded_share(flipped, groups).lower, bounded_share(maybe, groups).upper)
    return FlipRate(len(outcomes), sum(flipped), sum(maybe) - sum(flipped), interval)


def excess_of(rate: Ranged, control: Ranged) -> Excess:
    """The difference of two rates on the same questions, with an interval from theirs by the method of `zou2008` (MOVER).

    Its ends are those of independent rates. Both are of the same questions, and those on which a candidate wavers flip by
    either more often, so the interval is on the wide side.

    >>> found = excess_of(flip_rate(["flipped"] * 5 + ["same"] * 5, range(10)), flip_rate(["same"] * 10, range(10)))
    >>> found.least, round(found.interval.lower, 3), round(found.interval.upper, 3)  # .5 - hypot(.5 - .1871, .3085)
    (0.5, 0.061, 0.813)
    """
    if rate.least is None or rate.most is None or control.least is None or control.most is None:
        return Excess(None, None, Interval(-1.0, 1.0))
    least, most = rate.least - control.most, rate.most - control.least
    below = sqrt((rate.least - rate.interval.lower) ** 2 + (control.interval.upper - control.most) ** 2)
    above = sqrt((rate.interval.upper - rate.most) ** 2 + (control.least - control.interval.lower) ** 2)
    return Excess(least, most, Interval(max(-1.0, least - below), min(1.0, most + above)))


def summaries(heard: Sequence[Heard], variations: Sequence[Variation]) -> tuple[KindSummary, ...]:
    """What each kind shows, in the order in which they were asked for."""
    return tuple(_summary(heard, one) for one in variations)


def control_rate(heard: Sequence[Heard]) -> FlipRate:
    """How often the identical question is answered otherwise, over all questions."""
    return _rate(heard, (AGAIN,))


def _summary(heard: Sequence[Heard], one: Variation) -> KindSummary:
    varied = [each for each in heard if one.name in each.cluster.variants]
    rate, control = _rate(varied, (one.name,)), _rate(varied, (AGAIN,))
    left_out = Counter(each.cluster.left_out[one.name] for each in heard if one.name in each.cluster.left_out)
    return KindSummary(one.name, one.about, one.kind.source, rate, control, excess_of(rate, control), dict(left_out))


def _rate(heard: Sequence[Heard], kinds: Collection[str]) -> FlipRate:
    return flip_rate([each.outcome(kinds) for each in heard], [each.cluster.subject.unit for each in heard])


def robustness(heard: Sequence[Heard], *, limit: float, delta: float, population: int | None = None) -> Robustness | None:
    """The certificate: by e-processes for rates, looked at once, after all questions; None where nothing was varied.

    An event is a question that flips under at least one of its variations, so that a limit which it keeps is kept by each kind.
    For units of several questions it is the share of them. Not both verdicts can be wrong, as one of them is true: the
    probability of a wrong one is at most delta.

    population: units in all if each is drawn once, and all of them that can be varied are known; else the test of independent
        draws, which also holds for draws without replacement: see `certified`.
    """
    varied = [each for each in heard if each.cluster.variants]
    if not varied:
        return None
    units: dict[int, list[Outcome]] = {}
    for each in varied:
        units.setdefault(each.cluster.subject.unit, []).append(each.outcome(each.cluster.variants))
    least = np.array([np.mean([one == "flipped" for one in outcomes]) for outcomes in units.values()])
    most = np.array([np.mean([one != "same" for one in outcomes]) for outcomes in units.values()])
    whole = all(len(outcomes) == 1 for outcomes in units.values())
    rate = flip_rate([each.outcome(each.cluster.variants) for each in varied], [each.cluster.subject.unit for each in varied])
    return certified(rate, least, most, limit=limit, delta=delta, population=population, whole=whole)


def certified(
    rate: FlipRate,
    least: NDArray[np.float64],
    most: NDArray[np.float64],
    *,
    limit: float,
    delta: float,
    population: int | None = None,
    whole: bool = True,
) -> Robustness:
    """The certificate that the share of flips is at most the limit, by two e-processes that are looked at once.

    Where units are drawn without replacement from a list, and it is not known how many of the list can be varied (or have a
    right first answer), the e-values are those of independent draws. Given their number n, the units that count are n of all
    such units of the list, in random order. Each bet is a product of factors that are linear in the share of a unit. Its
    expectation, given n, is at most that for n independent draws (for shares of 0 and 1 a case of `hoeffding1963`, theorem 4;
    in general Maclaurin's inequality for the means of products), which is at most 1. So is the expectation over n, as long as
    n does not depend on which units flip. A budget may end the questions at a number that does. For that theorem 4 says
    nothing, but the chance that the e-value *ever* reaches 1/delta is at most delta as well: at the boundary it is .0 to .037
    instead of .05, reckoned exactly for lists of 20 to 600 units (`tests/validity/test_unknown_population.py`).

    least, most: of each unit the share of flips, if nothing that is open is one, and if all of it is.
    whole: whether all of these are 0 or 1.
    """
    robust = float(rate_below(limit, population=population, whole=whole).update(most)[-1])
    not_robust = float(rate_above(limit, population=population).update(least)[-1])
    enough = -log(delta)
    verdict: RobustnessVerdict = "robust" if robust >= enough else "not robust" if not_robust >= enough else "no conclusion"
    return Robustness(limit, delta, verdict, rate, robust, not_robust, population)


def flips(heard: Sequence[Heard], variations: Sequence[Variation]) -> tuple[Flip, ...]:
    """Every kind on which a question flipped, with the first variant whose answer is another one."""
    return tuple(
        flip
        for each in heard
        for one in variations
        if one.name in each.cluster.variants and each.outcome((one.name,)) == "flipped"
        for flip in [_flip(each, one.name)]
    )


def _flip(each: Heard, kind: str) -> Flip:
    subject = each.cluster.subject
    answers = [(ask, said) for ask, said in each.answers if ask.kind in ("", kind) and said is not None]
    (first, answer), *others = answers
    ask, other = next((ask, said) for ask, said in others if each.apart(answer, said))
    shown = first.wording if first.kind else subject.wording
    if each.judged is not None:
        answer, other = (f"{said[:LONGEST_SHOWN]}…" if len(said) > LONGEST_SHOWN else said for said in (answer, other))
    return Flip(subject.id, kind, in_words(shown), answer, in_words(ask.wording), other)


def in_words(wording: Wording) -> str:
    """The text of a wording with its options, and in brackets what was said before.

    >>> in_words(Wording("Largest?", ("Rome", "Oslo")))
    'Largest? (Rome / Oslo)'
    """
    text = f"{wording.text} ({' / '.join(wording.options)})" if wording.options else wording.text
    return " ".join([*(f"[{said.asked} / {said.replied}]" for said in wording.before), text])
