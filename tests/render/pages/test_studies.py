"""Findings of studies on the page and in the terminal: the same for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from math import floor

import pytest

from tests.render.conftest import HOSTILE
from tests.render.html_pages import assert_in_order, outline, printed
from tests.studies.bail import examined as judged
from tests.studies.bail.examined import faulty
from tests.studies.bail.judges import Judge
from tests.studies.contract import Finding, contract_of, faulty_finding
from tests.studies.vary import planted as varied
from vivavoce.candidates.classifiers import FunctionClassifier
from vivavoce.consistency.config import CasesConfig
from vivavoce.consistency.legal.examine_cases import Bench
from vivavoce.consistency.legal.judges import ClassifierJudge
from vivavoce.consistency.legal.paraphrasing import PreparedParaphrases
from vivavoce.consistency.legal.trials import LegalCase, Paraphrase
from vivavoce.interview.candidate_kinds import CaseJudgement
from vivavoce.interview.interview import Interview
from vivavoce.render.drawing import drawing_of
from vivavoce.report.figures import IntervalRows
from vivavoce.studies.cases import judge_cases
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.scope_studies import SCOPE_STUDIES

Make = Callable[[float | None], Finding]


@cache
def vary(limit: float | None = None) -> Finding:
    """Answers that change in German and by the order; some replies can't be parsed."""
    config = VaryConfig(vary=("order", "context", "translate:de"), questions=60, flip_limit=limit)
    candidate = varied.PlantedModel(prefers_a=0.3, german=0.2, mumbles=0.1)
    return varied.examined(candidate, varied.scope(60), config, in_german=True)


@cache
def bail(_: float | None = None) -> Finding:
    """It grants bail for many convictions, and is sometimes silent."""

    def decide(text: str) -> str:
        return "perhaps" if "Age: 3" in text else faulty(text)

    return asyncio.run(judged.examined(Judge(decide), judged.FEW)).finding


@cache
def cases(_: float | None = None) -> Finding:
    """A classifier that looks for one word, with three paraphrases of each fact; one more of each is refused."""
    facts = ["A first fact that all cases share.", *(f"The applicant was {word} on 3 May." for word in ("asked", "detained"))]
    chosen = [LegalCase(f"c{n}", tuple(facts[: 2 + n % 2])) for n in range(40)]

    def judge(facts: Sequence[str]) -> float:
        return 0.85 if "detained" in " ".join(facts) else 0.35

    texts = {fact: [Paraphrase(fact, fact.replace("detained", word)) for word in ("held", "kept", "jailed")] for fact in facts}
    by = ClassifierJudge(Interview(FunctionClassifier("function:judge", judge), answers=CaseJudgement))
    bench = Bench(by, PreparedParaphrases(texts, "reviewed.jsonl"), source="cases.jsonl")
    return asyncio.run(judge_cases(bench, chosen, CasesConfig(shortest=5)))


LIMITED: Mapping[str, Make] = {"vary": vary, **{name: partial(faulty_finding, name) for name in SCOPE_STUDIES}}
"""Studies that may have a limit."""
MADE: Mapping[str, Make] = {**LIMITED, "bail": bail, "cases": cases}
STUDIES = pytest.mark.parametrize("name", LIMITED)


def finding_of(name: str, limit: float | None = None) -> Finding:
    """Of the study of that name."""
    return MADE[name](limit)


def hostile(name: str) -> Finding:
    """Hostile words wherever strangers can put words."""
    finding = finding_of(name, 0.1)
    examples = tuple(
        replace(
            example,
            id=f"{example.id}{HOSTILE}",
            expected=HOSTILE,
            texts=tuple((label, f"{text}{HOSTILE}") for label, text in example.texts),
            line=tuple(f"{text}{HOSTILE}" for text in example.line),
        )
        for example in finding.examples
    )
    effects = tuple(replace(effect, left_out={f"why{HOSTILE}": 2}) for effect in finding.effects)
    return replace(finding, examples=examples, effects=effects, candidate=f"model{HOSTILE}", scope=f"scope{HOSTILE}")


@STUDIES
def test_the_sentence_comes_first_then_numbers_examples_caveats_and_the_method(name: str) -> None:
    finding = finding_of(name)
    text = outline(finding).text
    heads = [table.columns[1].head for table in finding.report().tables if table.name]
    first, _, rest = text.partition("For example")
    report = finding.report()
    assert f"{report.headline} {report.chance}".rstrip() == finding.headline
    assert_in_order(first, [report.headline, report.chance, f"{finding.study.list_head}: {finding.ranked[0].label}"])
    assert_in_order(rest, [finding.examples[0].event, "Limits", "How this was found", "seed 0"])
    assert_in_order(rest[rest.index("Limits") :], [*heads, "How this was found"])
    assert outline(finding).tags["svg"] == 1


@STUDIES
def test_a_verdict_states_the_measured_value_the_limit_and_the_chance_of_an_error(name: str) -> None:
    finding = finding_of(name, 0.1)
    assert finding.limit_test is not None
    rate = finding.limit_test.rate
    least = floor(100 * rate.interval.lower)
    required = f", at most 10% allowed. Shown: above {least}%. Chance of a wrong verdict: at most 5%."
    fails = "changes its answer to {} of {} questions under these variations" if name == "vary" else contract_of(name).fails
    assert finding.headline == f"test:planted fails: it {fails.format(rate.text, rate.n)}{required}"
    assert finding.statement.startswith(finding.headline)
    assert finding.as_json()["verdict"] == "fail"


@STUDIES
def test_the_figure_says_each_rate_in_words(name: str) -> None:
    finding = finding_of(name, 0.1)
    (figure,) = finding.report().figures
    assert isinstance(figure.data, IntervalRows)
    drawing = drawing_of(figure.data)
    assert drawing is not None
    assert drawing.alt.startswith(f"Share of {finding.study.axis}: {finding.study.control_label} ")
    assert drawing.alt.endswith("The limit is 10%.")
    assert all(f"{effect.label} {effect.rates[finding.study.events[0]].text}" in drawing.alt for effect in finding.effects)
    assert replace(finding, effects=()).report().figures == ()


@pytest.mark.parametrize("name", MADE)
def test_without_any_treatment_it_says_that_nothing_was_compared(name: str) -> None:
    nothing = replace(finding_of(name), effects=())
    assert nothing.headline == nothing.study.nothing(nothing)
    assert not nothing.measured
    assert nothing.headline in " ".join(printed(nothing).split())
