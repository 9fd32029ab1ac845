"""The violation: exact by closed forms, by another optimiser and by its own duality gap; invariants for any law."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.laws.laws import coherent, laws, searched
from vivavoce.errors import BadInput
from vivavoce.laws.law import BUILT_IN, Law, LawStatement, law_named, parse_law
from vivavoce.laws.violation import violations

probabilities = st.floats(0.001, 0.999)


def affinity(a: float, b: float) -> float:
    """The least of KL(x ‖ a) + KL(x ‖ b) over x is -2 ln of the Bhattacharyya coefficient of a and b."""
    return float(-2 * np.log(np.sqrt(a * b) + np.sqrt((1 - a) * (1 - b))))


@st.composite
def forecasts(draw: st.DrawFn) -> tuple[Law, NDArray[np.float64]]:
    """Any law with any forecasts."""
    law = draw(laws)
    return law, np.array(draw(st.lists(probabilities, min_size=len(law.keys), max_size=len(law.keys))))


@settings(max_examples=40)
@given(probabilities, probabilities)
def test_negation_paraphrase_and_consequence_have_closed_forms(p: float, q: float) -> None:
    paraphrase = law_named("paraphrase", ["P", "para_P"])
    assert violations(paraphrase, [[p, q]]).value[0] == pytest.approx(affinity(p, q), abs=2e-9)
    assert violations(BUILT_IN["neg"], [[p, q]]).value[0] == pytest.approx(affinity(p, 1 - q), abs=2e-9)
    least = affinity(p, q) if p > q else 0.0  # P above its consequence C: both move to one value between
    assert violations(BUILT_IN["consequence"], [[p, q]]).value[0] == pytest.approx(least, abs=2e-9)


def test_exactly_one_of_three_by_hand() -> None:
    # .6 for each of three: by symmetry the nearest is 1/3 for each; 3 KL(1/3 ‖ .6) = ln(.5556) + 2 ln(1.6667) = .43386
    violation = violations(law_named("partition", ["a", "b", "c"]), [[0.6, 0.6, 0.6]])
    assert violation.value[0] == pytest.approx(3 * (np.log(1 / 1.8) / 3 + 2 / 3 * np.log((2 / 3) / 0.4)), abs=1e-9)
    assert violation.repair[0] == pytest.approx([1 / 3] * 3, abs=1e-6)


@settings(max_examples=12)
@given(forecasts())
def test_another_optimiser_finds_the_same(case: tuple[Law, NDArray[np.float64]]) -> None:
    law, given_forecasts = case
    violation = violations(law, [given_forecasts])
    assert violation.gap[0] < 1e-6
    by_search = searched(law, given_forecasts)
    assert violation.value[0] <= by_search + 1e-8  # a search that stops short can only be above the least
    assert violation.value[0] == pytest.approx(by_search, abs=2e-5)


@pytest.mark.parametrize(
    ("line", "forecasts", "least"),
    [
        ("s0 = ~((A & B)), s1 = B given C, s2 = B given ~(A), s3 = B given C", [0.78254467, 0.67858535, 0.0214194, 0.5], 0),
        ("s0 = B given A, s1 = B given B", [0.75, 0.5], 0),
        ("s0 = A, s1 = ~(A), s2 = B given C, s3 = B given C", [0.9, 0.9, 0.8, 0.3], affinity(0.9, 0.1)),
    ],
)
def test_a_condition_may_come_to_hold_never(line: str, forecasts: list[float], least: float) -> None:
    """Forecasts that differ on what never happens contradict nothing: the violation is that of the others."""
    violation = violations(parse_law(line), [forecasts])
    assert violation.value[0] == pytest.approx(least, abs=1e-9)
    assert violation.gap[0] < 1e-9


@settings(max_examples=40)
@given(coherent())
def test_coherent_forecasts_are_no_violation(case: tuple[Law, NDArray[np.float64]]) -> None:
    law, given_forecasts = case
    violation = violations(law, [given_forecasts])
    assert violation.value[0] == 0.0
    assert violation.repair[0] == pytest.approx(given_forecasts)


@settings(max_examples=40)
@given(forecasts())
def test_the_repair_is_coherent_and_the_violation_is_its_distance(case: tuple[Law, NDArray[np.float64]]) -> None:
    law, given_forecasts = case
    violation = violations(law, [given_forecasts])
    again = violations(law, violation.repair)
    assert again.value[0] == 0.0
    assert violation.value[0] >= 0.0
    assert violation.gap[0] < 1e-6


@settings(max_examples=40)
@given(coherent(), st.integers(0, 2**32 - 1))
def test_incoherent_forecasts_are_a_violation(case: tuple[Law, NDArray[np.float64]], seed: int) -> None:
    law, given_forecasts = case
    moved = np.clip(given_forecasts + np.random.default_rng(seed).normal(0, 0.2, len(given_forecasts)), 0.01, 0.99)
    violation = violations(law, [moved])
    # Whatever is told to be incoherent is sold at a sure profit, and whatever is told to be coherent is as good as repaired.
    assert (violation.value[0] > 0) == (violation.value[0] - violation.gap[0] > 0)
    if violation.value[0] == 0:
        assert violation.repair[0] == pytest.approx(moved)


@settings(max_examples=40)
@given(forecasts(), st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(case: tuple[Law, NDArray[np.float64]], random: object) -> None:
    law, given_forecasts = case
    order = np.random.default_rng(len(law.keys)).permutation(len(law.keys))
    renamed = parse_law(law.line.replace("A", "Zeta").replace("P", "Rho")) if law.name in BUILT_IN else law
    shuffled = Law("other", tuple(renamed.statements[index] for index in order), renamed.constraints)
    expected = violations(law, [given_forecasts]).value[0]
    assert violations(shuffled, [given_forecasts[order]]).value[0] == pytest.approx(expected, abs=2e-9)


@settings(max_examples=40)
@given(forecasts(), st.sampled_from(["A", "P", "A & ~B", "A given B | A"]), probabilities)
def test_one_more_statement_never_lowers_it(case: tuple[Law, NDArray[np.float64]], more: str, forecast: float) -> None:
    law, given_forecasts = case
    event, _, condition = more.partition(" given ")
    longer = Law(law.name, (*law.statements, LawStatement("one more", event, condition)), law.constraints)
    before = violations(law, [given_forecasts])
    after = violations(longer, [[*given_forecasts, forecast]])
    assert after.value[0] >= before.value[0] - before.gap[0] - 1e-9


def test_many_at_once_are_as_one_by_one() -> None:
    rng = np.random.default_rng(3)
    for law in (*BUILT_IN.values(), law_named("partition", list("abcdef"))):
        beliefs = rng.random((10, len(law.keys)))
        together = violations(law, beliefs)
        alone = [violations(law, [row]).value[0] for row in beliefs]
        assert together.value == pytest.approx(alone, abs=1e-10)


def test_the_profit_of_the_prices_is_sure() -> None:
    # The prices are the repair. What a trader wins under the log score in each world, summed over statements that are not void,
    # is at least the violation: the lower bound, reckoned here without the solver's own sums.
    rng = np.random.default_rng(5)
    for law in BUILT_IN.values():
        beliefs = rng.uniform(0.02, 0.98, (60, len(law.keys)))
        violation = violations(law, beliefs)
        for belief, price, value in zip(beliefs, violation.repair, violation.value, strict=True):
            wins = [
                sum(np.log(price[i] / belief[i]) if t == 1 else np.log((1 - price[i]) / (1 - belief[i]))
                    for i, t in enumerate(world) if t >= 0)
                for world in law.worlds
            ]  # fmt: skip
            assert min(wins) >= value - 1e-5


@pytest.mark.parametrize(
    "law", [*BUILT_IN.values(), parse_law("A, B, sure = A | ~A"), law_named("chain", list("abcdefgh"))], ids=str
)
def test_extreme_forecasts_still_have_a_proof(law: Law) -> None:
    rng = np.random.default_rng(7)
    tiny = rng.random((300, len(law.keys))) * 10.0 ** -rng.integers(0, 40, (300, len(law.keys)))
    beliefs = np.where(rng.random(tiny.shape) < 0.5, tiny, 1 - np.maximum(tiny, 1e-15))
    violation = violations(law, beliefs)
    assert violation.gap.max() < 1e-6
    assert np.isfinite(violation.value).all()
    assert ((violation.repair >= 0) & (violation.repair <= 1)).all()


def test_never_and_always_count_as_nearly() -> None:
    expected = violations(BUILT_IN["neg"], [[0.001, 0.3]]).value
    assert violations(BUILT_IN["neg"], [[0, 0.3]]).value == pytest.approx(expected)


def test_never_and_always_are_taken_at_their_word_where_that_is_coherent() -> None:
    cond, partition = BUILT_IN["cond"], law_named("partition", list("abc"))
    assert violations(BUILT_IN["neg"], [[0, 1]]).value[0] == 0.0
    assert violations(cond, np.array([[0.3, 0, 0], [0, 0.7, 0], [1, 1, 1], [1, 0.4, 0.4]])).value.tolist() == [0, 0, 0, 0]
    assert violations(partition, [[1, 0, 0]]).value[0] == 0.0
    violation = violations(cond, np.array([[0.3, 0, 0.1], [0, 0.7, 0.2], [1, 1, 0]]))
    assert (violation.value > 0.01).all()
    # P is never, and P & Q is .2: as in `consequence`, .2 and .001 must meet
    assert violation.value[1] > affinity(0.2, 0.001) - 1e-6


@pytest.mark.parametrize("wrong", [[[0.5, 1.1]], [[-0.1, 0.5]], [[np.nan, 0.5]], [[np.inf, 0.5]], [[0.5]], [0.5, 0.5]])
def test_what_is_no_forecast_is_refused(wrong: object) -> None:
    with pytest.raises(BadInput):
        violations(BUILT_IN["neg"], wrong)  # type: ignore[arg-type]


def test_no_tuples_are_no_trouble() -> None:
    assert violations(BUILT_IN["neg"], np.zeros((0, 2))).value.shape == (0,)
