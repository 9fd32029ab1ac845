"""Predictors fitted by name, kept in folders, and opened again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.files import check_replaceable_folder, read_json, replace_folder, write_json
from vivavoce.errors import BadFile, UnknownName
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors.base import Predictor
from vivavoce.generalization.predictors.registry import PREDICTORS, predictor_kind
from vivavoce.version import __version__

FORMAT: Final = 1
FILE: Final = "predictor.json"
"""In the folder of every predictor; without it a folder is none."""


@dataclass(frozen=True, slots=True)
class About:
    """How a predictor came to be: enough for a stranger to fit it again."""

    predictor: str
    """Its name among `PREDICTORS`."""
    version: str
    """Of the program that fitted it."""
    seed: int
    options: Mapping[str, Any]
    """That were given; others were at their defaults."""
    training: tuple[tuple[str, str], ...]
    """Name and SHA-256 of each file it was fitted on."""
    teachers: tuple[tuple[str, str], ...] = ()
    """The same of the files with a teacher's labels."""
    n: int = 0
    """Labelled pairs."""
    changed: int = 0
    """Of them, those whose belief changed."""
    taught: int = 0
    """Pairs of teachers."""
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As it stands in the folder."""
        return {
            "format": FORMAT,
            "predictor": self.predictor,
            "version": self.version,
            "seed": self.seed,
            "options": dict(self.options),
            "training": [{"file": name, "sha256": digest} for name, digest in self.training],
            "teachers": [{"file": name, "sha256": digest} for name, digest in self.teachers],
            "n": self.n,
            "changed": self.changed,
            "taught": self.taught,
            **({"more": dict(self.more)} if self.more else {}),
        }


def fit_predictor(
    name: str,
    pairs: Sequence[Pair],
    *,
    teachers: Sequence[Pair] = (),
    rng: np.random.Generator,
    options: Mapping[str, Any] | None = None,
    progress: Callable[[Any], None] | None = None,
) -> Predictor:
    """Fit the predictor of that name. Raises `UnknownName` for it or an option, and what fitting raises.

    Parameters
    ----------
    options: of its configuration; the others are left at their defaults.
    progress: called now and then by those predictors whose fitting takes its time.

    >>> pairs = [Pair("a?", "b?", "sums", "sums", right, right) for right in (True, False)]
    >>> fit_predictor("previous", pairs, rng=np.random.default_rng(0)).predict(pairs).round(2).tolist()
    [0.75, 0.25]
    """
    kind, given = predictor_kind(name), dict(options or {})
    known = [one.name for one in kind.settings]
    for option in given:
        if option not in known:
            raise UnknownName(f"option of the predictor '{name}'", option, known)
    fit, _ = kind.functions()
    more: dict[str, Any] = {} if kind.config is None else {"config": kind.config(**given)}
    if kind.network:
        more["progress"] = progress
    return fit(pairs, teachers=teachers, rng=rng, **more)


def save_predictor(folder: Path, predictor: Predictor, about: About) -> None:
    """Keep a predictor in a folder, in place of the one that is kept there.

    Whatever goes wrong, the folder holds the old one or the new one (see `folders`).

    Raises `BadInput` for a folder that holds anything else than a predictor, and `BadFile` where nothing can be written.
    """
    check_replaceable(folder)

    def write(new: Path) -> None:
        predictor.save(new)
        write_json(new / FILE, about.as_json())

    replace_folder(folder, write)


def check_replaceable(folder: Path) -> None:
    """Raise `BadInput` for a place where no predictor can be kept without something else being lost."""
    check_replaceable_folder(folder, "predictor", _holds_one)


def _holds_one(folder: Path) -> bool:
    try:
        read_about(folder)
    except BadFile:
        return False
    return True


def read_about(folder: Path) -> About:
    """How the predictor in a folder came to be; raises `BadFile`."""
    file = folder / FILE
    if not file.is_file():
        raise BadFile(folder, f"no predictor (it has no {FILE}): 'viva generalization fit' makes one")
    kept = read_json(file)
    if kept.get("format") != FORMAT:
        raise BadFile(file, f"format {str(kept.get('format'))[:20]}; this program reads format {FORMAT}: fit it again")
    name, version, seed = kept.get("predictor"), kept.get("version"), kept.get("seed")
    if str(name) not in PREDICTORS:
        raise BadFile(file, str(UnknownName("predictor", str(name), PREDICTORS)))
    numbers = [kept.get(number, 0) for number in ("n", "changed", "taught")]
    options, more = kept.get("options", {}), kept.get("more", {})
    if not (isinstance(version, str) and all(map(_is_count, (seed, *numbers))) and isinstance(options, dict)):
        raise BadFile(file, "does not say how the predictor was fitted: fit it again")
    return About(
        predictor=str(name),
        version=version[:40],
        seed=int(seed or 0),
        options=options,
        training=_files(file, kept.get("training")),
        teachers=_files(file, kept.get("teachers")),
        n=numbers[0],
        changed=numbers[1],
        taught=numbers[2],
        more=more if isinstance(more, dict) else {},
    )


def open_predictor(folder: Path, *, device: str | None = None) -> tuple[Predictor, About]:
    """The predictor in a folder, and how it came to be; `device` is for networks, as torch names it.

    No code of the folder is run, and nothing is unpickled. Raises `BadFile`, and `MissingExtra` where it needs a package that
    is not installed.
    """
    about = read_about(folder)
    kind = predictor_kind(about.predictor)
    _, load = kind.functions()
    return load(folder, **({"device": device} if kind.network and device is not None else {})), about


def new_about(name: str, *, seed: int, options: Mapping[str, Any], training: Sequence[tuple[str, str]], **counts: Any) -> About:
    """About a predictor that this program has just fitted."""
    return About(name, __version__, seed, dict(options), tuple(training), **counts)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _files(file: Path, told: object) -> tuple[tuple[str, str], ...]:
    """Names and digests of files, as they were written."""
    if not isinstance(told, list) or len(told) > 10_000:
        raise BadFile(file, "does not list the files it was fitted on: fit it again")
    found = []
    for one in told:
        name, digest = (one.get("file"), one.get("sha256")) if isinstance(one, dict) else (None, None)
        if not (isinstance(name, str) and isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest)):
            raise BadFile(file, "names a file that it was fitted on without its SHA-256: fit it again")
        found.append((name[:400], digest))
    return tuple(found)
