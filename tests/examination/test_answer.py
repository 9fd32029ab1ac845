"""The answer says what findings say, and no more."""

from __future__ import annotations

from dataclasses import replace

from tests.examination.made import FAILED, PASSED, card, dossier
from vivavoce.examination.cards import Claim


def test_each_claim_stands_in_its_place() -> None:
    answer = dossier(card(PASSED, FAILED, Claim("unknown", "verbs"), Claim("measured", "Half."))).answer
    assert answer.trusted == (PASSED.words,)
    assert answer.not_for == (FAILED.words,)
    # a room that was left out stays open; one that is for other candidates does not
    luna = "“How does it play a game of questions and answers?” (not examined)"
    assert answer.unknown == ("verbs", luna, "anything else")
    assert answer.measured == ("Half.",)
    assert "Measured only: Half." in answer.paragraph


def test_one_procedure_for_several_verdicts() -> None:
    text = dossier(card(PASSED, FAILED)).answer.guarantee
    assert text == "2 verdicts come from a procedure that gives any wrong one at most 5% of the time."
    assert dossier(card(PASSED)).answer.guarantee == "1 verdict comes from a procedure that is wrong at most 5% of the time."


def test_chances_of_several_certificates_add_up() -> None:
    # P(A or B) <= P(A) + P(B): .05 + .01 = .06
    text = dossier(card(PASSED), card(replace(FAILED, chance=0.01))).answer.guarantee
    name = "1 verdict comes from a procedure that is wrong at most {}% of the time."
    all_ = "Together they give any wrong verdict at most 6% of the time."
    assert text == f"{name.format(5)} {name.format(1)} {all_}"
    assert dossier(card(PASSED), card(FAILED)).answer.guarantee == (
        "2 verdicts come from 2 procedures, each of which is wrong at most 5% of the time. "
        "Together they give any wrong verdict at most 10% of the time."
    )


def test_a_mean_share_of_wrong_verdicts_bounds_no_chance() -> None:
    shared = card(replace(PASSED, shared=True), replace(FAILED, shared=True))
    assert "on average at most 5% of its verdicts are wrong" in dossier(shared).answer.guarantee
    assert "errs" not in dossier(shared, card(PASSED)).answer.guarantee


def test_without_a_verdict_there_is_no_promise() -> None:
    answer = dossier(card(Claim("unknown", "sums"))).answer
    assert answer.guarantee == ""
    assert "Passes: none of the tests." in answer.paragraph


def test_the_result_counts_tests_and_names_what_failed() -> None:
    failed = replace(FAILED, subject="opening hours")
    assert dossier(card(PASSED, PASSED, failed)).headline == "bot:x passes 2 of 3 tests. Don't use it for opening hours."
    assert dossier(card(PASSED)).headline == "bot:x passes 1 of 1 test."
    assert dossier(card(PASSED, Claim("unknown", "verbs"))).headline == "bot:x passes 1 of 2 tests (1 undecided)."
    assert dossier().headline == "bot:x took no test with a pass mark."
    many = [replace(FAILED, subject=name) for name in "abcdef"]
    assert dossier(card(*many)).headline == "bot:x passes 0 of 6 tests. Don't use it for a, b, c and 3 more."


def test_a_contradiction_is_no_test_but_is_named() -> None:
    flawed = replace(card(Claim("not", "decisions on bail: one in ten", subject="decisions on bail")), room="bail", details={})
    assert dossier(flawed).headline == "bot:x took no test with a pass mark. Don't use it for decisions on bail."
