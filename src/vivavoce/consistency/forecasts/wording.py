"""What the scores of forecasts say in a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from vivavoce.consistency.forecasts.ranking import CONTROL, ranking
from vivavoce.interview.wording import LONGEST_NAME, clipped, count, name_of, percent, percent_interval

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


def law_name(law: str) -> str:
    """The law as a table calls it; a law that a user has written by its name, or as it was written.

    >>> law_name("neg"), law_name("A, B where A implies B"), law_name("won: A, B where A implies B")
    ('Negation', 'A, B where A implies B', 'won')
    """
    return NAME.get(law) or clipped(law.partition(":")[0].strip(), LONGEST_NAME)


def headline(finding: LawConsistency) -> str:
    """The result in a sentence: the law on which one forecaster fails most often, or who of several does so least."""
    asked = [row for row in finding.rows if row.law != CONTROL]
    read = [row for row in asked if row.n]
    unread, total = sum(row.unreadable for row in asked), sum(row.n + row.unreadable for row in asked)
    if not read:
        return f"Nothing can be said: no tuple has all its forecasts ({count(unread)} cannot be read)."
    said = _of_one(read) if len({row.forecaster for row in read}) == 1 else _of_several(finding, read)
    if unread <= total / 2:
        return said
    return f"Most forecasts cannot be read: {count(unread)} of {count(total)} tuples lack one. Of the others: {said}"


def others(finding: LawConsistency) -> str:
    """The next laws on which a single forecaster fails; empty for several, and where there is no more to say."""
    read = [row for row in finding.rows if row.law != CONTROL and row.n]
    if len({row.forecaster for row in read}) != 1:
        return ""
    more = [f"{_share(row)} {_where(row.law)}" for row in _by_share(read)[1:4] if row.strong.value]
    return f"Also in {'; in '.join(more)}." if more else ""


def _of_one(rows: Sequence[Summary]) -> str:
    worst = _by_share(rows)[0]
    if worst.strong.value:
        return f"{name_of(worst.forecaster)} contradicts itself strongly {_where(worst.law)} in {_share(worst)}."
    total = sum(row.n for row in rows)
    if total == 1:
        return (
            f"{name_of(worst.forecaster)} shows no strong contradiction in the only tuple of related questions; one tuple does "
            "not tell how often it would show one."
        )
    more = f"at most {percent(worst.strong.interval.upper)} of such cases are likely {_where(worst.law)}"
    return f"{name_of(worst.forecaster)} shows no strong contradiction in {count(total)} tuples of related questions; {more}."


def _of_several(finding: LawConsistency, rows: Sequence[Summary]) -> str:
    names, found = len(finding.forecasters), ranking(rows)
    if found is None:
        return f"{count(names)} forecasters, of whom no two can be compared: the table shows each by itself."
    who = "all of them" if len(found.shares) == names else f"{count(len(found.shares))} of them"
    laws = f"over the {len(found.laws)} laws that {who} were asked" if len(found.laws) > 1 else f"on {law_name(found.laws[0])}"
    reasons = ((found.dull, "for always saying the same"), (found.few_laws, "for being asked few of the laws"))
    left_out = ", ".join(f"{count(number)} {why}" for number, why in reasons if number)
    others = f" (left out: {left_out})" if left_out else ""
    return (
        f"Of {count(names)} forecasters{others} {name_of(found.best)} contradicts itself strongly least often, in "
        f"{percent(found.shares[found.best])} of tuples {laws}, and {name_of(found.worst)} most often, in "
        f"{percent(found.shares[found.worst])}."
    )


def _by_share(rows: Sequence[Summary]) -> list[Summary]:
    """The law that fails most often first."""
    return sorted(rows, key=lambda row: (row.strong.value or 0.0, row.mean.value or 0.0), reverse=True)


def _where(law: str) -> str:
    return OCCASION.get(law, f"on the law {law_name(law)}")


def _share(row: Summary) -> str:
    if row.n == 1:
        return "the only tuple"
    return f"{percent(row.strong.value or 0.0)} {percent_interval(row.strong.interval)} of {count(row.n)} tuples"
