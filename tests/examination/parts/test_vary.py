"""Variations as a room: in a plan, in a dossier, and had again from the record."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.examination.made import examination
from tests.studies.vary.favourites import uniform
from tests.studies.vary.planted import PlantedVariations, scope
from tests.studies.vary.test_examine import Comparer, StoneTalker
from vivavoce.errors import BadFile, BadInput
from vivavoce.examination.dossier import Dossier
from vivavoce.examination.part import Claim
from vivavoce.examination.parts.studies import VaryPlan
from vivavoce.examination.plan import BudgetPlan, Plan
from vivavoce.examination.plan_file import as_toml, plan_of
from vivavoce.examination.recheck import RecheckFinding, recheck
from vivavoce.examination.run import Examination
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.forecasting.forecast_files import QuestionTuple, write_tuples
from vivavoce.studies.scope_subjects import subjects_of
from vivavoce.studies.variations.varied_question import vary
from vivavoce.studies.variations.writing import as_text, begin

MADE = datetime(2026, 3, 1, tzinfo=UTC)
ORDER = VaryConfig(vary=("order", "persona"), questions=40)


@pytest.fixture
def things(tmp_path: Path) -> str:
    """Forty questions with options as a file."""
    rows = [
        {"id": question.id, "question": question.text, "options": list(question.options), "answer": "A"}
        for question in scope(40).questions
    ]
    (tmp_path / "things.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"file:{tmp_path / 'things.jsonl'}"


@pytest.fixture
def stones(tmp_path: Path) -> str:
    """Twenty open-ended questions as a file."""
    rows = [{"id": f"q{n}", "question": f"Why does stone {n} fall?", "rubric": "10: says why"} for n in range(20)]
    (tmp_path / "stones.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"file:{tmp_path / 'stones.jsonl'}"


def plan(section: VaryPlan, **more: Any) -> Plan:
    return Plan(examinations=("vary",), sections=(section,), **more)


def held(who: Any, of: Plan, transcript: Transcript, judge: Any = None) -> Dossier:
    prepared = examination(who, of, transcript=transcript)
    if judge is not None:
        prepared = judged(prepared, judge, transcript)
    return asyncio.run(prepared.run())


def judged(prepared: Examination, judge: Any, transcript: Transcript) -> Examination:
    def judged_by(_: str, __: str) -> Interview[Any, Reply]:
        return Interview(judge, answers=Reply, transcript=transcript, budget=prepared.table.shared_budget.share())

    return replace(prepared, table=replace(prepared.table, judged_by=judged_by))


def again(dossier: Dossier, transcript: Transcript, *scopes: str, **more: Any) -> tuple[dict[str, Any], RecheckFinding]:
    document = json.loads(json.dumps(dossier.as_json(made=MADE, version="0.1.0") | {"transcript_head": str(transcript.head)}))
    return document, recheck(document, transcript, scopes=scopes, **more)


def test_a_plan_names_it_and_reads_as_it_was_written() -> None:
    read = plan_of("[vary]\nscope = 'arithmetic'\nvary = ['typos']\nflip_limit = 0.1\nvariants = 2\n")
    section = read.section(VaryPlan)
    assert section is not None
    assert section.config == VaryConfig(vary=("typos",), flip_limit=0.1, variants=2, questions=50)
    assert plan_of(as_toml(read)) == read


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("vary = ['paraphrase']", "'paraphrase' needs a file"),
        ("vary = ['odour']", "no kind of variation 'odour'"),
        ("vary = []", "no kind of variation: give one"),
        ("questions = 0", "questions"),
    ],
)
def test_what_cannot_be_meant_is_refused(line: str, says: str) -> None:
    with pytest.raises((BadFile, BadInput), match=says):
        plan_of(f"[vary]\nscope = 'arithmetic'\n{line}\n")


def test_without_a_scope_it_is_absent_with_the_remedy() -> None:
    with pytest.raises(BadInput, match=r"needs questions to vary: name a scope, \[vary\] scope"):
        examination(PlantedVariations(), plan_of("examinations = ['vary']"))


def test_it_is_a_room_of_the_dossier_and_comes_out_again(things: str) -> None:
    transcript = Transcript.open(None)
    dossier = held(PlantedVariations(prefers_a=0.4), plan(VaryPlan(things, ORDER), seed=3), transcript)
    (card,) = dossier.cards
    planted = sum(uniform("a", str(n)) < 0.4 for n in range(40))
    order, persona, control = card.figures
    assert (order.name, order.value, order.n) == ("order: answers changed", planted / 40, 40)
    assert order.lower is not None
    assert order.lower < planted / 40 < (order.upper or 0)
    assert (persona.value, control.value) == (0.0, 0.0)
    assert [claim.kind for claim in card.claims] == ["measured"]
    assert shlex.split(card.command)[:3] == ["viva", "consistency", "vary"]
    assert "--vary order,persona" in card.command
    assert "--seed 3" in card.command
    document, finding = again(dossier, transcript, things)
    assert (finding.same, finding.not_rechecked, [difference.path for difference in finding.differences]) == (True, (), [])
    document["cards"][0]["details"]["figures"]["treatments"][0]["rates"]["flipped"]["events"] = 1
    forged = recheck(document, transcript, scopes=(things,))
    assert "cards[0].details.figures.treatments[0].rates.flipped.events" in [
        difference.path for difference in forged.differences
    ]


def test_a_verdict_is_a_claim_with_its_chance(things: str) -> None:
    claims: list[Claim] = []
    for prefers, questions in ((0.0, 40), (1.0, 40), (0.2, 10)):
        section = VaryPlan(things, replace(ORDER, flip_limit=0.2, questions=questions))
        (card,) = held(PlantedVariations(prefers_a=prefers), plan(section), Transcript.open(None)).cards
        claims += card.claims
    assert [(claim.kind, claim.chance) for claim in claims] == [("trusted", 0.05), ("not", 0.05), ("unknown", None)]


def test_reviewed_translations_come_from_a_file(things: str, tmp_path: Path) -> None:
    config = VaryConfig(vary=("paraphrase",), questions=40)
    drafts = begin(vary(subjects_of(open_scope(things), config), config), config)
    tuples = [
        QuestionTuple("paraphrase", {"P": as_text(draft.wording), "para_P": f"Tell me: {as_text(draft.wording)}"}, id=draft.id)
        for draft in drafts
    ]
    write_tuples(tmp_path / "written.jsonl", tuples)
    transcript = Transcript.open(None)
    section = VaryPlan(things, config, written=str(tmp_path / "written.jsonl"))
    dossier = held(PlantedVariations(), plan(section), transcript)
    assert dossier.cards[0].details["figures"]["treatments"][0]["rates"]["flipped"]["n"] == 40
    _, finding = again(dossier, transcript, things, files=(tmp_path / "written.jsonl",))
    assert finding.same


def test_a_judge_of_open_answers_is_reread_from_the_record(stones: str) -> None:
    transcript, judge = Transcript.open(None), Comparer()
    section = VaryPlan(stones, VaryConfig(vary=("persona",), questions=20), judge="bot:eliza")
    dossier = held(StoneTalker(), plan(section), transcript, judge)
    details = dossier.cards[0].details
    assert details["details"]["judgements"] == {
        "pairs": 20,
        "same": 15,
        "different": 5,
        "torn": 0,
        "not_asked": 0,
        "undecided": 0,
    }
    asked = len(judge.asked)
    _, finding = again(dossier, transcript, stones)
    assert (finding.same, finding.not_rechecked) == (True, ())
    assert len(judge.asked) == asked


def test_a_budget_that_ends_among_judgements_is_not_rechecked_and_says_so(stones: str) -> None:
    transcript = Transcript.open(None)
    section = VaryPlan(stones, VaryConfig(vary=("persona",), questions=20), judge="bot:eliza")
    dossier = held(StoneTalker(), plan(section, budget=BudgetPlan(questions=70)), transcript, Comparer())
    assert dossier.cards[0].details["details"]["judgements"]["not_asked"] > 0
    _, finding = again(dossier, transcript, stones)
    assert any(re.search("vary: .*among the judgements", name) for name in finding.not_rechecked)


def test_a_budget_that_ends_it_ends_it_there_again(things: str) -> None:
    transcript = Transcript.open(None)
    dossier = held(PlantedVariations(), plan(VaryPlan(things, ORDER), budget=BudgetPlan(questions=50)), transcript)
    assert dossier.cards[0].details["figures"]["not_reached"] > 0
    _, finding = again(dossier, transcript, things)
    assert finding.same
    tiny = held(PlantedVariations(), plan(VaryPlan(things, ORDER), budget=BudgetPlan(questions=2)), Transcript.open(None))
    assert tiny.cards == ()
    assert any("not enough evidence" in room.reason for room in tiny.absent)
