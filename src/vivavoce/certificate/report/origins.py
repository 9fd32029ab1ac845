"""Settings that a verdict depends on, with their origins (default, `viva.toml`, command line), as JSON and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.wording import count, exactly
from vivavoce.report.blocks import Column, ReportRow, ReportTable
from vivavoce.report.cells import TableCell

LABELS: Final = {
    "passing_grade": "Pass mark",
    "unacceptable_limit": "Limit of unacceptable answers",
    "margin": "Margin",
    "delta": "Error bound over all attempts",
    "transcript": "Transcript",
    "seed": "Seed",
    "attempt": "Attempt",
    "judge": "Judge",
}
"""Settings by their names in JSON, with what readers see."""
NOTHING: Final = {"transcript": "in memory", "seed": "not revealed", "attempt": "not counted"}
"""Words for a setting without a value; others are "none"."""


@dataclass(frozen=True, slots=True)
class UsedSetting:
    """A setting as used, and the source of its value."""

    name: str
    """One of `LABELS`."""
    value: float | int | str | list[str] | None
    origin: str

    @property
    def words(self) -> str:
        """The value for readers.

        >>> UsedSetting("margin", 0.02, "default").words, UsedSetting("transcript", None, "default").words
        ('2%', 'in memory')
        """
        match self.value:
            case None:
                return NOTHING.get(self.name, "none")
            case float():
                return exactly(self.value)
            case int():
                return str(self.value) if self.name == "seed" else count(self.value)
            case list():
                return ", ".join(map(str, self.value))
        return str(self.value)


def settings_as_json(settings: Sequence[UsedSetting]) -> dict[str, Any]:
    """Value and origin of each setting by its name, as JSON values."""
    return {setting.name: {"value": setting.value, "origin": setting.origin} for setting in settings}


def settings_from_json(values: Mapping[str, Mapping[str, Any]]) -> list[UsedSetting]:
    """The settings that `settings_as_json` wrote.

    >>> settings_from_json({"delta": {"value": 0.05, "origin": "default"}})
    [UsedSetting(name='delta', value=0.05, origin='default')]
    """
    return [UsedSetting(name, entry["value"], entry["origin"]) for name, entry in values.items()]


def settings_table(settings: Sequence[UsedSetting]) -> ReportTable | None:
    """The settings for a page; None without any."""
    rows = (
        ReportRow(TableCell(LABELS[setting.name]), (TableCell(setting.words), TableCell(setting.origin)))
        for setting in settings
    )
    return ReportTable((Column("Setting"), Column("Value"), Column("Origin")), tuple(rows)) if settings else None
