"""EQT beside a benchmark: ranks, correlations and drops by hand and by scipy, the paper's arithmetic, and refused files."""

from __future__ import annotations

import gzip
import math
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.eqt.records import ROLES, concept_record, item, record
from tests.papers.eqt_table1 import CORRELATION, P_VALUE, cells
from vivavoce.eqt.benchmark import BenchmarkComparison, Halves, accuracies, drop_trend, halves_by_model, instrumented
from vivavoce.eqt.benchmark import compare_with_benchmark as compare
from vivavoce.eqt.eqt_finding import EqtFinding, finding_of
from vivavoce.eqt.files import Accuracy, read_benchmark
from vivavoce.eqt.record import seeded_digest
from vivavoce.eqt.score import score
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.json_values import to_json
from vivavoce.statistics.agreement import p_value


def told_of(comparison: BenchmarkComparison) -> EqtFinding:
    """The finding on a benchmark only."""
    return finding_of([], benchmark=comparison)


def table(rows: Sequence[Sequence[float]]) -> list[Accuracy]:
    """Models by categories."""
    return [Accuracy(f"m{m}", f"c{c}", value) for m, row in enumerate(rows) for c, value in enumerate(row)]


OURS = [[0.9, 0.8, 0.7], [0.8, 0.8, 0.6], [0.7, 0.5, 0.5], [0.6, 0.9, 0.2]]
THEIRS = [[0.70, 0.60, 0.50], [0.75, 0.50, 0.40], [0.50, 0.40, 0.45], [0.30, 0.45, 0.20]]


def test_ranks_and_matches_by_hand() -> None:
    comparison = compare(table(OURS), table(THEIRS), source="bench")
    ranks = {(entry.model, entry.category): (entry.eqt_rank, entry.benchmark_rank) for entry in comparison.pairings}
    # c0: .9 .8 .7 .6 are 1 2 3 4, .70 .75 .50 .30 are 2 1 3 4: two match.
    # c1: .8 .8 .5 .9 are 2.5 2.5 4 1, .60 .50 .40 .45 are 1 2 4 3: one matches.
    # c2: .7 .6 .5 .2 are 1 2 3 4, .50 .40 .45 .20 are 1 3 2 4: two match.
    assert [ranks[f"m{m}", "c0"] for m in range(4)] == [(1, 2), (2, 1), (3, 3), (4, 4)]
    assert [ranks[f"m{m}", "c1"] for m in range(4)] == [(2.5, 1), (2.5, 2), (4, 4), (1, 3)]
    assert [ranks[f"m{m}", "c2"] for m in range(4)] == [(1, 1), (2, 3), (3, 2), (4, 4)]
    assert comparison.matches == 5
    # Without ties one of a category's models matches by chance; with a tie of two, 1/4 + 1/4.
    assert comparison.matches_by_chance == pytest.approx(1 + 0.5 + 1)


def test_matches_by_chance_are_the_mean_over_all_orders() -> None:
    ours, theirs = [0.5, 0.5, 0.7, 0.9, 0.9], [0.1, 0.3, 0.3, 0.3, 0.8]
    comparison = compare(table([[our] for our in ours]), table([[their] for their in theirs]))
    first, second = scipy.stats.rankdata([-our for our in ours]), scipy.stats.rankdata([-their for their in theirs])
    matches = [(first == second[list(order)]).sum() for order in permutations(range(5))]
    assert comparison.matches_by_chance == pytest.approx(np.mean(matches))


def test_correlations_are_scipys() -> None:
    comparison = compare(table(OURS), table(THEIRS))
    ours, theirs = np.array(OURS), np.array(THEIRS)
    for correlation, first, second in (
        (comparison.overall, ours.ravel(), theirs.ravel()),
        (comparison.between_models, ours.mean(axis=1), theirs.mean(axis=1)),
        (comparison.within_categories, (ours - ours.mean(axis=0)).ravel(), (theirs - theirs.mean(axis=0)).ravel()),
    ):
        assert correlation.pearson.value == pytest.approx(scipy.stats.pearsonr(first, second).statistic)
        assert correlation.spearman.value == pytest.approx(scipy.stats.spearmanr(first.round(9), second.round(9)).statistic)
        assert correlation.pearson.n == len(first)
    assert comparison.overall.p_pearson == pytest.approx(scipy.stats.pearsonr(ours.ravel(), theirs.ravel()).pvalue)
    interval = scipy.stats.pearsonr(ours.ravel(), theirs.ravel()).confidence_interval(0.95)
    told_interval = comparison.overall.pearson.interval
    assert (told_interval.lower, told_interval.upper) == pytest.approx(tuple(interval))


def test_models_are_shuffled_as_wholes() -> None:
    ours, theirs = np.array(OURS), np.array(THEIRS)
    left, right = ours - ours.mean(axis=0), theirs - theirs.mean(axis=0)
    sums = [abs((left * right[list(order)]).sum()) for order in permutations(range(4))]
    assert compare(table(OURS), table(THEIRS)).p_models == pytest.approx(np.mean(np.array(sums) >= sums[0] - 1e-12))
    assert compare(table(OURS[:3]), table(THEIRS[:3])).p_models is None


def test_many_models_are_shuffled_at_random_and_by_seed() -> None:
    rng = np.random.default_rng(0)
    skill = rng.uniform(0.3, 0.9, size=(12, 1))
    ours, theirs = (np.clip(skill + rng.normal(scale=0.02, size=(12, 3)), 0, 1).tolist() for _ in range(2))
    comparison = compare(table(ours), table(theirs), seed=1)
    assert comparison.p_models == pytest.approx(1 / 10_001)
    assert comparison == compare(table(ours), table(theirs), seed=1)


def test_pooling_categories_makes_a_correlation_where_models_have_none() -> None:
    # Categories are easy or hard in both tests alike; the better a model is in one, the worse in the other.
    ours = [[0.2 + c / 10 + m / 100 for c in range(7)] for m in range(5)]
    theirs = [[0.2 + c / 10 - m / 100 for c in range(7)] for m in range(5)]
    comparison = compare(table(ours), table(theirs))
    assert comparison.overall.pearson.value is not None
    assert comparison.overall.pearson.interval.lower > 0.9
    assert comparison.between_models.pearson.value == pytest.approx(-1)
    assert comparison.within_categories.pearson.value == pytest.approx(-1)
    assert "the correlation mixes better models with" in " ".join(told_of(comparison).caveats)


def test_the_papers_p_value_needs_65_pairs_and_not_its_70() -> None:
    assert len(cells()) * len(next(iter(cells().values()))) == 70
    # r is printed to three digits: p lies between those of its ends. At 65 pairs they enclose the printed p, at 70 they do not.
    for n, fits in ((65, True), (70, False), (64, False), (66, False)):
        assert (p_value(CORRELATION + 0.0005, n) <= P_VALUE <= p_value(CORRELATION - 0.0005, n)) == fits


def test_findings_are_compared_by_their_closed_book_accuracy_over_all_wordings() -> None:
    roles = dict.fromkeys(ROLES, "model")
    result = score(
        record(
            [concept_record("a", [item(1, "A B B B")], "computer_science"), concept_record("b", [item(1, ".")], "law")],
            roles=roles,
        )
    )
    assert [(accuracy.model, accuracy.category, accuracy.accuracy) for accuracy in accuracies(result)] == [
        ("model", "computer_science", 0.25)
    ]
    assert accuracies(result)[0].interval is not None
    beside = compare([result], [Accuracy("Model-1", "Computer Science", 0.5)], names={"model": "Model-1"})
    assert [(entry.model, entry.category, entry.eqt) for entry in beside.pairings] == [("Model-1", "computer science", 0.25)]


def test_too_few_pairs_are_told_with_the_reason() -> None:
    comparison = compare(table([[0.5, 0.6]]), table([[0.5, 0.7]]), source="bench.csv")
    assert comparison.overall.pearson.value is None
    assert (comparison.overall.pearson.interval.lower, comparison.overall.pearson.interval.upper) == (-1, 1)
    assert told_of(comparison).statement == (
        "Whether EQT correlates with bench.csv is not known: 2 pairs; a correlation with an interval needs at least 4."
    )
    assert told_of(comparison).as_json()["figures"]["benchmark"]["overall"]["problem"].startswith("2 pairs")


def test_a_full_stop_in_a_name_ends_no_sentence() -> None:
    comparison = compare(table(OURS), table(THEIRS), source="Dr. No's table")
    assert told_of(comparison).headline.startswith("EQT rises with Dr. No's table: r = ")
    assert told_of(comparison).statement == f"{told_of(comparison).headline} {told_of(comparison).parts[0].others}"


def test_what_only_one_has_is_told_and_left_out() -> None:
    ours = [*table(OURS), Accuracy("new", "c0", 0.9), Accuracy("m0", "extra", 0.1)]
    theirs = [accuracy for accuracy in table(THEIRS) if (accuracy.model, accuracy.category) != ("m1", "c2")] + [
        Accuracy("old", "c1", 0.4)
    ]
    comparison = compare(ours, theirs)
    assert set(comparison.unmatched) == {"new (EQT)", "extra (EQT)", "old (benchmark)", "m1 on c2 (EQT)"}
    assert len(comparison.pairings) == 11
    # Models are compared over categories that all of them have.
    assert comparison.between_models.pearson.value == pytest.approx(
        scipy.stats.pearsonr(np.array(OURS)[:, :2].mean(axis=1), np.array(THEIRS)[:, :2].mean(axis=1)).statistic
    )
    assert any("new (EQT)" in caveat for caveat in told_of(comparison).caveats)


def test_models_without_a_category_in_common_cannot_be_ranked() -> None:
    comparison = compare([Accuracy("a", "x", 0.1), Accuracy("b", "y", 0.2)], [Accuracy("a", "x", 0.1), Accuracy("b", "y", 0.2)])
    assert comparison.between_models.problem == "there is no category that all models have"
    assert comparison.p_models is None


def test_the_statement_gives_both_correlations_with_their_n() -> None:
    text = told_of(compare(table(OURS), table(THEIRS), source="MMLU-Pro")).statement
    assert text.startswith("EQT rises with MMLU-Pro: r = +0.78 [+0.37, +0.94] over 12 pairs of model and category. ")
    assert "Between 4 models, r = +0.90 [" in text
    assert text.endswith("Ranks match in 5 of 12; chance would match 2.5.")


@each_case(
    ("ours", "theirs", "names", "problem"),
    [
        (
            ["a"],
            ["b"],
            {},
            "no model and category in common: the results have a, the benchmark has b. Give --name CANDIDATE=MODEL",
        ),
        (["a"], ["a"], {"a": "z"}, "the benchmark has no model 'z'; it has a"),
        (["a", "a"], ["a"], {}, "'a' on 'x' is listed twice"),
        (["a", "b"], ["c"], {"a": "c", "b": "c"}, "'c' on 'x' is listed twice"),
    ],
)
def test_what_cannot_be_matched(ours: list[str], theirs: list[str], names: dict[str, str], problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        compare([Accuracy(our, "x", 0.5) for our in ours], [Accuracy(their, "x", 0.5) for their in theirs], names=names)
    assert problem in str(caught.value)


@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=6), st.randoms())
def test_the_order_of_rows_does_not_matter(rows: list[list[int]], random: object) -> None:
    ours, theirs = (
        table([[number / 5 for number in row] for row in rows]),
        table([[number / 5 for number in row[::-1]] for row in rows]),
    )
    shuffled = list(ours)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    before, after = compare(ours, theirs), compare(shuffled, theirs)

    def told(comparison: BenchmarkComparison) -> list[list[object]]:
        return sorted([entry.model, entry.category, entry.eqt_rank, entry.benchmark_rank] for entry in comparison.pairings)

    assert told(before) == told(after)
    assert before.matches == after.matches
    assert before.matches_by_chance == pytest.approx(after.matches_by_chance)
    assert before.overall.pearson.value == pytest.approx(after.overall.pearson.value)
    # Ranks of m models sum to m (m + 1) / 2 in each category, ties or not.
    for category in {entry.category for entry in before.pairings}:
        ranks = [entry.eqt_rank for entry in before.pairings if entry.category == category]
        assert sum(ranks) == pytest.approx(len(rows) * (len(rows) + 1) / 2)


GOOD = "model,category,accuracy\na,Computer_Science,{}\nb,law,{}\n"


@each_case(("first", "second"), [("0.61", "1"), ("61%", "100 %"), ("61", "100"), ("61.0", "100%")])
def test_shares_and_per_cent_are_read(first: str, second: str, tmp_path: Path) -> None:
    file = tmp_path / "bench.csv"
    file.write_text(GOOD.format(first, second))
    assert read_benchmark(file) == (Accuracy("a", "computer science", 0.61), Accuracy("b", "law", 1.0))


def test_other_forms_are_read(tmp_path: Path) -> None:
    lines = (
        '{"model": "a", "category": "math", "accuracy": 0.5, "n": 3}\n\n{"model": "b", "category": "math", "accuracy": "0"}\n'
    )
    wanted = (Accuracy("a", "math", 0.5), Accuracy("b", "math", 0.0))
    (tmp_path / "bench.jsonl").write_text(lines)
    assert read_benchmark(tmp_path / "bench.jsonl") == wanted
    (tmp_path / "bench.tsv.gz").write_bytes(gzip.compress(b"Accuracy\tMODEL\tcategory\n.5\ta\tmath\n0\tb\tmath\n"))
    assert read_benchmark(tmp_path / "bench.tsv.gz") == wanted


HEAD = "model,category,accuracy\n"


@each_case(
    ("name", "content", "problem"),
    [
        ("x.csv", "", "empty: the first line must name model, category, accuracy"),
        ("x.csv", HEAD, "holds no accuracies"),
        ("x.csv", "model,accuracy\na,1\n", "line 1: no column category"),
        ("x.csv", HEAD + "a,law,high\n", "line 2: 'accuracy' is 'high': it must be a number"),
        ("x.csv", HEAD + "a,law,\n", "line 2: 'accuracy' is ''"),
        ("x.csv", HEAD + "a,law\n", "line 2: the row ends after 2 of 3 cells"),
        ("x.csv", HEAD + "a,law,nan\n", "line 2: 'accuracy' is nan: it must be a share"),
        ("x.csv", HEAD + "a,law,101\n", "line 2: 'accuracy' is 101: it must be a share"),
        ("x.csv", HEAD + "a,law,-1\n", "line 2: 'accuracy' is -1"),
        ("x.csv", HEAD + ",law,1\n", "line 2: 'model' is '': it must be a text"),
        ("x.csv", HEAD + f"{'a' * 301},law,1\n", "it must be a text of 1 to 300 characters"),
        ("x.csv", HEAD + "a,law,0.5\na,Law,0.6\n", "line 3: 'a' on 'law' is already on line 2"),
        ("x.csv", HEAD + "a,law,61\nb,law,0.6\n", "line 2: the accuracy is a percentage, but on line 3 a share: use one form"),
        ("x.csv", HEAD + 'a,"law,0.5\n', "not a table"),
        ("x.jsonl", "[1]\n", "line 1: each line must be a JSON object"),
        ("x.jsonl", '{"model": "a", "category": "x", "accuracy": true}\n', "'accuracy' is 'True'"),
        ("x.jsonl", '{"model": "a", "category": "x", "accuracy": [1]}\n', "'accuracy' is '[1]'"),
        ("x.jsonl", '{"model": 7, "category": "x", "accuracy": 1}\n', "'model' is '7': it must be a text"),
        ("x.jsonl", '{"model": "a", "category": "x", "accuracy": 1' + "0" * 400 + "}\n", "more than 308 digits"),
        ("x.json", "{}", "the name must end in .csv, .tsv, .jsonl, .ndjson"),
    ],
)
def test_files_that_are_refused(name: str, content: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadFile) as caught:
        read_benchmark(tmp_path / name)
    assert problem in str(caught.value)
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


def test_a_whole_leaderboard_is_quick() -> None:
    rows = [Accuracy(f"m{m}", f"c{c}", (m * 7 + c * 3) % 11 / 11) for m, c in product(range(100), range(14))]
    comparison = compare(rows, rows)
    assert comparison.matches == len(rows)
    assert comparison.overall.pearson.value == pytest.approx(1.0)


def test_intervals_and_halves_of_a_file_lead_to_drops_and_their_trend(tmp_path: Path) -> None:
    """The drop is the difference; its interval by hand, with both as far off as 3, 4: sqrt(.03^2 + .04^2) = .05."""
    names = "model,category,accuracy,lower,upper,half_1,half_2"
    theirs = tmp_path / "theirs.csv"
    theirs.write_text(f"{names}\n" + "".join(f"m{n},c,{50 + n},{47 + n},{54 + n},{50 + n},{50 + n}\n" for n in range(6)))
    ours = tmp_path / "ours.csv"
    ours.write_text(
        f"{names}\n" + "".join(f"m{n},c,{30 + n / 2},{27 + n / 2},{34 + n / 2},{30 + n / 2},{30 + n / 2}\n" for n in range(6))
    )
    comparison = compare(read_benchmark(ours), read_benchmark(theirs))
    first = comparison.pairings[0].drop
    assert first.value == pytest.approx(0.2)
    assert (first.interval.lower, first.interval.upper) == pytest.approx((0.15, 0.25))
    assert comparison.drop is not None
    # D = .2 + n / 200 and M = .4 + .75 n / 100: the slope is .5 / .75
    assert comparison.drop.slope.value == pytest.approx(2 / 3)
    assert "Better models drop more" in told_of(comparison).statement
    words = told_of(comparison).as_json()["figures"]["benchmark"]
    assert words["pairings"][0]["drop"]["value"] == pytest.approx(0.2)
    assert words["drop"]["slope"]["value"] == pytest.approx(2 / 3)
    assert [row["model and category"] for row in told_of(comparison).rows(2)] == ["c"] * 6
    assert told_of(comparison).rows(2)[0]["Drop"] == pytest.approx(0.2)
    some = compare(read_benchmark(ours)[:3], read_benchmark(theirs))
    assert told_of(some).statement.endswith("Whether better models drop more is not known: 3 models: a slope needs at least 4.")
    without = compare(
        [Accuracy(accuracy.model, accuracy.category, accuracy.accuracy) for accuracy in read_benchmark(ours)],
        read_benchmark(theirs),
    )
    assert without.drop is None
    assert (without.pairings[0].drop.interval.lower, without.pairings[0].drop.interval.upper) == (-1, 1)


@each_case("cell", ["x", "-1", "101", "nan"])
def test_bad_intervals_of_a_file_are_refused(tmp_path: Path, cell: str) -> None:
    file = tmp_path / "b.csv"
    file.write_text(f"model,category,accuracy,lower,upper\nm,c,0.5,{cell},0.6\n")
    with pytest.raises(BadFile):
        read_benchmark(file)


def test_concepts_of_findings_make_halves() -> None:
    """Which half a concept is in its name decides; each half is the mean of its concepts."""
    names = [f"concept {number}" for number in range(6)]
    roles = dict.fromkeys(ROLES, "model")
    result = score(
        record(
            [concept_record(name, [item(1, "A" if index % 2 else "B")], "c") for index, name in enumerate(names)], roles=roles
        )
    )
    [halves] = halves_by_model([result], [Accuracy("model", "c", 0.5, halves=(0.4, 0.6))], [("model", "c")], {})
    sides = [
        [float(index % 2) for index, name in enumerate(names) if seeded_digest("half", name)[0] % 2 == side] for side in (0, 1)
    ]
    assert halves.benchmark == (0.4, 0.6)
    assert halves.eqt == pytest.approx(tuple(sum(side) / len(side) for side in sides))


QUESTIONS = 400
"""Of the benchmark, in a half; and of EQT a tenth."""


ABILITY, LUCK = 0.06, 0.08
"""Spreads: the two tests correlate at .0036 / .0100, as in the paper."""


def simulated(rng: np.random.Generator, models: int, *, steeper: float = 1.0) -> list[Halves]:
    """Both tests measure one ability, each with its own luck of the same spread; in EQT the ability counts `1 / steeper`."""
    ability = rng.normal(0, ABILITY, models)
    bench = np.clip(0.6 + ability + rng.normal(0, LUCK, models), 0.02, 0.98)
    eqt = np.clip(0.5 + (ability + rng.normal(0, LUCK, models)) / steeper, 0.02, 0.98)
    halves = [
        (rng.binomial(QUESTIONS, bench) / QUESTIONS, rng.binomial(QUESTIONS // 10, eqt) / (QUESTIONS // 10)) for _ in range(2)
    ]
    (b1, q1), (b2, q2) = halves
    return [Halves(str(i), (b1[i], b2[i]), (q1[i], q2[i])) for i in range(models)]


@pytest.mark.parametrize("models", [8, 20])
def test_where_nothing_drops_the_plain_slope_finds_it_and_ours_does_not(models: int) -> None:
    """A simulated null: error rates over 600 tables; 5% with a standard deviation of .9%, and 8% is more than three above."""
    rng = np.random.default_rng(4)
    plain = ours = 0
    slopes = []
    for _ in range(600):
        trend = drop_trend(simulated(rng, models))
        plain += trend.plain.interval.lower > 0
        assert trend.p is not None
        ours += trend.p < 0.05
        slopes.append(trend.plain.value or 0.0)
    assert ours / 600 <= 0.08
    assert plain / 600 >= (0.3 if models == 8 else 0.6)
    # 1 - cov(b, q) / var b: .0036 over .0100 and the noise of 800 questions, .0003
    assert np.mean(slopes) == pytest.approx(1 - 0.0036 / 0.0103, abs=0.05)


def test_where_better_models_do_drop_more_it_is_found() -> None:
    """EQT spreads a third as much; Oldham's slope is (var B - var Q) / (2 var M)."""
    rng = np.random.default_rng(5)
    true_b = ABILITY**2 + LUCK**2
    true_q, between = true_b / 9, ABILITY**2 / 3
    expected = (true_b - true_q) / 2 / ((true_b + true_q + 2 * between) / 4)
    trends = [drop_trend(simulated(rng, 20, steeper=3.0)) for _ in range(300)]
    assert np.mean([trend.p is not None and trend.p < 0.05 for trend in trends]) > 0.5
    held = [trend.slope.interval.lower <= expected <= trend.slope.interval.upper for trend in trends]
    assert np.mean(held) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 300)
    assert np.median([trend.slope.value or 0.0 for trend in trends]) == pytest.approx(expected, abs=0.08)


def test_few_questions_of_one_test_do_not_pull_the_slope() -> None:
    """Without halves, the noise of forty questions makes EQT spread more, and its slope negative."""
    rng = np.random.default_rng(6)
    naive, ours = [], []
    for _ in range(400):
        models = simulated(rng, 30)
        both = np.array([[np.mean(halves.benchmark), np.mean(halves.eqt)] for halves in models])
        naive.append(np.polyfit(both.mean(axis=1), both[:, 0] - both[:, 1], 1)[0])
        ours.append(drop_trend(models).slope.value or 0.0)
    assert np.mean(naive) < -0.1
    assert abs(np.median(ours)) < 0.06


def test_the_plain_slope_of_two_tests_that_spread_alike_is_one_less_the_correlation() -> None:
    """The paper's r = .361 by itself gives a slope of .64: by the closed form, and by a large sample."""
    rng = np.random.default_rng(7)
    both = rng.multivariate_normal([0.5, 0.5], 0.01 * np.array([[1, CORRELATION], [CORRELATION, 1]]), 20_000)
    slope = scipy.stats.linregress(both[:, 0], both[:, 0] - both[:, 1]).slope
    assert slope == pytest.approx(1 - CORRELATION, abs=0.02)


def test_the_interval_holds_what_the_test_does_not_reject() -> None:
    """By scipy's correlation test at slopes within, at and beyond the ends."""
    rng = np.random.default_rng(8)
    z = rng.normal(size=12)
    x, y = z + rng.normal(0, 0.4, 12), 0.7 * z + rng.normal(0, 0.4, 12)
    slope, p = instrumented(z, x, y)
    assert slope.value == pytest.approx(np.cov(z, y)[0, 1] / np.cov(z, x)[0, 1])
    assert p == pytest.approx(scipy.stats.pearsonr(z, y).pvalue)
    for end, sign in ((slope.interval.lower, -1), (slope.interval.upper, 1)):
        assert scipy.stats.pearsonr(z, y - end * x).pvalue == pytest.approx(0.05)
        assert scipy.stats.pearsonr(z, y - (end + sign * 0.05) * x).pvalue < 0.05
        assert scipy.stats.pearsonr(z, y - (end - sign * 0.05) * x).pvalue > 0.05


def test_its_own_instrument_is_least_squares() -> None:
    """Coefficient and interval by scipy."""
    rng = np.random.default_rng(9)
    x = rng.normal(size=15)
    y = 0.3 * x + rng.normal(size=15)
    estimate, _ = instrumented(x, x, y)
    by_scipy = scipy.stats.linregress(x, y)
    half = scipy.stats.t.ppf(0.975, 13) * by_scipy.stderr
    assert estimate.value == pytest.approx(by_scipy.slope)
    ends = (by_scipy.slope - half, by_scipy.slope + half)
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx(ends)


def test_where_all_models_lie_on_a_line_rounding_takes_no_interval_away() -> None:
    """EQT at .5 for all: the drop is twice the mean of both, less 1; discriminants are 0 but for rounding, of either sign."""
    for shift in range(50):
        models = [Halves(str(n), (0.1 + n / 7 + shift / 999, 0.1 + n / 7 + shift / 999), (0.5, 0.5)) for n in range(5)]
        slope = drop_trend(models).slope
        assert slope.value == pytest.approx(2)
        assert [slope.interval.lower, slope.interval.upper] == pytest.approx([2, 2], abs=1e-3)


def test_too_little_is_said_and_never_a_slope_of_0() -> None:
    same = [Halves(str(i), (0.5, 0.5), (0.4, 0.4)) for i in range(6)]
    trend = drop_trend(same)
    assert (trend.slope.value, trend.p) == (None, None)
    assert "alike" in trend.problem
    noise = np.random.default_rng(1).random((5, 4))
    weak = drop_trend([Halves(str(i), (a, b), (c, d)) for i, (a, b, c, d) in enumerate(noise)])
    assert not math.isfinite(weak.slope.interval.upper)
    assert "too little" in weak.problem
    slope = to_json(weak)["slope"]
    assert (slope["lower"], slope["upper"]) == (None, None)
    with pytest.raises(BadInput):
        drop_trend([Halves("a", (1.5, 0.5), (0.4, 0.4))])


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 4), min_size=4, max_size=8))
def test_any_table_gives_an_interval_around_its_slope(table: list[tuple[float, float, float, float]]) -> None:
    trend = drop_trend([Halves(str(i), (a, b), (c, d)) for i, (a, b, c, d) in enumerate(table)])
    for estimate in (trend.plain, trend.slope):
        if estimate.value is not None and math.isfinite(estimate.interval.lower):
            assert estimate.interval.lower - 1e-6 <= estimate.value <= estimate.interval.upper + 1e-6
