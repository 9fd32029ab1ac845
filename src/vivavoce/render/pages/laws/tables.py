"""The tables of forecasts measured against laws: every number already in words, for the page and the terminal alike."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.consistency.forecasts.finding import LawConsistency
from vivavoce.consistency.forecasts.ranking import CONTROL, ranking
from vivavoce.consistency.forecasts.references import CONSTANT
from vivavoce.consistency.forecasts.summary import Summary
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.interview.finding import Estimate, Interval
from vivavoce.interview.wording import count, name_of, percent, percent_interval, score, score_interval
from vivavoce.render.wording import breakable

MOST_LAWS: Final = 24
"""Columns of a table; a file may hold a law of its own in every line."""
MOST_CELLS: Final = 1_500
"""Of a table, so that the page stays below a megabyte."""
FEW: Final = 5
"""Forecasters up to which each has histograms of its own; tables of more are tinted, to be taken in at a glance."""
TINTS: Final = (0.02, 0.1, 0.25, 0.5)
"""Shares of strong contradictions from which a cell is tinted more."""
AT_RANDOM: Final = "At random"
THE_SAME: Final = "Always the same"
ABOUT_REFERENCES: Final = {
    AT_RANDOM: "Every forecast drawn from 0 to 1, every series in random order.",
    THE_SAME: f"{percent(CONSTANT)} to every question, the same quantity every year.",
}

Cell = tuple[str, str]
"""A number and its interval."""


@dataclass(frozen=True, slots=True)
class View:
    """What of a finding there is room for."""

    rows: Mapping[tuple[str, str], Summary]
    """By forecaster and law."""
    forecasters: tuple[str, ...]
    laws: tuple[str, ...]
    """The control last."""
    left_out: str
    """What there was no room for, in words."""

    def of_law(self, law: str) -> list[Summary]:
        """The forecasters that were asked this law."""
        return [self.rows[name, law] for name in self.forecasters if (name, law) in self.rows]

    def extremes(self) -> tuple[str, ...]:
        """Who contradicts itself strongly least and most often, as the sentence has it."""
        found = ranking([row for row in self.rows.values() if row.n])
        return (found.best, found.worst) if found else tuple(self.forecasters[:2])

    def ranked(self) -> list[str]:
        """The forecasters, who contradicts itself strongly least often first; those that cannot be compared last."""
        found = ranking([row for row in self.rows.values() if row.n])
        order = list(found.shares) if found else []
        return order + [name for name in self.forecasters if name not in order]

    def _share(self, forecaster: str, law: str) -> float | None:
        row = self.rows.get((forecaster, law))
        return None if row is None else row.strong.value


def view(finding: LawConsistency) -> View:
    """What of the finding the tables show."""
    of_laws = [law for law in finding.laws if law != CONTROL]
    laws = (*of_laws[:MOST_LAWS], *((CONTROL,) if CONTROL in finding.laws else ()))
    names = finding.forecasters
    shown = names[: max(1, MOST_CELLS // len(laws))]
    kept, known = set(shown), set(laws)
    rows = {(row.forecaster, row.law): row for row in finding.rows if row.forecaster in kept and row.law in known}
    left_out = ""
    if len(shown) < len(names) or len(of_laws) > MOST_LAWS:
        left_out = (
            f"There is room for {count(len(shown))} of {count(len(names))} forecasters and {count(len(laws))} of "
            f"{count(len(finding.laws))} laws; the JSON has all of them."
        )
    return View(rows, shown, laws, left_out)


def strong(row: Summary) -> Cell:
    """Share of strong contradictions."""
    return _cell(row.strong, percent, percent_interval)


def mean(row: Summary) -> Cell:
    """Mean metric."""
    return _cell(row.mean, score, score_interval)


def nats(row: Summary) -> Cell:
    """Mean distance to the nearest coherent forecasts."""
    return ("none", "") if row.violation is None else _cell(row.violation, in_nats, _nats_interval)


def in_nats(value: float, rounded: Callable[[float], int] = round) -> str:
    """A distance to two significant digits, if it is not too small to matter.

    >>> in_nats(0.00672), in_nats(0.05), in_nats(1.234, math.ceil), in_nats(1e-9), in_nats(1e-9, math.floor), in_nats(12.7)
    ('0.0067', '0.050', '1.3', '0', '0', '13')
    """
    if value < 0.0001:
        return "0.0001" if rounded is math.ceil and value > 0 else "0"
    digits = 1 - math.floor(math.log10(value))
    return f"{rounded(round(value * 10**digits, 9)) / 10**digits:.{max(0, digits)}f}"


def distinct(row: Summary) -> str:
    """Different values among the forecasts."""
    return f"{count(row.distinct)} of {count(row.forecasts)}"


def tuples(rows: Sequence[Summary]) -> str:
    """How many tuples stand behind each of these.

    >>> tuples([])
    'n = 0'
    """
    numbers = sorted({row.n for row in rows}) or [0]
    return f"n = {count(numbers[0])}" if len(numbers) == 1 else f"n = {count(numbers[0])} to {count(numbers[-1])}"


def references(rows: Sequence[Summary]) -> dict[str, Cell]:
    """The share of strong contradictions and the mean metric of forecasters that know nothing, by what they are called.

    They depend on how many questions a tuple has, which may differ between forecasters: then both ends are told.
    """
    told = {AT_RANDOM: [row.random for row in rows], THE_SAME: [row.constant for row in rows]}
    return {
        who: (_ends((one.strong for one in found), percent), _ends((one.mean for one in found), score))
        for who, found in told.items()
    }


def reference_nats(rows: Sequence[Summary]) -> dict[str, str]:
    """The mean distance in nats of forecasters that know nothing."""
    told = {AT_RANDOM: [row.random for row in rows], THE_SAME: [row.constant for row in rows]}
    return {who: _ends((one.violation for one in found if one.violation is not None), in_nats) for who, found in told.items()}


def tint(row: Summary) -> int:
    """How much the cell is tinted: from 0, hardly a strong contradiction, to 4, in half of the tuples or more."""
    return bisect_right(TINTS, row.strong.value or 0.0)


def by_law(shown: View) -> list[dict[str, object]]:
    """The tables of a single forecaster: laws down."""
    lines: list[dict[str, object]] = []
    for law in shown.laws:
        for row in shown.of_law(law):
            beside = references([row])
            lines.append(
                {
                    "law": law_name(law),
                    "metric": row.metric,
                    "n": tuples([row]),
                    "strong": strong(row),
                    "mean": mean(row),
                    "random": beside[AT_RANDOM],
                    "constant": beside[THE_SAME],
                    "nats": nats(row),
                    "random_nats": reference_nats([row])[AT_RANDOM],
                    "distinct": distinct(row),
                    "unreadable": count(row.unreadable),
                    "control": law == CONTROL,
                }
            )
    return lines


def matrix(shown: View) -> dict[str, object]:
    """The tables of several forecasters, as the paper has them: forecasters down, laws across."""
    by = {law: shown.of_law(law) for law in shown.laws}
    same = {law: len({row.n for row in rows}) == 1 for law, rows in by.items()}
    heads = [
        {
            "law": law_name(law),
            "metric": rows[0].metric if rows else "",
            "n": tuples(rows) if same[law] else "",
            "control": law == CONTROL,
        }
        for law, rows in by.items()
    ]
    lines = [
        (breakable(name_of(name)), [_of(shown.rows.get((name, law)), same[law]) for law in shown.laws])
        for name in shown.forecasters
    ]
    beneath = [(who, ABOUT_REFERENCES[who], [references(rows)[who] for rows in by.values()]) for who in ABOUT_REFERENCES]
    in_nats = [(who, [reference_nats(rows)[who] for rows in by.values()]) for who in ABOUT_REFERENCES]
    return {
        "heads": heads,
        "lines": lines,
        "references": beneath,
        "in_nats": in_nats,
        "tinted": len(shown.forecasters) > FEW,
    }


def _of(row: Summary | None, same_number: bool) -> dict[str, object] | None:
    if row is None:
        return None
    return {
        "strong": strong(row),
        "mean": mean(row),
        "n": "" if same_number else tuples([row]),
        "tint": tint(row),
        "nats": nats(row),
        "distinct": distinct(row),
        "unreadable": f"{count(row.unreadable)} unreadable" if row.unreadable else "",
        "control": row.law == CONTROL,
    }


def _cell(estimate: Estimate, write: Callable[[float], str], write_interval: Callable[[Interval], str]) -> Cell:
    if estimate.value is None:
        return ("unknown", "")
    if math.isinf(estimate.interval.upper):
        return (write(estimate.value), f"[{write(estimate.interval.lower)}, …]")
    return (write(estimate.value), write_interval(estimate.interval))


def _nats_interval(interval: Interval) -> str:
    return f"[{in_nats(interval.lower, math.floor)}, {in_nats(interval.upper, math.ceil)}]"


def _ends(values: Iterable[float], write: Callable[[float], str]) -> str:
    ordered = [write(value) for value in sorted(values)]
    if not ordered:
        return "none"
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"
