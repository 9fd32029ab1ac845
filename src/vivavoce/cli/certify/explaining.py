"""What `viva certify` needs where procedures may be handed over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from vivavoce.certificate.config import ExplanationsConfig, Unreadable
    from vivavoce.certificate.explanations.examine import Procedures


def check_explanations(config: ExplanationsConfig) -> None:
    """Refuse what cannot be meant."""
    if config.checks is not None and not config.wanted:
        raise click.UsageError("'--checks' is for explanations: ask for them with '--explanations N'.")


def explained_by(config: ExplanationsConfig, unreadable: Unreadable) -> Procedures:
    """The procedures that are asked for or given; files are read now."""
    from vivavoce.certificate.explanations.examine import Procedures
    from vivavoce.certificate.explanations.given import read_procedure

    return Procedures(
        config.explanations or 0,
        config.explain_again or 0,
        tuple(map(read_procedure, config.explanation_file)),
        config.checks,
        config.programs_cpu,
        unreadable,
    )
