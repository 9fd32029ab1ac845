"""Every combination of population, grading and look runs to a finding, or is refused by the one table, with the reason."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any, get_args

import pytest

from tests.certificate.candidates import Expert, interview
from tests.certificate.candidates import scope as letters
from tests.certificate.graders.graded import judge, people
from tests.each_case import each_case
from tests.validity.test_grid import Combination, grid, held, questions, scope, table
from vivavoce.certificate.certify import CertifiedScopes, Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.deployed import deployment_of
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.claims.results import ClaimFinding
from vivavoce.certificate.config import REFUSED, Drawing, Feature, refusal
from vivavoce.certificate.design.drawing import Endurance
from vivavoce.certificate.explanations.examine import Procedures
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.people import People
from vivavoce.certificate.graders.rule_grading import ByRule, GradingMethod
from vivavoce.errors import BadInput
from vivavoce.scopes import open_scope
from vivavoce.scopes.questions import Question

CELLS = tuple(grid(endurance=True))
GRADE_ONLY = Criterion(0.7, None)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
async def test_each_combination_runs_or_is_refused(cell: Combination) -> None:
    reason = refusal(cell.features)
    if reason:
        with pytest.raises(BadInput) as refused:
            await held(cell, Expert(1.0), 0.7, seed=1)
        assert str(refused.value) == reason
    else:
        finding: ClaimFinding = await held(cell, Expert(1.0), 0.5, seed=1)
        assert set(finding.verdicts) == {Verdict.PASS}
        assert questions(finding) > 0


def test_the_table_says_nothing_twice() -> None:
    assert not any(results < other or other < results for results, other in combinations(REFUSED, 2))
    assert all(reason and not reason.endswith(".") for reason in REFUSED.values())
    assert set().union(*REFUSED) <= set(get_args(Feature))
    # by themselves all parts are sound
    assert not any(refusal({feature}) for feature in get_args(Feature))


@each_case(
    "grading",
    [Graders(judge=judge()), Graders(people=People(())), Graders(judge=judge(), people=People(())), Procedures(ask=1)],
)
async def test_laws_are_for_the_scope_s_own_rule(grading: GradingMethod) -> None:
    lawful = open_scope("arithmetic?laws=commute")
    with pytest.raises(BadInput, match="laws over its questions"):
        await certify(interview(Expert(1.0)), lawful, GRADE_ONLY, Composition(grading=grading), seed=0)


async def test_what_is_refused_of_explanations() -> None:
    """The entries of the table that the grid does not meet: clusters, and asking again where each question comes once."""
    clustered = Composition(grading=Procedures(ask=1), procedure="fixed")
    with pytest.raises(BadInput, match="no clusters"):
        await certify(interview(Expert(1.0)), letters(10, copies=2), GRADE_ONLY, clustered, questions=4)
    again = Composition("weights", Procedures(again=1))
    with pytest.raises(BadInput, match="endless scope"):
        await certify(interview(Expert(1.0)), scope(), GRADE_ONLY, again)
    with pytest.raises(BadInput, match="endless scope"):
        await certify(
            interview(Expert(1.0)), scope(), GRADE_ONLY, replace(again, drawing="scope", procedure="fixed"), questions=9
        )


async def test_every_finding_has_a_claim_for_each_verdict_and_readers_names() -> None:
    used = deployment_of(scope())
    by_both = Composition(grading=Graders(judge=judge(), people=people(Expert(1.0), scope())))
    explained = Composition("weights", Procedures(given=(table(),)))
    certificate = await certify(interview(Expert(1.0)), scope(), GRADE_ONLY, seed=0)
    assert certificate.asked == certificate.questions
    findings: list[tuple[ClaimFinding, list[str]]] = [
        (certificate, ["scope 0"]),
        (await certify(interview(Expert(1.0)), [scope(0), scope(1)], GRADE_ONLY, seed=0), ["scope 0", "scope 1"]),
        (await certify(interview(Expert(1.0)), used, GRADE_ONLY, seed=0), ["scope 0", "scope 0"]),
        (await certify(interview(Expert(1.0)), scope(), Criterion(0.9999, None), by_both, seed=0, questions=50), ["scope 0"]),
        (await certify(interview(Expert(1.0)), scope(), Criterion(0.9999, None), explained, seed=0, questions=50), ["scope 0"]),
    ]
    for finding, scopes in findings:
        assert [claim.scope for claim in finding.claims] == scopes
        assert [claim.verdict for claim in finding.claims] == list(finding.verdicts)
        assert scope(0).digest in {finding.signature.scope_digest, *(claim.digest for claim in finding.claims)}
        renamed = finding.named("Ann", lambda name: f"{name}!")
        assert [claim.title for claim in renamed.claims] == [f"{name}!" for name in scopes]
        assert "Ann" in renamed.statement
        assert renamed.as_json() != finding.as_json()
    # what the candidate was asked is what was allowed, whoever graded and whatever procedures answered
    assert [finding.asked for finding, _ in findings[-2:]] == [50, 50]
    by_people, with_procedures = (finding.claims[0].questions for finding, _ in findings[-2:])
    assert by_people == 10  # one of five
    assert with_procedures > 50


@pytest.mark.parametrize("drawing", ["strata", "weights"])
async def test_two_verdicts_are_drawn_evenly(drawing: Drawing) -> None:
    with pytest.raises(BadInput, match="'--deployed' draws evenly"):
        await certify(interview(Expert(1.0)), deployment_of(scope()), GRADE_ONLY, Composition(drawing))


async def test_one_scope_in_a_list_is_a_list() -> None:
    scopes = await certify(interview(Expert(1.0)), [scope()], GRADE_ONLY, seed=0)
    assert isinstance(scopes, ManyScopes)


async def test_several_scopes_by_a_judge_say_so() -> None:
    scopes = await certify(
        interview(Expert(1.0)), [scope(0), scope(1)], GRADE_ONLY, Composition(grading=Graders(judge=judge())), seed=0
    )
    assert scopes.headline == ("test:knows passes 2 of 2 scopes by the judgement of test:points: 90% correct, 70% required.")
    assert any("no one graded the judge" in caveat for caveat in scopes.caveats)
    assert scopes.grading is not None
    assert scopes.grading.judgements == scopes.asked == scopes.as_json()["figures"]["grading"]["graded_by_judge"]
    assert scopes.spending.money == pytest.approx(0.01 * scopes.asked)
    assert scopes.signature.settings["judge"] == "test:points"


async def test_a_deployment_that_people_grade_waits_for_them() -> None:
    knows = Expert(0.95)
    by_people = Composition(grading=Graders(people=people(knows, scope())))
    by_rule = await certify(interview(knows), deployment_of(scope()), GRADE_ONLY, seed=2)
    certificate = await certify(interview(knows), deployment_of(scope()), GRADE_ONLY, by_people, seed=2)
    assert [entry.verdict for entry in (certificate.whole, certificate.deployed)] == [
        entry.verdict for entry in (by_rule.whole, by_rule.deployed)
    ]
    assert certificate.asked == by_rule.asked
    waits = await certify(
        interview(knows), deployment_of(scope()), GRADE_ONLY, Composition(grading=Graders(people=People(()), batch=7)), seed=2
    )
    assert waits.grading is not None
    assert len(waits.grading.waiting) == 7
    assert "wait for a grade by people" in waits.statement


async def test_one_look_waits_until_all_is_graded() -> None:
    knows = Expert(1.0)
    late = frozenset(question.id for question in scope().questions[100:])
    missing = Graders(people=people(knows, scope(), but=late), batch=60)
    composition = Composition(grading=missing, procedure="fixed")
    certificate = await certify(interview(knows), scope(), GRADE_ONLY, composition, questions=60)
    assert certificate.verdict is Verdict.UNDECIDED
    assert "wait for a grade by people" in certificate.why_not
    assert certificate.attempt is not None
    assert certificate.attempt.held.seed is None  # it may go on, and is not revealed
    whole = replace(composition, grading=Graders(people=people(knows, scope())))
    looked = await certify(interview(knows), scope(), Criterion(0.97, None), whole, questions=60)
    assert (looked.verdict, looked.questions) == (Verdict.UNDECIDED, 60)
    assert looked.attempt is not None
    assert looked.attempt.held.seed is not None


async def test_procedures_answer_in_strata_what_they_cover() -> None:
    plain = scope()
    rest = replace(plain, questions=tuple(replace(q, weight=1.0) for q in plain.questions))
    certificate = await certify(
        interview(Expert(1.0)), rest, GRADE_ONLY, Composition("strata", Procedures(given=(table(),))), seed=0
    )
    assert certificate.explained is not None
    assert certificate.explained.questions < certificate.questions
    assert [stratum.name for stratum in certificate.strata] == ["x", "y", "z"]
    assert certificate.explained.clean is None


def test_endurance_and_unreadable_belong_to_the_composition() -> None:
    composed = Composition(grading=ByRule("wrong"), endurance=Endurance(20))
    assert composed.terms(CertifiedScopes((letters(5),)), None) == {
        "at_least": 20,
        "procedure": "sequential",
        "questions": None,
        "design": None,
        "unreadable": "wrong",
    }


def test_a_population_that_cannot_be_drawn_is_refused_before_anything_is_asked() -> None:
    pair = (Question("1", "1?", accepted=("1",)),)
    with pytest.raises(BadInput, match="same category"):
        Composition("strata").population(replace(letters(2), questions=pair))


async def test_a_way_to_draw_that_there_is_not_is_named() -> None:
    unknown: Any = "deployed"
    with pytest.raises(BadInput, match="unknown drawing 'deployed': choose one of scope, strata, weights"):
        await certify(interview(Expert(1.0)), scope(), GRADE_ONLY, Composition(unknown))
