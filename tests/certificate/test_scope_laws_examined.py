"""Contradictions as unacceptable answers: what examinations make of them."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from tests.certificate.candidates import contradicts, interview, pair, pairs
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.deployed import deployment_of
from vivavoce.certificate.design.drawing import AsDrawn
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.people import People
from vivavoce.certificate.run import CertificateRun, RunTerms
from vivavoce.errors import BadInput
from vivavoce.formats.json_values import to_json
from vivavoce.interview.candidate import Reply, Usage
from vivavoce.render.page import write_page
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope
from vivavoce.scopes.unit_laws import BrokenLaws, refuse_laws

CRITERION = Criterion(0.7, 0.01)
ALL = Composition(procedure="fixed")
"""All questions of twenty pairs."""


async def test_planted_contradictions_are_counted_exactly() -> None:
    certificate = await certify(interview(contradicts(3, 7, 11)), pairs(20), CRITERION, ALL, questions=40, seed=0)
    assert (certificate.questions, certificate.complete) == (40, True)
    assert certificate.broken_laws == BrokenLaws(3, judged=20, unjudged=0, without_truth=40)
    assert certificate.unacceptable_count == 6
    # 17 of 20 pairs agree: score 17/20, unacceptable 3/20.
    assert [certificate.score.value, certificate.unacceptable.value] == pytest.approx([0.85, 0.15])
    assert {answer.id for answer in certificate.worst} == {"c3", "c7", "c11"}
    worst = next(answer for answer in certificate.worst if answer.id == "c7")
    assert worst.question == "1. How many in 7, counted up?\n2. How many in 7, counted down?"
    assert worst.answer == "1. Answer: 5\n2. Answer: 6"
    assert worst.unacceptable
    assert "“How many in 7, counted up?” was answered 5, “How many in 7, counted down?” 6" in worst.broken_law
    values = certificate.as_json()
    assert values["figures"]["broken_laws"] == {"count": 3, "judged": 20, "unjudged": 0, "without_truth": 40}
    assert values["figures"]["worst"][0]["broken_law"]
    assert "contradict each other by a law of the scope all count as unacceptable" in certificate.caveats[0]
    assert "40 questions have no listed right answer" in certificate.caveats[1]


async def test_without_laws_nothing_is_said_of_them() -> None:
    plain = ListedScope("plain", tuple(replace(q, law="", accepted=("5",)) for q in pairs(20).questions))
    certificate = await certify(interview(contradicts(3)), plain, CRITERION, ALL, questions=40, seed=0)
    assert certificate.broken_laws is None
    assert "broken_laws" not in certificate.as_json()
    assert "broken_law" not in certificate.as_json()["figures"]["worst"][0]
    assert not any("law" in caveat for caveat in certificate.caveats)


async def test_one_contradiction_in_ten_is_too_many() -> None:
    unsure = contradicts(*range(0, 2000, 10))
    certificate = await certify(interview(unsure), pairs(2000), Criterion(0.7, 0.01), seed=0)
    assert certificate.verdict is Verdict.FAIL
    assert certificate.broken_laws is not None
    assert certificate.broken_laws.count >= 1
    assert re.search(
        r"fails \S+.*: \d+% unacceptable \(shown: above \d+(\.\d+)?%\), at most 1% allowed\.", certificate.headline
    )
    assert " correct" not in certificate.headline
    sure = await certify(interview(contradicts()), pairs(2000), Criterion(0.7, 0.01), seed=0)
    assert sure.verdict is Verdict.PASS


async def test_the_fixed_procedure_counts_them_too() -> None:
    certificate = await certify(
        interview(contradicts(*range(500))),
        pairs(500),
        Criterion(0.7, 0.01),
        Composition(procedure="fixed"),
        questions=400,
        seed=0,
    )
    assert certificate.verdict is Verdict.FAIL
    assert certificate.broken_laws == BrokenLaws(200, judged=200, unjudged=0, without_truth=400)


async def test_strata_count_them_where_they_are() -> None:
    listed = pairs(400)
    listed = replace(listed, questions=tuple(replace(q, category="ab"[int(q.cluster[1:]) % 2]) for q in listed.questions))
    odd = contradicts(*range(1, 400, 2))
    certificate = await certify(interview(odd), listed, Criterion(0.3, 0.2), Composition("strata"), seed=0)
    assert certificate.verdict is Verdict.FAIL
    even, uneven = certificate.strata
    assert (even.unacceptable, even.score) == (0, 1.0)
    assert (uneven.unacceptable, uneven.score) == (uneven.questions, 0.0)


async def test_weights_count_them_by_weight() -> None:
    listed = pairs(40)
    listed = replace(
        listed, questions=tuple(replace(q, weight=3.0 if q.cluster in ("c1", "c2") else 1.0) for q in listed.questions)
    )
    # Of the weight 2·3 + 38 = 44, the broken pair has 3. Only the last pair shows that the score is at least 41/44.
    certificate = await certify(
        interview(contradicts(1)), listed, Criterion(41 / 44 - 1e-6, None), Composition("weights"), seed=0
    )
    assert certificate.broken_laws == BrokenLaws(1, judged=40, unjudged=0, without_truth=80)
    assert certificate.unacceptable.value == pytest.approx(3 / 44)
    both = await certify(interview(contradicts(1)), deployment_of(listed), Criterion(41 / 44 - 1e-6, None), seed=0)
    assert both.deployed.unacceptable.value == pytest.approx(3 / 44)
    # Counted alike the score is 39/40, and that it is at least 41/44 shows before all have been asked.
    assert both.whole.verdict is both.deployed.verdict is Verdict.PASS
    whole, deployed = (both.as_json()["figures"][name]["figures"] for name in ("whole", "deployed"))
    assert whole["broken_laws"]["judged"] < deployed["broken_laws"]["judged"] == 40


async def test_many_scopes_each_count_their_own() -> None:
    scope, other = pairs(20), ListedScope("others", tuple(replace(q, text=f"{q.text} Truly?") for q in pairs(30).questions))
    scopes = await certify(interview(contradicts(*range(30))), [scope, other], CRITERION, seed=0)
    for result in scopes.scopes:
        assert result.verdict is Verdict.FAIL
        assert result.broken_laws == BrokenLaws(
            result.questions // 2, result.questions // 2, unjudged=0, without_truth=result.questions
        )
        assert to_json(result)["broken_laws"]["count"] == result.broken_laws.judged
    assert sum("law of the scope" in caveat for caveat in scopes.caveats) == 1
    plain = await certify(
        interview(contradicts()), [open_scope("arithmetic"), open_scope("intervals")], Criterion(0.7, None), seed=0
    )
    assert "broken_laws" not in plain.as_json()["figures"]["scopes"][0]


async def test_graders_and_explanations_refuse_laws() -> None:
    with pytest.raises(BadInput, match="laws over its questions, which graders do not know"):
        await certify(interview(contradicts()), pairs(3), CRITERION, Composition(grading=Graders(people=People(()))), seed=0)
    with pytest.raises(BadInput, match="which explanations do not support"):
        refuse_laws(open_scope("arithmetic?laws=commute"), "explanations")
    refuse_laws(open_scope("arithmetic"), "explanations")


async def test_the_page_shows_the_contradiction(tmp_path: Path) -> None:
    certificate = await certify(interview(contradicts(3)), pairs(20), CRITERION, ALL, questions=40, seed=0)
    write_page(tmp_path / "page.html", [certificate], made=datetime(2025, 11, 20, tzinfo=UTC), version="0.1.0")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert (
        "“How many in 3, counted up?” was answered 5, “How many in 3, counted down?” 6: the answers must be the same." in page
    )
    assert "of 20 that could be judged" in page


def errors(rate: float, limit: float, runs: int, wrong: Verdict) -> int:
    """How many of these examinations, of a candidate that contradicts itself at this rate, end in this verdict."""
    unit = pair(1)
    scope = EndlessScope("pairs", "pairs", lambda rng: unit[0], together=lambda question: unit)
    kept, broken = (Reply("Answer: 5"), Reply("Answer: 5")), (Reply("Answer: 5"), Reply("Answer: 6"))
    count = 0
    for seed in range(runs):
        chance, run = (
            random.Random(seed),
            CertificateRun(scope, AsDrawn(scope).inference(Criterion(0.5, limit, 0.1)), RunTerms(limit=400)),
        )
        verdict = Verdict.UNDECIDED
        for number, _ in enumerate(run.prompts(scope.draw(np.random.default_rng(seed)))):
            if number % 2 == 0:
                answers = broken if chance.random() < rate else kept
            verdict = run.take(answers[number % 2])
            if verdict is not Verdict.UNDECIDED:
                break
        assert run.certificate("", "", Usage(), seed).broken_laws is not None
        count += verdict is wrong
    return count


@pytest.mark.slow
def test_wrong_verdicts_are_as_rare_as_promised() -> None:
    # With error at most .1, of 80 runs at most 8 are wrong on average; 22 or more have probability 1e-5 (binomial).
    assert errors(0.1 + 1e-9, 0.1, 80, Verdict.PASS) <= 21
    assert errors(0.1 - 1e-9, 0.1, 80, Verdict.FAIL) <= 21
    # And the study can tell: at a fifth of the limit most are right.
    assert errors(0.02, 0.1, 20, Verdict.PASS) >= 15
