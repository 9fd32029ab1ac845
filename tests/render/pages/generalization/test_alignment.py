"""The alignment on its page, in its plots and in the terminal."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.generalization.alignment.aligned import answers, pair, world
from tests.render.html_pages import drawings, html_of, unheaded
from vivavoce.formats.wording import THIN
from vivavoce.generalization.alignment.alignment_report import (
    clearest_reversals,
    ranked_models,
    reversals_section,
    short_name,
    used_rules,
)
from vivavoce.generalization.alignment.human_alignment import HumanAlignment, align
from vivavoce.generalization.answers import Grade, key_of
from vivavoce.generalization.config import AlignConfig
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.render.drawing import svg
from vivavoce.report.blocks import CaseCard, Fold, Pairs, Paragraph, ReportSection, ReportTable

HOSTILE = "<script>alert(1)</script>{{ 7*7 }}\x1b[2J\u202e[red]" + "x" * 120


@pytest.fixture(scope="module")
def finding() -> HumanAlignment:
    """Three models on 300 pairs; the best one does worse at 99%, as in the paper."""
    pairs, grades = world(300, np.random.default_rng(3), skills={"good": 0.85, "lab/fair": 0.5, "poor": 0.3})
    return align(pairs, answers(**grades), AlignConfig())


@pytest.fixture(scope="module")
def survey() -> HumanAlignment:
    return hostile()


def hostile() -> HumanAlignment:
    """People whose beliefs spread out, about a model and a person, with hostile names and questions."""
    rng = np.random.default_rng(4)
    pairs: list[BeliefPair] = []
    grades: dict[str, dict[str, Grade]] = {"model": {}, "person": {}}
    for n in range(200):
        q1, q2 = f"{HOSTILE} first {n}", f"</dd><img src=x onerror=alert(1)> second {n}"
        for after in (True, False):
            belief = float(np.clip(rng.beta(4, 2) if after else rng.beta(2, 4), 0, 1))
            pairs.append(pair(q1, q2, after, posterior=round(belief, 2), prior=0.5, person=f"p{n}"))
        for who, skill in (("model", 0.8), ("person", 0.4)):
            grades[who] |= {key_of(q1): bool(rng.random() < skill), key_of(q2): bool(rng.random() < skill)}
    table = answers(**grades)
    return align(pairs, replace(table, models=(HOSTILE, "person")), AlignConfig(thresholds=(0.5,), people=("person",)))


def table(finding: HumanAlignment, name: str) -> ReportTable:
    """The table that is called so."""
    return next(table for table in finding.report().tables if table.name == name)


def test_the_page_says_the_verdict_and_its_numbers(finding: HumanAlignment) -> None:
    html = unheaded(html_of(finding))
    assert "<title>People&#39;s expectations of 3 models, and the results</title>" in html
    assert "good answers most right, but at a threshold of 99% people&#39;s beliefs fit 1 of 2 other models better." in html
    for model in finding.models:
        for estimate in model.accuracy.values():
            assert f"<td>{estimate.value:.3f} <span>[" in html
    assert "lab/<wbr>fair" in html
    assert html.count("<svg") == 2
    assert "All beliefs are in one third (“uncertain”)" in html


def test_tables_are_in_the_order_of_right_answers_and_of_thresholds(finding: HumanAlignment) -> None:
    assert [alignment.model for alignment in ranked_models(finding.models)] == ["good", "lab/fair", "poor"]
    row, *_ = table(finding, "Weighted accuracy by model and threshold").rows
    assert [cell.text for cell in row.cells[1:]] == [
        f"{estimate.value:.3f}" for estimate in finding.models[0].accuracy.values()
    ]
    rows = table(finding, "Weighted accuracy of the best model minus each other model's").rows
    assert [row.head.text for row in rows] == ["lab/fair", "poor"]
    last = finding.comparisons[3].difference
    assert (finding.comparisons[3].second, finding.comparisons[3].threshold) == ("lab/fair", 0.99)
    assert last.value is not None
    assert rows[0].cells[3].text == f"−{abs(last.value):.3f}"
    assert rows[0].cells[3].bounds == last.interval
    assert rows[0].cells[3].below[1].startswith("p\N{NO-BREAK SPACE}")


def test_the_best_model_is_subtracted_from_whichever_way_it_was_compared(finding: HumanAlignment) -> None:
    comparisons = tuple(
        replace(difference, first=difference.second, second=difference.first) for difference in finding.comparisons
    )
    name = "Weighted accuracy of the best model minus each other model's"
    there = table(finding, name).rows[0].cells[0]
    back = table(replace(finding, comparisons=comparisons), name).rows[0].cells[0]
    assert there.value is not None
    assert there.bounds is not None
    assert back.bounds is not None
    assert back.value == -there.value  # type: ignore[operator]
    assert (back.bounds.lower, back.bounds.upper) == (-there.bounds.upper, -there.bounds.lower)


def test_rows_are_numbers(finding: HumanAlignment) -> None:
    first, *_ = finding.rows()
    accuracy = finding.models[0].accuracy[0.5]
    assert (first["Model"], first["Answers right"]) == ("good", finding.models[0].right.value)
    assert (first["At 50% mistakes × 1"], first["At 50% mistakes × 1, lower"]) == (accuracy.value, accuracy.interval.lower)


def test_rules_by_which_nobody_uses_anything_are_named_not_drawn(finding: HumanAlignment) -> None:
    assert used_rules(finding.models, finding.rules) == ["above:0.5", "top:0.25"]
    html = html_of(finding)
    assert "for anything: believed above 90%; believed above 95%; believed above 99%." in html
    _, used = drawings(finding)
    assert "the 25% believed most, from " in used.alt
    assert "Believed above 50%" not in svg(used, "u")  # everything is used: nothing differs from all questions


def test_reversals_are_told_with_their_questions(finding: HumanAlignment) -> None:
    assert {(reversal.better, reversal.worse) for reversal in clearest_reversals(finding.dominance.reversals)} >= {
        ("good", "poor")
    }
    match reversals_section(finding.dominance):
        case ReportSection(
            blocks=(Paragraph(text=dominance), CaseCard(blocks=(Paragraph(text=told), Fold(blocks=(evidence, *_)))), *_)
        ):
            assert dominance.startswith("In 3 of 3 pairs of models one is better, none of them by answering everything")
            assert "Once people choose it does worse: weighted accuracy at a threshold of 9" in told
            assert isinstance(evidence, CaseCard)
            assert isinstance(evidence.blocks[0], Pairs)
            assert str(dict(evidence.blocks[0].pairs)["Answers"]).startswith("good wrong, ")
        case other:
            pytest.fail(f"no reversal: {other}")


def test_plots_say_what_they_show(finding: HumanAlignment, survey: HumanAlignment) -> None:
    fits, _ = drawings(finding)
    assert re.search(r"at a threshold of 50% from 0\.\d+ for \w+ to 0\.\d+ for good; at a threshold of 99% ", fits.alt)
    assert re.search(r"at a threshold of 99% from 0\.\d+ for \w+ to 0\.\d+ for poor\.", fits.alt)
    third = drawings(survey)[-1]
    assert third.alt.startswith("Right answers by what people believed (expected wrong, uncertain, expected right): people ")


def test_a_single_model_with_few_pairs() -> None:
    few = align(
        [BeliefPair("a", "b", "t", "t", True, posterior=0.9)],
        answers(only={"a": True, "b": True}),
        AlignConfig(rules=("above:0.5",)),
    )
    html = html_of(few)
    assert "s expectations of only, and the results" in html
    assert "(too little for an interval)" in html
    assert "There are no two models to compare." in html
    assert few.models[0].right.interval.lower == pytest.approx(0.025)  # Clopper and Pearson, one of one


def test_a_model_without_any_pair_stays_in_the_table() -> None:
    pairs, grades = world(30, np.random.default_rng(5), skills={"good": 0.9})
    alignment = align(pairs, answers(good=grades["good"], silent={"other": True}), AlignConfig(rules=("top:0.5",)))
    html = html_of(alignment)
    assert "silent" in html
    assert "unknown" in html
    assert f"silent {30}".replace(",", THIN) in html


def test_short_names() -> None:
    assert short_name("a/b/") == "a/b/"
    assert len(short_name("y" * 100)) == 20
