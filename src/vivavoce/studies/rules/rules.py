"""Rules: if P holds of some inputs, Q must hold of their outputs (equation 1 of `fluri2024`); and related inputs.

There are ready-made ways to make related inputs from rows, and tuples of them are read from a file.
"""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import JSON_LINES, ending, json_lines
from vivavoce.formats.tables import read_table as rows_of

NOISE = 1e-9
"""Default tolerance of ready-made rules: the last digits depend on the order of summation."""
LARGEST = 1e150
"""Largest size of an output and of a tolerance; beyond it sums and squares overflow."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A metamorphic relation: inputs in one relation must have outputs in another.

    >>> older = Rule(
    ...     "the older, the more expensive",
    ...     gap=lambda prices: prices[0] - prices[1],
    ...     applies=lambda people: people[0]["age"] <= people[1]["age"],
    ... )
    >>> older.holds_of([{"age": 30}, {"age": 20}]), older.violation([310.0, 290.0]), older.violation([290.0, 310.0])
    (False, 20.0, 0.0)
    """

    name: str
    """The requirement, in a few words that can end a sentence: `the same output`."""
    gap: Callable[[Sequence[Any]], float]
    """Computes from the outputs, in the order of the inputs, how far they are from what must hold, in the unit of the output; 0
    or less if it holds.
    """
    applies: Callable[[Sequence[Any]], bool] | None = None
    """Tells from the inputs whether the rule applies to them. Other tuples are skipped. None: it applies to all."""
    tolerance: float = 0.0
    """A gap up to this is not a violation."""
    numbers: bool = True
    """Whether only finite numbers up to 1e150 in size are answers. False: all outputs are."""

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < math.inf:
            raise BadInput(f"the tolerance of '{self.name}' is {self.tolerance}: give a number from 0 on")

    def holds_of(self, inputs: Sequence[Any]) -> bool:
        """Whether the relation holds for the inputs (P). Raises `BadInput` if the rule itself fails on them."""
        if self.applies is None:
            return True
        try:
            return bool(self.applies(inputs))
        except Exception as error:
            raise self._fault("cannot be applied to inputs", inputs, error) from error

    def distance(self, outputs: Sequence[Any]) -> float:
        """Compute the gap and check that it is finite. Raises `BadInput` if the rule itself fails on the outputs."""
        try:
            gap = float(self.gap(outputs))
        except Exception as error:
            raise self._fault("cannot be applied to outputs", outputs, error) from error
        if not math.isfinite(gap):
            raise BadInput(f"the rule '{self.name}' gives {gap}, not a finite number, for the outputs {str(outputs)[:100]}")
        return gap

    def violation(self, outputs: Sequence[Any]) -> float:
        """The gap if it is above the tolerance, else 0 (Q)."""
        gap = self.distance(outputs)
        return gap if gap > self.tolerance else 0.0

    def _fault(self, what: str, values: Sequence[Any], error: Exception) -> BadInput:
        return BadInput(f"the rule '{self.name}' {what} ({type(error).__name__}: {error}): {str(values)[:100]}")


def invariant(tolerance: float = NOISE, *, name: str = "the same output") -> Rule:
    """All outputs must be the same number; the gap is the difference between the largest and the smallest.

    >>> invariant(0.1).violation([0.5, 0.55]), invariant().violation([1, 4, 2])
    (0.0, 3.0)
    """
    return Rule(name, gap=lambda outputs: max(outputs) - min(outputs), tolerance=tolerance)


def equal(*, name: str = "the same answer") -> Rule:
    """All outputs must be equal, whatever they are: labels, texts. The gap is 0 or 1.

    >>> equal().violation(["cat", "cat"]), equal().violation(["cat", "dog"])
    (0.0, 1.0)
    """
    return Rule(name, gap=lambda outputs: float(any(bool(a != b) for a, b in pairwise(outputs))), numbers=False)


def increasing(tolerance: float = NOISE, *, name: str = "no lower output from one input to the next") -> Rule:
    """No output may be below an earlier one; the gap is the largest fall.

    >>> increasing().violation([1, 3, 2, 1]), increasing().violation([1, 1, 2])
    (2.0, 0.0)
    """
    return Rule(name, gap=_largest_fall, tolerance=tolerance)


def decreasing(tolerance: float = NOISE, *, name: str = "no higher output from one input to the next") -> Rule:
    """No output may be above an earlier one; the gap is the largest rise.

    >>> decreasing().violation([3, 1, 2])
    1.0
    """
    return Rule(name, gap=lambda outputs: _largest_fall([-output for output in outputs]), tolerance=tolerance)


def at_least(tolerance: float = NOISE, *, name: str = "the first output at least as high as the others") -> Rule:
    """The first output must not be below any other, for inputs that are only partly ordered. The gap is how far it is below.

    >>> at_least().violation([2, 1, 5]), at_least().violation([2, 1, 0])
    (3.0, 0.0)
    """
    return Rule(name, gap=lambda outputs: max(outputs[1:], default=outputs[0]) - outputs[0], tolerance=tolerance)


def at_most(tolerance: float = NOISE, *, name: str = "the first output at most as high as the others") -> Rule:
    """The first output must not be above any other; the reverse of `at_least`.

    >>> at_most().violation([2, 1, 5])
    1.0
    """
    return Rule(name, gap=lambda outputs: outputs[0] - min(outputs[1:], default=outputs[0]), tolerance=tolerance)


def _largest_fall(outputs: Sequence[float]) -> float:
    """Largest fall from the highest output so far to a later one; negative if all rise."""
    highest = accumulate(outputs, max)
    return max((before - after for before, after in zip(highest, outputs[1:], strict=False)), default=0.0)


TRIES = 100
"""Random draws of another row's value; if all equal the present one, the value is drawn from those that differ."""

Row = Any
"""A mapping from names of features to values, or a list, tuple or one-dimensional array of values."""


@dataclass(frozen=True, slots=True)
class RelatedInputs:
    """Inputs for which the condition P holds."""

    inputs: tuple[Any, ...]
    base: tuple[str, ...] = ()
    """Names of what the inputs were made from; tuples that share one depend on each other. Empty: it shares nothing."""
    rule: Rule | None = None
    """The requirement on their outputs; None: the rule of the check."""
    change: str = ""
    """How the inputs differ, in words; empty: it is derived from them."""
    id: str = ""


def raised(rows: Iterable[Row], feature: Any, by: float) -> Iterator[RelatedInputs]:
    """Yield each row with a copy in which one feature is raised by this much (lowered, if `by` is negative).

    Parameters
    ----------
    rows: mappings, or sequences of values, such as a two-dimensional array.
    feature: a key of the mapping, or an index of the sequence.

    Raises `BadInput` for a row that lacks the feature, or has no number there.

    >>> [tuple(pair.inputs) for pair in raised([{"age": 30, "sex": "f"}], "age", by=5)]
    [({'age': 30, 'sex': 'f'}, {'age': 35, 'sex': 'f'})]
    """
    for number, row in enumerate(rows, start=1):
        value = _value(row, feature, number)
        try:
            more = value + by
        except TypeError:
            raise BadInput(f"row {number}: '{feature}' is {str(value)[:40]!r}, which cannot be raised by {by}") from None
        yield RelatedInputs((row, with_value(row, feature, more)), base=(f"row {number}",))


def replaced(rows: Sequence[Row] | NDArray[Any], feature: Any, *, rng: np.random.Generator) -> Iterator[RelatedInputs]:
    """Yield each row with a copy in which one feature has another row's value, drawn from those that differ.

    Raises `BadInput` for a row that lacks the feature, or if all rows have the same value there.

    >>> rows = [{"age": 30, "sex": "f"}, {"age": 50, "sex": "m"}]
    >>> [pair.inputs[1]["sex"] for pair in replaced(rows, "sex", rng=np.random.default_rng(0))]
    ['m', 'f']
    """
    values = [_value(row, feature, number) for number, row in enumerate(rows, start=1)]
    for number, row in enumerate(rows, start=1):
        own = values[number - 1]
        drawn = (values[int(rng.integers(len(values)))] for _ in range(TRIES))
        other = next((value for value in drawn if value != own), None)
        if other is None:
            others = [value for value in values if value != own]
            if not others:
                raise BadInput(f"'{feature}' is {str(own)[:40]!r} in every row: no row has another value to replace it with")
            other = others[int(rng.integers(len(others)))]
        yield RelatedInputs((row, with_value(row, feature, other)), base=(f"row {number}",))


def changed(rows: Iterable[Row], change: Callable[[Row], Row | None]) -> Iterator[RelatedInputs]:
    """Yield each row with what a function makes of it; rows for which it returns None are left out.

    The function gets a copy, so it may change the row and return it.

    >>> [pair.inputs for pair in changed(["It rains.", ""], lambda text: text.upper() or None)]
    [('It rains.', 'IT RAINS.')]
    """
    for number, row in enumerate(rows, start=1):
        other = change(copy.deepcopy(row))
        if other is not None:
            yield RelatedInputs((row, other), base=(f"row {number}",))


def with_value(row: Row, feature: Any, value: Any) -> Row:
    """A copy of the row with one feature set to another value."""
    if isinstance(row, Mapping):
        return {**row, feature: value}
    if isinstance(row, np.ndarray):
        other = row.astype(np.result_type(row, value))  # whole numbers may become fractions
        other[feature] = value
        return other
    values = [*islice(row, len(row))]
    values[feature] = value
    return tuple(values) if isinstance(row, tuple) else values


def _value(row: Row, feature: Any, number: int) -> Any:
    try:
        return row[feature]
    except (KeyError, IndexError, TypeError):
        raise BadInput(f"row {number} has no '{feature}': rows are mappings, or sequences of values") from None


RELATIONS = {"same": invariant, "at least": at_least, "at most": at_most}
"""Rules by relation: how the first output must compare with each of the others."""
KEYS = ("inputs", "relation", "tolerance", "base", "id")
TUPLE = "tuple"
"""The column whose equal values mark the rows of one tuple."""
SINGLE = "input"
"""If a table has only this column besides those of `KEYS` and `TUPLE`, its inputs are values, not rows."""
_FORMATS = (".csv", ".tsv", ".json", *JSON_LINES)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,29})(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,2})?")


def read_table(file: Path, rule: Rule | None = None) -> list[RelatedInputs]:
    """The tuples of a file, in order.

    JSON Lines: `{"inputs": [x1, x2, ...], "relation": "same", "tolerance": 0.1, "base": "case 7", "id":
    "7a"}`; all but `inputs` are optional. CSV or TSV: one input a row. Consecutive rows with the same `tuple` form a tuple. The
    columns `relation`, `tolerance`, `base` and `id` are as above; all others are features of the input (or the input itself, if
    there is only a column `input`). Columns in which every cell is a plain number are read as numbers.

    `relation` says how the first output must compare with the others: "same", "at least" or "at most". Give it either on each
    line, or not at all with a rule for all lines.

    Raises `BadFile` with the line that can't be parsed, and `UnknownName` for an unknown relation.
    """
    lines = json_lines(file) if ending(file, _FORMATS) in (".json", *JSON_LINES) else _of_table(file)
    related = [_related(_InputLine(file, number, values), rule) for number, values in lines]
    if not related:
        raise BadFile(file, "holds no tuples")
    return related


@dataclass(frozen=True, slots=True)
class _InputLine:
    file: Path
    number: int
    values: dict[str, Any]

    def refused(self, problem: str) -> BadFile:
        return BadFile(self.file, problem, line=self.number)


def _related(line: _InputLine, rule: Rule | None) -> RelatedInputs:
    values = line.values
    if unknown := [key for key in values if key not in KEYS]:
        raise line.refused(f"'{unknown[0][:40]}' is not known: there may be {', '.join(KEYS)}")
    inputs = values.get("inputs")
    if not isinstance(inputs, list) or not inputs:
        raise line.refused("'inputs' is missing: give a list of inputs, such as [x1, x2]")
    base = values.get("base", [])
    bases = base if isinstance(base, list) else [base]
    if not all(isinstance(entry, str | int) for entry in bases):
        raise line.refused("'base' must be a name, or a list of names, of what the inputs were made from")
    name = values.get("id", "")
    if not isinstance(name, str | int):
        raise line.refused("'id' must be a text or a number")
    return RelatedInputs(tuple(inputs), tuple(str(entry) for entry in bases if entry != ""), _rule(line, rule), id=str(name))


def _rule(line: _InputLine, rule: Rule | None) -> Rule:
    relation = line.values.get("relation") or None
    if rule is not None:
        if relation is not None or line.values.get("tolerance") is not None:
            raise line.refused("has a relation of its own, and a rule is given: leave one of them out")
        return rule
    if relation is None:
        raise line.refused(f"'relation' is missing: give {', '.join(map(repr, RELATIONS))}, or a rule for all lines")
    if len(line.values["inputs"]) < 2:
        raise line.refused(f"'{relation}' needs at least two inputs")
    if not isinstance(relation, str) or relation not in RELATIONS:
        raise UnknownName(f"relation (line {line.number})", str(relation), RELATIONS)
    tolerance = line.values.get("tolerance")
    tolerance = NOISE if tolerance is None else tolerance
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance <= LARGEST:
        raise line.refused(f"'tolerance' is {json.dumps(tolerance)[:40]}: give a number from 0 on")
    return RELATIONS[relation](float(tolerance), name=NAMES[relation])


NAMES = {
    "same": "the same output",
    "at least": "the first output at least as high as the others",
    "at most": "the first output at most as high as the others",
}
"""Display names of the rules for the relations."""


def _of_table(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Combine the rows of a table into tuples in the form of JSON lines, each with the number of its first row."""
    columns, numbers = _columns(file)
    features = {name: _read(cells) for name, cells in columns.items() if name not in (*KEYS, TUPLE)}
    if not features:
        raise BadFile(file, f"has no inputs: give a column '{SINGLE}', or one for each feature")
    for _, group in groupby(range(len(numbers)), key=columns[TUPLE].__getitem__):
        places = list(group)
        if list(features) == [SINGLE]:
            line: dict[str, Any] = {"inputs": [features[SINGLE][i] for i in places]}
        else:
            line = {"inputs": [{name: values[i] for name, values in features.items()} for i in places]}
        for key in KEYS[1:]:
            cells = dict.fromkeys(cell for i in places if (cell := columns[key][i].strip())) if key in columns else {}
            if len(cells) > 1 and key != "base":
                raise BadFile(file, f"the rows of one tuple differ in '{key}'", line=numbers[places[0]])
            if cells:
                line[key] = list(cells) if key == "base" else next(iter(cells))
        if _NUMBER.fullmatch(line.get("tolerance", "")):
            line["tolerance"] = float(line["tolerance"])
        yield numbers[places[0]], line


def _columns(file: Path) -> tuple[dict[str, list[str]], list[int]]:
    """The cells of each column, and the line number of each row."""
    table = rows_of(file, [TUPLE])
    if "" in table.names:
        raise BadFile(file, "a column has no name: give it one", line=1)
    columns: dict[str, list[str]] = {name: [] for name in table.names}
    numbers = []
    for number, cells in table.rows:
        for name, cell in cells.items():
            columns[name].append(cell)
        numbers.append(number)
    return columns, numbers


def _read(cells: list[str]) -> list[Any]:
    """Numbers if all non-empty cells are plain numbers (empty ones become None), else texts."""
    stripped = [cell.strip() for cell in cells]
    filled = [cell for cell in stripped if cell]
    if not filled or not all(map(_NUMBER.fullmatch, filled)):
        return list(cells)
    whole = all(cell.lstrip("-").isdecimal() for cell in filled)
    return [None if not cell else int(cell) if whole else float(cell) for cell in stripped]
