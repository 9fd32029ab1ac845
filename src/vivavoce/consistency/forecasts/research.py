"""Tables of forecasts as research on forecasters has published them (paleka2024forecasters): a tuple a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vivavoce.consistency.forecasts.rows import Row, checked_forecasts
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import ending
from vivavoce.formats.tables import read_table as read_rows

COLUMNS: Final = ("run", "checker", "row", "keys", "probs")
"""Forecaster and question set, law, number, and `|` between statements and between probabilities. Others are not read."""


def is_table(file: Path) -> bool:
    """Whether the file's name says that it is a table.

    >>> is_table(Path("forecasts.csv.gz")), is_table(Path("forecasts.jsonl"))
    (True, False)
    """
    return ending(file) == ".csv"


def read_table(file: Path) -> Iterator[Row]:
    """The rows of a table of forecasts, in their order.

    Tuples of two forecasters are the same where what follows `_tuples_` in their runs, and the number, are.

    Raises `BadFile` with the line.
    """
    for number, cells in read_rows(file, COLUMNS, others=False).rows:
        try:
            run, checker, row, keys, probabilities = (cells[column] for column in COLUMNS)
            forecasts = dict(zip(keys.split("|"), map(_probability, probabilities.split("|")), strict=True))
            law = law_of_checker(checker)
            given = checked_forecasts(law, forecasts)
        except (BadInput, ValueError) as error:
            raise BadFile(file, str(error), line=number) from None
        yield Row(run, law, given, f"{run.partition('_tuples_')[2]} {row}".strip(), line=number)


def law_of_checker(checker: str) -> str:
    """The law that the research code calls a checker.

    >>> law_of_checker("ExpectedEvidence"), law_of_checker("CondCond"), law_of_checker("Neg")
    ('expected-evidence', 'cond-cond', 'neg')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", checker).lower()


def _probability(text: str) -> float | None:
    """None for an empty cell: a forecast that could not be read."""
    return float(text) if text.strip() else None
