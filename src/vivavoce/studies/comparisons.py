"""Compare two subjects under the same treatment on the same cases: which is better, and is the difference significant?

Tests whether a study shows a fault: its first event is more frequent than under the control, or than by guessing.

A report makes such a test of each study without a limit, and says which faults they show. Candidates answer every prompt by
itself, so replies to different prompts are independent given the prompts.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, Tone, listed, observations, p_value, signed_cell
from vivavoce.statistics.bounds import permuted_sum, sign_test, upper_tail
from vivavoce.statistics.clustered import Groups, bounded_mean
from vivavoce.statistics.differences import mcnemar, paired_test
from vivavoce.studies.effects import Case, Event, Treatment, points, points_interval

LEVEL: Final = 0.05
"""A difference is significant if its adjusted p is at most this."""
MOST_TABLES: Final = 300
"""Most comparisons shown on a page."""
MOST_PAIRS: Final = 10
"""Most pairs shown in a terminal."""
SHOWN_LAW: Final = 60
Verdict = Literal["better", "worse", "undecided"]
TONES: Final[dict[Verdict, Tone]] = {"better": "good", "worse": "bad", "undecided": "open"}


@dataclass(frozen=True, slots=True)
class SubjectComparison:
    """Two subjects compared on the same cases of one treatment. A lower measure is better."""

    treatment: str
    first: str
    second: str
    n: int
    """Cases with known values for both subjects."""
    difference: Estimate
    """Mean difference of the measure, first minus second."""
    rate: Estimate
    """Difference of the event's rates, first minus second."""
    p: float | None
    """p-value of the difference, by `statistics.differences.paired_test`; None for too few cases."""
    first_only: int
    """Cases in which the event happened to the first subject only."""
    second_only: int
    p_rate: float | None
    """p-value of the difference of rates: McNemar's exact test, or `paired_test` if cases share groups."""
    p_adjusted: float | None = None
    """`p` after Holm's adjustment for all comparisons of the finding."""
    verdict: Verdict = "undecided"
    """Whether the first subject is better; the chance that any of all verdicts is wrong is at most 5%."""
    label: str = ""


def compare(
    names: tuple[str, str, str, str],
    measures: tuple[Sequence[float], Sequence[float]],
    events: tuple[Sequence[bool], Sequence[bool]],
    groups: Groups,
    *,
    largest: float,
    rng: np.random.Generator,
) -> SubjectComparison:
    """Compare two subjects on the same cases; p-values are not yet adjusted.

    names: the treatment, its label, the first subject, and the second. measures, events: one value a case, for the first and
    the second subject. groups: what each case shares with others. largest: the measure's largest possible value.
    """
    differences = np.subtract(*(np.asarray(values, dtype=float) for values in measures))
    first, second = (np.asarray(values, dtype=bool) for values in events)
    apart = first.astype(float) - second
    n = len(differences)
    share = Interval(*bounded_mean(apart, groups, smallest=-1.0))
    try:
        interval = Interval(*bounded_mean(differences, groups, smallest=-largest, largest=largest))
        p: float | None = paired_test(differences, groups, largest=largest, rng=rng).p
        # McNemar's test assumes independent cases.
        p_rate: float | None = paired_test(apart, groups, largest=1.0, rng=rng).p if any(groups) else mcnemar(first, second)
    except NotEnoughEvidence:
        interval, p, p_rate = Interval(-largest, largest), None, None
    treatment, label, name, other = names
    return SubjectComparison(
        treatment,
        name,
        other,
        n,
        Estimate(float(differences.mean()) if n else None, interval, n),
        Estimate(float(apart.mean()) if n else None, share, n),
        p,
        int((first & ~second).sum()),
        int((second & ~first).sum()),
        p_rate,
        label=label,
    )


def adjusted(comparisons: Sequence[SubjectComparison]) -> tuple[SubjectComparison, ...]:
    """Adjust the p-values for the number of comparisons (`holm1979`), and add verdicts.

    For example, of p = .01 and .04 the smaller is doubled and the other stays; no adjusted value is below the one before.
    """
    tested = sorted((comparison.p, index) for index, comparison in enumerate(comparisons) if comparison.p is not None)
    results, least = list(comparisons), 0.0
    for rank, (p, index) in enumerate(tested):
        least = min(1.0, max(least, p * (len(tested) - rank)))
        results[index] = replace(comparisons[index], p_adjusted=least, verdict=_verdict(comparisons[index], least))
    return tuple(results)


def _verdict(comparison: SubjectComparison, p_adjusted: float) -> Verdict:
    if p_adjusted > LEVEL or not comparison.difference.value or math.isnan(p_adjusted):
        return "undecided"
    return "better" if comparison.difference.value < 0 else "worse"


def labels(comparisons: Sequence[SubjectComparison], verdict: Verdict) -> list[str]:
    """Labels of the treatments under which the first subject has this verdict."""
    return [clipped(comparison.label, SHOWN_LAW) for comparison in comparisons if comparison.verdict == verdict]


def by_pair(comparisons: Sequence[SubjectComparison]) -> list[tuple[str, str, list[SubjectComparison]]]:
    """Group the comparisons by pair of subjects."""
    pairs: dict[tuple[str, str], list[SubjectComparison]] = {}
    for comparison in comparisons:
        pairs.setdefault((comparison.first, comparison.second), []).append(comparison)
    return [(first, second, pair) for (first, second), pair in pairs.items()]


def in_words(first: str, second: str, comparisons: Sequence[SubjectComparison]) -> str:
    """Say in one sentence under which treatments the first of two subjects is better.

    >>> nothing = Estimate(0.0, Interval(-1, 1), 90)
    >>> lower = Estimate(-0.2, Interval(-0.3, -0.1), 90)
    >>> better = SubjectComparison("neg", "A", "B", 90, lower, nothing, 0.001, 3, 30, 0.1, 0.002, "better", "Negation")
    >>> in_words("A", "B", [better])
    'A is better than B on Negation.'
    """
    better, worse = labels(comparisons, "better"), labels(comparisons, "worse")
    name, other = name_of(first), name_of(second)
    if not better and not worse:
        where = clipped(comparisons[0].label, SHOWN_LAW) if len(comparisons) == 1 else f"{count(len(comparisons))} laws"
        return f"{name} and {other}: no significant difference on {where}."
    parts = [f"{word} than {other} on {listed(laws)}" for word, laws in (("better", better), ("worse", worse)) if laws]
    rest = "; undecided on the others" if len(better) + len(worse) < len(comparisons) else ""
    return f"{name} is {' and '.join(parts)}{rest}."


def compared(comparisons: Sequence[SubjectComparison], subject: str, measure: str) -> tuple[blocks.Block, ...]:
    """A sentence for each pair of subjects, and the tables."""
    pairs = by_pair(comparisons)
    if not pairs:
        return ()
    sentences = tuple(in_words(*pair) for pair in pairs)
    left = f"… and {count(len(pairs) - MOST_PAIRS)} more pairs" if len(pairs) > MOST_PAIRS else ""
    tables = tuple(
        blocks.ReportSection(
            f"{name_of(first)} compared with {name_of(second)}" if len(pairs) > 1 else "", (_table(pair_comparisons),)
        )
        for first, second, pair_comparisons in by_pair(comparisons[:MOST_TABLES])
    )
    explained = (
        f"Difference: {measure} of the first {subject.lower()} minus the second's, on the same cases. "
        "Below 0 the first is better. Alone: cases in which only the first, and only the second, has the event."
    )
    shown = tables if len(pairs) == 1 else (blocks.Fold("All comparisons", tables, main=True),)
    return (
        blocks.ReportSection(
            "Comparisons",
            (
                blocks.InFull(blocks.paragraphs(*sentences[: len(tables)])),
                blocks.InShort((blocks.Items(sentences[:MOST_PAIRS]), *blocks.notes(left))),
                *shown,
                blocks.InFull((blocks.Paragraph(explained, quiet=True),)),
            ),
        ),
    )


def _table(comparisons: Sequence[SubjectComparison]) -> blocks.ReportTable:
    columns = (
        blocks.Column("Law", percent=22),
        blocks.Column("Difference", short="difference"),
        blocks.Column("Rate in points", short="rate", about="The same for the rate of the event"),
        blocks.Column("p", detail=True),
        blocks.Column("p after Holm", short="after Holm"),
        blocks.Column("Alone", about="Event of the first alone : of the second alone", detail=True),
        blocks.Column("Verdict", short="verdict"),
    )
    return blocks.ReportTable(columns, tuple(map(_row, comparisons)), name="Comparisons on the same cases")


def _row(comparison: SubjectComparison) -> blocks.ReportRow:
    return blocks.ReportRow(
        TableCell(clipped(comparison.label, SHOWN_LAW), n=observations(comparison.n)),
        (
            signed_cell(comparison.difference),
            TableCell.of(comparison.rate, points, points_interval),
            TableCell(p_value(comparison.p), comparison.p),
            TableCell(p_value(comparison.p_adjusted), comparison.p_adjusted),
            TableCell(
                f"{count(comparison.first_only)} : {count(comparison.second_only)}", below=(f"p {p_value(comparison.p_rate)}",)
            ),
            TableCell(comparison.verdict, tone=TONES[comparison.verdict]),
        ),
    )


@dataclass(frozen=True, slots=True)
class FaultTest:
    """The evidence that a study shows a fault."""

    p: float
    """P-value of "the treatments make no difference", or of "no more frequent than by guessing"."""
    treatment: str
    """The treatment with the strongest evidence."""
    events: int
    """Cases under any treatment in which the event happened."""
    n: int


def fault_test(
    cases: Sequence[Case], treatments: Sequence[Treatment], event: str, guessing: float | None = None
) -> FaultTest | None:
    """Test the first event of a study; None if it could not happen under both a treatment and its control.

    If the treatments make no difference, the replies of a unit under treatments and control are exchangeable. Each treatment
    is compared with its control by a sign test over units. All are compared together by the number of events under the
    control: it is one of several equal draws in each unit. Bonferroni's factor allows for all these tests. An unknown event
    counts against the fault, which can only raise p.

    guessing: the share of events by guessing; if given, all events are compared with it instead. Events are independent, so
    that a binomial tail bounds the chance of as many if the mean of their chances is at most this (`hoeffding1956`).

    >>> treatments = [Treatment("hint", control="again"), Treatment("again", is_control=True)]
    >>> cases = [Case((n,), {"hint": {"flipped": n < 5}, "again": {"flipped": False}}) for n in range(9)]
    >>> fault_test(cases, treatments, "flipped").p  # 1/2 to the power of 5
    0.03125
    """
    treated = [treatment for treatment in treatments if not treatment.is_control and not treatment.is_detail]
    happened = [case.events[each.name][event] for case in cases for each in treated if event in case.events.get(each.name, {})]
    events = sum(value is True for value in happened)
    if guessing is not None:
        return FaultTest(upper_tail(events, len(happened), guessing), "", events, len(happened)) if happened else None
    by_unit: dict[tuple[Hashable, ...], list[Mapping[str, Mapping[str, Event]]]] = {}
    for case in cases:
        by_unit.setdefault(tuple(case.groups), []).append(case.events)
    units = list(by_unit.values())
    signs = {each.name: p for each in treated if (p := _sign(units, each, event)) is not None}
    if not signs:
        return None
    controls = dict.fromkeys(each.control for each in treated if each.name in signs)
    together = [_together(units, [each for each in treated if each.control == name], event) for name in controls]
    values = [*together, *(signs.values() if len(signs) > 1 else ())]
    strongest = min(signs, key=lambda name: signs[name])
    return FaultTest(min(1.0, len(values) * min(values)), strongest, events, len(happened))


Unit = Sequence[Mapping[str, Mapping[str, Event]]]
"""The events of cases that depend on each other."""


def _sign(units: Sequence[Unit], treatment: Treatment, event: str) -> float | None:
    """The sign test of a treatment; None if it has no case with its control."""
    both = [[events for events in unit if _could(events, event, treatment.name, treatment.control)] for unit in units]
    pairs = [(_happened(unit, treatment.name, event), _possible(unit, treatment.control, event)) for unit in both if unit]
    return sign_test(sum(more > less for more, less in pairs), sum(more < less for more, less in pairs)) if pairs else None


def _together(units: Sequence[Unit], treatments: Sequence[Treatment], event: str) -> float:
    """The test of all treatments with one control, over units in which all cases have the same ones."""
    sets, observed = [], 0
    for unit in units:
        kept = {
            frozenset(each.name for each in treatments if _could(events, event, each.name, each.control)) for events in unit
        }
        if len(kept) == 1 and (names := min(kept)):
            control = _possible(unit, treatments[0].control, event)
            sets.append(np.array([control, *(_happened(unit, name, event) for name in sorted(names))]))
            observed += control
    return permuted_sum(sets, observed)


def _could(events: Mapping[str, Mapping[str, Event]], event: str, *names: str) -> bool:
    return all(event in events.get(name, {}) for name in names)


def _happened(unit: Unit, name: str, event: str) -> int:
    return sum(events[name][event] is True for events in unit)


def _possible(unit: Unit, name: str, event: str) -> int:
    return sum(events[name][event] is not False for events in unit)
