"""Saves a fitted predictor in a JSON file, with arrays as base64; loading it runs and unpickles nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.formats.lines import write_whole, writing
from vivavoce.formats.wording import first_problem
from vivavoce.luna.predict.predictor import RatingPredictor
from vivavoce.luna.predict.predictors import predictor
from vivavoce.version import __version__

FORMAT: Final = 1
KIND: Final = "vivavoce luna predictor"
LARGEST: Final = 1 << 28
"""The most bytes of a file."""
DEEPEST: Final = 12
"""The most levels of nested lists and objects."""
MOST_DIMENSIONS: Final = 3
_ARRAY: Final = "array of"
"""The key of an array in the JSON, with its type; `shape` and `base64` follow."""
_TYPES: Final = ("<f8", "<f4", "<i8", "<i4", "|u1", "|b1")
_START: Final = f'{{"kind": "{KIND}"'.encode()
"""The first bytes of such a file."""
_ANEW: Final = "fit it again with 'viva luna predict fit'"


@dataclass(frozen=True, slots=True)
class PredictorOrigin:
    """The origin of a predictor: enough for another person to fit it again."""

    name: str
    """The name, as for `predictor`."""
    seed: NonNegativeInt
    people: NonNegativeInt
    """Number of people it learnt from."""
    graded: bool
    """Whether each answer had a grade."""
    questions: tuple[str, ...]
    """The questions it has learnt."""
    answered: NonNegativeInt
    """The fewest of these questions that any person it learnt from had answered."""
    errors: tuple[FiniteFloat, ...]
    """Ratings minus predictions for people left out, ascending; empty if too few could be left out."""
    training: str = ""
    """Name of the training file."""
    digest: str = ""
    """Its SHA-256, in hex."""
    version: str = __version__
    """Version of the program that fitted it."""


@dataclass(frozen=True, slots=True)
class SavedPredictor:
    """A fitted predictor with its origin."""

    model: RatingPredictor
    about: PredictorOrigin


def save(kept: SavedPredictor, path: Path) -> None:
    """Write a predictor to a file, and replace what it contains; raises `BadFile` if that fails."""
    document = {"kind": KIND, "format": FORMAT, "about": asdict(kept.about), "state": _written(kept.model.state())}
    write_whole(path, json.dumps(document, allow_nan=False) + "\n")


def load(path: Path) -> SavedPredictor:
    """The saved predictor, exactly as it was.

    Raises `BadFile` for any other content, and `MissingExtra` for a missing package.
    """
    document = _document(path)
    if document.get("kind") != KIND:
        raise BadFile(path, "not a rating predictor: 'viva luna predict fit' makes one")
    if document.get("format") != FORMAT:
        raise BadFile(path, f"format {str(document.get('format'))[:20]}; this program reads format {FORMAT}: {_ANEW}")
    try:
        about = TypeAdapter(PredictorOrigin).validate_python(document.get("about"))
        return SavedPredictor(predictor(about.name).from_state(_read(document["state"])), about)
    except MissingExtra:
        raise
    except ValidationError as error:
        problem = f"invalid content: {first_problem(error)}"
    except (BadInput, KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        problem = f"invalid content: {error}"
    raise BadFile(path, f"{problem[:200]}; {_ANEW}")


def check_replaceable(path: Path) -> None:
    """Raise `BadInput` for a file with other content, which would be lost."""
    if not path.exists():
        return
    with writing(path), path.open("rb") as file:
        start = file.read(len(_START))
    if start not in (b"", _START):
        raise BadInput(f"{path} is not a predictor: give another path")


def _document(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise BadFile(path, f"larger than {LARGEST >> 20} MiB: not a predictor")
        document = json.loads(data.decode("utf-8"), parse_constant=_refused)
    except OSError as error:
        raise BadFile(path, f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise BadFile(path, "not a rating predictor, since it is not JSON: 'viva luna predict fit' makes one") from None
    return document if isinstance(document, dict) else {}


def _written(value: Any) -> Any:
    """JSON values, with arrays as objects."""
    if isinstance(value, np.ndarray):
        array = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        text = base64.b64encode(array.tobytes()).decode("ascii")
        return {_ARRAY: array.dtype.str, "shape": list(value.shape), "base64": text}
    if isinstance(value, Mapping):
        return {str(name): _written(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_written(entry) for entry in value]
    return value


def _read(value: Any, depth: int = 0) -> Any:
    """The value that was written; raises `BadInput`."""
    if depth > DEEPEST:
        raise BadInput(f"it has more than {DEEPEST} levels")
    if isinstance(value, dict):
        return _array(value) if _ARRAY in value else {name: _read(entry, depth + 1) for name, entry in value.items()}
    return [_read(entry, depth + 1) for entry in value] if isinstance(value, list) else value


def _array(written: Mapping[str, Any]) -> Any:
    kind, shape = written[_ARRAY], written["shape"]
    if kind not in _TYPES or not (isinstance(shape, list) and len(shape) <= MOST_DIMENSIONS):
        raise BadInput(f"an array of type '{str(kind)[:20]}', or with more than {MOST_DIMENSIONS} dimensions, is not supported")
    data = base64.b64decode(written["base64"], validate=True)
    if any(type(length) is not int or length < 0 for length in shape) or prod(shape) * np.dtype(kind).itemsize != len(data):
        raise BadInput(f"an array of shape {str(shape)[:40]} has {len(data)} bytes")
    array = np.frombuffer(data, dtype=kind).reshape(shape)
    if not np.isfinite(array).all():
        raise BadInput("an array has a number that is not finite")
    return array.astype(array.dtype.newbyteorder("="))


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is not a number")
