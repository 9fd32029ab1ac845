"""What the paraphrase checks report: flips and shifts by box, what became of cases, trials to read first, the method."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import ClassVar, Final, Literal

from vivavoce.consistency.legal.cases.counts import QUANTILES, THRESHOLDS, BothBoxes, Counts, OfBox
from vivavoce.consistency.legal.cases.trials import Box, Trial
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, percent, percent_interval, score_interval, signed, signed_interval
from vivavoce.report.blocks import Block, Card, Column, Difference, Fold, InFull, InShort, Pairs, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.parts import method_of, notes, paragraphs

SHOWN_CHARACTERS: Final = 1_500
"""Of a fact and of a paraphrase."""
SHOWN_WORDS: Final = 300
"""That are compared; the time grows with their square."""

Kind = Literal["same", "removed", "added"]
Piece = tuple[Kind, str]


def marked(before: str, after: str) -> tuple[Difference, Difference]:
    """Both texts in pieces.

    >>> marked("He was jailed twice.", "He was imprisoned twice.")[1].pieces
    (('same', 'He was '), ('added', 'imprisoned'), ('same', ' twice.'))
    """
    old, new = (re.findall(r"\S+\s*", clipped(text, SHOWN_CHARACTERS))[:SHOWN_WORDS] for text in (before, after))
    matcher = SequenceMatcher(None, [word.strip() for word in old], [word.strip() for word in new], autojunk=False)
    removed: list[Piece] = []
    added: list[Piece] = []
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        _add(removed, "same" if kind == "equal" else "removed", "".join(old[old_from:old_to]))
        _add(added, "same" if kind == "equal" else "added", "".join(new[new_from:new_to]))
    return Difference(tuple(removed)), Difference(tuple(added))


def _add(pieces: list[Piece], kind: Kind, text: str) -> None:
    """One more piece; the blank behind it is marked as little as that before it."""
    words, blank = text.rstrip(), text[len(text.rstrip()) :]
    parts: tuple[Piece, Piece] = ((kind, words), ("same", blank))
    for part, piece in parts:
        if piece and pieces and pieces[-1][0] == part:
            pieces[-1] = (part, pieces[-1][1] + piece)
        elif piece:
            pieces.append((part, piece))


HEADS: Final = {Box.BLACK: "Random fact", Box.WHITE: "Most important fact", Box.AGAIN: "Asked again"}
"""The boxes as columns: black box, white box, control."""
MOST_IN_SHORT: Final = 3
"""Trials in a terminal."""
LONGEST_LINE: Final = 160
"""Characters of a fact in a terminal."""


@dataclass(frozen=True, slots=True)
class BeforeAndAfter:
    """The probability before and after a paraphrase, to be drawn."""

    plot: ClassVar[str] = "vivavoce.consistency.legal.cases.plots:before_and_after_drawing"
    trials: tuple[Trial, ...]
    boxes: tuple[OfBox, ...]
    threshold: float


def flips_and_shifts(boxes: Sequence[OfBox]) -> Table:
    """What is counted, and a number with its interval for each box."""

    def row(what: str, *cells: Cell) -> Row:
        return Row(Cell(what), cells)

    return Table(
        (Column(""), *(Column(HEADS[of.box], short=HEADS[of.box].lower()) for of in boxes)),
        (
            row("Decision flips", *(_share(of.flips) for of in boxes)),
            row("… no violation before", *(_share_of(of.to_violation) for of in boxes)),
            row("… violation before", *(_share_of(of.from_violation) for of in boxes)),
            row("Cases with a flip", *(_share(of.flipped_cases) for of in boxes)),
            row("Mean shift", *(_shift(of.mean_shift) for of in boxes)),
            row("Median shift", *(_shift(of.quantiles[0]) for of in boxes)),
            row(f"… {QUANTILES[1]:.0%} are below", *(_shift(of.quantiles[1]) for of in boxes)),
            *(row(f"Shift over {limit:g}", *(_share(of.over[i]) for of in boxes)) for i, limit in enumerate(THRESHOLDS)),
            row("Largest shift", *(_largest(of.largest) for of in boxes)),
            row("Shift with its sign", *(_signed(of.signed_shift) for of in boxes)),
            row("Trials", *(count_cell(of.trials) for of in boxes)),
            row("Cases", *(count_cell(of.cases) for of in boxes)),
        ),
    )


def outcomes(counts: Counts) -> tuple[Paragraph, ...]:
    """What became of the cases and paraphrases, in sentences."""
    wanted = counts.paraphrases + sum(counts.problems.values())
    ways = (f"{way} in {count(number)} case{'' if number == 1 else 's'}" for way, number in counts.judged_by.items())
    return notes(
        f"Cases judged: {count(counts.examined)}, {count(counts.violations)} of them as a violation."
        + (f" Passed over: {_listed(counts.skipped)}." if counts.skipped else ""),
        f"Paraphrases: {count(counts.paraphrases)} of {count(wanted)} could be used."
        + (f" The others: {_listed(counts.problems)}." if counts.problems else ""),
        f"Importance measured by {', '.join(ways)}." if counts.judged_by else "",
        f"Judgements that did not come: {_listed(counts.absences)}. The first: {clipped(counts.first_absence, 200)}"
        if counts.absences
        else "",
    )


def to_read_first(worst: Sequence[Trial], threshold: float) -> Section:
    """The trials that most need to be read, with the words that were removed and added."""
    cards: tuple[Block, ...] = (Paragraph("No probability changed."),)
    if worst:
        cards = (
            Paragraph(
                "Flips first, then the largest shifts, one of each case. Words struck out were removed, words underlined were "
                "added. Read whether both say the same.",
                quiet=True,
            ),
            *(_card(trial, threshold) for trial in worst),
        )
    lines = tuple(line for trial in worst[:MOST_IN_SHORT] for line in _lines(trial, threshold))
    return Section("Cases to read first", (InFull(cards), InShort(lines)))


def method(threshold: float, pairs: BothBoxes | None) -> Fold:
    """How the numbers were found; `pairs`: both boxes on the same cases."""
    compared = ""
    if pairs is not None:
        compared = (
            "White box against black box: of each case the first random fact, and as many paraphrases of either fact; "
            f"in {count(pairs.both)} cases both flip, in {count(pairs.white_only)} the most important fact alone, in "
            f"{count(pairs.black_only)} the random one alone, in {count(pairs.neither)} neither. McNemar’s exact test; the "
            "interval is that of Bonett and Price."
        )
    return method_of(
        (
            "Each case is judged as it is, and again with one fact paraphrased: a fact drawn at random (black box), or the one "
            "that is most important to the classifier (white box). All other facts stay as they are. The decision is a "
            f"violation where the probability is at least {threshold:g}.",
            "Importance is the attention that the classifier pays to a fact, where it reports that; else the change of the "
            "probability when the fact is left out.",
            "Asked again: the identical case is put once more, as an independent draw. A classifier that always answers alike "
            "has no flips there; a language model may.",
            "Intervals are at level 95%. Trials of one case are alike and count as a group: shares have the interval of "
            "Clopper and Pearson at the number of independent trials that would be as uncertain, means Student’s with a "
            "variance robust to groups, quantiles Woodruff’s.",
            *((compared,) if compared else ()),
        )
    )


def _card(trial: Trial, threshold: float) -> Card:
    before, after = marked(trial.fact, trial.paraphrase)
    case = f"Case {clipped(trial.case, 120)}, fact {trial.number + 1} ({HEADS[trial.box].lower()})"
    return Card(
        (Paragraph(case, quiet=True), Pairs((("before", before), ("after", after)))),
        f"{'✕ ' if trial.flips(threshold) else ''}{_step(trial, threshold)}",
    )


def _lines(trial: Trial, threshold: float) -> tuple[Paragraph, ...]:
    """The same where there is little room."""
    fact, paraphrase = (clipped(" ".join(text.split()), LONGEST_LINE) for text in (trial.fact, trial.paraphrase))
    return (
        *paragraphs(f"case {clipped(trial.case, 80)}: {_step(trial, threshold)}"),
        *notes(f"fact: {fact}", f"as: {paraphrase}"),
    )


def _step(trial: Trial, threshold: float) -> str:
    """What the trial did to the decision, in words."""
    before, after = ("violation" if p >= threshold else "no violation" for p in (trial.before, trial.after))
    verdicts = f"still {before}" if before == after else f"{before} → {after}"
    return f"{verdicts}, {trial.before:.2f} → {trial.after:.2f}"


def _listed(words: Mapping[str, int]) -> str:
    return ", ".join(f"{clipped(word, 80)} {count(number)}" for word, number in words.items())


def _share(estimate: Estimate) -> Cell:
    return Cell.of(estimate, percent, percent_interval, unknown="none")


def _share_of(estimate: Estimate) -> Cell:
    """A share that is of fewer trials than there are."""
    cell = _share(estimate)
    return replace(cell, interval=f"{cell.interval} of {count(estimate.n)}") if estimate.n else cell


def _shift(estimate: Estimate) -> Cell:
    return Cell.of(estimate, "{:.2f}".format, score_interval, unknown="none")


def _signed(estimate: Estimate) -> Cell:
    return Cell.of(estimate, signed, signed_interval, unknown="none")


def _largest(shift: float | None) -> Cell:
    return Cell("none", known=False) if shift is None else Cell(f"{shift:.2f}", shift)
