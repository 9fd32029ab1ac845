"""Files of a saved predictor: JSON and plain arrays, bounded, never a pickle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadFile

Floats = NDArray[np.float64]

MOST_BYTES: Final = 1 << 28
"""Of one file: 256 MiB."""


def read_json(file: Path) -> dict[str, Any]:
    """The JSON object in a file; raises `BadFile`."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BadFile(file, f"larger than {MOST_BYTES >> 20} MiB: no predictor writes such a file")
        value = json.loads(file.read_bytes().decode("utf-8"), parse_constant=_refused)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise BadFile(file, f"not JSON in UTF-8 ({str(error)[:80]}): fit the predictor again") from None
    if not isinstance(value, dict):
        raise BadFile(file, "not a JSON object: fit the predictor again")
    return value


def write_json(file: Path, value: dict[str, Any]) -> None:
    """Write JSON values."""
    file.write_text(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n", encoding="utf-8")


def read_array(file: Path, dimensions: int) -> Floats:
    """The finite numbers in a `.npy` file; raises `BadFile`.

    It is mapped, not read, until its size is known: a header that claims more than the file holds is refused at once.
    """
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BadFile(file, f"larger than {MOST_BYTES >> 20} MiB: no predictor writes such a file")
        mapped = np.load(file, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
    except Exception as error:  # numpy's parser of headers raises what it likes
        raise BadFile(file, f"not an array of numbers ({str(error)[:80]}): fit the predictor again") from None
    if not isinstance(mapped, np.ndarray) or mapped.dtype != np.float64 or mapped.ndim != dimensions or not mapped.size:
        raise BadFile(file, f"not an array of {dimensions} dimension{'s' if dimensions > 1 else ''}: fit the predictor again")
    array = np.array(mapped, dtype=np.float64)
    if not np.isfinite(array).all():
        raise BadFile(file, "holds a number that is not finite: fit the predictor again")
    return array


def write_array(file: Path, array: Floats) -> None:
    """Write numbers as a `.npy` file."""
    np.save(file, np.ascontiguousarray(array, dtype=np.float64), allow_pickle=False)


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no number")
