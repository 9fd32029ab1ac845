"""Counts of cases by hand, and what is shown of them."""

from __future__ import annotations

import random
import time
import xml.etree.ElementTree as ET
from functools import cache
from itertools import product
from math import comb, sqrt

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.consistency.legal.trials import ExaminedCase, FactChoice, Paraphrase, Trial
from vivavoce.formats.interval import Interval
from vivavoce.render.canvas import Drawing, drawing_of, svg
from vivavoce.report.blocks import Panels, ReportSection
from vivavoce.studies.effects import Effect
from vivavoce.studies.judged_cases import (
    MOST_POINTS,
    before_and_after,
    compared,
    count_trials,
    counts_of,
    example,
    marked,
    paired_difference,
    panel_of,
    quantile,
    thinned,
    worst_of,
)


def trial(case: str, box: FactChoice, before: float, after: float, number: int = 1) -> Trial:
    return Trial(case, box, number, "a fact", "another wording", before, after)


def case(name: str, *, black: list[tuple[float, float]], white: list[tuple[float, float]]) -> ExaminedCase:
    trials = [trial(name, FactChoice.BLACK, *pair) for pair in black] + [
        trial(name, FactChoice.WHITE, *pair, number=2) for pair in white
    ]
    return ExaminedCase(name, tuple(trials))


def black_of(*examined: ExaminedCase) -> Effect:
    return count_trials(examined, (FactChoice.BLACK, FactChoice.WHITE), 0.5)[0]


def test_counts_by_hand() -> None:
    examined = [
        case("a", black=[(0.4, 0.6), (0.4, 0.45)], white=[(0.4, 0.9), (0.4, 0.5)]),  # .5 counts as a violation
        case("b", black=[(0.7, 0.6), (0.7, 0.7)], white=[(0.7, 0.49)]),
        case("c", black=[(0.2, 0.3)], white=[]),
        ExaminedCase("d", skipped="too short"),
    ]
    black, white = count_trials(examined, (FactChoice.BLACK, FactChoice.WHITE), 0.5)
    assert (black.n, black.numbers["cases"], white.n, white.numbers["cases"]) == (5, 3, 3, 2)
    assert {event: (rate.events, rate.n) for event, rate in black.rates.items()} == {
        "flips": (1, 5),
        "flips_to_violation": (1, 3),
        "flips_from_violation": (0, 2),
        "over_0.1": (1, 5),  # .1 and .2 are not above themselves
        "over_0.2": (0, 5),
        "flipped_cases": (1, 3),
        "flipped_cases_to_violation": (1, 2),
        "flipped_cases_from_violation": (0, 1),
    }
    # shifts: +.2 +.05 -.1 0 +.1
    assert black.estimates["mean_shift"].value == pytest.approx(0.45 / 5)
    assert black.estimates["signed_shift"].value == pytest.approx(0.25 / 5)
    assert black.numbers["largest"] == pytest.approx(0.2)
    assert (black.estimates["median_shift"].value, black.estimates["shift_90"].value) == pytest.approx((0.1, 0.2))
    assert white.rates["flips"].least == 1.0
    assert (white.rates["over_0.1"].least, white.rates["over_0.2"].least) == (2 / 3, 2 / 3)
    counts = counts_of(examined, 0.5)
    assert (counts.examined, counts.violations, counts.skipped) == (3, 1, {"too short": 1})


def test_nothing_is_an_absence_not_a_zero() -> None:
    examined = ExaminedCase("a", paraphrases=(Paraphrase("f", "", "refused"),))
    black = black_of(examined)
    assert black.rates["flips"].least is black.estimates["mean_shift"].value is black.numbers["largest"] is None
    assert black.rates["flips"].interval == Interval(0.0, 1.0)
    assert compared([examined], 0.5) is None
    assert counts_of([examined], 0.5).problems == {"refused": 1}


def test_one_case_alone_gives_no_interval() -> None:
    black = black_of(case("a", black=[(0.4, 0.6), (0.4, 0.4)], white=[]))
    assert (black.rates["flips"].least, black.rates["flips"].interval) == (0.5, Interval(0.0, 1.0))
    assert black.estimates["median_shift"].interval == Interval(0.0, 1.0)


def test_no_shift_at_all_is_no_certainty() -> None:
    estimates = black_of(*(case(f"c{i}", black=[(0.4, 0.4)] * 2, white=[]) for i in range(20))).estimates
    # none of 20 cases: at most 1 - .025^(1/20) = 16.8% of them may shift, by as much as 1
    unseen = 1 - 0.025 ** (1 / 20)
    mean, signed = estimates["mean_shift"], estimates["signed_shift"]
    assert (mean.value, signed.value) == (0.0, 0.0)
    assert (mean.interval.lower, mean.interval.upper) == pytest.approx((0, unseen))
    assert (signed.interval.lower, signed.interval.upper) == pytest.approx((-unseen, unseen))


def test_trials_of_one_case_are_alike_so_they_do_not_count_as_many() -> None:
    """20 cases of three trials that agree tell as much as 20 trials: Clopper and Pearson's interval for 5 of 20."""
    black = black_of(*(case(f"c{i}", black=[(0.4, 0.6 if i < 5 else 0.4)] * 3, white=[]) for i in range(20)))
    interval = black.rates["flips"].interval
    exact = scipy.stats.binomtest(5, 20).proportion_ci(method="exact")
    assert (interval.lower, interval.upper) == pytest.approx((exact.low, exact.high), abs=0.02)


def test_pairs_by_hand() -> None:
    flip, stay = (0.4, 0.6), (0.4, 0.4)
    pairs = compared(
        [
            *(case(f"w{i}", black=[stay], white=[flip]) for i in range(9)),
            case("b", black=[flip], white=[stay]),
            *(case(f"n{i}", black=[stay], white=[stay]) for i in range(6)),
            *(case(f"y{i}", black=[flip], white=[flip]) for i in range(4)),
            case("without", black=[flip], white=[]),
        ],
        0.5,
    )
    assert pairs is not None
    assert (pairs.both, pairs.white_only, pairs.black_only, pairs.neither, pairs.cases) == (4, 9, 1, 6, 20)
    assert pairs.p == pytest.approx(scipy.stats.binomtest(1, 10).pvalue)  # 22/1024
    assert pairs.difference.value == 8 / 20
    # (9 + 1) / 22 - (1 + 1) / 22 = 8/22, and 1.96 sqrt((12/22 - (8/22)**2) / 22)
    half = scipy.stats.norm.ppf(0.975) * sqrt((12 / 22 - (8 / 22) ** 2) / 22)
    assert pairs.difference.interval.lower == pytest.approx(8 / 22 - half)
    assert pairs.difference.interval.upper == pytest.approx(8 / 22 + half)


def test_either_box_has_the_same_chances_in_a_pair() -> None:
    """Only the first random fact counts, and as many paraphrases as there are of both facts."""
    stay, flip = (0.4, 0.4), (0.4, 0.6)
    first = [trial("a", FactChoice.BLACK, *stay, number=1)] * 2
    second = [trial("a", FactChoice.BLACK, *flip, number=3)] * 3
    white = [trial("a", FactChoice.WHITE, *pair, number=2) for pair in (stay, stay, flip)]
    pairs = compared([ExaminedCase("a", (*first, *second, *white))], 0.5)
    assert pairs is not None
    assert (pairs.neither, pairs.cases) == (1, 1)


@each_case(("white", "black"), [(0.3, 0.1), (0.05, 0.05), (0.6, 0.02), (0.01, 0.0)])
def test_the_interval_of_the_paired_difference_covers(white: float, black: float) -> None:
    """Counted over all outcomes of 30 cases, cells independent: at least 93.5% of the time."""
    n, value, other = 30, white * (1 - black), black * (1 - white)
    covered = 0.0
    for i, j in product(range(n + 1), repeat=2):
        if i + j <= n and white - black in paired_difference(i, j, n):
            rest = n - i - j
            covered += comb(n, i) * comb(n - i, j) * value**i * other**j * (1 - value - other) ** rest
    assert covered > 0.935


@each_case("q", [0.5, 0.9])
@each_case("n", [30, 100])
def test_a_quantile_of_independent_values_has_the_interval_of_order_statistics(q: float, n: int) -> None:
    values = [(i + 1) / (n + 1) for i in range(n)]
    estimate = quantile(values, [str(i) for i in range(n)], q)
    # the largest l with P(Binomial(n, q) < l) <= 2.5%, and the smallest u with P(Binomial(n, q) >= u) <= 2.5%
    below = max(i for i in range(n + 1) if scipy.stats.binom.cdf(i - 1, n, q) <= 0.025)
    above = min(i for i in range(1, n + 2) if scipy.stats.binom.sf(i - 1, n, q) <= 0.025)
    assert estimate.interval.lower == values[below - 1]
    assert estimate.interval.upper == (values[above - 1] if above <= n else 1.0)
    assert estimate.value == np.quantile(values, q, method="inverted_cdf")


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 20)), min_size=1, max_size=30), st.sampled_from([0.5, 0.9]))
def test_a_quantile_lies_in_its_interval(values: list[tuple[str, int]], q: float) -> None:
    estimate = quantile([v / 20 for _, v in values], [c for c, _ in values], q)
    assert estimate.value is not None
    assert 0 <= estimate.interval.lower <= estimate.value <= estimate.interval.upper <= 1


def test_where_most_do_not_move_the_median_is_zero_with_a_narrow_interval() -> None:
    estimate = quantile([0.0] * 90 + [0.5] * 10, [str(i) for i in range(100)], 0.5)
    assert (estimate.value, estimate.interval) == (0.0, Interval(0.0, 0.0))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_flips_are_those_that_cross_the_threshold_either_way(values: list[tuple[float, float]]) -> None:
    black = black_of(*(case(f"c{i}", black=[value], white=[]) for i, value in enumerate(values)))
    flips, to, back = (black.rates[event] for event in ("flips", "flips_to_violation", "flips_from_violation"))
    assert to.n + back.n == black.n == len(values)
    assert to.events + back.events == flips.events


def test_the_worst_are_flips_then_large_shifts_one_of_each_case() -> None:
    trials = [
        trial("a", FactChoice.BLACK, 0.1, 0.45),
        trial("b", FactChoice.WHITE, 0.49, 0.51),
        trial("b", FactChoice.WHITE, 0.3, 0.9),
        trial("c", FactChoice.AGAIN, 0.1, 0.9),
        trial("d", FactChoice.BLACK, 0.1, 0.1),
    ]
    assert [(entry.case, entry.after) for entry in worst_of(trials, 0.5)] == [("b", 0.9), ("a", 0.45)]


SVG = "{http://www.w3.org/2000/svg}"
FACT = "12. The applicant was held at the regional station for three days without seeing a judge."
OTHER = "12. The petitioner was kept at the regional station for three days without seeing a judge."


@cache
def trials(cases: int = 40) -> list[Trial]:
    """Shifts drawn at random, those of the white box three times as large."""
    rng = random.Random(1)
    result = []
    for case in range(cases):
        before = rng.random()
        for box in (FactChoice.BLACK, FactChoice.WHITE):
            for _ in range(3):
                shift = rng.gauss(0, 0.2 * (1 + 2 * (box is FactChoice.WHITE)))
                result.append(Trial(f"case {case}", box, 3, FACT, OTHER, before, min(1.0, max(0.0, before + shift))))
    return result


def test_an_example_has_both_texts_with_the_words_that_changed() -> None:
    shown = example(Trial("7", FactChoice.WHITE, 3, FACT, OTHER, 0.6, 0.25), 0.5)
    assert (shown.id, shown.treatment, shown.event) == ("case 7, fact 4", "most important fact", "violation → no violation")
    (_, fact), (_, paraphrase), probability = shown.texts
    assert (str(fact), str(paraphrase), probability) == (FACT, OTHER, ("Probability", "0.60 → 0.25"))
    assert not isinstance(fact, str)
    assert [text for kind, text in fact.pieces if kind == "removed"] == ["applicant", "held"]
    assert not isinstance(paraphrase, str)
    assert [text for kind, text in paraphrase.pieces if kind == "added"] == ["petitioner", "kept"]
    assert example(Trial("7", FactChoice.BLACK, 3, FACT, OTHER, 0.6, 0.5), 0.5).event == "still violation"


@given(st.text("ab c\n", max_size=40), st.text("ab c\n", max_size=40))
def test_pieces_hold_the_whole_text_and_what_stays_is_the_same_in_both(before: str, after: str) -> None:
    removed, added = (difference.pieces for difference in marked(before, after))
    assert "".join(text for _, text in removed).split() == before.split()
    assert "".join(text for _, text in added).split() == after.split()
    same = [" ".join(text for kind, text in pieces if kind == "same").split() for pieces in (removed, added)]
    assert same[0] == same[1]
    assert all(text == text.rstrip() for kind, text in (*removed, *added) if kind != "same")


def test_long_texts_of_equal_words_cost_little_time() -> None:
    began = time.process_time()
    marked("a b " * 100_000, "b a " * 100_000)
    assert time.process_time() - began < 10


def test_the_plot_has_a_panel_for_each_box_with_all_points() -> None:
    panels = [panel_of(trials(), box, 0.5) for box in (FactChoice.BLACK, FactChoice.WHITE)]
    (section,) = before_and_after(panels, 0.5)
    assert isinstance(section, ReportSection)
    (figures,) = [block for block in section.blocks if isinstance(block, Panels)]
    assert [figure.title for figure in figures.figures] == ["A random fact", "The most important fact"]
    for figure, box in zip(figures.figures, (FactChoice.BLACK, FactChoice.WHITE), strict=True):
        drawing = drawing_of(figure.data)
        assert isinstance(drawing, Drawing)
        tree = ET.fromstring(svg(drawing, "p"))
        words = ["".join(text.itertext()) for text in tree.iter(f"{SVG}text")]
        assert {"Before", "After"} <= set(words)
        points = [element for element in tree.iter(f"{SVG}use") if "clip" not in element.attrib.get("style", "")]
        of_box = [trial for trial in trials() if trial.box is box]
        assert len(points) >= len(of_box)
        assert f"fact: {sum(trial.flips(0.5) for trial in of_box)} of 120 change the decision" in drawing.alt
    assert before_and_after([panel_of([], FactChoice.BLACK, 0.5)], 0.5) == ()


def test_of_many_points_all_flips_are_drawn_and_some_others() -> None:
    points = [(0.4, 0.6 if i % 100 == 0 else 0.4, i % 100 == 0) for i in range(10_000)]
    kept = thinned(points)
    assert len(kept) == MOST_POINTS
    assert sum(flips for *_, flips in kept) == 100
    (section,) = before_and_after([panel_of(trials(700), FactChoice.WHITE, 0.5)], 0.5)
    assert isinstance(section, ReportSection)
    (drawn,) = [panels.figures[0].data for panels in section.blocks if isinstance(panels, Panels)]
    many = drawing_of(drawn)
    assert isinstance(many, Drawing)
    assert "of 2 100 change the decision (1 500 are drawn)" in many.alt.replace("\u202f", " ").replace("\u00a0", " ")
