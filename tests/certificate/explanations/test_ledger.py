"""Shares of the error, processes, and Procedure 5.1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest, fixed_verdict
from vivavoce.certificate.explanations.audit import Ledger, share
from vivavoce.certificate.explanations.known import ExplainedPart, explained_verdict
from vivavoce.errors import BadInput
from vivavoce.statistics.bounds import clopper_pearson_upper
from vivavoce.statistics.confidence_sequences import clean_answers, rate_boundary

CRITERION = Criterion(0.7, 0.00052)


@given(st.floats(1e-6, 0.5), st.integers(1, 50))
def test_the_shares_add_up_to_delta(delta: float, most: int) -> None:
    shares = [share(delta, number, most=most) for number in range(1, most + 1)]
    assert sum(shares) == pytest.approx(delta)
    assert shares == sorted(shares, reverse=True)


def test_of_endlessly_many_the_first_has_six_over_pi_squared() -> None:
    # the sum of 1/v^2 is pi^2/6: .05 * .6079
    assert share(0.05, 1, most=100_000) == pytest.approx(0.0303966, rel=1e-4)
    with pytest.raises(BadInput, match="changed more often"):
        share(0.05, 3, most=2)


def ledger(most: int) -> Ledger[SequentialTest]:
    return Ledger(lambda delta: SequentialTest(Criterion(0.5, None, delta)), delta=0.05, most=most)


def test_process_1_is_never_restarted_and_speaks_when_it_finds_understanding() -> None:
    book = ledger(3)
    book.first.update([1, 1, 1], [0, 0, 0])
    book.change()
    assert book.latest is not book.first
    assert (book.first.n, book.latest.n, book.left) == (3, 0, 1)
    book.first.update([1.0] * 20, [0.0] * 20)
    assert book.deciding is book.first
    assert book.delta_of(book.first) == pytest.approx(share(0.05, 1, most=3))


def test_that_the_candidate_fails_without_later_explanations_is_no_verdict() -> None:
    book = ledger(2)
    book.change()
    book.first.update([0.0] * 20, [0.0] * 20)
    assert book.first.verdict is Verdict.FAIL
    assert book.verdict is Verdict.UNDECIDED
    assert book.delta_of(book.latest) == pytest.approx(0.01)  # 1/4 of 1 + 1/4


def test_what_a_procedure_saves_against_bounds_on_it() -> None:
    """p = .5: the theory's numbers, and why nothing is set aside for bounds on a procedure."""
    half = 0.5
    # one look at a number fixed in advance: ln 20 / -ln(1 - .00104), half of 5,760
    assert clean_answers(CRITERION.unacceptable_limit / half, 0.05) == 2_880  # type: ignore[operator]
    bound = clopper_pearson_upper(0, 100_000, 0.01)
    limit = 0.00052 - half * bound
    assert clean_answers(limit / half, 0.04) == 3_237  # 10^5 checks, .8 and .2 of delta
    # the same two ways where one looks after every answer: ours, all of delta and no bound, against bounds
    assert next(rate_boundary(0.00052, 0.05)) * half == 3_141
    assert next(rate_boundary(limit, 0.04)) * half == 3_523


def test_procedure_5_1_without_explanations_is_procedure_4_1() -> None:
    for score, rate, n in ((0.9, 0.0, 6_000), (0.9, 0.0, 100), (0.2, 0.0, 100), (0.9, 0.1, 100)):
        assert explained_verdict([], score, rate, n, CRITERION) is fixed_verdict(score, rate, n, CRITERION)


def test_the_misprint_fails_whoever_explains_well() -> None:
    part = ExplainedPart(0.5, 1.0, 0.0)
    assert explained_verdict([part], 1.0, 0.0, 10_000, CRITERION) is Verdict.PASS
    # as printed Bad-Rid-Exp has p s = .5 in place of p r = 0: above any limit, so it would hold as well
    assert part.mass * part.score > CRITERION.unacceptable_limit  # type: ignore[operator]
    assert explained_verdict([ExplainedPart(0.5, 0.0, 1.0)], 1.0, 0.0, 10_000, CRITERION) is Verdict.FAIL
    assert explained_verdict([ExplainedPart(0.5, 0.0, 0.0)], 1.0, 0.0, 10_000, Criterion(0.7, None)) is Verdict.FAIL
    with pytest.raises(BadInput, match="the explanations overlap"):
        explained_verdict([part, part, part], 1.0, 0.0, 10, CRITERION)


def test_the_paper_s_literature_and_multiplication() -> None:
    """A third right on literature, all on multiplication: bounds half as wide as without explanations (section 5)."""
    # U(1/3, 1000, .025) = .374 by hand from d(x, y): .5 + .5 * .374 = .687 < .7, and .5 + .5 * .36 would not be
    assert explained_verdict([ExplainedPart(0.5, 1.0, 0.0)], 1 / 3, 0.0, 1_000, Criterion(0.7, 0.5)) is Verdict.FAIL
    assert explained_verdict([ExplainedPart(0.5, 1.0, 0.0)], 1 / 3, 0.0, 200, Criterion(0.7, 0.5)) is Verdict.UNDECIDED


def test_where_procedures_answer_everything_nothing_is_bounded() -> None:
    """All is known: 1/2 * 1 + 1/2 * s against .7, so s = .4 suffices and s = .39 does not; n plays no part."""
    half = ExplainedPart(0.5, 1.0, 0.0)
    for score, verdict in ((0.4, Verdict.PASS), (0.39, Verdict.FAIL)):
        assert explained_verdict([half, ExplainedPart(0.5, score, 0.0)], 0.0, 0.0, 0, CRITERION) is verdict
    # unacceptable on .0005 of all questions is allowed, on .0006 not: the limit is .00052
    for rate, verdict in ((0.001, Verdict.PASS), (0.0012, Verdict.FAIL)):
        assert explained_verdict([half, ExplainedPart(0.5, 1.0, rate)], 0.0, 0.0, 0, CRITERION) is verdict
    # three thirds add up to 1 but for rounding
    assert explained_verdict([ExplainedPart(1 / 3, 1.0, 0.0)] * 3, 0.0, 0.0, 0, CRITERION) is Verdict.PASS
    with pytest.raises(BadInput, match="at least 1 observation"):
        explained_verdict([half], 0.0, 0.0, 0, CRITERION)
