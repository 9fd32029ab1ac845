"""The settings of a certificate with their origins: a default, `viva.toml`, or the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli.help import SETTINGS
from vivavoce.cli.settings_file import without_password

if TYPE_CHECKING:
    from vivavoce.certificate.claims.results import ClaimFinding
    from vivavoce.report.blocks import ReportTable

DEFAULT: Final = "default"
COMMAND_LINE: Final = "command line"


@dataclass(frozen=True, slots=True)
class SettingOrigin:
    """A setting as it was used, and where its value comes from."""

    name: str
    """In JSON."""
    label: str
    value: float | int | str | None
    words: str
    """The value for readers."""
    origin: str


def settings_of(finding: ClaimFinding, transcript: str | None) -> list[SettingOrigin]:
    """The settings of the running command that its verdict depends on; empty outside of a command.

    transcript: its name without folders; None for one in memory.

    They are no part of the signature, whose digest is the same wherever a value comes from, and a recheck ignores them.
    No password of an address is among them.
    """
    from vivavoce.formats.wording import count, exactly

    context = click.get_current_context(silent=True)
    if context is None:
        return []
    criterion, attempt, grading = finding.criterion, finding.attempt, finding.grading
    limit = criterion.unacceptable_limit
    judge = None if grading is None or not grading.judge else without_password(grading.judge)
    rows: list[tuple[str, str, str, Any, str]] = [
        ("passing_grade", "passing_grade", "Pass mark", criterion.passing_grade, exactly(criterion.passing_grade)),
        ("unacceptable_limit", "unacceptable_limit", "Limit of unacceptable answers", limit,
         "none" if limit is None else exactly(limit)),
        ("delta", "delta", "Error bound over all attempts", criterion.delta, exactly(criterion.delta)),
        ("transcript", "transcript", "Transcript", transcript, transcript or "in memory"),
        ("seed", "seed", "Seed", finding.signature.seed, str(finding.signature.seed)),
        ("attempt", "again", "Attempt", None if attempt is None else attempt.number,
         "not counted" if attempt is None else count(attempt.number)),
        ("judge", "judge", "Judge", judge, judge or "none"),
    ]  # fmt: skip
    return [SettingOrigin(name, label, value, words, _origin(context, option)) for name, option, label, value, words in rows]


def _origin(context: click.Context, parameter: str) -> str:
    source = context.get_parameter_source(parameter)
    if source is click.core.ParameterSource.DEFAULT_MAP:
        return str(context.meta[SETTINGS])
    if source is click.core.ParameterSource.COMMANDLINE:
        return COMMAND_LINE
    return "default, drawn at random" if parameter == "seed" else DEFAULT


def settings_as_json(settings: Sequence[SettingOrigin]) -> dict[str, Any]:
    """Value and origin of each setting by its name, as JSON values."""
    return {setting.name: {"value": setting.value, "origin": setting.origin} for setting in settings}


def settings_table(settings: Sequence[SettingOrigin]) -> ReportTable:
    """The settings for a page."""
    from vivavoce.report.blocks import Column, ReportRow, ReportTable
    from vivavoce.report.cells import TableCell

    rows = (ReportRow(TableCell(setting.label), (TableCell(setting.words), TableCell(setting.origin))) for setting in settings)
    return ReportTable((Column("Setting"), Column("Value"), Column("Origin")), tuple(rows))
