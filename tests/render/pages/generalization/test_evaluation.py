"""Evaluations of predictors and the most influential pairs, on the page and in the terminal."""

from __future__ import annotations

from functools import cache

import numpy as np

from tests.render.html_pages import assert_in_order, drawings, outline, printed
from vivavoce.generalization.evaluation.evaluation_finding import PredictorEvaluation
from vivavoce.generalization.evaluation.influential_pairs import InfluentialPairs, both_ways, influential_pairs
from vivavoce.generalization.evaluation.predictor_evaluation import evaluate
from vivavoce.generalization.pairs import BeliefPair, PredictionOrigin
from vivavoce.render.drawing import svg


def made(n: int, tasks: int, hostile: str = "") -> tuple[list[BeliefPair], list[float]]:
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
    pairs, chances = made(n, tasks, hostile)
    origin = PredictionOrigin(f"own{hostile}", f"pairs.csv{hostile}", notes=(f"Asked by sampling.{hostile}",))
    return evaluate(pairs, chances, origin=origin)


@cache
def told(n: int = 40, hostile: str = "") -> InfluentialPairs:
    pairs, chances = made(n, 3, hostile)
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


def test_plots_say_what_they_show() -> None:
    roc, reliable = drawings(evaluation())
    assert roc.alt.endswith("chance is 0.50.")
    assert f'aria-label="{roc.alt}"' in svg(roc, "r")
    assert reliable.alt.startswith("Of the pairs given the least")
    constant = evaluate(made(20, 2)[0], [0.5] * 20)
    assert [drawing.alt.endswith("chance is 0.50.") for drawing in drawings(constant)] == [True]


def test_one_kind_alone_is_shown_without_a_curve() -> None:
    pairs = [BeliefPair(f"{n}?", f"{n}!", "a", "b", n < 3, True) for n in range(9)]
    predictor_evaluation = evaluate(pairs, np.linspace(0.1, 0.9, 9))
    text = outline(predictor_evaluation).text
    assert "has an unknown ranking: every belief changed in 9 pairs" in text
    assert outline(predictor_evaluation).tags["svg"] == 1
    assert "every belief changed" in printed(predictor_evaluation)


def test_telling_pairs_of_each_kind_are_shown() -> None:
    pairs = told()
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


def test_the_terminal_has_the_numbers_with_intervals_in_the_line_of_their_measure() -> None:
    predictor_evaluation = evaluation()
    body = printed(predictor_evaluation).splitlines()
    for row in predictor_evaluation.report().tables[0].rows:
        line = next(line for line in body if line.startswith(f"{row.head.short or row.head.text}  "))
        assert all(f"{cell.text} {cell.interval}".rstrip() in line for cell in row.cells)
    assert "Asked by sampling." in printed(predictor_evaluation)


def test_rows_are_numbers() -> None:
    auc, *_, pairs = evaluation().rows()
    overall = evaluation().overall
    assert overall.auc.interval is not None
    assert (auc["measure"], auc["all pairs"], auc["all pairs, lower"]) == ("AUC", overall.auc.value, overall.auc.interval.lower)
    assert pairs["all pairs"] == 400
    assert told().rows()[0]["Predicted"] == told().after_wrong.value
