"""Scores over many tuples: the paper's own counts, what knowing nothing gets, clusters, pairs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.each_case import each_case
from tests.studies.forecasts.finding import law_rows, score
from vivavoce.errors import NotEnoughEvidence, UnknownName
from vivavoce.laws.law import BUILT_IN, law_named, parse_law
from vivavoce.studies.forecasting.counting import ForecastFinding, ranking
from vivavoce.studies.forecasting.forecast_files import Row
from vivavoce.studies.forecasting.scoring import DRAWN, constant_reference, drawn, random_reference


def negations(strong: int, n: int, name: str = "model") -> list[Row]:
    """So many tuples, of which so many are strong violations; without base questions in common."""
    return [
        Row(name, "neg", {"P": 0.5, "not_P": 0.9 if index < strong else 0.55}, id=str(index)) for index in range(n)
    ]  # fmt: skip


# The paper's shares, each as the one count that gives it, and Clopper and Pearson's interval from R's binom.test formula
# qbeta(.025, k, n - k + 1), qbeta(.975, k + 1, n - k), by scipy.stats.binomtest below.
COUNTS = [(92, 175, 52.6), (19, 175, 10.9), (32, 104, 30.8), (21, 50, 42.0), (35, 51, 68.6), (30, 51, 58.8)]


@each_case(("strong", "n", "printed"), COUNTS)
def test_the_papers_percentages_are_counts_with_intervals(strong: int, n: int, printed: float) -> None:
    from scipy.stats import binomtest

    estimate = law_rows(score(negations(strong, n)))[0].strong
    assert estimate.value is not None
    assert round(100 * estimate.value, 1) == printed
    expected = binomtest(strong, n).proportion_ci(0.95, method="exact")
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_gpt_3_5_and_gpt_4_do_not_differ_on_bayes() -> None:
    # 35 of 51 and 30 of 51; notes: .55-.80 against .45-.71
    intervals = [law_rows(score(negations(strong, 51)))[0].strong.interval for strong in (35, 30)]
    assert [round(end, 2) for interval in intervals for end in (interval.lower, interval.upper)] == [0.54, 0.81, 0.44, 0.72]
    assert intervals[1].upper > intervals[0].lower


@pytest.mark.parametrize(
    ("name", "keys", "mean", "strong"),
    [
        # |P + Q - 1| of two uniforms is triangular: mean 1/3, above .2 with .8^2
        ("neg", ("P", "not_P"), 1 / 3, 0.64),
        # The range of four uniforms is Beta(3, 2): mean 3/5, below .2 with 4 * .2^3 * .8 + .2^4
        ("paraphrase", ("P", "para_P", "para_P_2", "para_P_3"), 0.6, 1 - 4 * 0.2**3 * 0.8 - 0.2**4),
        # Measured beforehand by plain simulation
        ("bayes", ("P", "Q", "P_given_Q", "Q_given_P"), 0.444, 0.86),
    ],
)
def test_random_forecasts_get_what_they_must(name: str, keys: tuple[str, ...], mean: float, strong: float) -> None:
    reference = random_reference([law_named(name, keys)])
    assert reference.mean == pytest.approx(mean, abs=0.005)
    assert reference.strong == pytest.approx(strong, abs=0.005)


@pytest.mark.parametrize(
    ("name", "number"), [pytest.param(*row, marks=() if index < 4 else pytest.mark.long) for index, row in enumerate(DRAWN)]
)
def test_what_is_kept_of_random_forecasts_is_what_is_drawn(name: str, number: int) -> None:
    law = BUILT_IN.get(name) or law_named(name, [f"statement {index}" for index in range(number)])
    reference, kept = drawn(law), DRAWN[name, number]
    assert (reference.mean, reference.strong, reference.violation) == pytest.approx(
        (kept.mean, kept.strong, kept.violation), rel=1e-9
    )


def test_another_law_of_a_known_name_is_drawn() -> None:
    own = parse_law("neg: P, not_P where P implies not_P")
    assert random_reference([own]).mean == drawn(own).mean != DRAWN["neg", 2].mean


def test_random_orders_get_what_they_must() -> None:
    # Of the 120 orders of five, (1 - rho) / 2 is above .2 unless D <= 8 (rho >= .6): 1 + 4 + 3 + 6 + 7 = 21 (Kendall's tables),
    # so 99 of 120 = 82.5%; the mean is 1/2 by symmetry.
    reference = random_reference([("increasing", 5)])
    assert reference.mean == pytest.approx(0.5)
    assert reference.strong == pytest.approx(99 / 120)
    assert constant_reference([("increasing", 5)]).strong == 0.0
    assert random_reference([("increasing", 9)]).mean == pytest.approx(0.5, abs=0.01)


def test_a_constant_forecaster_can_game_some_laws() -> None:
    constants = {name: constant_reference([law]) for name, law in BUILT_IN.items()}
    # .4 + .4 - 1 is .2, not above; P|Q = .4 is not P + Q&~P = .8; .4 * .4 is not .4
    assert constants["neg"].strong == constants["and"].strong == constants["consequence"].mean == 0.0
    assert constants["but"].mean == pytest.approx(0.4)
    assert constants["cond"].mean == pytest.approx(0.24)
    assert constants["neg"].mean == pytest.approx(0.2)


def test_references_of_mixed_tuples_are_weighted() -> None:
    two, four = law_named("paraphrase", ["P", "a"]), law_named("paraphrase", ["P", "a", "b", "c"])
    # The range of two uniforms has mean 1/3: (3 * 1/3 + .6) / 4
    assert random_reference([two, two, two, four]).mean == pytest.approx(0.4, abs=0.005)


def test_what_cannot_be_read_is_counted_apart() -> None:
    rows = [*negations(1, 4), Row("model", "neg", {"P": 0.5, "not_P": None}), Row("mute", "neg", {"P": None, "not_P": None})]
    finding = score(rows)
    row, mute = law_rows(finding)
    assert (row.n, row.unparsed, row.strong.value) == (4, 1, 0.25)
    assert (mute.n, mute.unparsed, mute.strong.value, mute.mean.value) == (0, 1, None, None)
    assert any(caveat.startswith("2 tuples (33%) had no forecast") for caveat in finding.caveats)


def test_certainty_is_told_of_wherever_it_stands_but_not_of_quantities() -> None:
    def told(*rows: Row) -> bool:
        return any("exactly 0% and 100%" in caveat for caveat in score(rows).caveats)

    # nine worse ones before it: it is not among those that are shown
    assert told(*(Row("m", "neg", {"P": 0.9, "not_P": 0.9}) for _ in range(9)), Row("m", "neg", {"P": 1.0, "not_P": 0.1}))
    assert not told(Row("m", "increasing", {"2025": 1.0, "2030": 0.0, "2040": 2.0}))


def test_nothing_is_said_of_nothing() -> None:
    with pytest.raises(NotEnoughEvidence):
        score([])
    assert (
        score([Row("mute", "neg", {"P": None, "not_P": 0.3})]).statement
        == "Undecided: no tuple has all its forecasts (1 can't be parsed)."
    )


def test_tuples_that_share_a_base_question_widen_the_interval() -> None:
    # Ten base questions, all tuples of one alike: as good as ten tuples, binom.test(5, 10) = [.187, .813]
    alone, shared = (
        law_rows(
            score(
                [Row("m", "neg", {"P": 0.5, "not_P": 0.5 + 0.3 * (i // each % 2)}, base=(str(i // each),)) for i in range(80)]
            )
        )[0]
        for each in (1, 8)
    )
    assert alone.strong.value == shared.strong.value == 0.5
    assert not alone.details.is_shared
    assert shared.details.is_shared
    assert alone.strong.interval.lower == pytest.approx(0.386, abs=0.001)  # binom.test(40, 80)
    assert shared.strong.interval.lower < 0.2
    assert shared.mean.interval.upper - shared.mean.interval.lower > 2 * (alone.mean.interval.upper - alone.mean.interval.lower)


def test_equal_forecasts_are_no_certainty() -> None:
    row = law_rows(score([Row("constant", "but", dict.fromkeys(BUILT_IN["but"].keys, 0.4)) for _ in range(100)]))[0]
    assert (row.distinct, row.forecasts) == (1, 300)
    # None of 100 otherwise: at most 1 - .025^(1/100) = 3.62% may be; so .4 * .9638 to .4 + 1.6 * .0362, as it can be 2
    assert (row.mean.interval.lower, row.mean.interval.upper) == pytest.approx((0.3855, 0.4580), abs=0.0002)


def pair(difference: float, n: int = 60, seed: int = 0) -> ForecastFinding:
    """Two forecasters, the second that much less consistent on average."""
    rng = np.random.default_rng(seed)
    rows = []
    for index in range(n):
        for name, more in (("steady", 0.0), ("other", difference)):
            rows.append(
                Row(name, "neg", {"P": 0.3, "not_P": float(np.clip(0.7 + more + rng.normal(0, 0.05), 0, 1))}, id=str(index))
            )
    return score(rows)


def test_two_forecasters_are_compared_in_pairs() -> None:
    apart = pair(0.25).comparisons[0]
    assert (apart.first, apart.second, apart.n) == ("steady", "other", 60)
    assert apart.difference.value == pytest.approx(-0.21, abs=0.03)
    assert apart.p is not None
    assert apart.p < 0.001
    assert apart.second_only > 40
    assert apart.first_only == 0
    alike = [pair(0.0, seed=seed).comparisons[0].p for seed in range(40)]
    assert sum(p is not None and p < 0.05 for p in alike) <= 6  # 2 expected; P(more than 6 of 40) = .3%


def test_comparisons_are_adjusted_for_their_number() -> None:
    rows = [
        Row(name, law, {"P": 0.5, key: 0.5 + step * bad}, id=str(index))
        for law, key, step in (("neg", "not_P", 0.5), ("paraphrase", "para_P", 0.0))
        for name, bad in (("one", 0), ("two", 1))
        for index in range(12)
    ]
    first, second = score(rows).comparisons
    # twelve differences of -.5, of at most 1: bets of .025, .075, ... on either side, half of the capital on each
    bets = [1 + sign * (k + 0.5) / 20 / 2 for sign in (1, -1) for k in range(20)]
    p = 1 / (sum(bet**12 for bet in bets) / 40)
    assert first.p == pytest.approx(p)
    assert first.p_adjusted == pytest.approx(2 * p)
    # the other two do not differ at all
    assert second.p_adjusted == 1.0


def test_equal_differences_are_no_certainty_either() -> None:
    rows = [
        Row(name, "neg", {"P": 0.3, "not_P": 0.7 + more}, id=str(n))
        for name, more in (("one", 0), ("two", 0.1))
        for n in range(9)
    ]
    difference = score(rows).comparisons[0].difference
    assert difference.value == pytest.approx(-0.1)
    # an event that was never seen in nine may have a share of 33.6% (binomial), and be worth -1 or 1 instead of -.1
    assert difference.interval.lower == pytest.approx(-0.1 - 0.9 * 0.3363, abs=1e-4)
    assert difference.interval.upper == pytest.approx(-0.1 + 1.1 * 0.3363, abs=1e-4)


def test_pairs_without_ids_are_taken_by_place_and_said_so() -> None:
    rows = [Row(name, "neg", {"P": 0.5, "not_P": 0.5 + i / 100}) for name in ("one", "two") for i in range(10)]
    assert score(rows).details.paired_by_place
    assert any("paired by position" in caveat for caveat in score(rows).caveats)
    assert score(rows[:-1]).comparisons == ()


def test_which_pairs_are_compared() -> None:
    rows = [row for name in "abcdef" for row in negations(2, 10, name)]
    assert score(rows).comparisons == ()
    assert [(comparison.first, comparison.second) for comparison in score(rows, compare=[("a", "f")]).comparisons] == [
        ("a", "f")
    ]
    assert len(score([row for row in rows if row.forecaster < "f"]).comparisons) == 10
    with pytest.raises(UnknownName, match="no forecaster 'g'"):
        score(rows, compare=[("a", "g")])


def test_the_statement_names_the_law_that_fails_most() -> None:
    rows = [*negations(9, 10), *(Row("model", "paraphrase", {"P": 0.5, "para_P": 0.5}) for _ in range(10))]
    assert score(rows).statement.startswith("model contradicts itself strongly between an event and its negation in 90% [55, ")
    assert "no strong contradiction in 10 tuples. " in score(rows[10:]).statement
    several = score([*negations(9, 10), *negations(1, 10, "better")]).statement
    assert several == (
        "Of 2 forecasters better contradicts itself strongly least often, in 10% of tuples on Negation. model does so, "
        "most often, in 90%."
    )


def test_who_contradict_themselves_equally_often_are_not_ranked_in_words() -> None:
    text = score([*negations(2, 10), *negations(2, 10, "as often")]).statement
    assert text == ("No difference between 2 forecasters: each contradicts itself strongly in 20% of tuples on Negation.")


WON = "won: title = T, final = F where T implies F"


@pytest.mark.parametrize(("title", "strong"), [(0.5, True), (0.49, False), (0.9, True)])
def test_a_law_of_ones_own_is_broken_strongly_from_a_fifth_on(title: float, strong: bool) -> None:
    # Coherent forecasts have title <= final. The nearest ones are equal and between the two, so that the total change is the
    # difference: .5 - .3 = .2 reaches the threshold, .49 - .3 = .19 does not.
    finding = score([Row("me", WON, {"title": title, "final": 0.3})])
    [row] = law_rows(finding)
    assert row.mean.value == pytest.approx(title - 0.3, abs=1e-9)
    assert row.strong.value == float(strong)
    # the bins from .2 on are drawn as strong: the fifth and those after it
    assert sum(row.details.histogram[4:]) == strong
    assert finding.statement == (
        "me contradicts itself strongly on the law won in the only tuple."
        if strong
        else "me shows no strong contradiction in the only tuple. That says little about others."
    )


def test_the_laws_of_the_paper_are_broken_strongly_above_a_fifth() -> None:
    # |.3 + .9 - 1| = .2 is not above .2; |.3 + .91 - 1| is
    assert [law_rows(score([Row("me", "neg", {"P": 0.3, "not_P": p})]))[0].strong.value for p in (0.9, 0.91)] == [0.0, 1.0]


def test_the_control_is_no_law() -> None:
    rows = [*negations(3, 10), *(Row("model", "repeat", {"P": 0.1, "again_1": 0.9}) for _ in range(10))]
    finding = score(rows)
    assert "negation in 30%" in finding.statement
    assert "same question repeated 100% [69, 100]." in finding.statement


def test_bars_beyond_the_line_are_the_strong_ones() -> None:
    # .5 + .7 - 1 = .2 is not strong, .5 + .71 - 1 is
    row = law_rows(score([Row("m", "neg", {"P": 0.5, "not_P": 0.5 + step / 100}) for step in (0, 5, 20, 20, 21, 50)]))[0]
    assert row.details.histogram[:5] == (2, 0, 0, 2, 1)  # 0 and .05; .2 twice; .21
    assert sum(row.details.histogram[4:]) / row.n == pytest.approx(row.strong.value)


def test_intervals_reach_as_far_as_the_metric() -> None:
    rows = [Row("m", "partition", {"a": 0.9, "b": 0.95, "c": 0.9 + step / 100}) for step in range(10)]
    mean = law_rows(score(rows))[0].mean
    assert mean.value == pytest.approx(1.795)
    assert mean.interval.lower < 1.795 < mean.interval.upper <= 2


def test_who_is_ranked() -> None:
    rows = [
        *negations(2, 10, "a"), *negations(4, 10, "b"), *(Row("dull", "neg", {"P": 0.4, "not_P": 0.4}) for _ in range(9)),
        *(Row(name, law, {"P": 0.5, "x": 0.6}) for name in "ab" for law in ("paraphrase", "exclusive")),
    ]  # fmt: skip
    ranked = ranking(score(rows).effects)
    assert ranked is not None
    # 20% and 40% of negations, none of the two other laws; the dull one was asked one law of three
    assert {name: share.value for name, share in ranked.shares.items()} == pytest.approx({"a": 0.2 / 3, "b": 0.4 / 3})
    # 2 of 10 by Clopper and Pearson: [.0252, .5561]; of the others 0 of 1: [0, .975]
    assert ranked.shares["a"].interval.lower == pytest.approx(0.0252 / 3, abs=1e-4)
    assert ranked.shares["a"].interval.upper == pytest.approx((0.5561 + 2 * 0.975) / 3, abs=1e-4)
    assert (ranked.best, ranked.worst, ranked.few_laws, ranked.dull) == ("a", "b", 1, 0)
    both = [Row("dull", law, {"P": 0.4, "x": 0.4}) for law in ("paraphrase", "exclusive")]
    text = "3 forecasters do not differ significantly. They contradict themselves strongly in 6.7% (a) to 13% (b) of tuples "
    text += "over 3 laws."
    assert score(rows).statement == f"{text} Not ranked: 1 had answers on too few laws."
    assert score([*rows, *both]).statement == f"{text} Not ranked: 1 always gave the same forecast."
    assert ranking(score(negations(1, 3)).effects) is None


def test_the_finding_as_json() -> None:
    import json

    finding = score([*negations(1, 3), Row("mute", "cond", {"P": None, "Q_given_P": 0.3, "P_and_Q": 0.1})])
    values = json.loads(json.dumps(finding.as_json(), allow_nan=False))
    first, second = values["figures"]["treatments"]
    strong = first["rates"]["strong"]
    assert (strong["lower"], strong["upper"]) == pytest.approx((0.0084, 0.9057), abs=1e-4)
    assert (first["rates"]["strong"]["events"], first["rates"]["strong"]["n"]) == (1, 3)
    assert second["estimates"]["mean"] == {"value": None, "lower": 0.0, "upper": 1.0, "n": 0}
    assert second["estimates"]["distance"]["upper"] is None
    assert list(values)[:6] == ["kind", "format", "version", "statement", "verdict", "candidates"]
    assert values["candidates"] == ["model", "mute"]
