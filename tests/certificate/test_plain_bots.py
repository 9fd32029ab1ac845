"""Verdicts on bots that speak in plain sentences: right ones pass, gibberish fails, and a denial never passes."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

import vivavoce as viva
from tests.certificate import plain_bots as bots
from vivavoce.certificate.claims.claim import Verdict

CRITERION = viva.Criterion(0.7, None)
SEEDS = (range(3), pytest.param(range(200), marks=pytest.mark.slow))


def verdicts(bot: Any, rows: list[dict[str, Any]], seeds: range) -> Counter[Verdict]:
    scope = viva.open_scope(rows, name="plain")
    return Counter(viva.run(viva.certify(interview(bot), scope, CRITERION, seed=seed)).verdict for seed in seeds)


def interview(bot: Any) -> viva.Interview[viva.Prompt, viva.Reply]:
    return viva.Interview(viva.open_candidate(bot), answers=viva.Reply)


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize(("bot", "rows"), bots.RIGHT)
def test_a_bot_that_is_right_in_plain_words_passes(bot: bots.Bot, rows: list[dict[str, Any]], seeds: range) -> None:
    assert verdicts(bot, rows, seeds)[Verdict.PASS] >= 0.95 * len(seeds)


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("rows", [bots.RETURNS, bots.CARRIER, bots.CITY], ids=["returns", "carrier", "city"])
def test_gibberish_fails(rows: list[dict[str, Any]], seeds: range) -> None:
    assert verdicts("bot:gibberish", rows, seeds)[Verdict.FAIL] >= 0.95 * len(seeds)


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_denial_never_passes(seeds: range) -> None:
    assert verdicts(bots.denial, bots.CARRIER, seeds)[Verdict.PASS] == 0


def test_a_right_bot_is_better_than_gibberish() -> None:
    rows = viva.open_scope(bots.RETURNS, name="plain")
    comparison = viva.run(
        viva.compare([interview(bots.polite), interview("bot:gibberish")], rows, viva.ComparisonConfig(seed=1))
    )
    assert "is better than" in comparison.headline


def test_a_fail_that_rests_on_short_replies_is_no_verdict() -> None:
    def guesses(question: str) -> str:
        return "Answer: Hermes"

    scope = viva.open_scope(bots.CARRIER, name="plain")
    certificate = viva.run(viva.certify(interview(guesses), scope, CRITERION, seed=1))
    assert certificate.verdict is Verdict.UNDECIDED
    assert f"it fails if these {certificate.assumed_count} short replies are wrong" in certificate.headline
    assert len(certificate.assumed) == 5
    assert certificate.as_json()["figures"]["assumed_wrong"][0]["answer"] == "Answer: Hermes"
    decided = viva.open_scope([row | {"match": "exact"} for row in bots.CARRIER], name="plain")
    assert viva.run(viva.certify(interview(guesses), decided, CRITERION, seed=1)).verdict is Verdict.FAIL


def test_a_fail_stands_that_needs_no_assumption() -> None:
    def mostly_denies(question: str) -> str:
        return "Answer: Hermes" if int(question.split()[1]) % 10 == 0 else "Blorp trund fliss gack wuss."

    certificate = viva.run(
        viva.certify(interview(mostly_denies), viva.open_scope(bots.CARRIER, name="plain"), CRITERION, seed=1)
    )
    assert certificate.verdict is Verdict.FAIL


def test_a_bot_that_always_says_yes_does_not_change_its_answer() -> None:
    config = viva.VaryConfig(vary=("typos", "persona", "context"), questions=40)
    scope = viva.open_scope(bots.RETURNS, name="plain")
    finding = viva.run(viva.ask_variations(interview(bots.always_yes), scope, config))
    assert [effect.rates["flipped"].events for effect in finding.effects] == [0, 0, 0]
    assert "not significantly more often" in finding.headline


@pytest.mark.long
def test_a_comparison_says_what_short_replies_would_show() -> None:
    def guesses(question: str) -> str:
        return "Answer: Hermes"

    scope = viva.open_scope(bots.CARRIER[:60], name="plain")
    comparison = viva.run(viva.compare([interview(guesses), interview(bots.carrier)], scope, viva.ComparisonConfig(seed=1)))
    assert comparison.pairs[0].verdict == "undecided"
    assert (
        f"is worse than tests.certificate.plain_bots:carrier if these {comparison.pairs[0].assumed} short replies"
        in comparison.headline
    )
    gate = viva.run(viva.gate([interview(guesses), interview(bots.carrier)], scope, viva.GateConfig(seed=1)))
    assert gate.verdict == "undecided"
    assert re.search(r"fails on plain if these \d+ short replies are wrong", gate.headline)
    passed = viva.run(viva.gate([interview(bots.carrier), interview(guesses)], scope, viva.GateConfig(seed=1)))
    assert passed.verdict == "pass", "what short replies are worth can't make the other one worse"
