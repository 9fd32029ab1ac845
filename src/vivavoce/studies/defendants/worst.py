"""The worst contradictions, as examples to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vivavoce.studies.defendants.counterfactuals import ATTRIBUTE, Direction, Feature
from vivavoce.studies.defendants.hearing import Pair
from vivavoce.studies.defendants.prompts import record_in_words
from vivavoce.studies.presentation import Example

WORST: Final = 10


def worst_of(pairs: Iterable[Pair]) -> list[Pair]:
    """Up to ten contradictions, one of each defendant: blatant ones first, then the largest changes of the record."""
    by_defendant: dict[str, Pair] = {}
    for pair in sorted((pair for pair in pairs if pair.violation), key=gravity, reverse=True):
        by_defendant.setdefault(pair.defendant.id, pair)
    return list(by_defendant.values())[:WORST]


def gravity(pair: Pair) -> tuple[bool, int]:
    """How bad a contradiction is: whether it is blatant, and how far the record changes; a replaced charge weighs 3."""
    before, after = pair.defendant.record.severity, pair.other.record.severity
    degree, *numbers = (abs(x - y) for x, y in zip(before, after, strict=True))
    return pair.blatant, 3 * degree + sum(numbers)


def example(pair: Pair) -> Example:
    """A contradiction with both decisions."""
    assert pair.decisions is not None
    worse = pair.other.direction is Direction.MORE_SEVERE
    record, (first, second) = record_in_words(pair.defendant.record), pair.decisions
    return Example(
        pair.defendant.id,
        f"With a {'worse' if worse else 'milder'} record",
        f"{first} → {second}",
        (("Record", record), ("Decision", first), ("Worse" if worse else "Milder", _changes(pair)), ("Decision", second)),
        line=(record.replace("\n", " "), f"{first}, {_changes(pair)}", second),
    )


def _changes(pair: Pair) -> str:
    before, after = pair.defendant.record, pair.other.record
    parts = []
    for feature in pair.other.changed:
        if feature is Feature.CHARGE:
            old = before.charge or "a charge without description"
            parts.append(f"{old} ({before.degree.word}) became {after.charge} ({after.degree.word})")
        else:
            attribute = ATTRIBUTE[feature]
            parts.append(f"{feature.value} {getattr(before, attribute)} became {getattr(after, attribute)}")
    return "; ".join(parts)
