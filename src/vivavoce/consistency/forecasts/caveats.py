"""What the scores of forecasts do not show, each in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vivavoce.consistency.forecasts.outcomes import AFTER_TURN, COPIED, CUT_OFF, came
from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.interview.unread import unread_caveats
from vivavoce.interview.wording import count, name_of, percent
from vivavoce.laws.metrics import FORMULA

if TYPE_CHECKING:
    from vivavoce.consistency.forecasts.finding import Favourite, LawConsistency, Summary

FEW = 30
"""Tuples below which a share is told to be rough."""
DULL = 0.02
"""Share of distinct forecasts below which a forecaster hardly says anything."""
IN_PAPER = frozenset({"neg", "paraphrase", "bayes", "increasing", "decreasing", CONTROL})
"""Laws with a metric of the paper's own."""


def caveats(finding: LawConsistency) -> tuple[str, ...]:
    """What to keep in mind about these numbers."""
    rows = finding.rows
    return tuple(
        filter(
            None,
            (
                "Consistent does not mean right: a forecaster that says the same to everything breaks few laws. Each figure "
                "comes with what constant and random forecasts get.",
                _dull(rows),
                *map(_favourite, finding.favourites),
                _unreadable(rows),
                *unread_caveats(
                    total=came(finding.replies),
                    copied=finding.replies.get(COPIED, 0),
                    cut_off=finding.replies.get(CUT_OFF, 0),
                    after_turn=finding.replies.get(AFTER_TURN, 0),
                ),
                _control(finding),
                _few(rows),
                _own_threshold(rows),
                "Forecasts of exactly 0 and 1 count as .001 and .999 in the distance in nats, unless coherent as they stand."
                if any(row.extreme for row in rows)
                else "",
                "Tuples without ids were paired by their place in the file: the comparison holds only if both forecasters were "
                "asked the same in the same order."
                if finding.by_place
                else "",
                "Whether the questions of a tuple are really related by their law was not checked here."
                if any(row.law != CONTROL for row in rows)
                else "",
            ),
        )
    )


def _dull(rows: tuple[Summary, ...]) -> str:
    dull = [row for row in rows if row.n >= FEW and row.distinct <= max(1, DULL * row.forecasts) and row.distinct <= 5]
    names = dict.fromkeys(name_of(row.forecaster) for row in dull)
    if not names:
        return ""
    few = max(row.distinct for row in dull)
    values = f"{few} different forecast{'s' * (few > 1)}"
    return f"On some laws {_listed(list(names))} gave no more than {values}: dull rather than consistent."


def _favourite(favourite: Favourite) -> str:
    return (
        f"{name_of(favourite.forecaster)} gave {favourite.value:g} to {count(favourite.count)} of "
        f"{count(favourite.questions)} different questions: hardly a forecast of each."
    )


def _unreadable(rows: tuple[Summary, ...]) -> str:
    unread, total = sum(row.unreadable for row in rows), sum(row.n + row.unreadable for row in rows)
    if not unread:
        return ""
    return f"{count(unread)} of {count(total)} tuples have a forecast that could not be read; they are left out of all shares."


def _control(finding: LawConsistency) -> str:
    again = [row for row in finding.rows if row.law == CONTROL and row.n]
    if again:
        shares = ", ".join(f"{percent(row.strong.value or 0.0)} ({name_of(row.forecaster)})" for row in again[:5])
        return f"Chance alone: asked the identical question again, strong contradictions in {shares} of cases."
    if CONTROL in finding.laws:
        return "The identical question was asked again, but no replies could be read: how much is chance is not known."
    if "paraphrase" in finding.laws:
        return "The identical question was not asked again, so that part of the contradictions may be chance in the replies."
    return ""


def _few(rows: tuple[Summary, ...]) -> str:
    few = sorted({law_name(row.law) for row in rows if 0 < row.n < FEW})
    return f"Fewer than {FEW} tuples on {_listed(few)}: read the intervals, not the shares." if few else ""


def _own_threshold(rows: tuple[Summary, ...]) -> str:
    others = sorted({law_name(row.law) for row in rows} - {law_name(law) for law in IN_PAPER})
    if not others:
        return ""
    own = any(row.law not in FORMULA for row in rows)
    more = "; for laws of your own it is a total change of .2 or more to coherent forecasts" if own else ""
    return (
        "What counts as strong, a difference above .2, is the paper's for negation, paraphrase, monotonicity and Bayes' rule, "
        f"and was adopted for {_listed(others)}{more}."
    )


def _listed(names: list[str]) -> str:
    shown = names[:6] + ([f"{len(names) - 6} more"] if len(names) > 6 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
