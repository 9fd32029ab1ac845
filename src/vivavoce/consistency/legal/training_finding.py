"""The finding on a trained classifier of cases: its report and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from vivavoce.consistency.config import TrainingConfig
from vivavoce.consistency.legal.training import DecidedCase, Measures, Search, Training, measured
from vivavoce.consistency.legal.trials import digest_of_cases, published
from vivavoce.formats.wording import clipped, count, counted, percent, percent_interval, score, score_interval
from vivavoce.interview.scope import Signature
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, count_cell, score_cell, share_cell
from vivavoce.report.figures import Histogram
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__

LABELS: Final = {True: "A violation was found", False: "None was found"}
BINS: Final = 20
MOST_ERRORS: Final = 8
MOST_OPEN: Final = 2
"""Number of errors on the first screen of a page."""
MOST_IN_SHORT: Final = 3
"""Number of errors in a terminal."""
LONGEST_FACT: Final = 2_000
"""Maximum number of characters of a fact on a page."""
_NONE: Final = TableCell("", known=False)


def probabilities(decided: Sequence[DecidedCase], threshold: float) -> tuple[blocks.Block, ...]:
    """Histograms of the predicted probability of a violation in held-out cases, one for each label."""
    by_label = {label: [case.probability for case in decided if case.violation is label] for label in LABELS}
    heights = {label: np.histogram(values, BINS, (0.0, 1.0))[0] for label, values in by_label.items() if values}
    top = float(max((counts.max() for counts in heights.values()), default=0))
    figures = tuple(
        blocks.ReportFigure(_histogram(label, by_label[label], tuple(map(float, counts)), threshold, top), title=LABELS[label])
        for label, counts in heights.items()
    )
    return (blocks.Panels(figures),) if figures else ()


def _histogram(label: bool, values: Sequence[float], counts: tuple[float, ...], threshold: float, top: float) -> Histogram:
    wrong = sum((value >= threshold) is not label for value in values)
    alt = (
        f"Held-out cases by their probability of a violation. {LABELS[label]}: {count(wrong)} of "
        f"{count(len(values))} are decided wrongly."
    )
    axis = "Probability of a violation"
    mark = (threshold, "threshold")
    return Histogram(0.0, 1 / BINS, counts, alt, axis, limit=None, mark=mark, top=top)


def by_label(measures: Measures) -> blocks.ReportTable:
    """The measures by label, compared with a constant answer and with Table 15 of `fluri2024`."""
    always = measures.violations / measures.cases
    constant = 2 * always / (1 + always)

    def row(what: str, ours: TableCell, others: float | None = None, printed: float | None = None) -> blocks.ReportRow:
        return blocks.ReportRow(
            TableCell(what), (ours, *(_NONE if value is None else _number(value) for value in (others, printed)))
        )

    violation, none, paper = measures.violation, measures.no_violation, published("measures")
    defined = always > 0
    return blocks.ReportTable(
        (
            blocks.Column(""),
            blocks.Column("This classifier", short="this classifier"),
            blocks.Column("Always “violation”", short="always violation", control=True),
            blocks.Column("The paper", short="paper"),
        ),
        (
            row("Accuracy", score_cell(measures.accuracy), always, paper["accuracy"]),
            row("Violation: precision", score_cell(violation.precision), always, paper["precision"]),
            row("… recall", score_cell(violation.recall), 1.0 if defined else None, paper["recall"]),
            row("… F1", score_cell(violation.f1), constant if defined else None, paper["f1"]),
            row("No violation: precision", score_cell(none.precision)),
            row("… recall", score_cell(none.recall), 0.0 if always < 1 else None),
            row("… F1", score_cell(none.f1), 0.0 if always < 1 else None),
            row("Mean F1 of both labels", score_cell(measures.macro_f1), constant / 2 if 0 < always < 1 else None),
            blocks.ReportRow(TableCell("Cases"), (count_cell(measures.cases), _NONE, _NONE)),
            blocks.ReportRow(TableCell("… with a violation"), (count_cell(measures.violations), _NONE, _NONE)),
        ),
    )


def attention(measures: Measures) -> tuple[blocks.Block, ...]:
    """The facts that get attention, in cases whose decisive facts are known; empty without such cases."""
    shares = measures.attention
    if shares is None:
        return ()
    chance = TableCell(percent(shares.chance), shares.chance)
    table = blocks.ReportTable(
        (
            blocks.Column("Cases whose decisive facts are known"),
            blocks.Column("This classifier"),
            blocks.Column("By chance", control=True),
        ),
        (
            blocks.ReportRow(TableCell("A decisive fact has the most attention"), (share_cell(shares.top), chance)),
            blocks.ReportRow(TableCell("… in cases with a violation"), (share_cell(shares.top_violation), _NONE)),
            blocks.ReportRow(TableCell("… in the others"), (share_cell(shares.top_none), _NONE)),
            blocks.ReportRow(TableCell("Attention to decisive facts"), (share_cell(shares.weight), chance)),
            blocks.ReportRow(TableCell("Cases"), (count_cell(shares.top.n), _NONE)),
        ),
    )
    return (blocks.ReportSection("Where attention falls", (table,)),)


def errors_to_read(errors: Sequence[DecidedCase]) -> blocks.ReportSection:
    """The most confident wrong decisions."""
    if not errors:
        return blocks.ReportSection("Errors to read first", (blocks.Paragraph("No held-out case was decided wrongly."),))
    shown = errors[:MOST_ERRORS]
    more = (
        f"{count(len(errors))} wrong decisions on held-out cases; these are the most confident."
        if len(errors) > len(shown)
        else ""
    )
    cards = tuple(
        blocks.CaseCard(
            (blocks.Pairs(((f"fact {case.top + 1}, which has the most attention", case.top_fact[:LONGEST_FACT]),)),),
            _step(case),
        )
        for case in shown
    )
    lines = blocks.paragraphs(*map(_step, shown[:MOST_IN_SHORT]))
    folded = (blocks.Fold(f"{count(len(cards) - MOST_OPEN)} more", cards[MOST_OPEN:], main=True),) if cards[MOST_OPEN:] else ()
    return blocks.ReportSection(
        "Errors to read first", (*blocks.notes(more), blocks.InFull((*cards[:MOST_OPEN], *folded)), blocks.InShort(lines))
    )


def _step(case: DecidedCase) -> str:
    label = "a violation" if case.violation else "no violation"
    return f"Case {clipped(case.case, 80)}: {label} was found, the classifier says {case.probability:.2f}"


def method(searches: Sequence[Search], chosen: Search, threshold: float) -> blocks.Fold:
    """How the numbers were computed, with every search."""
    paper = published("training")
    return blocks.method_of(
        (
            "The encoder is frozen: it turns each fact separately into a vector. The head gives each fact a weight "
            "(attention), takes the weighted mean of the vectors, and decides by logistic regression. The order of facts does "
            "not matter.",
            "The head minimizes the mean log loss with a penalty on its weights, by L-BFGS with exact gradients over all cases "
            "at once. The search with the smallest loss on the validation cases is kept (penalty "
            f"{chosen.penalty:g}). The paper’s head was trained for {paper['epochs']} epochs in batches of {paper['batch']} "
            f"at a learning rate of {paper['rate']} with {paper['warm_up']} warm-up steps (Table 14); our search needs none "
            "of these, since it ends when the gradient vanishes.",
            f"The decision is a violation if the probability is at least {threshold:g}. Precision: share of the cases with "
            "this decision that have the label. Recall: share of the cases with the label that get this decision. F1: their "
            "harmonic mean. With two labels, micro averages equal the accuracy.",
            "Intervals are at level 95%: Clopper and Pearson's for shares. F1 increases with the share of right decisions "
            "among cases that have the label or were given it, and has the interval of that share. The mean of two F1 has the "
            "mean of their intervals at 97.5%.",
        ),
        _searched(searches, chosen),
    )


def _searched(searches: Sequence[Search], chosen: Search) -> blocks.ReportTable:
    columns = ("Search from", "Penalty", "Steps", "Loss in training", "Loss in validation")
    rows = tuple(
        blocks.ReportRow(
            TableCell(f"start {search.start + 1}{', kept' if search is chosen else ''}"),
            (
                TableCell(f"{search.penalty:g}", search.penalty),
                TableCell(f"{count(search.steps)}{'' if search.converged else ' (limit)'}", search.steps),
                TableCell(f"{search.training_loss:.4f}", search.training_loss),
                TableCell(f"{search.validation_loss:.4f}", search.validation_loss),
            ),
        )
        for search in searches
    )
    return blocks.ReportTable(tuple(map(blocks.Column, columns)), rows, name="Searches")


def _number(value: float) -> TableCell:
    return TableCell(score(value), value)


FEW_CASES: Final = 100
"""Fewer held-out cases give wide intervals."""
LONGEST_NAME: Final = 160


@dataclass(frozen=True, slots=True, repr=False)
class TrainedOnCases(ReportedFinding):
    """The finding on a classifier that was trained on cases."""

    candidate: str
    """The classifier's name, which is also its candidate name."""
    encoder: str
    source: str
    training: int
    """Number of training cases."""
    training_violations: int
    validation: int
    repeated: int
    """Number of cases left out because they occur in an earlier set."""
    searches: tuple[Search, ...]
    chosen: Search
    threshold: float
    measures: Measures
    decided: tuple[DecidedCase, ...]
    signature: Signature

    @property
    def caveats(self) -> tuple[str, ...]:
        """The limits of the numbers."""
        measures = self.measures
        short = sum(not search.converged for search in self.searches)
        lower = measures.accuracy.interval.lower
        positives = measures.true_positives + measures.false_positives
        sentences = (
            "The paper used another encoder (a BERT trained on legal texts) on the test set of chalkidis2019. A difference "
            "may be due to the cases or to the encoder.",
            f"Always giving the more frequent answer is right in {percent(measures.majority)}: "
            "the classifier may not be better than that."
            if lower <= measures.majority
            else "",
            f"The classifier says {'a violation' if positives else 'no violation'} in every held-out case: it does not "
            "distinguish cases."
            if positives in (0, measures.cases)
            else "",
            f"{counted(self.repeated, 'case')} left out of a later set: their facts or ids are in an earlier one."
            if self.repeated
            else "",
            "That a classifier decides as the court did does not show that it decides for the court's reasons, or that the "
            "court was right.",
            f"Attention shows where the classifier looks, which need not be what decides"
            f"{'' if measures.attention else '; the deciding fact is not known for any held-out case'}.",
            f"Of {len(self.searches)} searches, {short} ended at the limit of steps: give more --steps." if short else "",
            f"There are only {count(measures.cases)} held-out cases: intervals are wide." if measures.cases < FEW_CASES else "",
        )
        return tuple(filter(None, sentences))

    @property
    def headline(self) -> str:
        """Accuracy compared with a constant answer, in one sentence."""
        measures = self.measures
        return (
            f"{clipped(self.candidate, LONGEST_NAME)} decides {percent(measures.accuracy.value or 0.0)} "
            f"{percent_interval(measures.accuracy.interval)} of {counted(measures.cases, 'held-out case')} as the court did. "
            f"Always giving the more frequent answer would be right in {percent(measures.majority)}."
        )

    @property
    def others(self) -> str:
        """F1 compared with the paper's, and where attention falls."""
        f1 = self.measures.violation.f1
        sentence = (
            f"F1 of a violation is {score(f1.value)} {score_interval(f1.interval)} (the paper’s classifier, on other cases or "
            f"with another encoder: {published('measures')['f1']})."
            if f1.value is not None
            else "F1 of a violation is unknown: no case has one, and none was predicted."
        )
        attention = self.measures.attention
        if attention is None:
            return sentence
        return (
            f"{sentence} A decisive fact has the most attention in {percent(attention.top.value or 0.0)} "
            f"{percent_interval(attention.top.interval)} of {counted(attention.top.n, 'case')}; by chance it would be "
            f"{percent(attention.chance)}."
        )

    @property
    def statement(self) -> str:
        """The result in words."""
        return f"{self.headline} {self.others}"

    @property
    def errors(self) -> tuple[DecidedCase, ...]:
        """Wrongly decided cases, the most confident first."""
        wrong = [case for case in self.decided if (case.probability >= self.threshold) != case.violation]
        return tuple(sorted(wrong, key=lambda case: -abs(case.probability - self.threshold)))

    def report(self) -> blocks.Report:
        """The whole report as blocks."""
        about = (
            f"A frozen encoder ({clipped(self.encoder, LONGEST_NAME)}) turns each fact into a vector. Attention over facts "
            f"and a logistic regression were trained on {counted(self.training, 'case')}, {count(self.training_violations)} "
            f"of them with a violation; the penalty was chosen on {count(self.validation)} others. Cases: "
            f"{clipped(self.source, LONGEST_NAME) or 'not named'}."
        )
        return self.reported(
            "A classifier of cases",
            f"Decisions of {clipped(self.candidate, 120)} on held-out cases",
            blocks.InFull((errors_to_read(self.errors), *blocks.notes(about))),
            blocks.Caveats(self.caveats),
            blocks.InFull(blocks.paragraphs(self.others)),
            by_label(self.measures),
            *attention(self.measures),
            *probabilities(self.decided, self.threshold),
            blocks.InShort((errors_to_read(self.errors),)),
            method(self.searches, self.chosen, self.threshold),
        )

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null if unknown."""
        measures = self.measures
        return {
            "encoder": self.encoder,
            "source": self.source,
            "training": {"cases": self.training, "violations": self.training_violations},
            "validation": {"cases": self.validation},
            "left_out": self.repeated,
            "threshold": self.threshold,
            "held_out": {"cases": measures.cases, "violations": measures.violations, "majority": measures.majority},
            "measures": measures,
            "published": dict(published("measures")),
            "penalty": self.chosen.penalty,
            "searches": self.searches,
            "errors": self.errors,
        }


def finding_of(training: Training, config: TrainingConfig, *, candidate: str, source: str) -> TrainedOnCases:
    """The finding on a trained classifier that is saved under this name."""
    division, fitted = training.division, training.fitted
    settings = {name: value for name, value in asdict(config).items() if name != "seed"}
    encoder = training.classifier.embedder.name
    return TrainedOnCases(
        candidate=candidate,
        encoder=encoder,
        source=source,
        training=len(division.training),
        training_violations=sum(case.violation for case in division.training),
        validation=len(division.validation),
        repeated=division.repeated,
        searches=fitted.searches,
        chosen=fitted.chosen,
        threshold=config.threshold,
        measures=measured(training.decided, config.threshold),
        decided=training.decided,
        signature=Signature(
            version=__version__,
            examination="consistency/cases/train",
            candidate=candidate,
            scope=source,
            scope_digest=digest_of_cases([case.case for case in division.held_out]),
            seed=config.seed,
            settings=settings | {"encoder": encoder},
        ),
    )
