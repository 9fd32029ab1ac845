"""Laws: parsing, metrics and violations."""

from __future__ import annotations

from contextlib import suppress
from math import sqrt

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.each_case import each_case
from tests.laws.laws import coherent, laws, searched
from vivavoce.errors import BadInput, UnknownName
from vivavoce.laws.law import BUILT_IN, FAMILIES, NAMES, Law, LawStatement, law_named, parse_law
from vivavoce.laws.monotone import monotonicity
from vivavoce.laws.violation import frequentist, is_strong, metric, most, violations

# By hand, from the table of the research data: P, Q (and R) over all truth values; -1 is void.
WORLDS = {
    "neg": {(0, 1), (1, 0)},
    "and": {(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1)},
    "or": {(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)},
    "and-or": {(0, 0, 0, 0), (0, 1, 0, 1), (1, 0, 0, 1), (1, 1, 1, 1)},
    "but": {(0, 0, 0), (0, 1, 1), (1, 0, 1)},
    "cond": {(0, -1, 0), (1, 0, 0), (1, 1, 1)},
    "cond-cond": {(0, -1, -1, 0), (1, 0, -1, 0), (1, 1, 0, 0), (1, 1, 1, 1)},
    "consequence": {(0, 0), (0, 1), (1, 1)},
    "expected-evidence": {(0, 0, -1, 0), (0, 1, 0, -1), (1, 0, -1, 1), (1, 1, 1, -1)},
    "bayes": {(0, 0, -1, -1), (0, 1, 0, -1), (1, 0, -1, 0), (1, 1, 1, 1)},
}


def worlds(law: Law) -> set[tuple[int, ...]]:
    """The worlds as they would be written by hand."""
    return {tuple(row) for row in law.worlds.tolist()}


@each_case("name", BUILT_IN)
def test_the_worlds_of_the_built_in_laws(name: str) -> None:
    assert worlds(BUILT_IN[name]) == WORLDS[name]


@each_case(
    ("name", "expected"),
    [
        ("paraphrase", {(0, 0, 0), (1, 1, 1)}),
        ("repeat", {(0, 0, 0), (1, 1, 1)}),
        ("exclusive", {(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)}),
        ("exhaustive", {(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)}),
        ("partition", {(1, 0, 0), (0, 1, 0), (0, 0, 1)}),
        ("chain", {(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)}),
    ],
)
def test_the_worlds_of_families(name: str, expected: set[tuple[int, ...]]) -> None:
    assert worlds(law_named(name, ["one", "two", "three"])) == expected


@each_case(
    ("line", "expected"),
    [
        ("P, Q, P -> Q", None),
        ("P, Q, x = P ^ Q", {(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)}),
        ("P, Q, x = (P | Q) & ~(P & Q)", {(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)}),
        ("P, Q, x = not P and Q", {(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0)}),
        ("A, B where A iff ~B", {(0, 1), (1, 0)}),
        ("A, B where ~(A & B); A | B", {(0, 1), (1, 0)}),
        ("A, B, C where exactly one of A, B, C", {(1, 0, 0), (0, 1, 0), (0, 0, 1)}),
        ("A, C where A implies B; B implies C", {(0, 0), (0, 1), (1, 1)}),
        ("A, sure = B | ~B", {(0, 1), (1, 1)}),
    ],
)
def test_a_law_in_a_line(line: str, expected: set[tuple[int, ...]] | None) -> None:
    if expected is None:
        with pytest.raises(BadInput, match="is not a formula"):
            parse_law(line)
    else:
        assert worlds(parse_law(line)) == expected


@given(laws)
def test_a_law_is_read_as_it_is_written(law: Law) -> None:
    again = parse_law(law.line)
    assert (again.name, again.keys, worlds(again)) == (law.name, law.keys, worlds(law))


@each_case(
    ("line", "problem"),
    [
        ("", "a statement is missing"),
        ("P,", "a statement is missing"),
        ("P, given Q", "a statement is missing"),
        ("P, Q given P given R", "more than one 'given'"),
        ("P, P", "have the same name"),
        ("P, __import__('os').system('true')", "only names"),
        ("P, Q[0]", "only names"),
        ("P, 1", "only names"),
        ("P, lambda: 0", "missing|not a formula|the same name"),
        ("P, " + "~" * 600 + "P", "longer than 500"),
        ("P, " + "(" * 240 + "P" + ")" * 240, "not a formula"),
        ("P, Q where P; ~P", "contradict"),
        ("P, Q given P & ~P", "never applies"),
        (", ".join(f"E{i}" for i in range(17)), "17 events"),
        (", ".join(f"E{i}" for i in range(11)), "2048 worlds"),
        ("P, Q where exactly one of", "not a formula"),
    ],
)
def test_what_is_no_law_is_refused(line: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        parse_law(line)


@given(st.text(max_size=80))
def test_any_text_is_a_law_or_bad_input(text: str) -> None:
    with suppress(BadInput):
        assert len(parse_law(text).worlds)


def test_a_law_that_does_not_exist_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'neg'"):
        law_named("negg", ["P", "not_P"])
    with pytest.raises(BadInput, match="has the statements P, not_P; yours are P, Q"):
        law_named("neg", ["P", "Q"])
    with pytest.raises(BadInput, match="at least two"):
        law_named("paraphrase", ["P"])
    assert set(FAMILIES) < set(NAMES)


def test_statements_may_stand_in_any_order() -> None:
    assert law_named("and", ["P_and_Q", "Q", "P"]).keys == ("P", "Q", "P_and_Q")


KEYS = {
    "neg": ("P", "not_P"),
    "and": ("P", "Q", "P_and_Q"),
    "or": ("P", "Q", "P_or_Q"),
    "and-or": ("P", "Q", "P_and_Q", "P_or_Q"),
    "but": ("P", "Q_and_not_P", "P_or_Q"),
    "cond": ("P", "Q_given_P", "P_and_Q"),
    "cond-cond": ("P", "Q_given_P", "R_given_P_and_Q", "P_and_Q_and_R"),
    "consequence": ("P", "cons_P"),
    "expected-evidence": ("P", "Q", "P_given_Q", "P_given_not_Q"),
    "bayes": ("P", "Q", "P_given_Q", "Q_given_P"),
}
B = 0.001  # added to each variance


def var(p: float) -> float:
    """Of a forecast, as the frequentist metric has it."""
    return p * (1 - p)


# Law, forecasts, metric by hand, and by hand the variance of the side that is violated.
CASES = [
    ("neg", (0.7, 0.6), 0.3, var(0.7) + var(0.6)),
    ("neg", (0.7, 0.3), 0.0, 1.0),
    ("paraphrase", (0.2, 0.5, 0.4, 0.3), 0.3, var(0.2) + var(0.5)),  # max - min
    ("and", (0.8, 0.9, 0.5), 0.2, var(0.8) + var(0.9) + var(0.5)),  # below .8 + .9 - 1 = .7
    ("and", (0.3, 0.6, 0.5), 0.2, var(0.3) + var(0.5)),  # above min = .3, which counts alone
    ("and", (0.3, 0.6, 0.2), 0.0, 1.0),
    ("or", (0.1, 0.2, 0.6), 0.3, var(0.1) + var(0.2) + var(0.6)),  # above .1 + .2
    ("or", (0.7, 0.2, 0.5), 0.2, var(0.7) + var(0.5)),  # below max = .7
    ("and-or", (0.5, 0.6, 0.2, 0.7), 0.2, var(0.5) + var(0.6) + var(0.2) + var(0.7)),  # 1.1 against .9
    ("but", (0.3, 0.4, 0.6), 0.1, var(0.3) + var(0.4) + var(0.6)),  # .7 against .6
    ("cond", (0.5, 0.4, 0.3), 0.1, 0.4**2 * var(0.5) + 0.5**2 * var(0.4) + var(0.3)),  # .2 against .3
    ("cond-cond", (0.5, 0.8, 0.5, 0.1), 0.1, 0.4**2 * var(0.5) + 0.25**2 * var(0.8) + 0.4**2 * var(0.5) + var(0.1)),
    ("consequence", (0.6, 0.4), 0.2, var(0.6) + var(0.4)),
    ("consequence", (0.4, 0.6), 0.0, 1.0),
    ("chain", (0.2, 0.5, 0.3), 0.2, var(0.5) + var(0.3)),
    # .4 * .8 + .6 * .3 = .5 against .7; the variance of .4 counts by the square of .8 - .3
    ("expected-evidence", (0.7, 0.4, 0.8, 0.3), 0.2, var(0.7) + 0.16 * var(0.8) + 0.36 * var(0.3) + 0.25 * var(0.4)),
    ("exclusive", (0.5, 0.4, 0.3), 0.2, var(0.5) + var(0.4) + var(0.3)),
    ("exhaustive", (0.5, 0.2, 0.1), 0.2, var(0.5) + var(0.2) + var(0.1)),
    ("partition", (0.5, 0.2, 0.1), 0.2, var(0.5) + var(0.2) + var(0.1)),
]


@each_case(("name", "forecasts", "expected", "variance"), CASES)
def test_metrics_by_hand(name: str, forecasts: tuple[float, ...], expected: float, variance: float) -> None:
    law = law_named(name, KEYS.get(name) or tuple(f"k{i}" for i in range(len(forecasts))))
    assert metric(law, [forecasts], [forecasts])[0] == pytest.approx(expected)
    standard = frequentist(law, [forecasts])
    assert standard is not None
    assert standard[0] == pytest.approx(expected / sqrt(variance + B))


def test_bayes_by_hand() -> None:
    # P(A)=.5, P(B)=.4, P(A|B)=.9, P(B|A)=.22: .36 - .11 = .25, whose root is .5
    law, forecasts = law_named("bayes", KEYS["bayes"]), (0.5, 0.4, 0.9, 0.22)
    assert metric(law, [forecasts], [forecasts])[0] == pytest.approx(0.5)
    variance = 0.9**2 * var(0.4) + 0.4**2 * var(0.9) + 0.22**2 * var(0.5) + 0.5**2 * var(0.22)
    standard = frequentist(law, [forecasts])
    assert standard is not None
    assert standard[0] == pytest.approx(0.25 / sqrt(variance + B))


def test_a_users_own_law_is_measured_by_its_repair() -> None:
    law = law_named("A, B, x = A ^ B", ["A", "B", "x"])
    # All three .9 is incoherent; by symmetry each is moved to 2/3, the most that events of which two or none happen can have.
    violation = violations(law, [[0.9, 0.9, 0.9]])
    assert violation.repair[0] == pytest.approx([2 / 3] * 3, abs=1e-5)
    assert metric(law, [[0.9, 0.9, 0.9]], violation.repair)[0] == pytest.approx(0.7, abs=1e-5)
    assert frequentist(law, [[0.9, 0.9, 0.9]]) is None


@pytest.mark.parametrize(
    "line", ["and: A, B where A implies B", "neg: A, B, C where A implies B", "chain: A, B where A implies B"]
)
def test_a_users_own_law_may_be_called_as_another_is(line: str) -> None:
    law = law_named(line, line.partition(": ")[2].partition(" where")[0].split(", "))
    coherent = [[0.2, 0.4, 0.1][: len(law.keys)]]
    assert violations(law, coherent).value[0] == metric(law, coherent, coherent)[0] == 0.0
    assert frequentist(law, coherent) is None
    assert most(law) == len(law.keys)


def test_a_named_law_that_is_written_out_is_that_law() -> None:
    law = law_named(BUILT_IN["neg"].line, KEYS["neg"])
    assert metric(law, [[0.7, 0.6]], [[0.7, 0.6]])[0] == pytest.approx(0.3)


def test_strong_is_above_a_fifth_whatever_the_last_digit() -> None:
    # .2 itself is not above .2, although .9 + .3 - 1 is .20000000000000018 to a computer
    assert is_strong([0.9 + 0.3 - 1, 0.2, 0.2001]).tolist() == [False, False, True]
    # on a user's law it counts: .8 - .6 is .20000000000000007 to a computer, and .7 - .5 is .19999999999999996
    assert is_strong([0.8 - 0.6, 0.2, 0.7 - 0.5, 0.1999], own=True).tolist() == [True, True, True, False]


@given(st.lists(st.integers(0, 9), min_size=3, max_size=7).filter(lambda values: len(set(values)) > 1))
def test_monotonicity_is_spearmans_correlation(values: list[int]) -> None:
    years = {str(2025 + 3 * index): float(value) for index, value in enumerate(values)}
    rho = scipy.stats.spearmanr(range(len(values)), values).statistic
    assert monotonicity("increasing", years).metric == pytest.approx((1 - rho) / 2)
    assert monotonicity("decreasing", years).metric == pytest.approx((1 + rho) / 2)


def test_monotonicity_by_hand() -> None:
    # Ranks 1 2 3 4 5 against 2 1 3 4 5: D = 2, rho = 1 - 12 / 120 = .9, so .05
    records = {"2025": 10.0, "2028": 9.0, "2032": 11.0, "2036": 12.0, "2040": 13.0}
    result = monotonicity("increasing", records)
    assert result.metric == pytest.approx(0.05)
    assert result.repair == {"2025": 9.5, "2028": 9.5, "2032": 11.0, "2036": 12.0, "2040": 13.0}  # the two that cross meet
    assert monotonicity("decreasing", records).metric == pytest.approx(0.95)
    turned = dict(reversed(records.items()))
    assert monotonicity("increasing", turned).metric == pytest.approx(0.05)  # by year, not by place


def test_a_constant_series_never_goes_the_wrong_way() -> None:
    assert monotonicity("increasing", {"2025": 5.0, "2028": 5.0, "2032": 5.0}).metric == 0.0


@each_case(
    "years",
    [("2025", "2028"), ("2025", "2025.0", "2028"), ("2025", "2028", "later"), ("2025", "2028", "nan"), ("1", "2", "inf")],
)
def test_what_is_no_series_is_refused(years: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="number"):
        monotonicity("increasing", dict.fromkeys(years, 1.0))


@each_case("quantity", [1e308, -1e151, float("inf"), float("nan")])
def test_quantities_that_cannot_be_reckoned_with_are_refused(quantity: float) -> None:
    with pytest.raises(BadInput, match="of '2' is not a quantity: give a number of at most 1e\\+150 in size"):
        monotonicity("increasing", {"1": 1.0, "2": quantity, "3": 1.0})
    assert np.isfinite(list(monotonicity("increasing", {"1": 1e150, "2": 1e150, "3": -1e150}).repair.values())).all()


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_metrics_are_between_0_and_2(forecasts: list[float]) -> None:
    for name in ("and-or", "cond-cond", "expected-evidence", "bayes"):
        result = metric(law_named(name, KEYS[name]), [forecasts], [forecasts])[0]
        assert 0 <= result <= 2
        assert np.isfinite(result)


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


@pytest.mark.long
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


@each_case("law", [*BUILT_IN.values(), parse_law("A, B, sure = A | ~A"), law_named("chain", list("abcdefgh"))])
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


@each_case("wrong", [[[0.5, 1.1]], [[-0.1, 0.5]], [[np.nan, 0.5]], [[np.inf, 0.5]], [[0.5]], [0.5, 0.5]])
def test_what_is_no_forecast_is_refused(wrong: object) -> None:
    with pytest.raises(BadInput):
        violations(BUILT_IN["neg"], wrong)  # type: ignore[arg-type]


def test_no_tuples_are_no_trouble() -> None:
    assert violations(BUILT_IN["neg"], np.zeros((0, 2))).value.shape == (0,)
