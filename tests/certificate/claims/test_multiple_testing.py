from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.certificate.claims.claim import MultipleTest, Verdict
from vivavoce.certificate.config import Correction
from vivavoce.errors import BadInput
from vivavoce.statistics.multiple import e_bh, family_wise

GOOD, BAD, OPEN = Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED
NEWS = st.lists(st.tuples(st.integers(0, 4), st.floats(-8, 8), st.floats(-8, 8)), max_size=60)


@given(NEWS, st.sampled_from(["fdr", "fwer"]))
def test_what_stands_is_the_rule_on_the_evidence_at_the_end(news: list[tuple[int, float, float]], rule: Correction) -> None:
    test = MultipleTest(5, rule, delta=0.2)
    stood: list[Verdict] = list(test.verdicts)
    for scope, understands, fails in news:
        test.take(scope, understands, fails)
        for before, now in zip(stood, test.verdicts, strict=True):
            assert before in (now, OPEN)  # never withdrawn
        stood = list(test.verdicts)
    for kind, verdict in enumerate((GOOD, BAD)):
        larger = [pair[kind] if pair[kind] > pair[1 - kind] else -inf for pair in test.evidence]
        listed = (e_bh if rule == "fdr" else family_wise)(larger, 0.2)
        assert listed == tuple(scope for scope, given_ in enumerate(test.verdicts) if given_ is verdict)
        # and each is large enough for the threshold that is told
        assert all(larger[scope] >= test.threshold(verdict) - 1e-6 for scope in listed)


def test_scopes_that_are_enough_together_stop_together() -> None:
    test = MultipleTest(3, "fdr", delta=0.05)  # 60 alone, 30 for two, 20 for three
    test.take(0, log(31), -1)
    assert test.verdicts == [OPEN, OPEN, OPEN]
    test.take(1, log(30.5), -1)
    assert test.verdicts == [GOOD, GOOD, OPEN]
    test.take(0, -5.0, 9.0)  # asked no more: what was in flight changes nothing
    assert test.evidence[0][0] == log(31)
    test.take(2, log(20.5), -1)
    assert test.verdicts == [GOOD, GOOD, GOOD]
    assert test.over


def test_the_two_kinds_of_verdict_are_lists_of_their_own() -> None:
    test = MultipleTest(2, "fdr", delta=0.05)  # 40 alone, 20 for two of one kind
    test.take(0, log(25), -1)
    test.take(1, -1, log(25))
    assert test.verdicts == [OPEN, OPEN]
    test.take(1, -1, log(41))
    assert test.verdicts == [OPEN, BAD]


def test_evidence_for_both_counts_for_the_larger_alone() -> None:
    test = MultipleTest(2, "fdr", delta=0.05)
    test.take(0, log(25), log(30))
    test.take(1, log(25), -1)
    assert test.verdicts == [OPEN, OPEN]  # one of each kind, not two that are understood


def test_the_family_wise_rule_waits_for_nobody() -> None:
    test = MultipleTest(3, "fwer", delta=0.05)
    for scope in range(3):
        test.take(scope, log(59), -1)
    assert test.verdicts == [OPEN] * 3
    test.take(1, log(61), -1)
    assert test.verdicts == [OPEN, GOOD, OPEN]


def test_turns_go_round_among_those_without_a_verdict_until_they_have_no_more() -> None:
    test = MultipleTest(3, "fwer", delta=0.05)
    assert [test.turn() for _ in range(4)] == [0, 1, 2, 0]
    test.take(0, 9.0, -9.0)
    assert [test.turn() for _ in range(4)] == [1, 2, 1, 2]
    test.has_no_more(1)
    assert [test.turn() for _ in range(2)] == [2, 2]
    test.has_no_more(2)
    assert test.turn() is None
    assert not test.over


def test_a_list_without_scopes_and_an_unknown_rule_are_refused() -> None:
    with pytest.raises(BadInput, match="at least one"):
        MultipleTest(0, "fdr", delta=0.05)
    with pytest.raises(BadInput, match="fdr and fwer"):
        MultipleTest(2, "holm", delta=0.05)  # type: ignore[arg-type]
