"""Defendants: the person, the charge and the criminal record, read from a CSV file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.tables import read_table

MOST_DEFENDANTS = 1_000_000
LONGEST_TEXT = 300
"""Most characters of an id, a sex or a charge."""
HIGHEST_AGE = 150
MOST_CRIMES = 10_000

COLUMNS = ("id", "sex", "age", "c_charge_desc", "c_charge_degree", "priors_count", "juv_fel_count", "juv_misd_count")
"""Columns of the file, named as in ProPublica's COMPAS data; other columns are ignored."""

T = TypeVar("T")


class Degree(StrEnum):
    """Severity of a charge in law; the value is the file's."""

    MISDEMEANOUR = "M"
    FELONY = "F"

    @property
    def word(self) -> str:
        """The word for it in a prompt."""
        return self.name.lower()

    @property
    def other(self) -> Degree:
        """The opposite degree."""
        return Degree.FELONY if self is Degree.MISDEMEANOUR else Degree.MISDEMEANOUR


@dataclass(frozen=True, slots=True)
class DefendantRecord:
    """Everything a judge reads: the person, the charge and the criminal record."""

    sex: str
    age: int
    charge: str
    """Description of the charge; empty if the file has none."""
    degree: Degree
    priors: int
    juvenile_felonies: int
    juvenile_misdemeanours: int

    @property
    def severity(self) -> tuple[int, int, int, int]:
        """Values by which records are compared: degree, prior convictions, juvenile felonies, juvenile misdemeanours."""
        return (self.degree is Degree.FELONY, self.priors, self.juvenile_felonies, self.juvenile_misdemeanours)


@dataclass(frozen=True, slots=True)
class Defendant:
    """A person of the file, by id."""

    id: str
    record: DefendantRecord


def read_defendants(file: Path) -> list[Defendant]:
    """The defendants of a CSV file with the columns `COLUMNS`, in order.

    `c_charge_degree` is F (felony) or M (misdemeanour), the counts are whole numbers from 0, ids differ, and a charge may be
    empty. A file whose name ends in .gz is unpacked.

    Raises `BadFile` if the file can't be read, a column is missing or a value is invalid; it names the line.
    """
    defendants: dict[str, Defendant] = {}
    for line, row in read_table(file, COLUMNS, others=False).rows:
        if len(defendants) == MOST_DEFENDANTS:
            raise BadFile(file, f"more than {MOST_DEFENDANTS} defendants: split it", line=line)
        defendant = _RecordRow(file, line, row).defendant()
        if defendant.id in defendants:
            raise BadFile(file, f"the id '{defendant.id}' occurs a second time: ids must differ", line=line)
        defendants[defendant.id] = defendant
    if not defendants:
        raise BadFile(file, "it has no defendants: write one per line, below the names of the columns")
    return list(defendants.values())


def drawn(defendants: Sequence[Defendant], limit: int, *, seed: int) -> list[Defendant]:
    """Draw this many defendants at random, or all if there are fewer, in an order that does not depend on the file's.

    Defendants are sorted by a digest of seed and id, so a smaller draw is the beginning of a larger one.
    """
    if limit < 1:
        raise BadInput(f"a draw of {limit} defendants: it needs at least 1")
    return sorted(defendants, key=lambda defendant: digest(seed, "draw", defendant.id))[:limit]


def digest(seed: int, purpose: str, name: str) -> bytes:
    """SHA-256 of these three values: all random choices come from it."""
    return hashlib.sha256(f"{seed}\n{purpose}\n{name}".encode(errors="surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class _RecordRow:
    file: Path
    line: int
    cells: Mapping[str, str]

    def defendant(self) -> Defendant:
        """Check the line's values and make a defendant of them."""
        return Defendant(
            self._text("id", least=1),
            DefendantRecord(
                sex=self._text("sex", least=1),
                age=self._number("age", HIGHEST_AGE),
                charge=self._text("c_charge_desc", least=0),
                degree=self._value("c_charge_degree", lambda text: Degree(text.upper()), "F (felony) or M (misdemeanour)"),
                priors=self._number("priors_count", MOST_CRIMES),
                juvenile_felonies=self._number("juv_fel_count", MOST_CRIMES),
                juvenile_misdemeanours=self._number("juv_misd_count", MOST_CRIMES),
            ),
        )

    def _text(self, column: str, *, least: int) -> str:
        text = " ".join(self.cells[column].split())
        if not least <= len(text) <= LONGEST_TEXT:
            raise BadFile(self.file, f"'{column}' must have {least} to {LONGEST_TEXT} characters", line=self.line)
        return text

    def _number(self, column: str, most: int) -> int:
        return self._value(column, lambda text: range(most + 1)[_whole(text)], f"a whole number from 0 to {most}")

    def _value(self, column: str, read: Callable[[str], T], wanted: str) -> T:
        text = self.cells[column].strip()
        try:
            return read(text)
        except (ValueError, IndexError):
            raise BadFile(self.file, f"'{column}' is '{text[:40]}', it must be {wanted}", line=self.line) from None


def _whole(text: str) -> int:
    """Parse a number in plain digits. The length is limited because long numbers are slow to parse."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise ValueError
    return int(text)


def degrees_by_charge(defendants: Iterable[Defendant]) -> dict[str, dict[Degree, int]]:
    """Frequency of each described charge by degree; charges without description are left out."""
    result: dict[str, dict[Degree, int]] = {}
    for defendant in defendants:
        record = defendant.record
        if record.charge:
            degrees = result.setdefault(record.charge, {})
            degrees[record.degree] = degrees.get(record.degree, 0) + 1
    return result
