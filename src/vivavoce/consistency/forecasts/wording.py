"""What the scores of forecasts say in a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final

from vivavoce.interview.wording import clipped, count, percent, percent_interval

if TYPE_CHECKING:
    from vivavoce.consistency.forecasts.finding import LawConsistency, Summary

NAME: Final[Mapping[str, str]] = {
    "neg": "Negation",
    "paraphrase": "Paraphrase",
    "and": "And",
    "or": "Or",
    "and-or": "And with or",
    "but": "Or with but not",
    "cond": "Condition",
    "cond-cond": "Two conditions",
    "consequence": "Consequence",
    "expected-evidence": "Expected evidence",
    "bayes": "Bayes' rule",
    "exclusive": "At most one",
    "exhaustive": "At least one",
    "partition": "Exactly one",
    "chain": "Thresholds",
    "repeat": "The same question again",
    "increasing": "Never falls",
    "decreasing": "Never rises",
}
"""Names of the laws in tables."""
OCCASION: Final[Mapping[str, str]] = {
    "neg": "between an event and its negation",
    "paraphrase": "between phrasings of one question",
    "and": "between two events and both of them",
    "or": "between two events and either of them",
    "and-or": "between two events, both and either of them",
    "but": "between P, Q without P, and P or Q",
    "cond": "between an event, what follows given it, and both",
    "cond-cond": "along a chain of two conditions",
    "consequence": "between an event and its consequence",
    "expected-evidence": "between an event and what it depends on",
    "bayes": "on Bayes' rule",
    "exclusive": "between events of which at most one can happen",
    "exhaustive": "between events of which at least one must happen",
    "partition": "between events of which exactly one happens",
    "chain": "between thresholds of which each implies the next",
    "increasing": "on quantities that can only grow",
    "decreasing": "on quantities that can only shrink",
}
"""Where the contradiction shows, to go on a sentence with."""
LONGEST_NAME: Final = 60
CONTROL: Final = "repeat"
"""The law that is none: the identical question again shows what is mere chance."""


def law_name(law: str) -> str:
    """The law as a table calls it; a law that a user has written by its name, or as it was written.

    >>> law_name("neg"), law_name("A, B where A implies B"), law_name("won: A, B where A implies B")
    ('Negation', 'A, B where A implies B', 'won')
    """
    return NAME.get(law) or clipped(law.partition(":")[0].strip(), LONGEST_NAME)


def statement(finding: LawConsistency) -> str:
    """The result in plain words: the law on which one forecaster fails most often, or which of several does so least."""
    of_laws = [row for row in finding.rows if row.law != CONTROL and row.n]
    if not of_laws:
        unread = sum(row.unreadable for row in finding.rows)
        return f"Nothing can be said: no tuple has all its forecasts ({count(unread)} cannot be read)."
    names = list(dict.fromkeys(row.forecaster for row in of_laws))
    said = _of_one(of_laws) if len(names) == 1 else _of_several(of_laws, names)
    asked = [row for row in finding.rows if row.law != CONTROL]
    unread, total = sum(row.unreadable for row in asked), sum(row.n + row.unreadable for row in asked)
    if unread <= total / 2:
        return said
    return f"Most forecasts cannot be read: {count(unread)} of {count(total)} tuples lack one. Of the others: {said}"


def _of_one(rows: Sequence[Summary]) -> str:
    ordered = sorted(rows, key=lambda row: (row.strong.value or 0.0, row.mean.value or 0.0), reverse=True)
    worst = ordered[0]
    who = clipped(worst.forecaster, LONGEST_NAME)
    where = OCCASION.get(worst.law, f"on the law {law_name(worst.law)}")
    if not worst.strong.value:
        total = sum(row.n for row in rows)
        more = f"at most {percent(worst.strong.interval.upper)} of such cases are likely {where}"
        return f"{who} shows no strong contradiction in {count(total)} tuples of related questions; {more}."
    said = f"{who} contradicts itself strongly {where} in {_share(worst)}"
    others = [f"{_share(row)} {OCCASION.get(row.law, law_name(row.law))}" for row in ordered[1:4]]
    return f"{said}." + (f" Also in {'; in '.join(others)}." if others else "")


def _of_several(rows: Sequence[Summary], names: Sequence[str]) -> str:
    by_name = {name: [row for row in rows if row.forecaster == name] for name in names}
    common = set.intersection(*({row.law for row in of} for of in by_name.values()))
    if not common:
        return f"{count(len(names))} forecasters, who have no law in common: the table shows each by itself."
    mean = {name: fmean(row.strong.value or 0.0 for row in of if row.law in common) for name, of in by_name.items()}
    best, worst = min(mean, key=lambda name: mean[name]), max(mean, key=lambda name: mean[name])
    laws = f"over the {len(common)} laws that all of them were asked" if len(common) > 1 else f"on {law_name(min(common))}"
    return (
        f"Of {count(len(names))} forecasters {clipped(best, LONGEST_NAME)} contradicts itself strongly least often, in "
        f"{percent(mean[best])} of tuples {laws}, and {clipped(worst, LONGEST_NAME)} most often, in {percent(mean[worst])}."
    )


def _share(row: Summary) -> str:
    return f"{percent(row.strong.value or 0.0)} {percent_interval(row.strong.interval)} of {count(row.n)} tuples"
