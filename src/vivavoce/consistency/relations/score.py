"""Counting: which tuples break their rule, how far, and what outputs assigned at random would do. Pure functions."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.consistency.relations.describe import change_in_words, plain
from vivavoce.consistency.relations.finding import RelationFinding
from vivavoce.consistency.relations.related import Related
from vivavoce.consistency.relations.rules import LARGEST, Rule
from vivavoce.consistency.relations.summary import Case, Histogram, Outcome, Reference, Summary
from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.finding import Signature
from vivavoce.statistics.bounded import bounded_share
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.clustered import mean_interval
from vivavoce.studies.study import NO_SOURCE, Source
from vivavoce.version import __version__

Floats = NDArray[np.float64]

WORST = 10
REASONS = 8
"""Reasons for no answer that are told apart; the rest are counted together."""
SHUFFLES = 20
SHUFFLED_TUPLES = 100_000
"""Tuples that are judged for the reference in all, at most, but each at least once."""
BINS = 40
FEWEST_GAPS = 20
"""Different gaps below which a histogram shows nothing that the table does not."""
SHOWN_INPUT = 300
SHOWN_NAME = 200


@dataclass(frozen=True, slots=True)
class Answered:
    """A tuple, its rule, and what came out."""

    related: Related
    rule: Rule
    outputs: tuple[Any, ...] | None
    """In the order of the inputs; None where the rule does not apply to them."""


@dataclass(frozen=True, slots=True)
class Heard:
    """How a candidate was asked in words, and what became of its replies."""

    replies: Mapping[str, int] = field(default_factory=dict)
    """By outcome, each reply once; empty for a function."""
    settings: Mapping[str, object] = field(default_factory=dict)
    asked_so: tuple[str, ...] = ()
    """What a reader must know of how it was asked."""


CALLED = Heard()
"""A function was called, and nobody asked."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """An answered tuple and its gap."""

    answered: Answered
    number: int
    outputs: tuple[Any, ...]
    gap: float | None
    """None where there is no answer, or the rule does not apply."""
    reason: str = ""
    """Why there is no answer."""

    @property
    def violation(self) -> float:
        return self.gap if self.gap is not None and self.gap > self.answered.rule.tolerance else 0.0

    @property
    def outcome(self) -> Outcome:
        if self.gap is None:
            return Outcome.NO_ANSWER if self.reason else Outcome.SKIPPED
        return Outcome.BROKEN if self.violation else Outcome.KEPT


def score(
    answered: Sequence[Answered],
    *,
    candidate: str,
    source: Source = NO_SOURCE,
    seed: int = 0,
    each: bool = False,
    heard: Heard = CALLED,
) -> RelationFinding:
    """What the outputs show of rules, one row a name of a rule, in the order in which they first occur.

    Raises `BadInput` if a rule fails on outputs.
    """
    judged = [_judge(one, number) for number, one in enumerate(answered, start=1)]
    by_rule: dict[str, list[_Judged]] = {}
    for one in judged:
        by_rule.setdefault(one.answered.rule.name, []).append(one)
    rng = np.random.default_rng(seed)
    return RelationFinding(
        candidate=candidate,
        source=source.title,
        summaries=tuple(_summary(name, ones, rng) for name, ones in by_rule.items()),
        each=tuple(_case(one) for one in judged) if each else None,
        replies=heard.replies,
        asked_so=heard.asked_so,
        signature=Signature(
            version=__version__,
            examination="consistency/relations",
            candidate=clipped(candidate, SHOWN_NAME),
            scope=clipped(source.title, SHOWN_NAME) or "tuples",
            scope_digest=source.digest,
            seed=seed,
            settings={"rules": [clipped(name, SHOWN_NAME) for name in by_rule], "numpy": np.__version__, **heard.settings},
        ),
    )


def _judge(one: Answered, number: int) -> _Judged:
    if one.outputs is None:
        return _Judged(one, number, (), None)
    outputs = tuple(_number(output) if one.rule.numbers else output for output in one.outputs)
    missing = next((output for output in outputs if isinstance(output, NoAnswer)), None)
    if missing is not None:
        return _Judged(one, number, outputs, None, missing.reason or "no reason given")
    return _Judged(one, number, outputs, one.rule.distance(outputs))


def _number(output: Any) -> float | NoAnswer:
    """A number that can be reckoned with, also where it comes as a truth value or in an array by itself."""
    if getattr(output, "size", None) == 1 and hasattr(output, "item"):
        output = output.item()
    if isinstance(output, NoAnswer):
        return output
    if not isinstance(output, numbers.Real):
        return NoAnswer(f"gave a {type(output).__name__}, not a number")
    try:
        value = float(output)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        return NoAnswer("gave no finite number")
    return value if abs(value) <= LARGEST else NoAnswer(f"gave a number beyond {LARGEST:g}")


def _summary(name: str, ones: Sequence[_Judged], rng: np.random.Generator) -> Summary:
    counted = [one for one in ones if one.gap is not None]
    violations = np.array([one.violation for one in counted], dtype=np.float64)
    bases = [one.answered.related.base for one in counted]
    worst = sorted((one for one in counted if one.violation), key=lambda one: (-one.violation, one.number))[:WORST]
    reasons = Counter(one.reason for one in ones if one.outcome is Outcome.NO_ANSWER)
    outputs = [str(output) for one in counted for output in one.outputs]
    return Summary(
        rule=name,
        tolerances=tuple(sorted({one.answered.rule.tolerance for one in ones})),
        n=len(counted),
        violated=int((violations > 0).sum()),
        share=_share(violations > 0, bases),
        mean=_mean(violations, bases),
        largest=float(violations.max()) if counted else None,
        shuffled=_shuffled(counted, rng),
        constant=_constant(counted),
        distinct=len(set(outputs)),
        outputs=len(outputs),
        shared=len({base for ids in bases for base in ids}) < sum(map(len, bases)),
        skipped=sum(one.outcome is Outcome.SKIPPED for one in ones),
        no_answers=_told_apart(reasons),
        histogram=_histogram(counted),
        worst=tuple(_case(one) for one in worst),
    )


def _share(broken: NDArray[np.bool_], bases: Sequence[Sequence[str]]) -> Estimate:
    return Estimate(float(broken.mean()) if broken.size else None, Interval(*bounded_share(broken, bases)), broken.size)


def _mean(violations: Floats, bases: Sequence[Sequence[str]]) -> Estimate:
    """Their mean with its interval, left open where nothing can be said.

    Violations that do not vary would have an interval of no width, as if what was never seen could not be.
    """
    bounds = Bounds(0.0, math.inf)
    if len(np.unique(violations)) > 1:
        with suppress(NotEnoughEvidence):
            bounds = mean_interval(violations, bases)
    value = float(violations.mean()) if violations.size else None
    return Estimate(value, Interval(max(0.0, bounds.lower), bounds.upper), violations.size)


def _shuffled(counted: Sequence[_Judged], rng: np.random.Generator) -> Reference | None:
    """The same outputs, assigned to the inputs of all tuples at random; None for fewer than two tuples."""
    if len(counted) < 2:
        return None
    pool = [output for one in counted for output in one.outputs]
    rounds = max(1, min(SHUFFLES, SHUFFLED_TUPLES // len(counted)))
    broken, total = 0, 0.0
    for _ in range(rounds):
        order = iter(rng.permutation(len(pool)).tolist())
        for one in counted:
            violation = one.answered.rule.violation([pool[next(order)] for _ in one.outputs])
            broken += violation > 0
            total += violation
    return Reference(broken / rounds / len(counted), total / rounds / len(counted))


def _constant(counted: Sequence[_Judged]) -> float | None:
    """Share of tuples whose rule is broken where every input has the output that the first one has."""
    if not counted:
        return None
    return sum(one.answered.rule.violation([one.outputs[0]] * len(one.outputs)) > 0 for one in counted) / len(counted)


def _histogram(counted: Sequence[_Judged]) -> Histogram | None:
    """Tuples by how far they are beyond their tolerance, in bins (k w, (k + 1) w]; None where there is little to see."""
    beyond = np.array([one.gap - one.answered.rule.tolerance for one in counted if one.gap is not None])
    if len(np.unique(beyond)) < FEWEST_GAPS:
        return None
    width = float(np.ptp(beyond)) / BINS
    places = np.ceil(beyond / width).astype(np.int64) - 1
    begin = int(places.min())
    return Histogram(begin * width, width, tuple(np.bincount(places - begin).tolist()))


def _told_apart(reasons: Mapping[str, int]) -> dict[str, int]:
    """The most frequent reasons, and all others together."""
    first = dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))[:REASONS])
    rest = sum(reasons.values()) - sum(first.values())
    return first | ({"other reasons": rest} if rest else {})


def _case(one: _Judged) -> Case:
    related = one.answered.related
    return Case(
        number=one.number,
        id=related.id,
        base=related.base,
        rule=one.answered.rule.name,
        outcome=one.outcome,
        change=related.change or change_in_words(related.inputs),
        inputs=tuple(plain(value, SHOWN_INPUT) for value in related.inputs),
        outputs=tuple(
            None if isinstance(output, NoAnswer) else output if isinstance(output, float) else clipped(str(output), SHOWN_INPUT)
            for output in one.outputs
        ),
        gap=one.gap,
        reason=one.reason,
    )
