"""A list of ridiculous answers that was extended: what that makes of earlier answers, which decide nothing."""

from __future__ import annotations

from vivavoce.certificate.extension import Extended
from vivavoce.formats.wording import counted
from vivavoce.report.blocks import Column, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell


def extended_list(found: Extended | None) -> Section:
    """Earlier attempts by both lists; nothing where the list was not extended, or nothing was answered before."""
    if found is None or not found.rescored:
        return Section("", ())
    rows = [
        Row(Cell(f"Attempt {one.attempt}"), (count_cell(one.answers), count_cell(one.before), count_cell(one.after)))
        for one in found.rescored
    ]
    columns = (
        Column("Earlier answers", short="earlier"),
        Column("Answers", short="answers", number=True),
        Column("Ridiculous by the list then", short="list then", number=True),
        Column("By the extended list", short="extended list", number=True),
    )
    return Section("Scored again, for description alone", (Table(columns, tuple(rows)),))


def extension_caveats(found: Extended | None) -> tuple[str, ...]:
    """What to say of an extension; nothing where there was none.

    >>> extension_caveats(None)
    ()
    """
    if found is None:
        return ()
    return (
        f"The list of ridiculous answers was extended by {counted(found.rules, 'rule')}, which may have been made in view of "
        "answers. The verdict rests only on questions that were drawn once that was on record; earlier answers, scored again, "
        "decide nothing.",
    )
