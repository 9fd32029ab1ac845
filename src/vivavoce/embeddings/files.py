"""Writes and reads the files and folders of fitted models."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import writing

Floats = NDArray[np.float64]

MOST_BYTES: Final = 1 << 28
"""The largest file: 256 MiB."""


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

    It is mapped, not read, until its size is known, so a header that claims more than the file holds is refused at once.
    """
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BadFile(file, f"larger than {MOST_BYTES >> 20} MiB: no predictor writes such a file")
        mapped = np.load(file, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
    except Exception as error:  # numpy's header parser can raise any error
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
    raise ValueError(f"{name} is not a number")


def replace_folder(folder: Path, write: Callable[[Path], object]) -> None:
    """Replace a folder by a newly written one.

    The new folder is first written next to the old one, so an error leaves either the old or the new content. The folder is
    missing for a moment in between; if the program stops then, the old one is next to it under a similar name.

    write: fills the empty folder that it gets. Raises `BadFile` if the folder cannot be written.
    """
    folder = folder.absolute()
    with writing(folder), _beside(folder) as beside:
        new, old = Path(beside, "new"), Path(beside, "old")
        new.mkdir()
        write(new)
        try:
            if folder.exists():
                os.replace(folder, old)
            os.replace(new, folder)
        except BaseException:
            if old.is_dir() and not folder.exists():
                os.replace(old, folder)
            raise


def check_replaceable_folder(folder: Path, what: str, holds: Callable[[Path], bool]) -> None:
    """Raise `BadInput` for a folder whose content would be lost, and `BadFile` for one that cannot be written.

    what: the kind of content, such as "classifier".
    holds: whether an existing folder holds one.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise BadInput(f"{folder} is not a folder: give another place for the {what}")
    if not folder.absolute().parent.is_dir():
        raise BadInput(f"{folder}: the folder '{folder.absolute().parent}' does not exist; create it first")
    if folder.is_dir() and any(folder.iterdir()) and not holds(folder):
        raise BadInput(f"{folder} holds something other than a {what}: give a new or empty folder")
    with writing(folder), _beside(folder.absolute()):
        pass


def _beside(folder: Path) -> AbstractContextManager[str]:
    return tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent, ignore_cleanup_errors=True)
