"""The process in which a workbook is read: `bounded_process` runs it by its path, and it imports nothing of this package.

One JSON object comes in: `file`, `sheet` and `most`. One goes out: `sheets`, each with whether it
holds something, and the `rows` of the one that is named, or else of the only one that does; or `problem`.
"""

from __future__ import annotations

import datetime
import json
import posixpath
import re
import sys
import zipfile
from typing import Any
from xml.etree import ElementTree

CELL = re.compile(rb"<(?:\w+:)?c\b((?:[^>/]|/(?!>))*)>(.*?)</(?:\w+:)?c>", re.DOTALL)
PLACE = re.compile(rb"\br\s*=\s*[\"']([A-Za-z]{1,3})(\d{1,7})[\"']")
ERROR = re.compile(rb"\bt\s*=\s*[\"']e[\"']")
VALUE = re.compile(rb"<(?:\w+:)?v\b[^>]*>([^<]*)<")
FORMULA = re.compile(rb"<(?:\w+:)?f\b")


def read(file: str, wanted: str) -> dict[str, Any]:
    """The sheets, and the rows of one of them."""
    import python_calamine

    try:
        with python_calamine.CalamineWorkbook.from_path(file) as book:
            names = list(book.sheet_names)
            filled = {}
            for name in names:
                sheet = book.get_sheet_by_name(name)
                filled[name] = sheet.start is not None
                if wanted == name or (not wanted and filled[name] and sum(filled.values()) == 1):
                    chosen, rows = name, sheet.to_python(skip_empty_area=False)
            if (wanted and wanted not in names) or (not wanted and sum(filled.values()) != 1):
                return {"sheets": list(filled.items()), "rows": []}
        unknown = _mark_unworked(file, chosen, rows)
    except (python_calamine.CalamineError, zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError, OSError) as error:
        return {"problem": f"is not a workbook that can be read ({type(error).__name__})"}
    if unknown:
        return {"problem": "holds values that were not worked out, in cells without a place"}
    return {"sheets": list(filled.items()), "rows": [[_plain(cell) for cell in row] for row in rows]}


def _mark_unworked(file: str, sheet: str, rows: list[list[Any]]) -> bool:
    """Put what a spreadsheet program shows into cells that it could not work out, which are read as empty ones.

    Returns whether there are any whose place is not known.
    """
    with zipfile.ZipFile(file) as packed:
        content = packed.read(_part_of(packed, sheet))
    for cell in CELL.finditer(content):
        attributes, inside = cell.groups()
        value = VALUE.search(inside)
        if ERROR.search(attributes):
            shown = value[1].decode(errors="replace") if value else "#VALUE!"
        elif FORMULA.search(inside) and value is None:
            shown = "#VALUE!"  # a formula that no program has worked out yet
        else:
            continue
        place = PLACE.search(attributes)
        if place is None:
            return True
        row, column = int(place[2]) - 1, _number(place[1].decode().upper()) - 1
        while len(rows) <= row:
            rows.append([])
        rows[row] += [""] * (column + 1 - len(rows[row]))
        rows[row][column] = shown
    return False


def _number(letters: str) -> int:
    found = 0
    for letter in letters:
        found = found * 26 + ord(letter) - 64
    return found


def _part_of(packed: zipfile.ZipFile, sheet: str) -> str:
    """The part of a workbook that is its sheet of that name."""
    book = ElementTree.fromstring(packed.read("xl/workbook.xml"))  # noqa: S314 -- in a process that is bounded
    links = ElementTree.fromstring(packed.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    targets = {link.get("Id"): str(link.get("Target")) for link in links}
    found = next(one for one in book.iter() if one.tag.endswith("}sheet") and one.get("name") == sheet)
    key = next(value for name, value in found.attrib.items() if name.endswith("}id"))
    target = targets[key]
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))


def _plain(cell: Any) -> Any:
    if isinstance(cell, datetime.datetime | datetime.date):
        return {"date": cell.isoformat()}
    if isinstance(cell, datetime.time):
        return {"time": cell.isoformat()}
    return str(cell) if isinstance(cell, datetime.timedelta) else cell


def main() -> None:
    """Read and write."""
    asked = json.loads(sys.stdin.buffer.read())
    said = json.dumps(read(asked["file"], asked["sheet"]))
    if len(said) > asked["most"]:
        said = json.dumps({"problem": "holds more than is read"})
    sys.stdout.write(said)


if __name__ == "__main__":
    main()
