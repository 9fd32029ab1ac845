"""Fits predictors by name, saves them in folders, and opens them again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.embedding import check_replaceable_folder, read_json, replace_folder, write_json
from vivavoce.errors import BadFile, UnknownName
from vivavoce.formats.json_values import to_json
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.predictors.base import PREDICTORS, Predictor, predictor_kind
from vivavoce.version import __version__

FORMAT: Final = 1
FILE: Final = "predictor.json"
"""File that marks the folder of a predictor."""


@dataclass(frozen=True, slots=True)
class TrainingFile:
    """A file that a predictor was fitted to."""

    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class PredictorRecord:
    """How a predictor was fitted, in enough detail for others to fit it again."""

    predictor: str
    """Its name in `PREDICTORS`."""
    seed: int
    options: Mapping[str, Any]
    """Options without defaults."""
    training: tuple[TrainingFile, ...]
    teachers: tuple[TrainingFile, ...] = ()
    """Files with a teacher's labels."""
    n: int = 0
    """Number of labelled pairs."""
    changed: int = 0
    """Labelled pairs whose belief changed."""
    taught: int = 0
    """Number of a teacher's pairs."""
    more: Mapping[str, Any] = field(default_factory=dict)
    version: str = __version__
    """Version of the program that fitted it."""
    format: int = FORMAT


def fit_predictor(
    name: str,
    pairs: Sequence[BeliefPair],
    *,
    teachers: Sequence[BeliefPair] = (),
    rng: np.random.Generator,
    options: Mapping[str, Any] | None = None,
    progress: Callable[[Any], None] | None = None,
) -> Predictor:
    """Fit the predictor with this name. Raises `UnknownName` for the predictor or an option, and the errors of fitting.

    options: settings by name; others have their defaults.
    progress: called repeatedly by predictors that take long to fit.

    >>> pairs = [BeliefPair("a?", "b?", "sums", "sums", right, right) for right in (True, False)]
    >>> fit_predictor("previous", pairs, rng=np.random.default_rng(0)).predict(pairs).round(2).tolist()
    [0.75, 0.25]
    """
    kind, values = predictor_kind(name), dict(options or {})
    known = [setting.name for setting in kind.settings]
    for option in values:
        if option not in known:
            raise UnknownName(f"option of the predictor '{name}'", option, known)
    fit, _ = kind.functions()
    more: dict[str, Any] = {} if kind.config is None else {"config": kind.config(**values)}
    if kind.network:
        more["progress"] = progress
    return fit(pairs, teachers=teachers, rng=rng, **more)


def save_predictor(folder: Path, predictor: Predictor, about: PredictorRecord) -> None:
    """Save a predictor in a folder, replacing a predictor that is there.

    After a failure the folder holds either the old or the new predictor (see `folders`).

    Raises `BadInput` for a folder with other contents, and `BadFile` if it can't be written.
    """
    check_replaceable(folder)

    def write(new: Path) -> None:
        predictor.save(new)
        write_json(new / FILE, to_json(about))

    replace_folder(folder, write)


def check_replaceable(folder: Path) -> None:
    """Raise `BadInput` for a folder in which saving a predictor would delete something else."""
    check_replaceable_folder(folder, "predictor", _holds_predictor)


def _holds_predictor(folder: Path) -> bool:
    try:
        read_about(folder)
    except BadFile:
        return False
    return True


def read_about(folder: Path) -> PredictorRecord:
    """How the predictor in a folder was fitted. Raises `BadFile`."""
    file = folder / FILE
    if not file.is_file():
        raise BadFile(folder, f"not a predictor (it has no {FILE}): make one with 'viva people predict fit'")
    saved = read_json(file)
    if saved.get("format") != FORMAT:
        raise BadFile(file, f"has format {str(saved.get('format'))[:20]}, not {FORMAT}: fit the predictor again")
    name, version, seed = saved.get("predictor"), saved.get("version"), saved.get("seed")
    if str(name) not in PREDICTORS:
        raise BadFile(file, str(UnknownName("predictor", str(name), PREDICTORS)))
    numbers = [saved.get(number, 0) for number in ("n", "changed", "taught")]
    options, more = saved.get("options", {}), saved.get("more", {})
    if not (isinstance(version, str) and all(map(_is_count, (seed, *numbers))) and isinstance(options, dict)):
        raise BadFile(file, "does not say how the predictor was fitted: fit it again")
    return PredictorRecord(
        predictor=str(name),
        version=version[:40],
        seed=int(seed or 0),
        options=options,
        training=_files(file, saved.get("training")),
        teachers=_files(file, saved.get("teachers")),
        n=numbers[0],
        changed=numbers[1],
        taught=numbers[2],
        more=more if isinstance(more, dict) else {},
    )


def open_predictor(folder: Path, *, device: str | None = None) -> tuple[Predictor, PredictorRecord]:
    """Open the predictor in a folder; `device` is for networks, as torch names it.

    It runs no code of the folder and unpickles nothing. Raises `BadFile`, and `MissingExtra` for a package that is not
    installed.
    """
    about = read_about(folder)
    kind = predictor_kind(about.predictor)
    _, load = kind.functions()
    return load(folder, **({"device": device} if kind.network and device is not None else {})), about


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _files(file: Path, saved: object) -> tuple[TrainingFile, ...]:
    if not isinstance(saved, list) or len(saved) > 10_000:
        raise BadFile(file, "does not list its training files: fit the predictor again")
    files = []
    for entry in saved:
        name, digest = (entry.get("file"), entry.get("sha256")) if isinstance(entry, dict) else (None, None)
        if not (isinstance(name, str) and isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest)):
            raise BadFile(file, "names a training file without its SHA-256: fit the predictor again")
        files.append(TrainingFile(name[:400], digest))
    return tuple(files)
