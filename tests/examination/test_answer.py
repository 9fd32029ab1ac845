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
    assert answer.unknown == ("verbs", luna, "all that was not asked about")
    assert answer.measured == ("Half.",)
    assert "Measured, without a verdict: Half." in answer.paragraph


def test_one_procedure_for_several_verdicts() -> None:
    told = dossier(card(PASSED, FAILED)).answer.guarantee
    assert told == "2 verdicts come from a procedure that gives any wrong one at most 5% of the time."
    assert dossier(card(PASSED)).answer.guarantee == "One verdict comes from a procedure that is wrong at most 5% of the time."


def test_chances_of_several_certificates_add_up() -> None:
    # P(A or B) <= P(A) + P(B): .05 + .01 = .06
    told = dossier(card(PASSED), card(replace(FAILED, chance=0.01))).answer.guarantee
    assert told.startswith("The 2 certificates were made one by one: ")
    assert told.endswith("At least one of them is wrong at most 6% of the time.")


def test_a_mean_share_of_wrong_verdicts_bounds_no_chance() -> None:
    shared = card(replace(PASSED, shared=True), replace(FAILED, shared=True))
    assert "on average at most 5% are wrong" in dossier(shared).answer.guarantee
    assert "errs" not in dossier(shared, card(PASSED)).answer.guarantee


def test_without_a_verdict_there_is_no_promise() -> None:
    answer = dossier(card(Claim("unknown", "sums"))).answer
    assert answer.guarantee == ""
    assert "May be trusted for: nothing was certified here." in answer.paragraph
