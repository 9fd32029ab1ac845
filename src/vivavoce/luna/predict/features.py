"""What every feature of answers is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Protocol, Self, TypeVar, cast

import numpy as np
from pydantic import TypeAdapter, ValidationError
from scipy import sparse

from vivavoce.errors import BadInput
from vivavoce.formats.wording import first_problem
from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.key import Key
from vivavoce.luna.predict.texts import Sheet, distinct

Columns = sparse.csr_array | FloatArray
"""One row a person."""
T = TypeVar("T")


class Feature(Protocol):
    """Numbers that describe a person's answers: a frozen dataclass of JSON values.

    What it learns is kept in tuples, which are empty before; its other fields are settings.
    """

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> Self:
        """The same feature with what it takes from people whose ratings are known, and from the answer key."""
        ...

    def columns(self, sheet: Sheet) -> Columns:
        """One row a person; texts to the questions that it was fitted on, in the same order."""
        ...


def state_of(feature: Any) -> dict[str, Any]:
    """What a fitted feature has learnt, as JSON values."""
    return {name: value for name, value in asdict(feature).items() if isinstance(value, tuple)}


def restored(empty: T, state: Mapping[str, Any]) -> T:
    """The feature that gave this state; raises `BadInput` for a state of anything else."""
    try:
        settings = {one.name: getattr(empty, one.name) for one in fields(cast(Any, empty))}
        learnt = {name: state[name] for name in state_of(empty)}
        return TypeAdapter(type(empty)).validate_python({**settings, **learnt})
    except KeyError as error:
        raise BadInput(f"no state of a {type(empty).__name__}: {error} is missing") from None
    except ValidationError as error:
        raise BadInput(f"no state of a {type(empty).__name__}: {first_problem(error)}") from None


def by_text(sheet: Sheet, value: Callable[[int, str], float]) -> FloatArray:
    """One column a question with a value for each text; each distinct text is looked at once."""
    table = np.zeros((len(sheet[0]) if sheet else 0, len(sheet)))
    for question, texts in enumerate(sheet):
        known, places = distinct(texts)
        table[:, question] = np.array([value(question, text) for text in known], dtype=float)[places]
    return table


def indicators(rows: Sequence[Sequence[Hashable]], terms: Mapping[Hashable, int]) -> sparse.csr_array:
    """1 where a row holds a term, however often; unknown terms are left out."""
    found = [sorted({terms[term] for term in row if term in terms}) for row in rows]
    starts = np.cumsum([0, *map(len, found)])
    places = np.array([place for row in found for place in row], dtype=np.int64)
    return cast(sparse.csr_array, sparse.csr_array((np.ones(places.size), places, starts), shape=(len(rows), len(terms))))
