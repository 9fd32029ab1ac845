"""The files of a measurement: pairs, answers, tables as in `vafa2024`, misplaced trust, and the finding as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate
from vivavoce.formats.lines import write_whole
from vivavoce.formats.tables import guarded
from vivavoce.generalization.measurement.measurement import Measurement
from vivavoce.generalization.pairs import (
    BeliefPair,
    Grade,
    key_of,
    read_pairs,
    write_answers,
    write_pairs,
)

PAIRS: Final = "pairs.csv"
ANSWERS: Final = "answers.csv"
ACCURACY: Final = "accuracy.csv"
"""Table 2."""
ENTROPY: Final = "cross-entropy.csv"
"""Table 5."""
TRUST: Final = "misplaced-trust.csv"
WHOLE: Final = "measurement.json"
RECORD: Final = "transcript.sqlite"
PAGE: Final = "page.html"
PairIdentity = tuple[str, str, bool, float | None, float | None, float | None]


def begin_folder(folder: Path, pairs: Sequence[BeliefPair]) -> None:
    """Write the pairs into a folder that is new, empty, or holds a measurement on the same pairs.

    Raises `BadInput` for other folders, so that no other measurement is overwritten.
    """
    folder.mkdir(exist_ok=True)
    names = {file.name for file in folder.iterdir() if not file.name.startswith((".", RECORD))}
    if names and PAIRS not in names:
        raise BadInput(f"--out {folder} is not the folder of a measurement: give a new or an empty folder")
    if names and _identities(read_pairs(folder / PAIRS)) != _identities(pairs):
        raise BadInput(
            f"--out {folder} holds a measurement on other pairs or beliefs: give another folder, or the settings of that one"
        )
    write_pairs(folder / PAIRS, pairs)


def write_graded(folder: Path, prompts: Mapping[str, str], grades: Mapping[str, Mapping[str, Grade]]) -> None:
    """Write the answers: prompts by key, and grades by model and key."""
    write_answers(
        folder / ANSWERS,
        list(prompts.values()),
        {model: [by_key.get(key) for key in prompts] for model, by_key in grades.items()},
    )


def write_measurement(folder: Path, finding: Measurement) -> None:
    """Write tables and the finding. Raises `BadFile`."""
    aligned = finding.alignment
    for name, measure in ((ACCURACY, "accuracy"), (ENTROPY, "cross_entropy")):
        rows = [
            (model.model, f"{t:g}", *_cells(entry)) for model in aligned.models for t, entry in getattr(model, measure).items()
        ]
        _write(folder / name, ("model", "threshold", "value", "lower", "upper", "n"), rows)
    rows = [
        (
            *map(guarded, (pair.model, pair.pair.q1, pair.pair.q2, pair.pair.source1, pair.pair.source2)),
            *(repr(pair.before), *_cells(pair.after), pair.people),
        )
        for pair in finding.trust.pairs
    ]
    head = ("model", "q1", "q2", "source1", "source2", "before", "after", "lower", "upper", "n", "people")
    _write(folder / TRUST, head, rows)
    text = json.dumps(finding.as_json(), ensure_ascii=False, allow_nan=False, indent=1)
    write_whole(folder / WHOLE, f"{text}\n")


def _identities(pairs: Iterable[BeliefPair]) -> list[PairIdentity]:
    return [(key_of(pair.q1), key_of(pair.q2), pair.previous_correct, pair.pred, pair.prior, pair.posterior) for pair in pairs]


def _cells(estimate: Estimate) -> tuple[Any, ...]:
    """Value, ends and number; empty if unknown."""
    ends = (estimate.interval.lower, estimate.interval.upper)
    value = "" if estimate.value is None else repr(estimate.value)
    return (value, *("" if estimate.value is None or not isfinite(end) else repr(end) for end in ends), estimate.n)


def _write(file: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(head)
    table.writerows(rows)
    write_whole(file, out.getvalue())
