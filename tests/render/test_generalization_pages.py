"""Alignments, evaluations of predictors, and surveys: pages, plots and the terminal."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.generalization.alignment.aligned import answers, pair, world
from tests.render.html_pages import assert_in_order, drawings, html_of, outline, printed, unheaded
from vivavoce.formats.wording import THIN
from vivavoce.generalization.alignment.alignment_report import (
    clearest_reversals,
    ranked_models,
    reversals_section,
    short_name,
    used_rules,
)
from vivavoce.generalization.alignment.human_alignment import HumanAlignment, align
from vivavoce.generalization.config import AlignConfig
from vivavoce.generalization.evaluation.evaluation_finding import PredictorEvaluation
from vivavoce.generalization.evaluation.influential_pairs import InfluentialPairs, both_ways, influential_pairs
from vivavoce.generalization.evaluation.predictor_evaluation import evaluate
from vivavoce.generalization.pairs import BeliefPair, Grade, PredictionOrigin, key_of
from vivavoce.generalization.survey.belief_changes import SurveyFinding, respondents_in_words, score_survey
from vivavoce.render.canvas import svg
from vivavoce.report.blocks import CaseCard, Fold, Pairs, Paragraph, ReportSection, ReportTable

HOSTILE = "<script>alert(1)</script>{{ 7*7 }}\x1b[2J\u202e[red]" + "x" * 120


@pytest.fixture(scope="module")
def alignment_finding() -> HumanAlignment:
    """Three models on 300 pairs; the best one does worse at 99%, as in the paper."""
    pairs, grades = world(300, np.random.default_rng(3), skills={"good": 0.85, "lab/fair": 0.5, "poor": 0.3})
    return align(pairs, answers(**grades), AlignConfig())


@pytest.fixture(scope="module")
def survey() -> HumanAlignment:
    return hostile_alignment()


def hostile_alignment() -> HumanAlignment:
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


def table(alignment_finding: HumanAlignment, name: str) -> ReportTable:
    """The table that is called so."""
    return next(table for table in alignment_finding.report().tables if table.name == name)


def test_the_page_says_the_verdict_and_its_numbers(alignment_finding: HumanAlignment) -> None:
    html = unheaded(html_of(alignment_finding))
    assert "<title>People&#39;s expectations of 3 models, and the results</title>" in html
    assert "good answers most right, but at a threshold of 99% people&#39;s beliefs fit 1 of 2 other models better." in html
    for model in alignment_finding.models:
        for estimate in model.accuracy.values():
            assert f"<td>{estimate.value:.3f} <span>[" in html
    assert "lab/<wbr>fair" in html
    assert html.count("<svg") == 2
    assert "All beliefs are in one third (“uncertain”)" in html


def test_tables_are_in_the_order_of_right_answers_and_of_thresholds(alignment_finding: HumanAlignment) -> None:
    assert [alignment.model for alignment in ranked_models(alignment_finding.models)] == ["good", "lab/fair", "poor"]
    row, *_ = table(alignment_finding, "Weighted accuracy by model and threshold").rows
    assert [cell.text for cell in row.cells[1:]] == [
        f"{estimate.value:.3f}" for estimate in alignment_finding.models[0].accuracy.values()
    ]
    rows = table(alignment_finding, "Weighted accuracy of the best model minus each other model's").rows
    assert [row.head.text for row in rows] == ["lab/fair", "poor"]
    last = alignment_finding.comparisons[3].difference
    assert (alignment_finding.comparisons[3].second, alignment_finding.comparisons[3].threshold) == ("lab/fair", 0.99)
    assert last.value is not None
    assert rows[0].cells[3].text == f"−{abs(last.value):.3f}"
    assert rows[0].cells[3].bounds == last.interval
    assert rows[0].cells[3].below[1].startswith("p\N{NO-BREAK SPACE}")


def test_the_best_model_is_subtracted_from_whichever_way_it_was_compared(alignment_finding: HumanAlignment) -> None:
    comparisons = tuple(
        replace(difference, first=difference.second, second=difference.first) for difference in alignment_finding.comparisons
    )
    name = "Weighted accuracy of the best model minus each other model's"
    there = table(alignment_finding, name).rows[0].cells[0]
    back = table(replace(alignment_finding, comparisons=comparisons), name).rows[0].cells[0]
    assert there.value is not None
    assert there.bounds is not None
    assert back.bounds is not None
    assert back.value == -there.value  # type: ignore[operator]
    assert (back.bounds.lower, back.bounds.upper) == (-there.bounds.upper, -there.bounds.lower)


def test_rows_are_numbers(alignment_finding: HumanAlignment) -> None:
    first, *_ = alignment_finding.rows()
    accuracy = alignment_finding.models[0].accuracy[0.5]
    assert (first["Model"], first["Answers right"]) == ("good", alignment_finding.models[0].right.value)
    assert (first["At 50% mistakes × 1"], first["At 50% mistakes × 1, lower"]) == (accuracy.value, accuracy.interval.lower)


def test_rules_by_which_nobody_uses_anything_are_named_not_drawn(alignment_finding: HumanAlignment) -> None:
    assert used_rules(alignment_finding.models, alignment_finding.rules) == ["above:0.5", "top:0.25"]
    html = html_of(alignment_finding)
    assert "for anything: believed above 90%; believed above 95%; believed above 99%." in html
    _, used = drawings(alignment_finding)
    assert "the 25% believed most, from " in used.alt
    assert "Believed above 50%" not in svg(used, "u")  # everything is used: nothing differs from all questions


def test_reversals_are_told_with_their_questions(alignment_finding: HumanAlignment) -> None:
    assert {(reversal.better, reversal.worse) for reversal in clearest_reversals(alignment_finding.dominance.reversals)} >= {
        ("good", "poor")
    }
    match reversals_section(alignment_finding.dominance):
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


def test_plots_say_what_they_show(alignment_finding: HumanAlignment, survey: HumanAlignment) -> None:
    fits, _ = drawings(alignment_finding)
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


def predicted_pairs(n: int, tasks: int, hostile: str = "") -> tuple[list[BeliefPair], list[float]]:
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.05, 0.95, n)
    pairs = [
        BeliefPair(
            f"{k}?{hostile}",
            f"{k}!{hostile}",
            f"from {k % tasks}{hostile}",
            f"to_{k % 3}{hostile}",
            k % 2 == 0,
            bool(rng.random() < p),
        )
        for k, p in enumerate(chances)
    ]
    return pairs, [float(chance) for chance in chances]


@cache
def evaluation(n: int = 400, tasks: int = 30, hostile: str = "") -> PredictorEvaluation:
    pairs, chances = predicted_pairs(n, tasks, hostile)
    origin = PredictionOrigin(f"own{hostile}", f"pairs.csv{hostile}", notes=(f"Asked by sampling.{hostile}",))
    return evaluate(pairs, chances, origin=origin)


@cache
def influential_pairs_finding(n: int = 40, hostile: str = "") -> InfluentialPairs:
    pairs, chances = predicted_pairs(n, 3, hostile)
    origin = PredictionOrigin(f"own{hostile}", "pairs.csv", notes=("Asked.",))
    return influential_pairs(both_ways(pairs), chances + chances[::-1], origin=origin)


def test_the_sentence_first_then_numbers_tasks_caveats_and_the_method_last() -> None:
    predictor_evaluation = evaluation()
    text = outline(predictor_evaluation).text
    order = [
        predictor_evaluation.headline,
        predictor_evaluation.likelihood,
        "Limits",
        "NLL of a constant",
        "Pairs400",
        "By task of the first question",
    ]
    order += ["By both tasks", "How this was found", "Asked by sampling.", "seed 0"]
    assert_in_order(text, order)
    assert outline(predictor_evaluation).tags["svg"] == 2


def test_of_many_tasks_the_best_and_the_worst_are_shown() -> None:
    predictor_evaluation = evaluation()
    text = outline(predictor_evaluation).text
    by_auc = [row for row in predictor_evaluation.by_task_from if row.auc.value is not None]
    assert len(by_auc) == 30
    shown = [row.task[0] for row in by_auc if row.task[0] + "0" in text or row.task[0] + "1" in text]
    assert {by_auc[0].task[0], by_auc[-1].task[0]} <= set(shown)
    assert f"  and {30 - 12} more between them: --json has all" in printed(predictor_evaluation)


def test_plots_of_predictors_say_what_they_show() -> None:
    roc, reliable = drawings(evaluation())
    assert roc.alt.endswith("chance is 0.50.")
    assert f'aria-label="{roc.alt}"' in svg(roc, "r")
    assert reliable.alt.startswith("Of the pairs given the least")
    constant = evaluate(predicted_pairs(20, 2)[0], [0.5] * 20)
    assert [drawing.alt.endswith("chance is 0.50.") for drawing in drawings(constant)] == [True]


def test_one_kind_alone_is_shown_without_a_curve() -> None:
    pairs = [BeliefPair(f"{n}?", f"{n}!", "a", "b", n < 3, True) for n in range(9)]
    predictor_evaluation = evaluate(pairs, np.linspace(0.1, 0.9, 9))
    text = outline(predictor_evaluation).text
    assert "has an unknown ranking: every belief changed in 9 pairs" in text
    assert outline(predictor_evaluation).tags["svg"] == 1
    assert "every belief changed" in printed(predictor_evaluation)


def test_telling_pairs_of_each_kind_are_shown() -> None:
    pairs = influential_pairs_finding()
    text = outline(pairs).text
    order = [
        pairs.statement,
        "Limits",
        "After a wrong answer",
        "Wrong answers that change the belief",
        "Right answers without effect",
    ]
    order += ["40 pairs of 80 questions, each after a right and after a wrong answer", "seed 0"]
    assert_in_order(text, order)
    assert pairs.highest_wrong[0].pair.q1 in text


def test_rows_of_predictors_are_numbers() -> None:
    auc, *_, pairs = evaluation().rows()
    overall = evaluation().overall
    assert overall.auc.interval is not None
    assert (auc["measure"], auc["all pairs"], auc["all pairs, lower"]) == ("AUC", overall.auc.value, overall.auc.interval.lower)
    assert pairs["all pairs"] == 400
    assert influential_pairs_finding().rows()[0]["Predicted"] == influential_pairs_finding().after_wrong.value


COUNTS = {"begun": 12, "agreed": 11, "done": 8, "failed": 1, "withdrawn": 1, "unfinished": 2}


def survey_finding(source: str = "answers", *, beliefs: bool = True) -> SurveyFinding:
    """Two stages of 100 answers, of which 20 and 50 changed."""
    dice = random.Random(0)
    pairs = []
    for stage, changes in ((1, 20), (2, 50)):
        for number in range(100):
            prior = dice.randrange(20, 70) / 100
            posterior = prior + 0.25 if number < changes else prior
            more = {"prior": prior, "posterior": posterior} if beliefs else {"belief_change": number < changes}
            right, weight = number % 2 == 0, 10.0 if stage == 1 else 1.0 + number % 7
            pairs.append(
                BeliefPair(
                    f"q{number}", f"z{stage}", "a", "b", right, person=f"{number % 20}", stage=stage, weight=weight, **more
                )
            )
    return score_survey(pairs, source=source, counts=COUNTS if beliefs else None)


def test_a_page_has_the_figures_and_four_plots() -> None:
    html = html_of(survey_finding())
    assert html.count("<svg") == 4
    assert "Answers that changed a belief, with 95% intervals: 20% " in html
    assert "Changes in percentage points: 65% of the beliefs stayed, 35% rose, and the others fell." in html
    assert "12 began the survey: 8 finished it, 1 failed the comprehension questions" in html


def test_where_beliefs_are_not_known_there_is_one_plot() -> None:
    html = html_of(survey_finding(beliefs=False))
    assert html.count("<svg") == 1
    assert "Belief before, mean" not in html


def test_lines_name_their_stage() -> None:
    lines = {row["What"]: row for row in survey_finding().rows()}
    assert lines["Changed in stage 1"]["Here"] == 0.2
    assert lines["Changed in stage 2"]["Here"] == 0.5
    assert lines["Changed in stage 2"]["Here, lower"] < 0.5 < lines["Changed in stage 2"]["Here, upper"]
    assert lines["Changed in stage 2"]["Answers"] == 100
    assert "Of all pairs of the pool in stage 2, by weights" in lines
    assert "Of all pairs of the pool in stage 1, by weights" not in lines


def test_the_terminal_says_what_became_of_respondents() -> None:
    text = printed(survey_finding())
    assert respondents_in_words(survey_finding().counts) in " ".join(text.split())
    assert text.rstrip().endswith("of wrong ones.")
