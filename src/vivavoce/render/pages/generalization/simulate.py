"""What a rehearsed survey says on its page: everything the template needs, already in words."""

from __future__ import annotations

from typing import Any

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, percent, percent_interval
from vivavoce.generalization.simulate import ANSWERS_EACH, HELD_OUT
from vivavoce.generalization.simulate_finding import SurveyRehearsal
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.generalization.simulate import rankings, yields

Cell = tuple[str, str]


def simulate_title(finding: SurveyRehearsal) -> str:
    """What the page is."""
    return "A survey, rehearsed on synthetic people"


def simulate_body(finding: SurveyRehearsal, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    return {
        "finding": finding,
        "plots": [figure(yields(finding, f"{name}y")), figure(rankings(finding, f"{name}r"))],
        "stages": by_stage(finding),
        "cells": by_cell(finding),
        "test": (percent(finding.result.test.value or 0.0), percent_interval(finding.result.test.interval)),
        "method": method(finding),
    }


def by_stage(finding: SurveyRehearsal) -> list[tuple[str, Cell, Cell, str]]:
    """Stage, yield, weighted estimate, AUC."""
    return [
        (str(stage.number), _share(stage.changed), _share(stage.weighted), f"{stage.auc:.2f}")
        for stage in finding.result.stages
    ]


def by_cell(finding: SurveyRehearsal) -> list[tuple[str, str, Cell, str]]:
    """Sort of pairs, truth, weighted estimate, unweighted share."""
    return [(cell.name, percent(cell.truth), _share(cell.weighted), percent(cell.unweighted)) for cell in finding.result.cells]


def method(finding: SurveyRehearsal) -> list[str]:
    """How the numbers were found, in sentences."""
    settings = finding.signature.settings
    return [
        f"From a pool of {count(settings['pool'])} random pairs each stage draws {count(settings['answers'])}: the first "
        f"uniformly, each later one {percent(1 - settings['epsilon'])} from the top {percent(settings['top'])} of the ranking "
        f"of the predictor “{finding.predictor}”, refitted to all answers so far, and the rest from below it. Each pair's "
        "weight is the number of pairs of the pool that it stands for.",
        f"AUC and rankings are those of the predictor fitted after the stage, on {count(HELD_OUT)} other pairs.",
        f"The test stage draws {count(settings['test'])} pairs, two thirds from the top hundredth of the last ranking and one "
        f"third from the bottom hundredth, and puts each to {ANSWERS_EACH} people; the majority counts.",
    ]


def _share(estimate: Estimate) -> Cell:
    return ("unknown" if estimate.value is None else percent(estimate.value), percent_interval(estimate.interval))
