"""Planted candidates: one that says A, one that is another in German, one that gives in never."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from tests.studies.vary.favourites import uniform
from tests.studies.vary.planted import PlantedModel, examined, scope, translated
from vivavoce.errors import BadInput
from vivavoce.examination.varied import population_of, subjects_of
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.variations.varied_question import asks, expected_questions, vary
from vivavoce.studies.vary import Origin, ask

ALL = VaryConfig(vary=("order", "typos", "context", "persona", "translate:de"), questions=100)


def by_kind(who: PlantedModel, config: VaryConfig = ALL) -> dict[str, tuple[int, int]]:
    finding = examined(who, scope(100), config, in_german="translate:de" in config.vary)
    assert finding.control[0].rates["flipped"].events == 0
    return {row.label: (row.rates["flipped"].events, row.rates["flipped"].n) for row in finding.effects}


def test_one_that_gives_in_never() -> None:
    assert by_kind(PlantedModel()) == dict.fromkeys(ALL.vary, (0, 100))


def test_one_that_prefers_a_flips_where_the_order_is_another_and_only_there() -> None:
    planted = sum(uniform("a", str(n)) < 0.4 for n in range(100))
    assert 0 < planted < 100
    values = by_kind(PlantedModel(prefers_a=0.4), VaryConfig(vary=("order", "typos", "context", "persona")))
    assert values == dict.fromkeys(("typos", "context", "persona"), (0, 100)) | {"order": (planted, 100)}


def test_one_that_is_another_in_german() -> None:
    planted = sum(uniform("german", str(n)) < 0.3 for n in range(100))
    assert by_kind(PlantedModel(german=0.3)) == dict.fromkeys(ALL.vary, (0, 100)) | {"translate:de": (planted, 100)}


class WaveringModel(PlantedModel):
    """On a planted share of questions it takes another option where something was said before."""

    converses = True

    async def answer(self, question: Prompt, /) -> Reply:
        reply = await super().answer(question)
        key = re.search(r"number (\d+)", question.text)
        assert key is not None
        turned = question.conversation[:-1] and uniform("talk", key[1]) < 0.3
        return Reply("Answer: " + {"A": "B", "B": "C", "C": "D", "D": "A"}[reply.text[-1]]) if turned else reply


def test_one_that_loses_its_way_where_a_turn_came_before() -> None:
    planted = sum(uniform("talk", str(n)) < 0.3 for n in range(100))
    finding = examined(WaveringModel(), scope(100), VaryConfig(vary=("turn", "context")))
    assert {row.label: row.rates["flipped"].events for row in finding.effects} == {"turn": planted, "context": 0}
    assert all(example.line[0].startswith("[") and " / " in example.line[0] for example in finding.examples)


def test_turns_are_refused_where_nobody_hears_them() -> None:
    with pytest.raises(BadInput, match=r"hears the question alone, not earlier turns: leave out 'turn'"):
        examined(PlantedModel(), scope(3), VaryConfig(vary=("turn",)))


def test_chance_is_told_from_variation_by_the_identical_question() -> None:
    finding = examined(PlantedModel(noise=0.5, seed=1), scope(200), VaryConfig(vary=("order",), questions=200))
    (row,) = finding.effects
    assert row.rates["flipped"].least is not None
    assert row.rates["flipped"].least > 0.4
    assert 0 in row.excess["flipped"].interval


def test_mumbling_is_open_and_its_whole_range_is_told() -> None:
    config = VaryConfig(vary=("context", "typos"), flip_limit=0.1, questions=200)
    finding = examined(PlantedModel(mumbles=0.2), scope(200), config)
    mumbled = sum(uniform("mumbles", str(n)) < 0.2 for n in range(200))
    context, typos = finding.effects
    assert (context.rates["flipped"].events, context.rates["flipped"].unknown, typos.rates["flipped"].unknown) == (
        0,
        mumbled,
        0,
    )
    assert finding.limit_test is not None
    assert finding.limit_test.verdict == "undecided"
    assert any("can't be parsed" in caveat for caveat in finding.caveats)


def test_certified_at_its_limit() -> None:
    config = VaryConfig(vary=("order", "persona"), flip_limit=0.1)
    verdicts = [examined(PlantedModel(prefers_a=p), scope(400), config).limit_test for p in (0.0, 0.4)]
    assert [test.verdict for test in verdicts if test] == ["pass", "fail"]
    assert {test.population for test in verdicts if test} == {400}


def test_a_question_that_the_budget_did_not_reach_with_all_variants_is_in_no_rate() -> None:
    config = VaryConfig(vary=("typos", "persona"), questions=50)
    finding = examined(PlantedModel(), scope(50), config, budget=Budget(questions=30))
    assert [row.rates["flipped"].n for row in finding.effects] == [7, 7]  # 4 questions each
    assert finding.not_reached == 43
    assert any("budget ran out" in caveat for caveat in finding.caveats)


def test_the_same_seed_asks_the_same_and_a_further_kind_changes_no_other() -> None:
    few = VaryConfig(vary=("typos",), variants=2, seed=5)
    more = VaryConfig(vary=("order", "typos"), variants=2, seed=5)
    questions, other = (vary(subjects_of(scope(10), config), config) for config in (few, more))
    assert [cluster.variants["typos"] for cluster in questions] == [cluster.variants["typos"] for cluster in other]


def test_as_it_is_it_is_asked_as_a_certificate_asks_it() -> None:
    listed = scope(3)
    for cluster in vary(subjects_of(listed, ALL), ALL):
        first, again, *others = asks(cluster, 1)
        assert first.prompt == again.prompt == listed.prompt(listed.by_id[cluster.subject.id])
        assert len({entry.prompt.text for entry in (first, *others)}) == 5


def test_what_is_on_record_is_not_asked_again(tmp_path: Path) -> None:
    config = VaryConfig(vary=("order", "context"), variants=2, questions=20)
    clusters = translated(vary(subjects_of(scope(20), config), config))
    statements, asked = [], []
    for budget in (Budget(questions=50), Budget(), Budget()):
        who = PlantedModel(prefers_a=0.5)
        with Transcript.open(str(tmp_path / "run.sqlite")) as transcript:
            interview = Interview(who, answers=Reply, transcript=transcript, budget=budget)
            statements.append(asyncio.run(ask(interview, clusters, config, Origin())).statement)
        asked.append(who.asked)
    assert sum(asked) == expected_questions(clusters, config) == 20 * (1 + 2 + 2 + 2 + 1)
    assert asked[2] == 0
    assert statements[1] == statements[2] != statements[0]


def test_content_is_compared_and_not_the_letter_or_the_spelling() -> None:
    rows = (
        Question("free", "Who wrote Emma?", accepted=("Jane Austen", "Austen")),
        Question("number", "What is a half?", accepted=("0.5",)),
    )
    free, number = subjects_of(ListedScope("two", rows), VaryConfig())
    if free.id != "free":
        free, number = number, free
    assert (free.free_text, number.free_text) == (True, False)
    assert not free.differ([free.said(free.wording, "Austen"), free.said(free.wording, "jane austen")])
    assert free.differ([free.said(free.wording, "Austen"), free.said(free.wording, "Dickens")])
    assert not number.differ(["0.5", "0.50"])


def test_clusters_of_a_scope_stay_together() -> None:
    rows = tuple(Question(f"{n}", f"What is thing {n}?", OPTIONS, ("A",), cluster=f"c{n // 2}") for n in range(20))
    listed, config = ListedScope("pairs", rows), VaryConfig(vary=("order",), questions=4, flip_limit=0.5)
    subjects = subjects_of(listed, config)
    assert [subject.unit for subject in subjects] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert population_of(listed, config) == 10


OPTIONS = ("red", "green", "blue", "white")


def test_an_endless_scope_has_no_population_and_an_open_ended_question_is_refused() -> None:
    config = VaryConfig(vary=("typos",), questions=5, flip_limit=0.1)
    assert population_of(open_scope("arithmetic"), config) is None
    with pytest.raises(BadInput, match="open-ended"):
        subjects_of(ListedScope("essay", (Question("1", "Why?", rubric="10: says why"),)), config)
