"""Do several answers add up in people's minds as Bayes' rule in odds says? A test of fit (`vafa2024`, its conclusion).

By the rule (`several.after_several`) each answer adds its own log Bayes factor to the log odds of a belief. So the mean shift
of log odds of those who saw all answers of a card is the sum of the mean shifts of those who saw each of them alone, also where
people differ in what an answer tells them. Both are measured with noise, hence no regression of one on the other: what people
say is noisy, and would make any rule look too weak. Instead the number of right answers less wrong ones, which is known without
noise, says in which direction a card speaks (an instrument, `wald1940`):

    weight = sum z (shift after all) / sum z (sum of shifts after each alone),    z = right less wrong, less its mean.

Under the rule the weight is 1 and the mean gap 0. Averaging of answers gives 1 / k; overreaction more than 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.cards import Card
from vivavoce.generalization.several import log_odds

FEWEST_CARDS: Final = 10
"""Complete ones: below that the t distribution of the statistics is not to be trusted."""
FEWEST_PEOPLE: Final = 10


@dataclass(frozen=True, slots=True)
class BayesFit:
    """What the test finds."""

    weight: Estimate
    """How much several answers count of what Bayes' rule says, 1 by the rule. The interval is Fieller's (`fieller1954`), and
    unbounded where single answers move people too little to say; n is the number of cards."""
    gap: Estimate
    """Mean log odds after all answers less those by the rule, 0 by the rule."""
    p: float
    """That the rule holds: of both, by Bonferroni."""
    people: int
    beliefs: int
    """That were used."""
    incomplete: int
    """Cards that were left out, since nobody saw all of their answers, or one of them alone."""
    at_ends: float
    """Share of beliefs of 0 or 1 among those after answers: how far these moved is not known."""
    by_answers: tuple[tuple[int, Estimate], ...]
    """The weight by the number of answers on the card, where there are enough."""

    @property
    def statement(self) -> str:
        """The result in a sentence."""
        ends = self.weight.interval
        if self.weight.value is None or not np.isfinite([ends.lower, ends.upper]).all():
            return f"How several answers count cannot be said: after one alone beliefs move too little (p = {self.p:.2g})."
        counted = f"several answers count {self.weight.value:.2f} [{ends.lower:.2f}, {ends.upper:.2f}] of what Bayes' rule says"
        if self.p < 0.05:
            beside = "" if ends.lower > 1 or ends.upper < 1 else f", and {self._beside}"
            return f"People do not keep to Bayes' rule in odds (p = {self.p:.2g}): {counted}{beside}."
        return f"No departure from Bayes' rule in odds was found (p = {self.p:.2g}): {counted}."

    @property
    def details(self) -> tuple[str, ...]:
        """The numbers behind it, each in a sentence."""
        left = f"; {self.incomplete} cards are incomplete and left out" if self.incomplete else ""
        return (
            f"{self.beliefs} beliefs of {self.people} people on {self.gap.n} cards{left}.",
            f"{self._beside[0].upper()}{self._beside[1:]}.",
            *(f"With {answers} answers: {_interval(weight)} of the rule." for answers, weight in self.by_answers),
        )

    @property
    def _beside(self) -> str:
        """How far beliefs after all answers are from the rule, whichever way the answers speak."""
        ends = self.gap.interval
        return f"after all answers log odds are {self.gap.value:+.2f} [{ends.lower:+.2f}, {ends.upper:+.2f}] beside the rule"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        return (
            "It is about the mean of log odds: that single people keep to the rule does not follow.",
            "It holds only if chance decided who saw one answer and who saw all.",
            "Answers that resemble each other count less by Bayes' rule, too: then a weight below 1 is no mistake of people.",
            f"Beliefs of 0 and 1, {self.at_ends:.0%} of those after answers, are taken for half a percent from them: where "
            "answers are many and strong, this makes the weight look somewhat too small.",
        )


def _interval(estimate: Estimate) -> str:
    ends = estimate.interval
    return "not to be said" if estimate.value is None else f"{estimate.value:.2f} [{ends.lower:.2f}, {ends.upper:.2f}]"


class _Row(NamedTuple):
    """One belief that was used."""

    card: int
    person: str
    cell: int
    """Of the same card and version."""
    shift: float
    part: float
    """In its card's sum: 1 / how many saw this version."""
    joint: bool
    at_end: bool
    """Whether the belief after the answers is 0 or 1."""


def bayes_fit(cards: Sequence[Card], *, confidence: float = 0.95) -> BayesFit:
    """Test the rule on beliefs of people, of whom each saw a card with one of its answers, or with all.

    Who saw which version must have been left to chance. Intervals allow for cards that differ and people who answer several.

    Raises `NotEnoughEvidence` for fewer than 10 complete cards or people, or where all cards speak in the same direction.
    """
    rows, direction, sizes, incomplete = _rows(cards)
    people = len({row.person for row in rows})
    if len(direction) < FEWEST_CARDS or people < FEWEST_PEOPLE:
        raise NotEnoughEvidence(
            f"{len(direction)} complete cards and {people} people; the test needs {FEWEST_CARDS} and {FEWEST_PEOPLE}. A card "
            "is complete where somebody saw all of its answers, and somebody each of them alone"
        )
    if np.ptp(direction) == 0:
        raise NotEnoughEvidence("all cards show equally many right answers less wrong ones: the weight needs some that differ")
    data = _Data(rows, len(direction))
    gap = data.mean(np.ones(len(direction)) / len(direction), confidence)
    slope = direction - direction.mean()
    by_rule = data.against(slope, 1.0)
    by_answers = []
    for size in sorted(set(sizes)):
        chosen = np.array(sizes) == size
        if chosen.sum() >= FEWEST_CARDS and np.ptp(direction[chosen]) > 0:
            part = np.where(chosen, direction - direction[chosen].mean(), 0.0)
            by_answers.append((size, data.weight(part, int(chosen.sum()), confidence)))
    weight = data.weight(slope, len(direction), confidence)
    p = min(1.0, 2 * min(gap.p, by_rule))
    ends = float(np.mean([row.at_end for row in rows]))
    return BayesFit(weight, gap.estimate, p, people, len(rows), incomplete, ends, tuple(by_answers))


class _Mean(NamedTuple):
    estimate: Estimate
    p: float


class _Data:
    """Shifts by card, with the uncertainty of any weighted sum over cards."""

    def __init__(self, rows: Sequence[_Row], cards: int) -> None:
        self._card = np.array([row.card for row in rows])
        self._person = np.unique([row.person for row in rows], return_inverse=True)[1]
        self._joint = np.array([row.joint for row in rows])
        shift, part = np.array([row.shift for row in rows]), np.array([row.part for row in rows])
        cell = np.array([row.cell for row in rows])
        mean = np.bincount(cell, shift) / np.bincount(cell)
        self._noise = (shift - mean[cell]) * part
        """Each belief's own part in its card's sum."""
        self.after_all = np.bincount(self._card, np.where(self._joint, shift * part, 0), cards)
        self.by_rule = np.bincount(self._card, np.where(self._joint, 0, shift * part), cards)
        self._degrees = float(min(cards, int(self._person.max()) + 1) - 2)

    def mean(self, weights: Floats, confidence: float) -> _Mean:
        """Of the gaps."""
        gaps = self.after_all - self.by_rule
        value, error = float(weights @ gaps), float(np.sqrt(self._variance(weights, 1.0)))
        half = float(stdtrit(self._degrees, (1 + confidence) / 2)) * error
        return _Mean(Estimate(value, Interval(value - half, value + half), gaps.size), self._p(value, error))

    def against(self, weights: Floats, ratio: float) -> float:
        """The p-value of this ratio of after all to by rule."""
        value = float(weights @ (self.after_all - ratio * self.by_rule))
        return self._p(value, float(np.sqrt(self._variance(weights, ratio))))

    def weight(self, weights: Floats, n: int, confidence: float) -> Estimate:
        """The ratio with Fieller's interval: all ratios that the data do not contradict."""
        above, below = float(weights @ self.after_all), float(weights @ self.by_rule)
        limit = float(stdtrit(self._degrees, (1 + confidence) / 2)) ** 2
        at = [self._variance(weights, ratio) for ratio in (-1.0, 0.0, 1.0)]  # a quadratic in the ratio
        second, first = (at[0] + at[2]) / 2 - at[1], (at[2] - at[0]) / 2
        a, b, c = below**2 - limit * second, -2 * above * below - limit * first, above**2 - limit * at[1]
        if a <= 0 or below <= 0:  # the sum of single shifts may be 0 or against the answers
            return Estimate(None, Interval(-np.inf, np.inf), n)
        half = float(np.sqrt(max(b * b - 4 * a * c, 0.0))) / (2 * a)
        middle = -b / (2 * a)
        return Estimate(above / below, Interval(middle - half, middle + half), n)

    def _p(self, value: float, error: float) -> float:
        if error == 0:
            return 1.0 if value == 0 else 0.0
        return float(2 * stdtr(self._degrees, -abs(value) / error))

    def _variance(self, weights: Floats, ratio: float) -> float:
        """Of sum weights (after all - ratio by rule): between cards, and what people have in common across cards."""
        gaps = self.after_all - ratio * self.by_rule
        used = weights != 0
        design = np.column_stack([np.ones(int(used.sum())), weights[used]])
        design = design[:, :1] if np.ptp(weights[used]) == 0 else design
        fitted = design @ np.linalg.lstsq(design, gaps[used], rcond=None)[0]
        degrees = max(used.sum() - design.shape[1], 1)
        leverage = np.einsum("ij,ji->i", design, np.linalg.pinv(design))
        between = float(np.square(weights[used] * (gaps[used] - fitted) / (1 - np.minimum(leverage, 0.9))).sum())
        between *= degrees / (degrees + design.shape[1])
        own = self._noise * weights[self._card] * np.where(self._joint, 1.0, -ratio)
        common = float(np.square(np.bincount(self._person, own)).sum() - np.square(own).sum())
        return float(between + max(common, 0.0))


def _rows(cards: Sequence[Card]) -> tuple[list[_Row], Floats, list[int], int]:
    """Beliefs on complete cards, each card's right answers less wrong ones and number of answers; cards left out."""
    versions: dict[str, dict[tuple[object, ...], list[Card]]] = defaultdict(lambda: defaultdict(list))
    for card in cards:
        if card.asked:
            versions[card.name][(card.question, frozenset(card.seen))].append(card)
    rows: list[_Row] = []
    direction: list[float] = []
    sizes: list[int] = []
    cells = 0
    for of in versions.values():
        whole = max(of, key=lambda version: len(version[1]))  # type: ignore[arg-type]
        singles = [(whole[0], frozenset({one})) for one in whole[1]]  # type: ignore[attr-defined]
        if len(singles) < 2 or not all(single in of for single in singles):
            continue
        for version in (whole, *singles):
            seen = of[version]
            rows += [
                _Row(
                    card=len(direction),
                    person=card.person or f"{len(rows)}/{place}",
                    cell=cells,
                    shift=_shift(card),
                    part=1 / len(seen),
                    joint=version == whole,
                    at_end=card.posterior in (0.0, 1.0),
                )
                for place, card in enumerate(seen)
            ]
            cells += 1
        direction.append(float(sum(1 if one.right else -1 for one in of[whole][0].seen)))
        sizes.append(len(singles))
    return rows, np.array(direction), sizes, len(versions) - len(direction)


def _shift(card: Card) -> float:
    """Of the log odds."""
    return log_odds(card.posterior or 0.0) - log_odds(card.prior or 0.0)
