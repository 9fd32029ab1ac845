"""What a survey of belief changes says on a page and in the terminal: tables in words, and plots."""

from __future__ import annotations

from typing import Any

from vivavoce.formats.wording import clipped, count, signed, signed_interval
from vivavoce.generalization.survey_finding import Direction, SurveyFinding, belief_in_words, share_in_words
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.generalization.survey import beliefs, stages

SHOWN_NAME = 200

Row = tuple[str, str, str]
"""What, the figure, of how many answers."""


def survey_title(finding: SurveyFinding) -> str:
    """What the page is."""
    return f"Belief changes in {clipped(finding.source, SHOWN_NAME)}"


def survey_body(finding: SurveyFinding, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    plots = [plot for plot in (stages(finding, f"{name}s"), *beliefs(finding, name)) if plot]
    return {
        "finding": finding,
        "rows": rows(finding),
        "respondents": respondents(finding),
        "plots": [figure(plot) for plot in plots],
    }


def rows(finding: SurveyFinding) -> list[Row]:
    """All figures, a line each."""
    found = [("Answers that changed a belief", share_in_words(finding.changed), count(finding.changed.n))]
    for one in finding.stages:
        if one.stage is None and len(finding.stages) == 1:
            name = ""
        else:
            name = f" in stage {one.stage}" if one.stage is not None else " without a stage"
            found.append((f"Changed{name}", share_in_words(one.changed), count(one.changed.n)))
        if one.weighted is not None:
            found.append((f"Of all pairs of the pool{name}, by weights", share_in_words(one.weighted), count(one.weighted.n)))
    found += _directed("right", finding.after_right) + _directed("wrong", finding.after_wrong)
    spread = finding.spread
    if spread is not None:
        change = "too little to say"
        if spread.change.value is not None:
            change = f"{signed(spread.change.value)} {signed_interval(spread.change.interval)}"
        found += [
            ("Belief before, mean", belief_in_words(spread.prior), count(spread.prior.n)),
            ("Belief after, mean", belief_in_words(spread.posterior), count(spread.posterior.n)),
            ("Change, mean", change, count(spread.change.n)),
            ("Changes of 5 points or less", share_in_words(spread.slight), count(spread.slight.n)),
        ]
    return found


def respondents(finding: SurveyFinding) -> str:
    """How many came to which end, in a sentence; empty where it is not known."""
    told = finding.counts
    if told is None:
        return ""
    number = {name: count(told.get(name, 0)) for name in ("begun", "done", "failed", "withdrawn", "unfinished")}
    return (
        f"{number['begun']} began the survey: {number['done']} finished it, {number['failed']} did not pass the questions on "
        f"the task, {number['withdrawn']} withdrew, {number['unfinished']} stopped early or have not finished yet."
    )


def _directed(kind: str, found: Direction) -> list[Row]:
    lines = [(f"Changed after a {kind} answer", share_in_words(found.changed), count(found.changed.n))]
    if found.risen.value is not None:
        lines += [
            (f"Belief rose after a {kind} answer", share_in_words(found.risen), count(found.risen.n)),
            (f"Belief fell after a {kind} answer", share_in_words(found.fallen), count(found.fallen.n)),
            (f"Belief after a {kind} answer, mean", belief_in_words(found.posterior), count(found.posterior.n)),
        ]
    return lines
