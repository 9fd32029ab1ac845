"""How far two graders agree."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from vivavoce.certificate.graders.grades import agreement_of, krippendorff_alpha
from vivavoce.errors import NotEnoughEvidence
from vivavoce.interview.scope import Grade
from vivavoce.statistics.confidence_sequences import mean_bounds

JUDGE = (0.9, 0.8, 0.3, 1.0, 0.0, 0.55, 0.7, 0.2, 0.95, 0.1)
PEOPLE = (1.0, 0.5, 0.2, 1.0, 0.0, 0.6, 1.0, 0.0, 0.9, 0.0)
SAID = (False, False, False, False, True, False, False, True, True, False)
MEANT = (False, False, False, False, True, False, False, True, False, True)
PAIRS = [(Grade(a, b), Grade(c, d)) for a, b, c, d in zip(JUDGE, SAID, PEOPLE, MEANT, strict=True)]


def test_numbers_by_hand_and_by_scipy() -> None:
    agreement = agreement_of(PAIRS)
    assert agreement.answers == 10
    # -.1 +.3 +.1 +0 +0 -.05 -.3 +.2 +.05 +.1 = .3, over ten
    assert agreement.difference.value == pytest.approx(0.03)
    bounds = mean_bounds([(a - c + 1) / 2 for a, c in zip(JUDGE, PEOPLE, strict=True)], 0.05)
    assert (agreement.difference.interval.lower, agreement.difference.interval.upper) == pytest.approx(
        (2 * bounds.lower - 1, 2 * bounds.upper - 1)
    )
    assert agreement.close.value == pytest.approx(0.7)  # all but .3, -.3 and .2; .1 apart is close
    for estimate, hits, n in ((agreement.unacceptable_sensitivity, 2, 3), (agreement.unacceptable_specificity, 6, 7)):
        exact = binomtest(hits, n).proportion_ci(0.95, method="exact")
        assert estimate.value == pytest.approx(hits / n)
        assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((exact.low, exact.high))
        assert estimate.n == n


def test_alpha_by_hand() -> None:
    # differences squared: .01 + .09 + .01 + 0 + 0 + .0025 + .09 + .04 + .0025 + .01 = .255, over ten answers; all 20 scores add
    # up to 10.7 and their squares to 8.745, so two of them differ by 2 (8.745 - 10.7^2 / 20) / 19 on average, squared
    alpha = agreement_of(PAIRS).krippendorff_alpha
    assert alpha.value is not None
    assert alpha.value == pytest.approx(1 - (0.255 / 10) / (2 * (8.745 - 10.7**2 / 20) / 19))
    assert alpha.n == 10
    assert alpha.interval.lower < alpha.value < alpha.interval.upper < 1


@given(st.lists(st.booleans(), min_size=3, max_size=40).filter(lambda grades: 0 < sum(grades) < len(grades)), st.randoms())
def test_alpha_of_equally_many_passes_is_cohens_kappa_by_scikit_learn(grades: list[bool], random: Random) -> None:
    from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

    others = random.sample(grades, len(grades))
    alpha = krippendorff_alpha(np.array(grades, dtype=float), np.array(others, dtype=float)).value
    assert alpha is not None
    # alpha has a correction for few answers: its expected disagreement is of 2n scores drawn without replacement
    assert 1 - (1 - alpha) / (1 - 1 / (2 * len(grades))) == pytest.approx(cohen_kappa_score(grades, others))


def test_alpha_of_perfect_agreement_has_a_lower_end_of_clopper_and_pearson() -> None:
    # Of five right and five wrong answers on which both agree, up to 31% may be disagreements (binomial): with equal shares
    # alpha is 1 - 2 x .31, and resampled shares make it less sure.
    scores = np.repeat([0.0, 1.0], 5)
    alpha = krippendorff_alpha(scores, scores)
    assert (alpha.value, alpha.interval.upper) == (1, 1)
    assert alpha.interval.lower == pytest.approx(1 - 2 * binomtest(0, 10).proportion_ci(0.95, method="exact").high, abs=0.1)


def test_what_cannot_be_known_is_not_a_number() -> None:
    agreement = agreement_of([(Grade(0.5, False), Grade(0.5, False))] * 5)
    assert agreement.krippendorff_alpha.value is None
    assert (agreement.krippendorff_alpha.interval.lower, agreement.krippendorff_alpha.interval.upper) == (-1.0, 1.0)
    assert agreement_of([(Grade(0.5, False), Grade(1.0, False))]).krippendorff_alpha.value is None
    assert agreement.unacceptable_sensitivity.value is None
    assert (agreement.unacceptable_sensitivity.interval.lower, agreement.unacceptable_sensitivity.interval.upper) == (0.0, 1.0)
    assert agreement.krippendorff_alpha.value is None
    with pytest.raises(NotEnoughEvidence):
        agreement_of([])
