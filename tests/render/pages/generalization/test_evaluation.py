"""Evaluations of predictors and the most influential pairs, on the page and in the terminal."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from tests.render.conftest import HOSTILE
from tests.render.html_pages import MADE, assert_fits, assert_self_contained, outline
from vivavoce.generalization.evaluation.evaluation_finding import PredictorEvaluation
from vivavoce.generalization.evaluation.influential_pairs import InfluentialPairs, both_ways, influential_pairs
from vivavoce.generalization.evaluation.predictor_evaluation import evaluate
from vivavoce.generalization.pairs import Pair, PredictionOrigin
from vivavoce.render.console import print_report
from vivavoce.render.drawing import Drawing, drawing_of, svg
from vivavoce.render.page import page


def made(n: int, tasks: int, hostile: str = "") -> tuple[list[Pair], list[float]]:
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.05, 0.95, n)
    pairs = [
        Pair(
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


def printed(found: PredictorEvaluation | InfluentialPairs) -> str:
    file = io.StringIO()
    print_report(found.report(), Console(file=file, width=80))
    return file.getvalue()


def drawings(found: PredictorEvaluation) -> list[Drawing]:
    """The figures that there is enough for."""
    return [drawing for figure in found.report().figures if isinstance(drawing := drawing_of(figure.data), Drawing)]


def test_the_sentence_first_then_numbers_tasks_caveats_and_the_method_last() -> None:
    found = evaluation()
    text = outline(found).text
    order = [found.headline, found.likelihood, "NLL of a constant", "Pairs400", "By task of the first question"]
    order += ["By both tasks", "Limits", "How this was found", "Asked by sampling.", "seed 0"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert all(caveat in text for caveat in found.caveats)
    assert outline(found).tags["svg"] == 2


def test_of_many_tasks_the_best_and_the_worst_are_shown() -> None:
    found = evaluation()
    text = outline(found).text
    by_auc = [row for row in found.by_task_from if row.auc.value is not None]
    assert len(by_auc) == 30
    shown = [row.task[0] for row in by_auc if row.task[0] + "0" in text or row.task[0] + "1" in text]
    assert {by_auc[0].task[0], by_auc[-1].task[0]} <= set(shown)
    assert f"  and {30 - 12} more between them: --json has all" in printed(found)


def test_plots_say_what_they_show() -> None:
    roc, reliable = drawings(evaluation())
    assert roc.alt.endswith("chance is 0.50.")
    assert f'aria-label="{roc.alt}"' in svg(roc, "r")
    assert reliable.alt.startswith("Of the pairs given the least")
    constant = evaluate(made(20, 2)[0], [0.5] * 20)
    assert [drawing.alt.endswith("chance is 0.50.") for drawing in drawings(constant)] == [True]


def test_one_kind_alone_is_shown_without_a_curve() -> None:
    pairs = [Pair(f"{n}?", f"{n}!", "a", "b", n < 3, True) for n in range(9)]
    found = evaluate(pairs, np.linspace(0.1, 0.9, 9))
    text = outline(found).text
    assert "has an unknown ranking: every belief changed in 9 pairs" in text
    assert outline(found).tags["svg"] == 1
    assert "every belief changed" in printed(found)


@pytest.mark.parametrize("make", [evaluation, told])
def test_hostile_words_stay_words(make: type[PredictorEvaluation]) -> None:
    shown, harmless = outline(make(hostile=HOSTILE)), outline(make())  # type: ignore[call-arg]
    assert shown.tags["script"] == shown.tags["img"] == 0
    assert set(shown.tags) <= set(harmless.tags) | {"wbr"}  # where a long name may be broken
    html = page([make(hostile=HOSTILE)], made=MADE, version="0.1.0")  # type: ignore[call-arg]
    assert "\x1b" not in html + printed(make(hostile=HOSTILE))  # type: ignore[call-arg]
    assert len(html.encode(errors="replace")) < 1_000_000


def test_ids_are_unique_nothing_is_fetched_and_bytes_repeat() -> None:
    assert_self_contained(evaluation(), told(), evaluation(50, 2))


def test_telling_pairs_of_each_kind_are_shown() -> None:
    found = told()
    text = outline(found).text
    order = [found.statement, "After a wrong answer", "Wrong answers that change the belief", "Right answers without effect"]
    order += ["Limits", "40 pairs of 80 questions, each after a right and after a wrong answer", "seed 0"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert found.highest_wrong[0].pair.q1 in text
    assert printed(found).rstrip().splitlines()[-1] == found.statement
    assert printed(evaluation()).rstrip().splitlines()[-1] == evaluation().statement


def test_the_terminal_has_the_numbers_with_intervals_within_eighty_columns() -> None:
    found = evaluation()
    *body, statement = printed(found).rstrip().splitlines()
    assert statement == found.statement
    assert max(map(len, body)) <= 80
    for row in found.report().tables[0].rows:
        line = next(line for line in body if line.startswith(f"{row.head.short or row.head.text}  "))
        assert all(f"{cell.text} {cell.interval}".rstrip() in line for cell in row.cells)
    assert "Asked by sampling." in printed(found)


def test_rows_are_numbers() -> None:
    auc, *_, pairs = evaluation().rows()
    overall = evaluation().overall
    assert overall.auc.interval is not None
    assert (auc["measure"], auc["all pairs"], auc["all pairs, lower"]) == ("AUC", overall.auc.value, overall.auc.interval.lower)
    assert pairs["all pairs"] == 400
    assert told().rows()[0]["Predicted"] == told().after_wrong.value


@pytest.mark.slow
@pytest.mark.browser
def test_nothing_is_wider_than_the_window(tmp_path: Path) -> None:
    findings: list[PredictorEvaluation | InfluentialPairs] = [
        evaluation(hostile=HOSTILE),
        evaluation(),
        told(hostile=HOSTILE),
        told(),
    ]
    assert_fits(tmp_path, *findings)
