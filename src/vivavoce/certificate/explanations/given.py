"""Procedures that are there already, from files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from vivavoce.certificate.explanations.lookup import read_table
from vivavoce.certificate.explanations.procedures import Coded, Procedure
from vivavoce.certificate.explanations.sandbox.program import Program
from vivavoce.certificate.explanations.sandbox.sandbox import Sandbox
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import text_lines

TABLES: Final = (".json", ".csv", ".tsv")


def read_procedure(file: Path) -> Procedure:
    """A procedure from a file: a program (.py) or a table, by what its name ends with. Raises `BadFile`."""
    if file.suffix.lower() in TABLES:
        return read_table(file)
    if file.suffix.lower() != ".py":
        raise BadFile(file, f"neither a program (.py) nor a table ({', '.join(TABLES)}): name it by what it is")
    try:
        return Coded(file.name, Program("".join(text_lines(file))), Sandbox())
    except BadInput as error:
        raise error if isinstance(error, BadFile) else BadFile(file, str(error)) from None
