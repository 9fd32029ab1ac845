"""The most influential pairs: where one answer is predicted to change a belief most, and least (Figures 2 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, share, share_interval
from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.evaluate import groups_of
from vivavoce.generalization.origin import Origin
from vivavoce.generalization.pairs import Pair
from vivavoce.interview.finding import Signature, short
from vivavoce.statistics.bounded import bounded_mean
from vivavoce.statistics.clustered import Groups

MOST: Final = 5
"""Pairs of each kind that are shown."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """A pair, and the chance that the belief changes."""

    pair: Pair
    change: float

    def as_json(self) -> dict[str, Any]:
        """The pair as JSON values."""
        pair = self.pair
        return {"q1": pair.q1, "q2": pair.q2, "source1": pair.source1, "source2": pair.source2, "pred": self.change}


@dataclass(frozen=True, slots=True)
class InfluentialPairs:
    """What `influential_pairs` returns."""

    predictor: str
    source: str
    n: int
    """Pairs of questions; each is predicted after a right answer and after a wrong one."""
    questions: int
    """Different ones."""
    after_right: Estimate
    """Mean predicted chance of a change."""
    after_wrong: Estimate
    difference: Estimate
    """After a wrong answer less after a right one, pair by pair."""
    highest_right: tuple[Predicted, ...]
    """After a right answer, the highest chance first."""
    lowest_right: tuple[Predicted, ...]
    """After a right answer, the lowest chance first."""
    highest_wrong: tuple[Predicted, ...]
    lowest_wrong: tuple[Predicted, ...]
    notes: tuple[str, ...]
    """How the chances were obtained, each in a sentence."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in plain words."""
        right, wrong = (
            f"{share(one.value or 0.0)} {share_interval(one.interval)}" for one in (self.after_right, self.after_wrong)
        )
        name = f"The predictor “{clipped(self.predictor, 80)}”" if self.predictor else "The predictor"
        return (
            f"{name} predicts that a wrong answer changes the belief about another question in {wrong} of cases, "
            f"and a right one in {right}: {self.compared}."
        )

    @property
    def compared(self) -> str:
        """Which of them tells people more."""
        ends = self.difference.interval
        if ends.lower > 0:
            return "a wrong answer tells people more"
        return "a right answer tells people more" if ends.upper < 0 else "neither clearly tells people more"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        return (
            "These are predictions, not answers of people: what looks informative to the predictor need not be so to people.",
            "The highest and the lowest of many predictions are where the predictor errs most, too.",
            "The intervals are for other pairs of questions, not for another predictor: 'evaluate' shows how far off it is.",
            "Whether a belief changes is predicted, not in which direction.",
        )

    def __repr__(self) -> str:
        return short(self)

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "predictor": self.predictor,
            "source": self.source,
            "n": self.n,
            "questions": self.questions,
            "after_right": self.after_right.as_json(),
            "after_wrong": self.after_wrong.as_json(),
            "difference": self.difference.as_json(),
            **{
                name: [one.as_json() for one in getattr(self, name)]
                for name in ("highest_right", "lowest_right", "highest_wrong", "lowest_wrong")
            },
            "notes": list(self.notes),
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


def influential_pairs(
    pairs: Sequence[Pair],
    chances: ArrayLike,
    *,
    origin: Origin = Origin(),  # noqa: B008 -- frozen
    most: int = MOST,
) -> InfluentialPairs:
    """Which answers are predicted to change beliefs most, and how often they do on average?

    Parameters
    ----------
    pairs: as `both_ways` gives them: each pair of questions after a right answer and after a wrong one.
    chances: one a pair.
    origin: of chances and pairs, for the record.
    most: pairs of each kind that are shown.

    Raises `BadInput` where pairs are not both ways, or chances cannot be.

    >>> from vivavoce.generalization.drawn_pairs import both_ways
    >>> pairs = both_ways([Pair(f"{n} + {n}?", f"{n} + 1?", "sums", "sums", True) for n in range(3)])
    >>> found = influential_pairs(pairs, [0.1, 0.2, 0.3, 0.5, 0.6, 0.7])
    >>> round(found.after_right.value, 2), round(found.after_wrong.value, 2), found.highest_wrong[0].pair.q1
    (0.2, 0.6, '2 + 2?')
    """
    given = np.asarray(chances, dtype=float)
    half = len(pairs) // 2
    right, wrong = pairs[:half], pairs[half:]
    if not pairs or [replace(pair, previous_correct=False) for pair in right] != list(wrong):
        raise BadInput("pairs must come after a right answer, and then the same after a wrong one: use 'both_ways'")
    if given.shape != (len(pairs),) or not ((given >= 0) & (given <= 1)).all():
        raise BadInput(f"{len(pairs)} pairs need as many chances from 0 to 1")
    groups = [groups_of(pair) for pair in right]
    after_right, after_wrong = given[:half], given[half:]
    orders = [np.argsort(-values, kind="stable") for values in (after_right, after_wrong)]
    ends = [
        tuple(Predicted(some[place], float(values[place])) for place in places)
        for some, values, order in zip((right, wrong), (after_right, after_wrong), orders, strict=True)
        for places in (order[:most], order[::-1][:most])
    ]
    return InfluentialPairs(
        predictor=origin.predictor,
        source=origin.source,
        n=half,
        questions=len({text for pair in right for text in (pair.q1, pair.q2)}),
        after_right=_estimate(after_right, groups, 0.0),
        after_wrong=_estimate(after_wrong, groups, 0.0),
        difference=_estimate(after_wrong - after_right, groups, -1.0),
        highest_right=ends[0],
        lowest_right=ends[1],
        highest_wrong=ends[2],
        lowest_wrong=ends[3],
        notes=origin.notes,
        signature=origin.signature("generalization/telling", {"pairs": half}),
    )


def in_words(finding: InfluentialPairs) -> str:
    """What was predicted about how many."""
    return f"{count(finding.n)} pairs of {count(finding.questions)} questions, each after a right and after a wrong answer"


def _estimate(values: Floats, groups: Groups, smallest: float) -> Estimate:
    return Estimate(float(values.mean()), Interval(*bounded_mean(values, groups, smallest=smallest)), int(values.size))
