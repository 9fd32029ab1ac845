"""How far two graders agree."""

import pytest
from scipy.stats import binomtest, pearsonr

from vivavoce.certificate.graders.agreement import agreement_of
from vivavoce.errors import NotEnoughEvidence
from vivavoce.interview.scope import Grade
from vivavoce.statistics.mean import mean_bounds

JUDGE = (0.9, 0.8, 0.3, 1.0, 0.0, 0.55, 0.7, 0.2, 0.95, 0.1)
PEOPLE = (1.0, 0.5, 0.2, 1.0, 0.0, 0.6, 1.0, 0.0, 0.9, 0.0)
SAID = (False, False, False, False, True, False, False, True, True, False)
MEANT = (False, False, False, False, True, False, False, True, False, True)
PAIRS = [(Grade(a, b), Grade(c, d)) for a, b, c, d in zip(JUDGE, SAID, PEOPLE, MEANT, strict=True)]


def test_numbers_by_hand_and_by_scipy() -> None:
    found = agreement_of(PAIRS)
    assert found.answers == 10
    # -.1 +.3 +.1 +0 +0 -.05 -.3 +.2 +.05 +.1 = .3, over ten
    assert found.difference.value == pytest.approx(0.03)
    bounds = mean_bounds([(a - c + 1) / 2 for a, c in zip(JUDGE, PEOPLE, strict=True)], 0.05)
    assert (found.difference.interval.lower, found.difference.interval.upper) == pytest.approx(
        (2 * bounds.lower - 1, 2 * bounds.upper - 1)
    )
    assert found.close.value == pytest.approx(0.7)  # all but .3, -.3 and .2; .1 apart is close
    witness = pearsonr(JUDGE, PEOPLE)
    assert found.correlation is not None
    assert found.correlation.value == pytest.approx(witness.statistic)
    assert (found.correlation.interval.lower, found.correlation.interval.upper) == pytest.approx(
        tuple(witness.confidence_interval(0.95))
    )
    for estimate, hits, n in ((found.sensitivity, 2, 3), (found.specificity, 6, 7)):
        exact = binomtest(hits, n).proportion_ci(0.95, method="exact")
        assert estimate.value == pytest.approx(hits / n)
        assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((exact.low, exact.high))
        assert estimate.n == n


def test_what_cannot_be_known_is_not_a_number() -> None:
    found = agreement_of([(Grade(0.5, False), Grade(0.5, False))] * 5)
    assert found.correlation is None
    assert found.sensitivity.value is None
    assert (found.sensitivity.interval.lower, found.sensitivity.interval.upper) == (0.0, 1.0)
    assert found.as_json()["correlation"] is None
    with pytest.raises(NotEnoughEvidence):
        agreement_of([])
