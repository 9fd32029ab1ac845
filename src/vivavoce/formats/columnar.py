"""Files of columns with types: Parquet, and Arrow's own, which Feather is another name of. They need `vivavoce[parquet]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, MissingExtra
from vivavoce.formats.lines import ending

COLUMNAR: Final = (".parquet", ".arrow", ".feather")
"""How their names end."""
BATCH: Final = 10_000
"""Rows that are in memory together; Arrow files have batches of their own."""
_BEGINS: Final = b"ARROW1"


def check_columnar() -> None:
    """Raises `MissingExtra` where such files can be neither read nor written."""
    if find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", extra="parquet")


def columnar_rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, some at a time, each with the values of all columns; None where there is none.

    Raises `BadFile` for a file that is not what its name says, and `MissingExtra`.
    """
    form = ending(file, COLUMNAR)
    if file.suffix.lower() == ".gz":
        raise BadFile(file, f"is packed: unpack it, since a {form} file is packed in itself")
    check_columnar()
    pa = import_module("pyarrow")
    try:
        for batch in (_parquet if form == ".parquet" else _arrow)(file):
            names = batch.schema.names
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                yield dict(zip(names, values, strict=True))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        kind = "Parquet" if form == ".parquet" else "Arrow"
        raise BadFile(file, f"is no {kind} file that can be read ({type(error).__name__})") from None


def there(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without the values that are missing: None, and what is no number, as data frames have it for an empty cell.

    >>> there({"question": "What is 6 times 7?", "answer": 42, "category": None, "weight": float("nan")})
    {'question': 'What is 6 times 7?', 'answer': 42}
    """
    return {name: value for name, value in row.items() if value is not None and not (isinstance(value, float) and isnan(value))}


def _parquet(file: Path) -> Iterator[Any]:
    # buffered beforehand, the bytes of all row groups would stay in memory
    with import_module("pyarrow.parquet").ParquetFile(file, pre_buffer=False) as source:
        yield from source.iter_batches(batch_size=BATCH)


def _arrow(file: Path) -> Iterator[Any]:
    """Batches of a file of Arrow's, with an index at its end or as a stream, which is how data sets are kept in caches."""
    pa = import_module("pyarrow")
    with pa.OSFile(str(file)) as source:
        begins = source.read(len(_BEGINS))
        source.seek(0)
        if begins == _BEGINS:
            reader = pa.ipc.open_file(source)
            yield from (reader.get_batch(number) for number in range(reader.num_record_batches))
        else:
            yield from pa.ipc.open_stream(source)
