from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.certificate.docket import Docket, Rule
from vivavoce.certificate.finding import Verdict
from vivavoce.errors import BadInput
from vivavoce.statistics.multiple import e_bh, family_wise

GOOD, BAD, OPEN = Verdict.UNDERSTANDS, Verdict.DOES_NOT_UNDERSTAND, Verdict.NO_CONCLUSION
NEWS = st.lists(st.tuples(st.integers(0, 4), st.floats(-8, 8), st.floats(-8, 8)), max_size=60)


@given(NEWS, st.sampled_from(["fdr", "fwer"]))
def test_what_stands_is_the_rule_on_the_evidence_at_the_end(news: list[tuple[int, float, float]], rule: Rule) -> None:
    docket = Docket(5, rule, delta=0.2)
    stood: list[Verdict] = list(docket.verdicts)
    for scope, understands, fails in news:
        docket.take(scope, understands, fails)
        for before, now in zip(stood, docket.verdicts, strict=True):
            assert before in (now, OPEN)  # never withdrawn
        stood = list(docket.verdicts)
    for kind, verdict in enumerate((GOOD, BAD)):
        larger = [pair[kind] if pair[kind] > pair[1 - kind] else -inf for pair in docket.evidence]
        listed = (e_bh if rule == "fdr" else family_wise)(larger, 0.2)
        assert listed == tuple(scope for scope, given_ in enumerate(docket.verdicts) if given_ is verdict)
        # and each is large enough for the threshold that is told
        assert all(larger[scope] >= docket.threshold(verdict) - 1e-6 for scope in listed)


def test_scopes_that_are_enough_together_stop_together() -> None:
    docket = Docket(3, "fdr", delta=0.05)  # 60 alone, 30 for two, 20 for three
    docket.take(0, log(31), -1)
    assert docket.verdicts == [OPEN, OPEN, OPEN]
    docket.take(1, log(30.5), -1)
    assert docket.verdicts == [GOOD, GOOD, OPEN]
    docket.take(0, -5.0, 9.0)  # asked no more: what was in flight changes nothing
    assert docket.evidence[0][0] == log(31)
    docket.take(2, log(20.5), -1)
    assert docket.verdicts == [GOOD, GOOD, GOOD]
    assert docket.over


def test_the_two_kinds_of_verdict_are_lists_of_their_own() -> None:
    docket = Docket(2, "fdr", delta=0.05)  # 40 alone, 20 for two of one kind
    docket.take(0, log(25), -1)
    docket.take(1, -1, log(25))
    assert docket.verdicts == [OPEN, OPEN]
    docket.take(1, -1, log(41))
    assert docket.verdicts == [OPEN, BAD]


def test_evidence_for_both_counts_for_the_larger_alone() -> None:
    docket = Docket(2, "fdr", delta=0.05)
    docket.take(0, log(25), log(30))
    docket.take(1, log(25), -1)
    assert docket.verdicts == [OPEN, OPEN]  # one of each kind, not two that are understood


def test_the_family_wise_rule_waits_for_nobody() -> None:
    docket = Docket(3, "fwer", delta=0.05)
    for scope in range(3):
        docket.take(scope, log(59), -1)
    assert docket.verdicts == [OPEN] * 3
    docket.take(1, log(61), -1)
    assert docket.verdicts == [OPEN, GOOD, OPEN]


def test_turns_go_round_among_those_without_a_verdict_until_they_have_no_more() -> None:
    docket = Docket(3, "fwer", delta=0.05)
    assert [docket.turn() for _ in range(4)] == [0, 1, 2, 0]
    docket.take(0, 9.0, -9.0)
    assert [docket.turn() for _ in range(4)] == [1, 2, 1, 2]
    docket.has_no_more(1)
    assert [docket.turn() for _ in range(2)] == [2, 2]
    docket.has_no_more(2)
    assert docket.turn() is None
    assert not docket.over


def test_a_list_without_scopes_and_an_unknown_rule_are_refused() -> None:
    with pytest.raises(BadInput, match="at least one"):
        Docket(0, "fdr", delta=0.05)
    with pytest.raises(BadInput, match="fdr and fwer"):
        Docket(2, "holm", delta=0.05)  # type: ignore[arg-type]
