"""Judge tuples by their rule and count them; references: outputs assigned at random, or always the same."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer
from vivavoce.report.figures import Histogram
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.clustered import mean_interval
from vivavoce.studies.effects import Case, Effect
from vivavoce.studies.rules.describe import change_in_words, plain
from vivavoce.studies.rules.related import RelatedInputs
from vivavoce.studies.rules.rules import LARGEST, Rule

SHUFFLES: Final = 20
SHUFFLED_TUPLES: Final = 100_000
"""Most tuples judged in all rounds of the random reference together; each is judged at least once."""
BINS: Final = 40
FEWEST_GAPS: Final = 20
"""Fewest distinct gaps for a histogram; with fewer it shows nothing that the table does not."""
SHOWN_INPUT: Final = 300
BROKEN: Final = "broken"
SKIPPED: Final = "the rule does not apply"
REASONS: Final = 8
"""Reasons for missing answers listed one by one; the rest are counted together."""


@dataclass(frozen=True, slots=True)
class RuleOutputs:
    """A tuple, its rule, and the outputs."""

    related: RelatedInputs
    rule: Rule
    outputs: tuple[Any, ...] | None
    """Outputs in the order of the inputs; None if the rule does not apply to them."""


@dataclass(frozen=True, slots=True)
class TupleResult:
    """One tuple and its result."""

    number: int
    """Position among all tuples, from 1."""
    id: str
    base: tuple[str, ...]
    rule: str
    outcome: str
    """`kept`, `broken`, `skipped` (the rule does not apply) or `no answer`."""
    change: str
    """How the inputs differ, in words."""
    inputs: tuple[str, ...]
    """Inputs in words, cut if they are long."""
    outputs: tuple[float | str | None, ...]
    """None for a missing answer; empty if the rule does not apply."""
    gap: float | None
    """How far the outputs are from what must hold: above 0 if they break the rule; None if unknown."""
    reason: str = ""
    """Why there is no answer."""


@dataclass(frozen=True, slots=True)
class JudgedTuple:
    """A tuple with its gap: how far its outputs are from what must hold."""

    given: RuleOutputs
    number: int
    outputs: tuple[Any, ...]
    gap: float | None
    reason: str = ""

    @property
    def violation(self) -> float:
        """The gap if it is above the tolerance, else 0."""
        return self.gap if self.gap is not None and self.gap > self.given.rule.tolerance else 0.0

    @property
    def base(self) -> tuple[str, ...]:
        """Names of what the inputs were made from."""
        return self.given.related.base

    def result(self) -> TupleResult:
        """The tuple and its result as plain values."""
        related = self.given.related
        missing = "no answer" if self.reason else "skipped"
        return TupleResult(
            self.number,
            related.id,
            related.base,
            self.given.rule.name,
            missing if self.gap is None else "broken" if self.violation else "kept",
            related.change or change_in_words(related.inputs),
            tuple(plain(value, SHOWN_INPUT) for value in related.inputs),
            tuple(map(_output, self.outputs)),
            self.gap,
            self.reason,
        )


def judged(given: RuleOutputs, number: int) -> JudgedTuple:
    """Compute the gap of a tuple. Raises `BadInput` if the rule fails on the outputs."""
    if given.outputs is None:
        return JudgedTuple(given, number, (), None)
    outputs = tuple(_number(output) if given.rule.numbers else output for output in given.outputs)
    missing = next((output for output in outputs if isinstance(output, NoAnswer)), None)
    if missing is not None:
        return JudgedTuple(given, number, outputs, None, missing.reason or "no reason given")
    return JudgedTuple(given, number, outputs, given.rule.distance(outputs))


def _number(output: Any) -> float | NoAnswer:
    """The output as a finite number; truth values and arrays of one element are converted."""
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


def _output(output: Any) -> float | str | None:
    if isinstance(output, NoAnswer):
        return None
    return output if isinstance(output, float) else clipped(str(output), SHOWN_INPUT)


def mean_violation(violations: NDArray[np.float64], bases: Sequence[Sequence[str]]) -> Estimate:
    """Mean violation with its interval, which is left open if violations do not vary: else it would have no width."""
    bounds = Bounds(0.0, math.inf)
    if len(np.unique(violations)) > 1:
        with suppress(NotEnoughEvidence):
            bounds = mean_interval(violations, bases)
    value = float(violations.mean()) if violations.size else None
    return Estimate(value, Interval(max(0.0, bounds.lower), bounds.upper), violations.size)


def at_random(judged: Sequence[JudgedTuple], rng: np.random.Generator) -> tuple[float, float] | None:
    """Share broken and mean violation with outputs assigned to inputs at random; None for fewer than two tuples."""
    if len(judged) < 2:
        return None
    pool = [output for judged_tuple in judged for output in judged_tuple.outputs]
    rounds = max(1, min(SHUFFLES, SHUFFLED_TUPLES // len(judged)))
    broken, total = 0, 0.0
    for _ in range(rounds):
        order = iter(rng.permutation(len(pool)).tolist())
        for judged_tuple in judged:
            violation = judged_tuple.given.rule.violation([pool[next(order)] for _ in judged_tuple.outputs])
            broken += violation > 0
            total += violation
    return broken / rounds / len(judged), total / rounds / len(judged)


def by_a_constant(judged: Sequence[JudgedTuple]) -> float | None:
    """Share broken if every input of a tuple had the output of its first input."""
    if not judged:
        return None
    return sum(
        judged_tuple.given.rule.violation([judged_tuple.outputs[0]] * len(judged_tuple.outputs)) > 0 for judged_tuple in judged
    ) / len(judged)


def histogram(judged: Sequence[JudgedTuple]) -> Histogram | None:
    """A histogram of how far tuples are beyond their tolerance, in bins (k w, (k + 1) w]; None with few distinct gaps."""
    beyond = np.array(
        [judged_tuple.gap - judged_tuple.given.rule.tolerance for judged_tuple in judged if judged_tuple.gap is not None]
    )
    if len(np.unique(beyond)) < FEWEST_GAPS:
        return None
    width = float(np.ptp(beyond)) / BINS
    places = np.ceil(beyond / width).astype(np.int64) - 1
    begin = int(places.min())
    return Histogram(begin * width, width, tuple(np.bincount(places - begin).tolist()))


def cases_of_rule(tuples: Sequence[JudgedTuple]) -> Iterable[Case]:
    """A case for each tuple of one rule; rare reasons for missing answers are counted together."""
    rule = tuples[0].given.rule.name
    listed = {
        reason for reason, _ in sorted(Counter(each.reason for each in tuples if each.reason).items(), key=_by_number)[:REASONS]
    }
    for each in tuples:
        if each.gap is None:
            reason = each.reason if each.reason in listed else "other reasons" if each.reason else SKIPPED
            yield Case(each.base, {}, {rule: reason})
        else:
            yield Case(each.base, {rule: {BROKEN: each.violation > 0}})


def _by_number(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def with_numbers(effect: Effect, tuples: Sequence[JudgedTuple], rng: np.random.Generator) -> Effect:
    """Add the sizes of violations and the results of the references to the effect of a rule."""
    violations = np.array([each.violation for each in tuples], dtype=np.float64)
    reference = at_random(tuples, rng)
    outputs = [str(output) for each in tuples for output in each.outputs]
    numbers = {
        "largest": float(violations.max()) if tuples else None,
        "at_random": None if reference is None else reference[0],
        "mean_at_random": None if reference is None else reference[1],
        "by_a_constant": by_a_constant(tuples),
        "distinct": len(set(outputs)),
        "outputs": len(outputs),
    }
    return replace(effect, numbers=numbers, estimates={"mean": mean_violation(violations, [each.base for each in tuples])})
