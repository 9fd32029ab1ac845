"""The white box beside that of the paper, whose classifier is another one."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.consistency.legal.cases import published
from vivavoce.consistency.legal.cases.trials import Box, Trial
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import percent
from vivavoce.report.blocks import Block, Column, Row, Section, Table
from vivavoce.report.cells import Cell, share_cell
from vivavoce.report.parts import notes
from vivavoce.statistics.bounded import share_estimate


def beside_the_paper(trials: Sequence[Trial], threshold: float) -> tuple[Block, ...]:
    """How often a paraphrase of the most important fact flips the decision, beside section 7.3; nothing without a white box.

    The paper counts "cases", of which three paraphrases each were tried; whether it means cases with at least one flip, or
    single trials, it does not say. Both are shown.
    """
    white = [trial for trial in trials if trial.box is Box.WHITE]
    if not white:
        return ()
    rows = []
    for before, what, paper in (
        (False, "No violation before", published.TO_VIOLATION),
        (True, "Violation before", published.FROM_VIOLATION),
    ):
        of = [trial for trial in white if (trial.before >= threshold) is before]
        each, some = flips(of, threshold)
        rows.append(Row(Cell(what), (_cell(each), _cell(some), Cell(percent(paper), paper))))
    columns = (
        Column("Most important fact paraphrased"),
        Column("Trials that flip", short="trials"),
        Column("Cases with a flip", short="cases"),
        Column("The paper", short="paper"),
    )
    said = (
        "The paper’s classifier (a head on a BERT of legal texts), its cases and its writer of paraphrases (GPT-3.5) are "
        "others; it gives no intervals."
    )
    return (Section("Beside the paper", (Table(columns, tuple(rows)), *notes(said))),)


def flips(trials: Sequence[Trial], threshold: float) -> tuple[Estimate, Estimate]:
    """The share of trials that flip, and of cases with at least one that does.

    >>> trials = [Trial(case, Box.WHITE, 0, "", "", 0.4, after) for case, after in (("a", 0.6), ("a", 0.4), ("b", 0.3))]
    >>> [round(share.value, 3) for share in flips(trials, 0.5)]
    [0.333, 0.5]
    """
    cases = [trial.case for trial in trials]
    hits = [trial.flips(threshold) for trial in trials]
    flipped = {case for case, hit in zip(cases, hits, strict=True) if hit}
    distinct = list(dict.fromkeys(cases))
    return share_estimate(hits, cases), share_estimate([case in flipped for case in distinct], distinct)


def _cell(estimate: Estimate) -> Cell:
    if not estimate.n:
        return Cell("none", known=False)
    return share_cell(estimate).with_n(estimate.n)
