"""Where the running command's settings come from: a default, `viva.toml`, or the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli.help import SETTINGS
from vivavoce.cli.settings_file import without_password

if TYPE_CHECKING:
    from vivavoce.certificate.claims.results import ClaimFinding
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.comparison.gate import Gate
    from vivavoce.certificate.report.origins import UsedSetting

DEFAULT: Final = "default"
COMMAND_LINE: Final = "command line"
PARAMETERS: Final = {"attempt": "again"}
"""Parameters of commands by setting, where their names differ."""


def settings_of(finding: ClaimFinding | Comparison | Gate, transcripts: Sequence[str]) -> list[UsedSetting]:
    """The settings of the running command that its verdict depends on; empty outside of a command.

    transcripts: their names without folders, one for all candidates or one for each; empty in memory.

    They are no part of the signature, whose digest does not depend on where a value comes from, and a recheck ignores them.
    No password of an address is among them.
    """
    from vivavoce.certificate.claims.results import ClaimFinding
    from vivavoce.certificate.comparison.gate import Gate
    from vivavoce.certificate.report.origins import UsedSetting

    context = click.get_current_context(silent=True)
    if context is None:
        return []
    claim: dict[str, Any]
    if isinstance(finding, ClaimFinding):
        criterion, grading = finding.criterion, finding.grading
        claim = {"passing_grade": criterion.passing_grade, "unacceptable_limit": criterion.unacceptable_limit}
        claim["delta"] = criterion.delta
    else:
        comparison = finding.comparison if isinstance(finding, Gate) else finding
        config, grading = comparison.config, comparison.grading
        claim = {"margin": config.margin, "delta": config.delta}
    values = {
        **claim,
        "transcript": [*transcripts] if len(transcripts) > 1 else next(iter(transcripts), None),
        "seed": finding.signature.seed,
        "attempt": None if finding.attempt is None else finding.attempt.number,
        "judge": None if grading is None or not grading.judge else without_password(grading.judge),
    }
    parameters = PARAMETERS | ({"transcript": "records"} if len(transcripts) > 1 else {})
    return [UsedSetting(name, value, _origin(context, parameters.get(name, name))) for name, value in values.items()]


def _origin(context: click.Context, parameter: str) -> str:
    source = context.get_parameter_source(parameter)
    if source is click.core.ParameterSource.DEFAULT_MAP:
        return str(context.meta[SETTINGS])
    if source is click.core.ParameterSource.COMMANDLINE:
        return COMMAND_LINE
    return "default, drawn at random" if parameter == "seed" else DEFAULT
