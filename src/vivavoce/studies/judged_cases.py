"""Judged cases: flips and shifts of judgements on paraphrased cases, and how they are presented."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from math import ceil, sqrt
from typing import Final, Literal

from scipy.special import ndtri

from vivavoce.consistency.legal.trials import ExaminedCase, FactChoice, Trial, published
from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import clipped, count, percent, score, score_interval, signed, signed_interval
from vivavoce.interview.reading import AFTER_TURN, WAS_READ
from vivavoce.report.blocks import Block, Column, Panels, Paragraph, ReportFigure, ReportSection, TextDifference
from vivavoce.report.cells import TableCell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.statistics.clustered import mean_estimate, share_interval
from vivavoce.statistics.differences import mcnemar
from vivavoce.studies.effects import Case, Effect, Event, Rate, Treatment, effects_of
from vivavoce.studies.presentation import EffectTable, Get, StudyExample, cases_of, estimate_of, number_of, rate_of

FLIPS: Final = "flips"
"""Event: the hard decision changes. The next two events are possible only in trials that were decided otherwise before."""
TO_VIOLATION: Final = "flips_to_violation"
FROM_VIOLATION: Final = "flips_from_violation"
OVER: Final[Mapping[str, float]] = {"over_0.1": 0.1, "over_0.2": 0.2}
"""Events: the probability shifts by more than this; `fluri2024` calls the larger one strong for forecasts."""
EVENTS: Final = (FLIPS, TO_VIOLATION, FROM_VIOLATION, *OVER)
FLIPPED_CASES: Final = "flipped_cases"
"""Event: at least one trial of a case flips. The next two count cases decided otherwise before."""
CASES_TO_VIOLATION: Final = "flipped_cases_to_violation"
CASES_FROM_VIOLATION: Final = "flipped_cases_from_violation"
QUANTILES: Final[Mapping[str, float]] = {"median_shift": 0.5, "shift_90": 0.9}
"""Quantiles of the sizes of shifts."""
BOXES: Final[Mapping[FactChoice, tuple[str, str]]] = {
    FactChoice.BLACK: ("random fact", "a random fact paraphrased"),
    FactChoice.WHITE: ("most important fact", "the most important fact paraphrased"),
    FactChoice.AGAIN: ("same case", "the same case asked again"),
}
"""Label and description of each box."""
_DIGITS: Final = 9
"""Shifts are rounded to this many digits before comparison: .65 - .55 is not more than .1."""


@dataclass(frozen=True, slots=True)
class BoxComparison:
    """Both boxes on the same cases, with one fact each and equally many paraphrases: in which cases does the decision flip?"""

    both: int
    white_only: int
    black_only: int
    neither: int
    difference: Estimate
    """Share of cases that the most important fact flips, minus the random fact's share."""
    p: float
    """McNemar's exact test, two-sided."""

    @property
    def cases(self) -> int:
        """Number of cases that were compared."""
        return self.both + self.white_only + self.black_only + self.neither


@dataclass(frozen=True, slots=True)
class CaseCounts:
    """Counts of cases, paraphrases and judgements."""

    examined: int
    """Cases with a trial, or with a fact that a usable paraphrase would have made one."""
    violations: int
    """Cases decided as a violation before any paraphrase."""
    skipped: Mapping[str, int]
    """Cases without any trial, by reason."""
    paraphrases: int
    """Usable paraphrases."""
    checked: int
    """Usable paraphrases that a checker or a person accepted."""
    problems: Mapping[str, int]
    """Unusable paraphrases, by reason."""
    first_absence: str
    """The full reason for the first missing judgement; empty if all came."""
    truncated: int
    """Cases with facts that did not fit into the classifier's input."""
    same_fact: int
    """Cases in which the random fact is the most important one."""
    importance_by: Mapping[str, int]
    """Cases by the way importance was measured."""


def counts_of(examined: Sequence[ExaminedCase], threshold: float) -> CaseCounts:
    """Count cases, paraphrases and judgements."""
    heard = [case for case in examined if not case.skipped]
    wanted = [paraphrase for case in heard for paraphrase in case.paraphrases]
    return CaseCounts(
        examined=len(heard),
        violations=sum(bool(case.trials) and case.trials[0].before >= threshold for case in heard),
        skipped=_tally(case.skipped for case in examined),
        paraphrases=sum(not paraphrase.problem for paraphrase in wanted),
        checked=sum(paraphrase.checked for paraphrase in wanted if not paraphrase.problem),
        problems=_tally(paraphrase.problem for paraphrase in wanted),
        first_absence=next((reason for case in examined for reason in case.absences), ""),
        truncated=sum(case.unread > 0 for case in heard),
        same_fact=sum(len(_facts(case, FactChoice.WHITE) & _facts(case, FactChoice.BLACK)) > 0 for case in heard),
        importance_by=_tally(case.judged_by for case in heard),
    )


def replies_of(examined: Sequence[ExaminedCase]) -> dict[str, int]:
    """Count the judgements that were asked for, by outcome."""
    absences: Counter[str] = Counter()
    for case in examined:
        for reason, number in case.absences.items():
            absences[reason.partition(":")[0]] += number
    later = sum(case.after_turn for case in examined)
    read = sum(case.judgements for case in examined) - later - absences.total()
    counted = {WAS_READ: read, AFTER_TURN: later, **dict(sorted(absences.items()))}
    return {outcome: number for outcome, number in counted.items() if number}


def count_trials(examined: Sequence[ExaminedCase], boxes: Sequence[FactChoice], threshold: float) -> tuple[Effect, ...]:
    """The effect of each box, then of the control if a case was asked again. Intervals account for trials of one case."""
    trials = [trial for case in examined for trial in case.trials]
    control = [FactChoice.AGAIN] if any(trial.box is FactChoice.AGAIN for trial in trials) else []
    treatments = [
        Treatment(box.value, BOXES[box][1], label=BOXES[box][0], is_control=box is FactChoice.AGAIN)
        for box in (*boxes, *control)
    ]
    effects = effects_of([_case(trial, threshold) for trial in trials], treatments, EVENTS)
    by_box = [[trial for trial in trials if trial.box == effect.treatment.name] for effect in effects]
    return tuple(_with_shifts(effect, of_box, threshold) for effect, of_box in zip(effects, by_box, strict=True))


def _case(trial: Trial, threshold: float) -> Case:
    flips, size = trial.flips(threshold), abs(round(trial.shift, _DIGITS))
    happened: dict[str, Event] = {
        FLIPS: flips,
        FROM_VIOLATION if trial.before >= threshold else TO_VIOLATION: flips,
        **{name: size > limit for name, limit in OVER.items()},
    }
    return Case((trial.case,), {trial.box.value: happened})


def _with_shifts(effect: Effect, trials: Sequence[Trial], threshold: float) -> Effect:
    """Add shares of cases, and the sizes of shifts."""
    cases, signed = [trial.case for trial in trials], [round(trial.shift, _DIGITS) for trial in trials]
    sizes = [abs(shift) for shift in signed]

    def of_cases(chosen: Callable[[Trial], bool]) -> Rate:
        names = list(dict.fromkeys(trial.case for trial in trials if chosen(trial)))
        flipped = {trial.case for trial in trials if chosen(trial) and trial.flips(threshold)}
        return Rate.of([name in flipped for name in names], [(name,) for name in names])

    return replace(
        effect,
        rates={
            **effect.rates,
            FLIPPED_CASES: of_cases(lambda _: True),
            CASES_TO_VIOLATION: of_cases(lambda trial: trial.before < threshold),
            CASES_FROM_VIOLATION: of_cases(lambda trial: trial.before >= threshold),
        },
        numbers={"cases": len(set(cases)), "largest": max(sizes, default=None)},
        estimates={
            "mean_shift": mean_estimate(sizes, cases),
            "signed_shift": mean_estimate(signed, cases, smallest=-1.0),
            **{name: quantile(sizes, cases, q) for name, q in QUANTILES.items()},
        },
    )


def compared(examined: Sequence[ExaminedCase], threshold: float) -> BoxComparison | None:
    """Compare both boxes in pairs; None if no case was tried in both.

    To give both the same chances, only the first random fact counts, with equally many paraphrases of either fact. The interval
    of the difference is Bonett and Price's (`bonett2012`): Wald's after adding half an event to each cell.
    """
    white, black = [], []
    for case in examined:
        of_white = [trial for trial in case.trials if trial.box is FactChoice.WHITE]
        of_black = [trial for trial in case.trials if trial.box is FactChoice.BLACK]
        of_black = [trial for trial in of_black if trial.fact_number == of_black[0].fact_number]
        if number := min(len(of_white), len(of_black)):
            white.append(any(trial.flips(threshold) for trial in of_white[:number]))
            black.append(any(trial.flips(threshold) for trial in of_black[:number]))
    if not white:
        return None
    cells = Counter(zip(white, black, strict=True))
    only_white, only_black = cells[True, False], cells[False, True]
    return BoxComparison(
        both=cells[True, True],
        white_only=only_white,
        black_only=only_black,
        neither=cells[False, False],
        difference=Estimate(
            (only_white - only_black) / len(white), paired_difference(only_white, only_black, len(white)), len(white)
        ),
        p=mcnemar(white, black),
    )


def paired_difference(first_only: int, second_only: int, n: int) -> Interval:
    """Bonett and Price's interval for the difference of two shares of the same n observations.

    >>> interval = paired_difference(0, 0, 10)
    >>> round(interval.lower, 3), round(interval.upper, 3)
    (-0.231, 0.231)
    """
    first, second = (first_only + 1) / (n + 2), (second_only + 1) / (n + 2)
    half = float(ndtri((1 + CONFIDENCE) / 2)) * sqrt((first + second - (first - second) ** 2) / (n + 2))
    return Interval(max(first - second - half, -1.0), min(first - second + half, 1.0))


def quantile(values: Sequence[float], groups: Sequence[str], q: float) -> Estimate:
    """A quantile of values in [0, 1] with its interval; values of the same group are alike.

    The interval holds every x for which the interval of the share of values up to x extends above q, and the interval of the
    share of values below x begins below q (`woodruff1952`). If all values are independent, this is the exact interval between
    two order statistics.

    >>> estimate = quantile([i / 100 for i in range(1, 101)], [str(i) for i in range(100)], 0.5)
    >>> estimate.value, estimate.interval
    (0.5, Interval(lower=0.4, upper=0.61))
    """
    if not values:
        return Estimate(None, Interval(0.0, 1.0), 0)
    ordered = sorted(values)
    value = ordered[max(0, ceil(q * len(ordered)) - 1)]
    distinct = sorted(set(ordered))
    try:
        first = bisect_left(distinct, True, key=lambda x: _bounds([v <= x for v in values], groups).upper >= q)
        after = bisect_left(distinct, True, key=lambda x: _bounds([v < x for v in values], groups).lower > q)
    except NotEnoughEvidence:
        return Estimate(value, Interval(0.0, 1.0), len(values))
    # beyond the observed values, anything possible
    lower = min(distinct[first], value) if _bounds([False] * len(values), groups).upper < q else 0.0
    upper = max(distinct[after - 1], value) if _bounds([True] * len(values), groups).lower > q else 1.0
    return Estimate(value, Interval(lower, upper), len(values))


def _bounds(hits: Sequence[bool], groups: Sequence[str]) -> Interval:
    return Interval(*share_interval(hits, groups, confidence=CONFIDENCE))


def _facts(case: ExaminedCase, box: FactChoice) -> set[int]:
    return {trial.fact_number for trial in case.trials if trial.box is box}


def _tally(words: Iterable[str]) -> dict[str, int]:
    """Count the words that are not empty, most frequent first."""
    return dict(Counter(filter(None, words)).most_common())


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
    """The points, at most `MOST_POINTS` of n; changed decisions are kept first."""


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
