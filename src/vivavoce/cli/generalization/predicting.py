"""What a kept predictor says about pairs: at once, or by asking a language model."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli.asking import Asking
from vivavoce.cli.output import Kept

if TYPE_CHECKING:
    from vivavoce.generalization.pairs import Floats, Pair
    from vivavoce.generalization.predictors.base import Predictor


@dataclass(frozen=True, slots=True)
class Predicted:
    """Chances, and how they were obtained."""

    chances: Floats
    notes: tuple[str, ...] = ()
    kept: Kept | None = None
    """What to remember of the transcript, where there is one."""
    nothing: bool = False
    """Whether not one of them is a prediction: nothing could be read of all that was asked."""


CANDIDATE = click.option(
    "--candidate", metavar="CANDIDATE", help="few-shot: the language model that MODEL names, to say that it may be asked."
)


def predicted(predictor: Predictor, pairs: Sequence[Pair], asking: Asking, candidate: str | None) -> Predicted:
    """The chance of a change, one a pair.

    A folder may be a stranger's: whom its few-shot prompts go to, with the key in the environment, is for the user to name.
    """
    from vivavoce.generalization.predictors.few_shot import FewShotPredictor

    if not isinstance(predictor, FewShotPredictor):
        if asking.transcript is not None:
            raise click.UsageError("--transcript is for few-shot predictors: this one asks nobody.")
        return Predicted(predictor.predict(pairs))
    config = predictor.config
    if candidate != config.candidate:
        raise click.UsageError(f"this predictor asks {config.candidate}: say --candidate '{config.candidate}' if it may.")
    from vivavoce.candidates import open_candidate

    times = config.samples if config.way == "sampling" else 1
    asked, kept = asking.examined(
        open_candidate(config.candidate),
        lambda interview: predictor.ask(interview, pairs),
        expected=len(pairs) * times,
    )
    return Predicted(asked.chances, asked.notes, kept, not asked.read)


def with_pred(file: Path, pairs: Sequence[Pair], chances: Floats) -> str:
    """The table of a file of pairs as CSV, all its columns kept, with `pred` in place of what stood there.

    Where it has no `previous_correct`, because its name tells that, the column is added: the new file has another name.
    """
    from vivavoce.formats.lines import table_rows
    from vivavoce.formats.tables import read_table
    from vivavoce.generalization.pairs import NEEDED

    rows = table_rows(file, delimiter=read_table(file, NEEDED).delimiter)
    _, header = next(rows)
    names = [name.strip() for name in header]
    added = [name for name in ("previous_correct", "pred") if name not in names]
    place = (names + added).index("pred")
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(names + added)
    for (_, row), pair, chance in zip(rows, pairs, chances, strict=True):
        cells = row + [str(int(pair.previous_correct)) if name == "previous_correct" else "" for name in added]
        cells[place] = repr(float(chance))
        table.writerow(cells)
    return out.getvalue()
