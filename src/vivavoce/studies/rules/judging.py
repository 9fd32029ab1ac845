"""Judge rules on outputs, and describe inputs and outputs in words."""

from __future__ import annotations

import json
import math
import numbers
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.candidate import NoAnswer
from vivavoce.report.figures import Histogram
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.clustered import mean_interval
from vivavoce.studies.effects import Case, Effect
from vivavoce.studies.rules.rules import LARGEST, RelatedInputs, Rule

ARROW = " → "
SHOWN_VALUE = 80
FEW = 4
"""Most differing features that are listed one by one."""


def change_in_words(inputs: Sequence[Any]) -> str:
    """How the inputs differ: feature by feature if they have the same ones, else all inputs in full.

    >>> change_in_words([{"age": 30, "sex": "f", "city": "Rome"}, {"age": 35, "sex": "f", "city": "Rome"}])
    'age 30 → 35, the other 2 the same'
    >>> change_in_words([(1, 2.5), (1, 2.0)])
    '[1] 2.5 → 2, the other 1 the same'
    >>> change_in_words(["It rains.", "It pours."])
    'It rains. → It pours.'
    """
    tables = [_features(value) for value in inputs]
    first = tables[0] if tables else None
    if first is not None and all(table is not None and table.keys() == first.keys() for table in tables):
        known = [table for table in tables if table is not None]
        differ = [name for name in first if any(not _same(table[name], first[name]) for table in known)]
        if 0 < len(differ) <= FEW:
            text = ", ".join(f"{name} {ARROW.join(plain(table[name], SHOWN_VALUE) for table in known)}" for name in differ)
            rest = len(first) - len(differ)
            return clipped(text, 4 * SHOWN_VALUE) + (f", the other {rest} the same" if rest else "")
        if not differ:
            return "the same input again"
    words = [plain(value, 2 * SHOWN_VALUE) for value in inputs]
    return "the same input again" if len(words) > 1 and len(set(words)) == 1 else ARROW.join(words)


def plain(value: Any, limit: int = SHOWN_VALUE) -> str:
    """A value in words, cut to this many characters; numbers to four significant digits.

    >>> plain(21300).replace(chr(0x202f), " "), plain(0.123456), plain("a" * 9, 4)
    ('21 300', '0.1235', 'aaaa… (5 more characters)')
    """
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, numbers.Integral):
        return count(int(value)) if abs(int(value)) < 10**18 else f"{float(value):.4g}" if abs(int(value)) < 10**300 else "huge"
    if isinstance(value, numbers.Real):
        number = float(value)
        return count(round(number)) if number.is_integer() and 1000 <= abs(number) < 1e15 else f"{number:.4g}"
    if isinstance(value, str):
        return clipped(" ".join(value.split()), limit)
    return clipped(written(value), limit)


def rough(value: float, towards: int = 0) -> str:
    """A number to two significant digits, or whole above 100; rounded up if `towards` is 1, down if -1.

    >>> rough(0.006415), rough(0.005157, -1), rough(0.007613, 1), rough(123.4), rough(0.0), rough(2.0)
    ('0.0064', '0.0051', '0.0077', '123', '0', '2')
    """
    if abs(value) < 1e-300:
        return plain(value)
    unit = 10.0 ** min(0, math.floor(math.log10(abs(value))) - 1)
    steps = round(value / unit, 9)
    whole = round(steps) if towards == 0 else math.ceil(steps) if towards > 0 else math.floor(steps)
    return plain(float(f"{whole * unit:.12g}"))


def written(value: Any) -> str:
    """A text unchanged, anything else as JSON, or as Python prints it if JSON can't.

    >>> written("as it is"), written({"rooms": 3}), written({(1, 2): 3})
    ('as it is', '{"rooms": 3}', '{(1, 2): 3}')
    """
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value.tolist() if isinstance(value, np.ndarray) else value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(value)


def _features(value: Any) -> dict[str, Any] | None:
    """The features of a row by name; None for a value that is not a row."""
    if isinstance(value, Mapping):
        return {str(key): entry for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return {f"[{index}]": entry for index, entry in enumerate(value)}
    return None


def _same(entry: Any, other: Any) -> bool:
    entry, other = (value.tolist() if isinstance(value, np.ndarray) else value for value in (entry, other))
    return bool(entry == other) or repr(entry) == repr(other)  # NaN is not equal to itself


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
    numbers = Counter(each.reason for each in tuples if each.reason)
    listed = set(sorted(numbers, key=lambda reason: (-numbers[reason], reason))[:REASONS])
    for each in tuples:
        if each.gap is None:
            reason = each.reason if each.reason in listed else "other reasons" if each.reason else SKIPPED
            yield Case(each.base, {}, {rule: reason})
        else:
            yield Case(each.base, {rule: {BROKEN: each.violation > 0}})


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
