"""How judged cases are presented: tables, worst trials with the changed words marked, and points before and after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from vivavoce.consistency.legal.trials import FactChoice, Trial, published
from vivavoce.formats.wording import clipped, count, percent, score, score_interval, signed, signed_interval
from vivavoce.report.blocks import Block, Column, Panels, Paragraph, ReportFigure, ReportSection, TextDifference
from vivavoce.report.cells import TableCell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.studies.judged_cases.counting import (
    BOXES,
    CASES_FROM_VIOLATION,
    CASES_TO_VIOLATION,
    FLIPPED_CASES,
    FLIPS,
    FROM_VIOLATION,
    TO_VIOLATION,
)
from vivavoce.studies.presentation import EffectTable, Get, StudyExample, cases_of, estimate_of, number_of, rate_of

WORST: Final = 10
SHOWN_CHARACTERS: Final = 1_500
"""Most characters shown of a fact and of a paraphrase."""
SHOWN_WORDS: Final = 300
"""Most words compared; the time grows with their square."""
MOST_POINTS: Final = 1_500
"""Most points in one panel, to keep the page small."""

Kind = Literal["same", "removed", "added"]
Piece = tuple[Kind, str]
Place = tuple[float, float, bool]
"""Probabilities before and after, and whether the decision changes."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The effect of one box's paraphrases on the probability."""

    title: str
    n: int
    flips: int
    points: tuple[Place, ...]
    """At most `MOST_POINTS` of the n points; changed decisions are kept first."""


def marked(before: str, after: str) -> tuple[TextDifference, TextDifference]:
    """Both texts in pieces, with their differences marked.

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
    return TextDifference(tuple(removed)), TextDifference(tuple(added))


def _add(pieces: list[Piece], kind: Kind, text: str) -> None:
    """Add a piece; its trailing blank is not marked."""
    words, blank = text.rstrip(), text[len(text.rstrip()) :]
    parts: tuple[Piece, Piece] = ((kind, words), ("same", blank))
    for part, piece in parts:
        if piece and pieces and pieces[-1][0] == part:
            pieces[-1] = (part, pieces[-1][1] + piece)
        elif piece:
            pieces.append((part, piece))


def worst_of(trials: Sequence[Trial], threshold: float) -> tuple[Trial, ...]:
    """Up to ten trials, at most one of each case: flips first, then by the size of the shift; none without a shift."""
    moved = [trial for trial in trials if trial.box is not FactChoice.AGAIN and trial.shift]
    moved.sort(key=lambda trial: (trial.flips(threshold), abs(trial.shift)), reverse=True)
    by_case: dict[str, Trial] = {}
    for trial in moved:
        by_case.setdefault(trial.case, trial)
    return tuple(by_case.values())[:WORST]


def example(trial: Trial, threshold: float) -> StudyExample:
    """A trial with its effect on the decision, as an example."""
    before, after = marked(trial.fact, trial.paraphrase)
    decisions = ["violation" if value >= threshold else "no violation" for value in (trial.before, trial.after)]
    kept = decisions[0] == decisions[1]
    step = f"still {decisions[0]}" if kept else " → ".join(decisions)
    texts = (("Before", before), ("After", after), ("Probability", f"{trial.before:.2f} → {trial.after:.2f}"))
    line = (trial.fact, f"{decisions[0]} {trial.before:.2f}", f"{decisions[1]} {trial.after:.2f}")
    return StudyExample(f"case {trial.case}, fact {trial.fact_number + 1}", BOXES[trial.box][0], step, texts, line=line)


def panel_of(trials: Sequence[Trial], box: FactChoice, threshold: float) -> Panel:
    """The probabilities before and after each paraphrase of a box."""
    points = [(trial.before, trial.after, trial.flips(threshold)) for trial in trials if trial.box is box]
    title = f"A {BOXES[box][0]}" if box is FactChoice.BLACK else f"The {BOXES[box][0]}"
    return Panel(title, len(points), sum(flips for *_, flips in points), tuple(thinned(points)))


def before_and_after(panels: Sequence[Panel], threshold: float) -> tuple[Block, ...]:
    """A plot for each box, as in Figure 4 of `fluri2024`."""
    figures = tuple(ReportFigure(_lines(panel, threshold), title=panel.title) for panel in panels if panel.n)
    if not figures:
        return ()
    explained = Paragraph("Squares are changed decisions. Dashed: no change, and the threshold before and after.", quiet=True)
    return (ReportSection("Probability of a violation before and after a paraphrase", (explained, Panels(figures))),)


def _lines(panel: Panel, threshold: float) -> Lines:
    drawn = f" ({count(len(panel.points))} are drawn)" if len(panel.points) < panel.n else ""
    alt = (
        f"Probability of a violation before and after a paraphrase. {panel.title}: {count(panel.flips)} of {count(panel.n)} "
        f"change the decision{drawn}."
    )
    kept, changed = ([LinePoint(x, y) for x, y, flips in panel.points if flips is kind] for kind in (False, True))
    straight = (((0.0, 0.0), (1.0, 1.0)), ((threshold, 0.0), (threshold, 1.0)), ((0.0, threshold), (1.0, threshold)))
    lines = (
        *(Line("", tuple(points), joined=False) for points in (kept, changed)),
        *(Line("", (LinePoint(*start), LinePoint(*end)), is_reference=True) for start, end in straight),
    )
    return Lines(Axis("Before", span=(0.0, 1.0)), Axis("After", span=(0.0, 1.0)), lines, alt)


def thinned(points: Sequence[Place]) -> list[Place]:
    """Points that a panel has room for: flips first, the others evenly spaced in their order."""
    flips = [point for point in points if point[2]][:MOST_POINTS]
    others = [point for point in points if not point[2]]
    room = MOST_POINTS - len(flips)
    if len(others) > room:
        others = [others[i * len(others) // room] for i in range(room)]
    return [*others, *flips]


def _paper(flips: str) -> Get:
    def cell(_: object) -> TableCell:
        share = published("flips")[flips]
        return TableCell(percent(share), share)

    return cell


_SHARES: Final = (
    (Column("Trials", number=True), cases_of(FLIPS)),
    (Column("Flips", about="Share of trials that change the decision"), rate_of(FLIPS)),
    (Column("To violation", about="Flips among trials of cases decided as no violation"), rate_of(TO_VIOLATION)),
    (Column("From violation", about="Flips among trials of cases decided as a violation"), rate_of(FROM_VIOLATION)),
    (Column("Cases with a flip", short="Cases"), rate_of(FLIPPED_CASES)),
)
_SHIFTS: Final = (
    (Column("Mean shift", short="Mean"), estimate_of("mean_shift", score, score_interval)),
    (Column("Median"), estimate_of("median_shift", score, score_interval)),
    (Column("90% below", detail=True), estimate_of("shift_90", score, score_interval)),
    (Column("Over 0.1", about="Share of trials whose probability shifts by more than 0.1"), rate_of("over_0.1")),
    (Column("Over 0.2"), rate_of("over_0.2")),
    (Column("Largest", detail=True), number_of("largest", score)),
    (
        Column("With sign", about="Above 0: a violation gets more probable"),
        estimate_of("signed_shift", signed, signed_interval),
    ),
)
_PAPER: Final = (
    (Column("To violation: trials"), rate_of(TO_VIOLATION)),
    (Column("cases"), rate_of(CASES_TO_VIOLATION)),
    (Column("the paper", control=True), _paper("to_violation")),
    (Column("From violation: trials"), rate_of(FROM_VIOLATION)),
    (Column("cases"), rate_of(CASES_FROM_VIOLATION)),
    (Column("the paper", control=True), _paper("from_violation")),
)
TABLES: Final = (
    EffectTable("Changed decisions", "Paraphrased", _SHARES),
    EffectTable("Shifts of the probability", "Paraphrased", _SHIFTS),
    EffectTable("Compared with the paper", "Paraphrased", _PAPER, lambda treatment: treatment.name == FactChoice.WHITE),
)
