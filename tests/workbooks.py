"""Workbooks (.xlsx) as small as they can be, for tests: their parts are written out here."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from xml.sax.saxutils import escape

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_STYLES = (
    f'<styleSheet {_MAIN}><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="20"/></cellXfs></styleSheet>'
)
DATE, TIME = "1", "2"
"""Styles of cells."""


def number(value: object, style: str = "0") -> str:
    """A cell with a number, which its style may show as a date or a time; its place is filled in."""
    return f'<c r="PLACE" s="{style}"><v>{value}</v></c>'


def error(shown: str) -> str:
    """A cell whose value could not be worked out."""
    return f'<c r="PLACE" t="e"><v>{shown}</v></c>'


FORMULA = '<c r="PLACE"><f>6*7</f></c>'
"""A cell with a formula that no program has worked out."""


def sheet(*rows: Sequence[str]) -> str:
    """The rows of a sheet: texts, or cells made by the functions above."""
    lines = []
    for line, cells in enumerate(rows, 1):
        written = "".join(
            (cell if cell.startswith("<c ") else f'<c r="PLACE" t="inlineStr"><is><t>{escape(cell)}</t></is></c>').replace(
                "PLACE", f"{ascii_uppercase[index]}{line}"
            )
            for index, cell in enumerate(cells)
            if cell
        )
        lines.append(f'<row r="{line}">{written}</row>')
    return "".join(lines)


def write_workbook(file: Path, sheets: Mapping[str, str]) -> Path:
    """A workbook with these sheets, each as `sheet` has it."""
    listed = list(enumerate(sheets, 1))
    links = [f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n, _ in listed]
    links.append(f'<Relationship Id="r0" Type="{_OFFICE}/styles" Target="styles.xml"/>')
    named = "".join(f'<sheet name="{escape(name)}" sheetId="{n}" r:id="r{n}"/>' for n, name in listed)
    book = f'<workbook {_MAIN} xmlns:r="{_OFFICE}"><sheets>{named}</sheets></workbook>'
    root = f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    kinds = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", f'<Types xmlns="{_PACKAGE}/content-types">{kinds}</Types>')
        packed.writestr("_rels/.rels", f'<Relationships xmlns="{_PACKAGE}/relationships">{root}</Relationships>')
        packed.writestr("xl/workbook.xml", book)
        packed.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(links)}</Relationships>'
        )
        packed.writestr("xl/styles.xml", _STYLES)
        for n, name in listed:
            packed.writestr(
                f"xl/worksheets/sheet{n}.xml", f"<worksheet {_MAIN}><sheetData>{sheets[name]}</sheetData></worksheet>"
            )
    return file
