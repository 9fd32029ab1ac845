"""The files of a measurement: pairs with beliefs, answers, the tables of `vafa2024`, misplaced trust, and all of it as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadInput
from vivavoce.formats.cells import guarded
from vivavoce.formats.interval import Estimate
from vivavoce.formats.lines import write_whole
from vivavoce.generalization.answers import Grade, key_of, write_answers
from vivavoce.generalization.measurement.measurement import Measurement
from vivavoce.generalization.pairs import Pair, read_pairs, write_pairs

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
Known = tuple[str, str, bool, float | None, float | None, float | None]


def begin_folder(folder: Path, pairs: Sequence[Pair]) -> None:
    """Write the pairs into a folder that is new, empty or of a measurement of the same pairs.

    Raises `BadInput` for any other, so that no earlier measurement is written over.
    """
    folder.mkdir(exist_ok=True)
    there = {file.name for file in folder.iterdir() if not file.name.startswith((".", RECORD))}
    if there and PAIRS not in there:
        raise BadInput(f"--out {folder} holds something else than a measurement: give a new folder, or an empty one")
    if there and _known(read_pairs(folder / PAIRS)) != _known(pairs):
        raise BadInput(
            f"--out {folder} holds a measurement on other pairs or beliefs: give another folder, or the settings of that one"
        )
    write_pairs(folder / PAIRS, pairs)


def write_graded(folder: Path, prompts: Mapping[str, str], grades: Mapping[str, Mapping[str, Grade]]) -> None:
    """Write the answers: prompts by key, and grades by model and key."""
    write_answers(
        folder / ANSWERS,
        list(prompts.values()),
        {model: [told.get(key) for key in prompts] for model, told in grades.items()},
    )


def write_measurement(folder: Path, finding: Measurement) -> None:
    """Write tables and values; raises `BadFile`."""
    aligned = finding.alignment
    for name, measure in ((ACCURACY, "accuracy"), (ENTROPY, "cross_entropy")):
        rows = [
            (model.model, f"{t:g}", *_cells(one))
            for model in aligned.models
            for t, one in zip(aligned.thresholds, getattr(model, measure), strict=True)
        ]
        _write(folder / name, ("model", "threshold", "value", "lower", "upper", "n"), rows)
    rows = [
        (guarded(one.model), *_texts(one.pair), repr(one.before), *_cells(one.after), one.people)
        for one in finding.trust.pairs
    ]  # fmt: skip
    head = ("model", "q1", "q2", "source1", "source2", "before", "after", "lower", "upper", "n", "people")
    _write(folder / TRUST, head, rows)
    text = json.dumps(finding.as_json(), ensure_ascii=False, allow_nan=False, indent=1)
    write_whole(folder / WHOLE, f"{text}\n")


def _known(pairs: Iterable[Pair]) -> list[Known]:
    """What tells two lists of pairs apart."""
    return [
        (key_of(one.q1), key_of(one.q2), one.previous_correct, one.pred, one.prior, one.posterior) for one in pairs
    ]  # fmt: skip


def _texts(pair: Pair) -> tuple[str, ...]:
    """Its texts, safe in a spreadsheet, which is what this table is for."""
    return tuple(map(guarded, (pair.q1, pair.q2, pair.source1, pair.source2)))


def _cells(one: Estimate) -> tuple[Any, ...]:
    """Value, ends and number; empty for what is not known."""
    ends = (one.interval.lower, one.interval.upper)
    value = "" if one.value is None else repr(one.value)
    return (value, *("" if one.value is None or not isfinite(end) else repr(end) for end in ends), one.n)


def _write(file: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(head)
    table.writerows(rows)
    write_whole(file, out.getvalue())
