"""Tables of forecasts, a forecast a row: what a spreadsheet holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from vivavoce.consistency.forecasts.grouped import groups_of
from vivavoce.consistency.forecasts.rows import Row, checked_row, number_or_percentage
from vivavoce.errors import BadFile

COLUMNS: Final = ("forecaster", "law", "group", "statement", "probability")


def read_tidy(file: Path, *, own: Mapping[str, str] | None = None) -> Iterator[Row]:
    r"""The tuples of a table with these columns, in the order in which they begin.

    Rows of one forecaster, law and group are a tuple. An empty probability is a forecast that could not be read; "30%" is 0.3.

    Parameters
    ----------
    own: the user's own laws by name, each in the line that `parse_law` reads.

    Raises `BadFile` with the line: of a row, or of the first one of a tuple that is none.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "said.csv")
    >>> _ = file.write_text("forecaster,law,group,statement,probability\nme,neg,1,P,30%\nme,neg,1,not_P,0.5\n")
    >>> [row.forecasts for row in read_tidy(file)]
    [{'P': 0.3, 'not_P': 0.5}]
    """
    for first, (forecaster, law, group), cells in groups_of(file, COLUMNS):
        said = {statement: _probability(file, text, line) for statement, (line, text) in cells.items()}
        yield checked_row(file, first, {"forecaster": forecaster, "law": law, "forecasts": said, "id": group}, own=own)


def _probability(file: Path, text: str, line: int) -> float | None:
    if not text:
        return None
    number = number_or_percentage(text)
    if number is None:
        raise BadFile(file, f"'probability' is '{text[:40]}': write a number from 0 to 1, or a percentage", line=line)
    return number
