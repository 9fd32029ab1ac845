"""Evidence on a claim: the sequential verdict, Procedure 4.1, how far it is to a verdict, and lists of equal values."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.inference import InternedList, still_needed
from vivavoce.certificate.evidence.sequential import SequentialTest, exact_verdict, fixed_verdict
from vivavoce.errors import BadInput
from vivavoce.statistics.confidence_sequences import LeaningTest, mean_above, mean_below

outcomes = st.lists(st.sampled_from([(1.0, 0.0), (0.5, 0.0), (0.0, 0.0), (0.0, 1.0)]), min_size=1, max_size=80)


def test_four_wrong_answers_fail() -> None:
    # grade only: on a wrong answer the bet on p < .7 grows by (1 - p)/.3, and with p = .7 - .7 u, u even over [0, 1], the mean
    # of its k-th power is the integral of (1 + 7u/3)^k: ((10/3)^4 - 1)/(4 * 7/3) = 13.12 for k = 3, and for k = 4
    # ((10/3)^5 - 1)/(5 * 7/3) = 35.19 >= 20
    test = SequentialTest(Criterion(0.7, None))
    assert test.update(np.zeros(3), np.zeros(3)) is Verdict.UNDECIDED
    assert np.exp(test.log_evidence.fail[-1]) == pytest.approx(13.12, rel=1e-3)
    assert test.update(0.0, 0.0) is Verdict.FAIL
    assert test.n == 4


def test_with_an_unacceptable_limit_the_score_fails_with_a_quarter_more_evidence() -> None:
    # 4 wrong answers: .8 x 35.19 + .2 x about 1 = 28.3 < 30; a fifth decides
    test = SequentialTest(Criterion(0.7, 0.001, 1 / 30))
    assert test.update(np.zeros(4), np.zeros(4)) is Verdict.UNDECIDED
    assert test.update(0.0, 0.0) is Verdict.FAIL
    alone = SequentialTest(Criterion(0.7, None, 1 / 30))
    assert alone.update(np.zeros(4), np.zeros(4)) is Verdict.FAIL


def test_unacceptable_answers_fail_with_five_times_the_evidence() -> None:
    # of 40 log-spaced rates p, the mean of (p / .01)^k is 9.3 for one such answer and 151 for two
    rates = np.geomspace(0.013, 0.3, 40)
    for events, verdict in ((1, Verdict.UNDECIDED), (2, Verdict.FAIL)):
        test = SequentialTest(Criterion(0.05, 0.01))
        by_hand = 0.2 * np.mean((rates / 0.01) ** events)
        assert bool(by_hand >= 20) is (verdict is Verdict.FAIL)
        # a wrong answer says little about a grade of .05: .8 x less than 1.1
        assert test.update(np.zeros(events), np.ones(events)) is verdict


def test_clean_right_answers_pass_when_the_limit_lets_them() -> None:
    """6,282 questions without an unacceptable answer at RID .00052 and w0 = .5."""
    test = SequentialTest(Criterion(0.7, 0.00052))
    assert test.update(np.ones(7_000), np.zeros(7_000)) is Verdict.PASS
    assert test.n == 6_282


def test_one_unacceptable_answer_costs_7358_questions_more() -> None:
    test = SequentialTest(Criterion(0.7, 0.00052))
    unacceptable = np.zeros(14_000)
    unacceptable[5_000] = 1
    assert test.update(1 - unacceptable, unacceptable) is Verdict.PASS
    assert test.n == 13_640


def test_both_processes_need_have_been_there_only_once() -> None:
    """The score's evidence is there early and gone when the rate's arrives: understands all the same."""
    clean = SequentialTest(Criterion(0.7, 0.01))
    scores = np.r_[np.ones(30), np.full(400, 0.68)]
    assert clean.update(scores, np.zeros(430)) is Verdict.PASS
    assert clean.log_evidence.score_pass.max() > np.log(20) > clean.log_evidence.score_pass[clean.n - 1]
    by_tens = SequentialTest(Criterion(0.7, 0.01))
    for part in scores.reshape(-1, 10):
        by_tens.update(part, np.zeros(10))
    assert (by_tens.verdict, by_tens.n) == (clean.verdict, clean.n)


@settings(max_examples=60)
@given(answers=outcomes, finite=st.booleans(), data=st.data())
def test_one_by_one_or_all_at_once(answers: list[tuple[float, float]], finite: bool, data: st.DataObject) -> None:
    x, y = np.array(answers).T
    population = len(x) + data.draw(st.integers(0, 5)) if finite else None
    criterion = Criterion(0.6, 0.1, 0.2)
    together, single = (SequentialTest(criterion, population=population) for _ in range(2))
    together.update(x, y)
    for score, unacceptable in answers:
        single.update(score, unacceptable)
    assert (single.verdict, single.n) == (together.verdict, together.n)


@settings(max_examples=40)
@given(answers=outcomes)
def test_a_scope_asked_to_the_end_always_has_a_verdict(answers: list[tuple[float, float]]) -> None:
    x, y = np.array(answers).T
    criterion = Criterion(0.6, 0.1, 1e-9)
    test = SequentialTest(criterion, population=len(x))
    verdict = test.update(x, y)
    assert verdict == exact_verdict(float(x.mean()), float(y.mean()), criterion)


def test_a_verdict_takes_the_ends_that_speak_against_it() -> None:
    ones, noughts = np.ones(40), np.zeros(40)
    plain, unread = SequentialTest(Criterion(0.7, 0.1)), SequentialTest(Criterion(0.7, 0.1))
    plain.update(ones, noughts)
    # the same evidence for understanding with half of the upper ends out of reach, and none against it
    unread.update(ones, noughts, upper=ones, maybe=noughts)
    assert (unread.verdict, unread.n) == (plain.verdict, plain.n)
    low, high = SequentialTest(Criterion(0.7, None)), SequentialTest(Criterion(0.7, None))
    low.update(np.tile([1.0, 0.0], 8), np.zeros(16), upper=np.ones(16))
    bets = LeaningTest(0.7, goal=np.log(20))
    assert low.log_evidence.score_pass == pytest.approx(bets.update(np.tile([1.0, 0.0], 8), np.tile([False, True], 8)))
    assert low.log_evidence.fail == pytest.approx(mean_below(0.7).update(np.ones(16)))
    # four wrong ones fail, see above; the same four unread say nothing
    assert high.update(np.zeros(4), np.zeros(4), upper=np.ones(4)) is Verdict.UNDECIDED
    with pytest.raises(BadInput, match="upper end"):
        high.update(1.0, 0.0, upper=0.5)


def test_nothing_but_gibberish_ends_when_ones_and_noughts_would() -> None:
    # four noughts show a mean below .7, and (1 + 3 u/7)^n u even over [0, 1] takes 13 ones to show one above it
    alone = SequentialTest(Criterion(0.7, None))
    alone.update(np.ones(50), np.zeros(50))
    gibberish = SequentialTest(Criterion(0.7, None))
    assert gibberish.update(np.zeros(50), np.zeros(50), upper=np.ones(50)) is Verdict.UNDECIDED
    assert (gibberish.n, gibberish.over) == (alone.n, True)
    # what comes later is left aside
    assert gibberish.update(np.ones(50), np.zeros(50)) is Verdict.UNDECIDED
    assert gibberish.n == alone.n


@settings(max_examples=60)
@given(answers=outcomes, data=st.data())
def test_a_scope_asked_to_the_end_has_the_verdict_that_all_readings_share(
    answers: list[tuple[float, float]], data: st.DataObject
) -> None:
    x, y = np.array(answers).T
    hidden = np.array(data.draw(st.lists(st.booleans(), min_size=len(x), max_size=len(x))))
    criterion = Criterion(0.6, 0.1, 1e-9)
    low, high = np.where(hidden, 0.0, x), np.where(hidden, 1.0, x)
    test = SequentialTest(criterion, population=len(x))
    verdict = test.update(low, np.where(hidden, 0.0, y), upper=high, maybe=np.where(hidden, 1.0, y))
    ends = {
        exact_verdict(low.mean(), np.where(hidden, 1.0, y).mean(), criterion),
        exact_verdict(high.mean(), np.where(hidden, 0.0, y).mean(), criterion),
    }
    expected = ends.pop() if len(ends) == 1 else Verdict.UNDECIDED
    # an examination that the score leaves open ends, though the rate might still have spoken against understanding
    assert verdict == expected or (verdict is Verdict.UNDECIDED and test.over and test.n < len(x))


@settings(max_examples=40)
@given(right=st.integers(0, 6), size=st.integers(2, 6), share=st.floats(0.1, 0.9), seed=st.integers(0, 999))
def test_no_way_to_hide_replies_wins_on_average_without_replacement(right: int, size: int, share: float, seed: int) -> None:
    """All orders of a small scope, and a rule that hides by time, worth and capital: the mean e-value never exceeds 1."""
    right = min(right, size)
    rule = np.random.default_rng(seed).random((size, 2, 2)) < share
    null = max(1e-3, right / size) if right < size else 1 - 1e-3
    if right == size:
        return  # the null would be false
    values = []
    for order in set(permutations([1.0] * right + [0.0] * (size - right))):
        test, rich = mean_above(null, population=size), 0
        for t, x in enumerate(order):
            log_e = test.update([0.0 if rule[t, int(x), rich] else x])[-1]
            rich = int(log_e > 0)
        values.append(np.exp(min(log_e, 700.0)))
    assert np.mean(values) <= 1 + 1e-9


def test_exact_verdict_at_the_boundary() -> None:
    """Definition 3.3: a score equal to the passing grade passes, a rate equal to the limit too."""
    assert exact_verdict(0.7, 0.001, Criterion(0.7, 0.001)) is Verdict.PASS
    assert exact_verdict(0.6999, 0.001, Criterion(0.7, 0.001)) is Verdict.FAIL
    assert exact_verdict(0.7, 0.0011, Criterion(0.7, 0.001)) is Verdict.FAIL


@each_case(
    ("score", "rate", "n", "grade", "limit", "verdict"),
    [
        # Table 1: L(.9, 100, .05) = .811171, U(.9, 100, .025) = .962052 -- here with the limit out of reach of failing
        (0.9, 0.0, 10_000, 0.892497, 0.9, Verdict.PASS),  # L(.9, 10000, .05) = .892497 (rounded down: .8924974)
        (0.9, 0.0, 10_000, 0.892498, 0.9, Verdict.UNDECIDED),
        (0.9, 0.0, 100, 0.96206, 0.9, Verdict.FAIL),
        (0.9, 0.0, 100, 0.96205, 0.9, Verdict.UNDECIDED),
        # Table 2: U(3/n, n, .05) is above .00052 at 10,000 and below at 100,000; L(.01, n, .025) exceeds .00052 from 1,000 on
        (0.9, 0.0003, 10_000, 0.7, 0.00052, Verdict.UNDECIDED),
        (0.9, 0.00003, 100_000, 0.7, 0.00052, Verdict.PASS),
        (0.9, 0.01, 100, 0.7, 0.00052, Verdict.UNDECIDED),
        (0.9, 0.01, 1_000, 0.7, 0.00052, Verdict.FAIL),
        # eight unacceptable answers of eight: L(1, 8, .025) = .025^(1/8) = .6306
        (1.0, 1.0, 8, 0.7, 0.6305, Verdict.FAIL),
        (1.0, 1.0, 8, 0.7, 0.6307, Verdict.UNDECIDED),
    ],
)
def test_procedure_4_1(score: float, rate: float, n: int, grade: float, limit: float, verdict: Verdict) -> None:
    assert fixed_verdict(score, rate, n, Criterion(grade, limit)) is verdict


@each_case("criterion", [Criterion(0.0), Criterion(1.0), Criterion(0.7, 0.0), Criterion(0.7, None, 1.5)])
def test_nonsense_is_refused(criterion: Criterion) -> None:
    with pytest.raises(BadInput, match="strictly between 0 and 1"):
        SequentialTest(criterion)


SCORES = np.array([1.0] * 13 + [0.0] * 7)
NONE = np.zeros(20)


@each_case("gap", [0.0, 1e-16, 1e-12, 1e-9])
@each_case("side", [-1, 1])
def test_at_the_grade_itself_nothing_can_be_told(gap: float, side: int) -> None:
    # by Taylor, growth is gap² / (2 · .65 · .35) a question, 2e-18 at 1e-9
    for limit in (None, 0.01):
        criterion = Criterion(0.65 + side * gap, limit, 0.1)
        assert still_needed(SCORES, SCORES, NONE, criterion, population=None) is None
        assert still_needed(SCORES, SCORES, NONE, criterion, population=240) == 220


@given(st.lists(st.integers(0, 400), max_size=900) | st.permutations(range(400)))
def test_it_is_the_list_of_all_values_whether_few_or_many_differ(values: list[int]) -> None:
    interned = InternedList[int]()
    for value in values:
        interned.append(value)
    assert list(interned) == values
    assert len(interned) == len(values)
    assert interned.column(float).tolist() == values
    assert interned.distinct == list(dict.fromkeys(values))
    assert not values or interned.last() == values[-1]
