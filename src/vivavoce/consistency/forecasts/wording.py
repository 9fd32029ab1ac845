"""What the laws of forecasts are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vivavoce.formats.wording import LONGEST_NAME, clipped

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
