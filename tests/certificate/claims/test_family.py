"""Several claims at once: families of verdicts and their correction."""

from __future__ import annotations

import asyncio
from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.candidates import open_candidate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import (
    ClaimFamily,
    Criterion,
    FamilyTest,
    MemberEvidence,
    MultipleTest,
    Verdict,
    levels,
    verdicts,
)
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.config import Correction
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope
from vivavoce.statistics.multiple import e_bh, family_wise

DELTA = 0.05
Path = list[float]


def stopped(path: Path, family: ClaimFamily) -> tuple[MemberEvidence, bool]:
    """The evidence of a member with these log e-values for understanding, at the level of a round; whether it got there."""
    test = FamilyTest(family, DELTA)
    for value in path:
        if test.turn() is None:
            break
        test.take(0, value, -value)
    understands, fails = test.evidence[0]
    return MemberEvidence(understands, fails), test.over


def test_each_kind_of_verdict_has_its_own_threshold() -> None:
    test = FamilyTest(ClaimFamily(100, understands=25, fails=10), DELTA)
    assert test.threshold(Verdict.PASS) == pytest.approx(log(100 / (25 * DELTA)))
    assert test.threshold(Verdict.FAIL) == pytest.approx(log(100 / (10 * DELTA)))
    assert MultipleTest(2, "fdr", delta=DELTA).evidence == [(0.0, 0.0)] * 2  # e-values of 1 before the first answer


def held(paths: list[Path]) -> tuple[list[MemberEvidence], int]:
    """All rounds of a family: the evidence at the end, and how many rounds there were."""
    family: ClaimFamily | None = ClaimFamily(len(paths))
    evidence = [MemberEvidence()] * len(paths)
    open_, rounds = set(range(len(paths))), 0
    while family is not None:
        rounds += 1
        for member in sorted(open_):
            evidence[member], reached = stopped(paths[member], family)
            if not reached:
                open_.discard(member)
        given_now = verdicts(evidence, "fdr", DELTA)
        open_ = {member for member in open_ if given_now[member] is Verdict.UNDECIDED}
        family = levels(evidence, family, DELTA)
    return evidence, rounds


paths = st.lists(st.floats(-2, 2), min_size=1, max_size=30).map(lambda steps: np.cumsum(steps).tolist())


@given(st.lists(paths, min_size=1, max_size=12))
def test_the_list_at_the_end_is_e_bh_and_who_is_not_on_it_has_no_more_to_show(members: list[Path]) -> None:
    evidence, rounds = held(members)
    decided = verdicts(evidence, "fdr", DELTA)
    # outside witness: the rule itself, on either kind by itself
    for kind, index in ((Verdict.PASS, 0), (Verdict.FAIL, 1)):
        ends = [(pair.understands, pair.fails)[:: 1 - 2 * index] for pair in evidence]
        log_e = [own if own > other else -np.inf for own, other in ends]
        assert {n for n, verdict in enumerate(decided) if verdict is kind} == set(e_bh(log_e, DELTA))
    assert rounds <= 2 * len(members) + 1
    given_of = {kind: decided.count(kind) for kind in (Verdict.PASS, Verdict.FAIL)}
    for path, verdict in zip(members, decided, strict=True):
        if verdict is Verdict.UNDECIDED:  # one more of its kind would not have been enough where the path ends
            last = path[-1]
            with_it = given_of[Verdict.PASS if last > 0 else Verdict.FAIL] + 1
            assert abs(last) < log(len(members) / (with_it * DELTA)) + 1e-9 or max(map(abs, path)) > log(1 / DELTA)


def test_the_share_of_wrong_verdicts_is_bounded_at_the_boundary() -> None:
    # 20 members, of which 14 are exactly at the passing grade .7, so that "pass" is wrong, and 6 are at .85
    rng, delta, grade = np.random.default_rng(1), 0.2, 0.7
    chances = np.array([grade] * 14 + [0.85] * 6)
    shares = []
    for _ in range(400):
        right = rng.random((20, 250)) < chances[:, None]
        fractions = np.array([0.4, 0.9])[:, None, None]
        log_e = np.log(np.mean(np.exp(np.cumsum(np.log1p(fractions * (right - grade)), axis=2)), axis=0))
        family: ClaimFamily | None = ClaimFamily(20)
        evidence, open_ = [MemberEvidence()] * 20, set(range(20))
        while family is not None:
            enough = family.at(delta)[0]
            for member in list(open_):
                over = np.flatnonzero(log_e[member] >= enough - 1e-9)
                evidence[member] = MemberEvidence(float(log_e[member, over[0] if over.size else -1]), -1e3)
                if not over.size:
                    open_.discard(member)
            given_now = verdicts(evidence, "fdr", delta)
            open_ = {member for member in open_ if given_now[member] is Verdict.UNDECIDED}
            family = levels(evidence, family, delta)
        on_list = [member for member, verdict in enumerate(verdicts(evidence, "fdr", delta)) if verdict is Verdict.PASS]
        shares.append(sum(member < 14 for member in on_list) / max(1, len(on_list)))
    # the bound is delta times the share of true nulls, .14; three standard errors of the mean on top
    assert np.mean(shares) <= 0.14 + 3 * np.std(shares) / 20
    assert np.mean(shares) > 0  # it does err


def certified(family: ClaimFamily | None, questions: int = 400) -> ManyScopes:
    interview = Interview(open_candidate("bot:calculator?wrong=0.1"), answers=Reply, concurrency=1)
    result = certify(
        interview, [open_scope("arithmetic")], Criterion(0.7, None), Composition(family=family), seed=5, questions=questions
    )
    return asyncio.run(result)


def test_a_family_of_one_is_an_examination_of_one_scope() -> None:
    alone, of_family = certified(None), certified(ClaimFamily(1))
    assert of_family.scopes == alone.scopes
    assert of_family.thresholds == alone.thresholds


def test_a_higher_level_goes_on_with_the_same_questions() -> None:
    first, second = certified(ClaimFamily(100)), certified(ClaimFamily(100, understands=10))
    assert first.scopes[0].log_e_understands >= log(1 / 0.0475) - 1e-9
    assert second.scopes[0].log_e_understands >= log(10 / 0.0475) - 1e-9
    assert first.scopes[0].questions < second.scopes[0].questions


def test_evidence_of_a_later_attempt_counts_for_less() -> None:
    strong = log(25.0)  # of two that get a verdict together 20 is enough
    assert verdicts([MemberEvidence(strong), MemberEvidence(strong)], "fdr", DELTA) == [Verdict.PASS] * 2
    assert verdicts([MemberEvidence(strong), MemberEvidence(strong, 0.0, DELTA / 2)], "fdr", DELTA) == [Verdict.UNDECIDED] * 2


def test_by_the_family_wise_rule_there_is_one_round() -> None:
    family = ClaimFamily(10, rule="fwer")
    assert family.at(DELTA) == (log(10 / DELTA), log(10 / DELTA))
    assert levels([MemberEvidence(5.0)] * 10, family, DELTA) is None


@pytest.mark.parametrize("counts", [(0, None), (None, 4), (-1, 2)])
def test_impossible_families_are_refused(counts: tuple[int | None, int | None]) -> None:
    with pytest.raises(BadInput, match="a family of 3 members cannot get"):
        ClaimFamily(3, *counts)


def test_a_member_is_one_scope() -> None:
    interview, family = Interview(open_candidate("bot:calculator"), answers=Reply), Composition(family=ClaimFamily(2))
    with pytest.raises(BadInput, match="a member of a family is one scope, given as a sequence"):
        asyncio.run(certify(interview, open_scope("arithmetic"), Criterion(0.7, None), family))


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
    with pytest.raises(BadInput, match="fdr or fwer"):
        MultipleTest(2, "holm", delta=0.05)  # type: ignore[arg-type]
