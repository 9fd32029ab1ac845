"""The sequential verdict and Procedure 4.1: hand calculations, and what must not depend on how answers are fed in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.certificate.evidence import SequentialTest, exact_verdict, fixed_verdict
from vivavoce.certificate.finding import Criterion, Verdict
from vivavoce.errors import BadInput

outcomes = st.lists(st.sampled_from([(1.0, 0.0), (0.5, 0.0), (0.0, 0.0), (0.0, 1.0)]), min_size=1, max_size=80)


def test_four_wrong_answers_fail() -> None:
    # grade only: on a wrong answer the bet on p < .7 grows by (1 - p)/.3, and with p = .7 - .7 u, u even over [0, 1], the mean
    # of its k-th power is the integral of (1 + 7u/3)^k: ((10/3)^4 - 1)/(4 * 7/3) = 13.12 for k = 3, and for k = 4
    # ((10/3)^5 - 1)/(5 * 7/3) = 35.19 >= 20
    test = SequentialTest(Criterion(0.7, None))
    assert test.update(np.zeros(3), np.zeros(3)) is Verdict.NO_CONCLUSION
    assert np.exp(test.log_evidence.fail[-1]) == pytest.approx(13.12, rel=1e-3)
    assert test.update(0.0, 0.0) is Verdict.DOES_NOT_UNDERSTAND
    assert test.n == 4


def test_with_a_ridiculous_limit_failing_takes_twice_the_evidence() -> None:
    # 4 wrong answers: (35.19 + about 1)/2 = 18.1 < 20; a fifth decides
    test = SequentialTest(Criterion(0.7, 0.001))
    assert test.update(np.zeros(4), np.zeros(4)) is Verdict.NO_CONCLUSION
    assert test.update(0.0, 0.0) is Verdict.DOES_NOT_UNDERSTAND


def test_clean_right_answers_pass_when_the_limit_lets_them() -> None:
    """6,282 questions without a ridiculous answer at RID .00052 and w0 = .5."""
    test = SequentialTest(Criterion(0.7, 0.00052))
    assert test.update(np.ones(7_000), np.zeros(7_000)) is Verdict.UNDERSTANDS
    assert test.n == 6_282


def test_one_ridiculous_answer_costs_7358_questions_more() -> None:
    test = SequentialTest(Criterion(0.7, 0.00052))
    ridiculous = np.zeros(14_000)
    ridiculous[5_000] = 1
    assert test.update(1 - ridiculous, ridiculous) is Verdict.UNDERSTANDS
    assert test.n == 13_640


def test_both_processes_need_have_been_there_only_once() -> None:
    """The score's evidence is there early and gone when the rate's arrives: understands all the same."""
    clean = SequentialTest(Criterion(0.7, 0.01))
    scores = np.r_[np.ones(30), np.full(400, 0.68)]
    assert clean.update(scores, np.zeros(430)) is Verdict.UNDERSTANDS
    assert clean.log_evidence.score_pass.max() > np.log(20) > clean.log_evidence.score_pass[clean.n - 1]


@settings(max_examples=60)
@given(answers=outcomes, finite=st.booleans(), data=st.data())
def test_one_by_one_or_all_at_once(answers: list[tuple[float, float]], finite: bool, data: st.DataObject) -> None:
    x, y = np.array(answers).T
    population = len(x) + data.draw(st.integers(0, 5)) if finite else None
    criterion = Criterion(0.6, 0.1, 0.2)
    together, single = (SequentialTest(criterion, population=population) for _ in range(2))
    together.update(x, y)
    for score, ridiculous in answers:
        single.update(score, ridiculous)
    assert (single.verdict, single.n) == (together.verdict, together.n)


@settings(max_examples=40)
@given(answers=outcomes)
def test_a_scope_asked_to_the_end_always_has_a_verdict(answers: list[tuple[float, float]]) -> None:
    x, y = np.array(answers).T
    criterion = Criterion(0.6, 0.1, 1e-9)
    test = SequentialTest(criterion, population=len(x))
    verdict = test.update(x, y)
    assert verdict == exact_verdict(float(x.mean()), float(y.mean()), criterion)


def test_exact_verdict_at_the_boundary() -> None:
    """Definition 3.3: a score equal to the passing grade passes, a rate equal to the limit too."""
    assert exact_verdict(0.7, 0.001, Criterion(0.7, 0.001)) is Verdict.UNDERSTANDS
    assert exact_verdict(0.6999, 0.001, Criterion(0.7, 0.001)) is Verdict.DOES_NOT_UNDERSTAND
    assert exact_verdict(0.7, 0.0011, Criterion(0.7, 0.001)) is Verdict.DOES_NOT_UNDERSTAND


@pytest.mark.parametrize(
    ("score", "rate", "n", "grade", "limit", "verdict"),
    [
        # Table 1: L(.9, 100, .05) = .811171, U(.9, 100, .025) = .962052 -- here with the limit out of reach of failing
        (0.9, 0.0, 10_000, 0.892497, 0.9, Verdict.UNDERSTANDS),  # L(.9, 10000, .05) = .892497 (rounded down: .8924974)
        (0.9, 0.0, 10_000, 0.892498, 0.9, Verdict.NO_CONCLUSION),
        (0.9, 0.0, 100, 0.96206, 0.9, Verdict.DOES_NOT_UNDERSTAND),
        (0.9, 0.0, 100, 0.96205, 0.9, Verdict.NO_CONCLUSION),
        # Table 2: U(3/n, n, .05) is above .00052 at 10,000 and below at 100,000; L(.01, n, .025) exceeds .00052 from 1,000 on
        (0.9, 0.0003, 10_000, 0.7, 0.00052, Verdict.NO_CONCLUSION),
        (0.9, 0.00003, 100_000, 0.7, 0.00052, Verdict.UNDERSTANDS),
        (0.9, 0.01, 100, 0.7, 0.00052, Verdict.NO_CONCLUSION),
        (0.9, 0.01, 1_000, 0.7, 0.00052, Verdict.DOES_NOT_UNDERSTAND),
    ],
)
def test_procedure_4_1(score: float, rate: float, n: int, grade: float, limit: float, verdict: Verdict) -> None:
    assert fixed_verdict(score, rate, n, Criterion(grade, limit)) is verdict


@pytest.mark.parametrize("criterion", [Criterion(0.0), Criterion(1.0), Criterion(0.7, 0.0), Criterion(0.7, None, 1.5)])
def test_nonsense_is_refused(criterion: Criterion) -> None:
    with pytest.raises(BadInput, match="strictly between 0 and 1"):
        SequentialTest(criterion)
