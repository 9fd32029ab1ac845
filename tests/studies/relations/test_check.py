"""Functions with planted faults: counts, sizes and places must be what was planted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer
from vivavoce.relations import (
    RelatedInputs,
    RelationFinding,
    RelationsConfig,
    Rule,
    at_most,
    check,
    equal,
    increasing,
    invariant,
    raised,
)
from vivavoce.studies.rules.judging import SKIPPED

BATCH = RelationsConfig(batch=True)
HOMES = [{"rooms": rooms, "area": 20 * rooms + number} for number in range(10) for rooms in range(1, 21)]


def price(home: dict[str, int]) -> float:
    """Grows with the rooms, but for a fall of 300 + area between 7 and 8 rooms, and one of 5 between 12 and 13."""
    rooms, area = home["rooms"], home["area"]
    return 1000 * rooms - (1300 + area) * (rooms >= 8) - 1005 * (rooms >= 13) + 2 * area


def found(finding: RelationFinding) -> tuple[int, int, float | None]:
    (row,) = finding.effects
    return row.rates["broken"].events, row.n, row.numbers["largest"]


def test_planted_falls_are_found_where_they_are() -> None:
    finding = check(price, raised(HOMES, "rooms", by=1), increasing())
    # 10 homes with 7 rooms (area 140 to 149) and 10 with 12, of 200
    assert found(finding) == (20, 200, 300 + 149)
    (row,) = finding.effects
    assert row.estimates["mean"].value == pytest.approx((sum(300 + area for area in range(140, 150)) + 10 * 5) / 200)
    assert len(finding.examples) == 10  # of 10 homes, each the fall between 7 and 8 rooms
    change, outputs = (text.replace("\N{NARROW NO-BREAK SPACE}", " ") for text in finding.examples[0].line)
    assert (change, outputs) == ("rooms 7 → 8, the other 1 the same", "7 298 → 6 849, off by 449")
    # tuples stand alone here: Clopper and Pearson
    exact = scipy.stats.binomtest(20, 200).proportion_ci(0.95, method="exact")
    assert (row.rates["broken"].interval.lower, row.rates["broken"].interval.upper) == pytest.approx((exact.low, exact.high))
    words = "price breaks the rule “no lower output from one input to the next” in 10% [6.2, 16] of 200 cases, by up to 449."
    assert finding.statement == words


def test_a_tolerance_lets_the_small_falls_pass() -> None:
    assert found(check(price, raised(HOMES, "rooms", by=1), increasing(5.0))) == (10, 200, 449)
    assert found(check(price, raised(HOMES, "rooms", by=1), increasing(449.0))) == (0, 200, 0)


def test_all_at_once_is_the_same() -> None:
    def prices(homes: list[dict[str, int]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([price(home) for home in homes])

    as_json = check(price, raised(HOMES, "rooms", by=1), increasing(), name="p").as_json()
    assert check(prices, raised(HOMES, "rooms", by=1), increasing(), BATCH, name="p").as_json() == as_json


def test_large_batches_are_given_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.studies.rules.asking.BATCH", 30)
    sizes: list[int] = []

    def prices(homes: list[dict[str, int]]) -> list[float]:
        sizes.append(len(homes))
        if len(sizes) == 2:
            raise MemoryError("too many homes")
        return [price(home) for home in homes]

    (row,) = check(prices, raised(HOMES, "rooms", by=1), increasing(), BATCH).effects
    assert sizes == [30] * 13 + [10]
    assert (row.n, row.left_out) == (185, {"raised MemoryError: too many homes": 15})


def test_what_the_rule_does_not_apply_to_is_skipped_and_not_even_asked() -> None:
    seen: list[dict[str, int]] = []

    def watched(home: dict[str, int]) -> float:
        seen.append(home)
        return price(home)

    small = Rule("small homes", gap=lambda y: y[0] - y[1], applies=lambda x: x[0]["rooms"] < 7)
    (row,) = check(watched, raised(HOMES, "rooms", by=1), small).effects
    assert (row.n, row.rates["broken"].events, row.left_out[SKIPPED]) == (60, 0, 140)
    assert len(seen) == 120


class OddTypesFunction:
    """Says one thing for each number."""

    sayings: Sequence[Callable[[], Any]] = (
        lambda: 1.0,
        lambda: np.float32(1),
        lambda: np.array([1.0]),
        lambda: True,
        lambda: np.bool_(True),
        lambda: np.array(1),
        lambda: "1",
        lambda: None,
        lambda: float("nan"),
        lambda: 10**400,
        lambda: -1e200,
        lambda: [1.0, 2.0],
        lambda: NoAnswer("it is a secret"),
        lambda: 1 // 0,
        lambda: exit(3),
    )

    def __call__(self, number: int) -> Any:
        return self.sayings[number]()


def test_what_is_no_number_is_no_answer_and_counted_by_reason() -> None:
    (row,) = check(OddTypesFunction(), [RelatedInputs((0, number)) for number in range(15)], invariant()).effects
    assert (row.n, row.rates["broken"].events, sum(row.left_out.values())) == (6, 0, 9)
    assert row.left_out == {
        "gave no finite number": 2,
        "gave a number beyond 1e+150": 1,
        "gave a NoneType, not a number": 1,
        "gave a list, not a number": 1,
        "gave a str, not a number": 1,
        "it is a secret": 1,
        "raised SystemExit: 3": 1,
        "raised ZeroDivisionError: integer division or modulo by zero": 1,
    }


def test_the_largest_numbers_still_have_a_mean_and_an_interval() -> None:
    finding = check(lambda x: 1e150 * (-1) ** x, [RelatedInputs((number, number + 1)) for number in range(40)], increasing())
    (row,) = finding.effects
    assert (row.n, row.rates["broken"].events, row.estimates["mean"].value) == (40, 20, 1e150)
    assert 0 < row.estimates["mean"].interval.lower < 1e150 < row.estimates["mean"].interval.upper < 2e150


def test_many_reasons_are_told_together() -> None:
    def fails(number: int) -> float:
        raise ValueError(f"{number} is wrong\x1b[2J")

    (row,) = check(fails, [RelatedInputs((number, number)) for number in range(50)], invariant()).effects
    assert (row.n, sum(row.left_out.values()), row.left_out["other reasons"], len(row.left_out)) == (0, 50, 42, 9)
    assert not any("\x1b" in reason for reason in row.left_out)


def test_nothing_compared_is_said_and_nothing_is_zero() -> None:
    finding = check(lambda x: None, [RelatedInputs((1, 2))], invariant())
    (row,) = finding.effects
    assert (
        row.rates["broken"].least,
        row.estimates["mean"].value,
        row.numbers["largest"],
        row.numbers["at_random"],
        row.numbers["by_a_constant"],
    ) == (None,) * 5
    assert (row.rates["broken"].interval.lower, row.rates["broken"].interval.upper) == (0, 1)
    assert finding.statement.startswith("Nothing was compared")
    assert check(lambda x: 1.0, [], invariant()).statement.startswith("Nothing was compared")
    json.dumps(finding.as_json(), allow_nan=False)


def test_one_case_is_not_enough_for_a_mean_interval() -> None:
    (row,) = check(float, [RelatedInputs((2, 1))], increasing()).effects
    assert (row.estimates["mean"].value, row.estimates["mean"].interval.upper) == (1, math.inf)
    # none broken: the mean is 0, but its interval is open
    (row,) = check(float, [RelatedInputs((1, 2))] * 40, increasing()).effects
    assert (row.estimates["mean"].value, row.estimates["mean"].interval.lower, row.estimates["mean"].interval.upper) == (
        0,
        0,
        math.inf,
    )


def test_tuples_of_one_base_count_less() -> None:
    pairs = list(raised(HOMES, "rooms", by=1))
    clustered = [replace(pair, base=(f"rooms {pair.inputs[0]['rooms']}",)) for pair in pairs]
    findings = check(price, pairs, increasing()), check(price, clustered, increasing())
    assert [finding.is_clustered for finding in findings] == [False, True]
    alone, together = (finding.effects[0].rates["broken"] for finding in findings)
    assert together.least == alone.least
    # both faults sit in 2 of 20 groups that agree within: as good as 2 of 20, at the groups' degrees of freedom
    exact = scipy.stats.binomtest(2, 20).proportion_ci(0.95, method="exact")
    assert together.interval.lower == pytest.approx(exact.low, abs=0.01)
    assert together.interval.upper == pytest.approx(exact.high, abs=0.03)


def test_each_tuple_may_have_a_rule_of_its_own() -> None:
    tuples = [replace(pair, rule=at_most()) for pair in raised(HOMES, "rooms", by=1)]
    tuples += [replace(pair, rule=invariant(30.0)) for pair in raised(HOMES, "area", by=20)]
    finding = check(price, tuples)
    assert [(row.rates["broken"].events, row.n) for row in finding.effects] == [
        (20, 200),
        (70, 200),
    ]  # 2 * 20 below 8 rooms, less 20 from there on
    assert finding.others == (
        "Rules broken: the same output 35% [28, 43], the first output at most as high as the others 10% [6.2, 16]."
    )


def test_labels_may_be_compared() -> None:
    finding = check(lambda home: "large" if home["area"] >= 200 else "small", raised(HOMES, "area", by=50), equal())
    assert found(finding) == (sum(150 <= home["area"] < 200 for home in HOMES), 200, 1)


def test_every_tuple_has_its_outcome() -> None:
    tuples = [
        RelatedInputs((1, 2), id="a"),
        RelatedInputs((2, 1), id="b"),
        RelatedInputs((0, 0), id="c"),
        RelatedInputs((5, 6), id="d"),
    ]
    rule = Rule("grows", gap=lambda y: y[0] - y[1], applies=lambda x: x != (0, 0))
    finding = check(lambda x: 10.0 / (x - 6) if x > 4 else float(x), tuples, rule, each=True)
    assert finding.details.each is not None
    assert [(case.id, case.outcome) for case in finding.details.each] == [
        ("a", "kept"),
        ("b", "broken"),
        ("c", "skipped"),
        ("d", "no answer"),
    ]
    assert finding.details.each[3].outputs == (-10.0, None)
    values = json.loads(json.dumps(finding.as_json(), allow_nan=False))
    assert [case["gap"] for case in values["details"]["each"]] == [-1, 1, None, None]
    assert check(float, tuples, rule).details.each is None


@given(
    values=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=25),
    shift=st.integers(-5, 5),
    seed=st.integers(0, 9),
)
def test_order_and_shift_do_not_matter_and_a_constant_breaks_nothing(
    values: list[tuple[int, int]], shift: int, seed: int
) -> None:
    tuples = [RelatedInputs(pair, base=(str(pair[0]),)) for pair in values]
    (row,) = check(float, tuples, increasing()).effects
    assert row.rates["broken"].events == sum(number > other for number, other in values)
    assert row.numbers["largest"] == max(0, *(number - other for number, other in values))
    assert row.numbers["by_a_constant"] == 0
    (moved,) = check(lambda x: float(x + shift), tuples, increasing()).effects
    assert (moved.rates["broken"].events, moved.numbers["largest"], moved.estimates["mean"].value) == (
        row.rates["broken"].events,
        row.numbers["largest"],
        row.estimates["mean"].value,
    )
    (again,) = check(float, [tuples[i] for i in np.random.default_rng(seed).permutation(len(tuples))], increasing()).effects
    assert (again.rates["broken"].events, again.n, again.numbers["distinct"]) == (
        row.rates["broken"].events,
        row.n,
        row.numbers["distinct"],
    )
    assert again.rates["broken"].interval.upper == pytest.approx(row.rates["broken"].interval.upper)


def test_dealt_out_at_random_a_pair_of_different_outputs_is_broken_half_of_the_time() -> None:
    (row,) = check(float, [RelatedInputs((2 * i, 2 * i + 1)) for i in range(500)], increasing()).effects
    assert row.rates["broken"].events == 0
    assert row.numbers["at_random"] is not None
    assert row.numbers["at_random"] == pytest.approx(0.5, abs=0.02)  # 10,000 pairs: two standard errors are .01
    # |i - j| of 1,000 numbers: a third of 1,000 where it is a fall, which is half of the time
    assert row.numbers["mean_at_random"] == pytest.approx(1000 / 6, rel=0.05)


def test_the_histogram_divides_at_the_limit() -> None:
    # falls of -99 to 100, of which those above 5 count, and one at the limit itself
    finding = check(float, [RelatedInputs((100 + gap, 100)) for gap in range(-99, 101)], increasing(5.0))
    (histogram,) = finding.details.histograms.values()
    edges = [histogram.begin + index * histogram.width for index in range(len(histogram.counts))]
    assert sum(histogram.counts) == 200
    assert sum(n for left, n in zip(edges, histogram.counts, strict=True) if left > -histogram.width / 2) == 95
    assert not check(lambda x: float(x["rooms"]), raised(HOMES, "rooms", by=1), increasing()).details.histograms


def test_mistakes_are_told() -> None:
    with pytest.raises(BadInput, match="tuple 2 has no rule"):
        check(float, [RelatedInputs((1, 2), rule=invariant()), RelatedInputs((1, 2))])
    with pytest.raises(BadInput, match="tuple 1 has no inputs"):
        check(float, [RelatedInputs(())], invariant())
    with pytest.raises(BadInput, match="returned 1 outputs for 2 inputs"):
        check(lambda given: [1.0], [RelatedInputs((1, 2))], invariant(), BATCH)
    with pytest.raises(BadInput, match="a task is for candidates that are asked in words"):
        check(float, [RelatedInputs((1, 2))], invariant(), RelationsConfig(task="What is it worth?"))

    async def later(x: int) -> float:
        return float(x)

    with pytest.raises(BadInput, match="is async"):
        check(later, [RelatedInputs((1, 2))], invariant())


def test_caveats_fit_what_was_found() -> None:
    few = check(
        float, [RelatedInputs((1, 1), base=("a",)), RelatedInputs((1, 1), base=("a",)), RelatedInputs((None, 1))], invariant()
    ).caveats
    assert any("All outputs were the same" in sentence for sentence in few)
    assert any("1 tuple (33%) had no answer" in sentence for sentence in few)
    assert any("Only 2 cases" in sentence for sentence in few)
    assert any("were drawn together and are alike" in sentence for sentence in few)
    rng = np.random.default_rng(0)
    careless = check(lambda x: rng.random(), [RelatedInputs((i, i)) for i in range(200)], increasing()).caveats
    assert any("assigned at random" in sentence for sentence in careless)
