"""Replies as judges write them, and as they should not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.consistency.legal.bail.reading import Decision, judgement, read_decision, vote_of
from vivavoce.interview.candidate import NoAnswer, Reply

YES, NO, UNDECIDED = Decision.YES, Decision.NO, Decision.UNDECIDED


@pytest.mark.parametrize(
    ("reply", "decision"),
    [
        ("He has no record.\n\n[Answer] YES", YES),
        ("[Answer] NO", NO),
        ("[answer] no.", NO),
        ("reasons\n**[Answer] YES**\n\n", YES),
        ("reasons\n[Answer]: **NO**  \n", NO),
        ("`[Answer] YES`", YES),
        ("[Answer]  yes", YES),
        ("[Answer] YES\nOn reflection:\n[Answer] NO", NO),
        ("[Answer] UNDECIDED", UNDECIDED),
        ("[Answer] Defer to the judge.", UNDECIDED),
        ("[Answer] deferred to the court", UNDECIDED),
        ("[Answer] YES or [Answer] NO", None),
        ("[Answer] YES/NO", None),
        ("[Answer] YES, on conditions", None),
        ("[Answer] NOT YET", None),
        ("[Answer] NO\nThat is my view.", None),
        ("[Answer]", None),
        ("[Answer]\nYES", None),
        ("YES", None),
        ("Answer: YES", None),
        ("The answer is NO", None),
        ("not [Answer] YES", None),
        ("I cannot help with decisions about bail.", None),
        ("", None),
        (" \n\t\n", None),
        ("[Answer] ＹＥＳ", None),
        ("[Answer] yeſ", None),
    ],
)
def test_only_the_last_line_is_read_and_to_the_letter(reply: str, decision: Decision | None) -> None:
    assert read_decision(reply) is decision


def test_a_line_that_is_cut_by_the_limit_is_not_taken_for_a_short_one() -> None:
    # the last 2,000 characters begin exactly at the tag
    assert read_decision("not " + "[Answer] YES".ljust(2_000)) is None
    assert read_decision("x" * 5_000 + "[Answer] YES") is None
    assert read_decision("x" * 5_000 + "\n[Answer] YES" + " " * 5_000) is YES


@given(st.text())
def test_nothing_is_read_without_the_tag(reply: str) -> None:
    assert read_decision(reply.replace("[", "(")) is None


@pytest.mark.parametrize("hostile", ["*" * 2_000_000, "[Answer]" * 200_000, "[answer] no" + "_ " * 1_000_000, "\n" * 2_000_000])
def test_hostile_replies_cost_no_time(hostile: str) -> None:
    began = time.process_time()
    read_decision(hostile + "x")
    assert time.process_time() - began < 0.5


def test_an_absence_is_told_from_an_unreadable_reply() -> None:
    assert [vote_of(one) for one in (NoAnswer("time-out"), Reply("hm"), Reply("[Answer] NO"))] == [
        "no answer",
        "unreadable",
        NO,
    ]


@pytest.mark.parametrize(
    ("votes", "decision", "tied"),
    [
        ([YES], YES, False),
        ([YES, NO, YES], YES, False),
        ([YES, NO], UNDECIDED, True),
        ([YES, YES, NO, NO, UNDECIDED], UNDECIDED, True),
        ([UNDECIDED, UNDECIDED, NO], UNDECIDED, False),
        ([NO, "unreadable", "unreadable"], NO, False),
        (["unreadable", "no answer"], None, False),
        ([], None, False),
    ],
)
def test_the_majority_of_what_can_be_read_decides(votes: list[str], decision: Decision | None, tied: bool) -> None:
    told = judgement(votes)  # type: ignore[arg-type]
    assert (told.decision, told.tied) == (decision, tied)
    assert sum(told.votes.values()) == len(votes)


def test_leniency_is_ordered_as_the_law_has_it() -> None:
    assert sorted(Decision, key=lambda decision: decision.leniency) == [NO, UNDECIDED, YES]
