"""What `viva certify` needs where procedures may be handed over."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options

if TYPE_CHECKING:
    from vivavoce.certificate.config import Unreadable
    from vivavoce.certificate.explanations.examine import Procedures

explaining_options = options.together(
    click.option(
        "--explanations",
        type=click.IntRange(1, 20),
        metavar="N",
        help="Ask the candidate first for at most N procedures (Python code), which then answer what they cover.",
    ),
    click.option(
        "--explain-again",
        type=click.IntRange(1, 20),
        metavar="N",
        help="Ask for one more after a ridiculous answer, at most N times; part of the error is set aside for it.",
    ),
    click.option(
        "--explanation-file",
        "explanation",
        type=options.KNOWN_FILE,
        multiple=True,
        metavar="FILE",
        help="A procedure from a file: a program (.py), or a table of questions and answers (.json, .csv, .tsv). Repeatable.",
    ),
    click.option(
        "--checks",
        type=click.IntRange(1, 10_000_000),
        metavar="N",
        help="Questions on which each procedure is checked, at no cost to the candidate; 10 000 to 100 000 if not given.",
    ),
    click.option(
        "--programs-cpu",
        type=options.amount,
        metavar="S",
        default=3600,
        show_default=True,
        help="Seconds of CPU that all programs may use together, checks included; then no more is asked.",
    ),
)
"""The options of `ExplainingOrder`."""


@dataclass(frozen=True, slots=True)
class ExplainingOrder:
    """What was asked for about explanations on the command line."""

    explanations: int | None
    explain_again: int | None
    explanation: tuple[Path, ...]
    checks: int | None
    programs_cpu: float


def explaining_from(given: dict[str, Any]) -> ExplainingOrder | None:
    """Take the options on explanations out of what was given; None where there are to be none."""
    order = options.taken_out(given, ExplainingOrder)
    if order.explanations or order.explain_again or order.explanation:
        return order
    if order.checks is not None:
        raise click.UsageError("'--checks' is for explanations: ask for them with '--explanations N'.")
    return None


def explained_by(order: ExplainingOrder, unreadable: Unreadable) -> Procedures:
    """The procedures that are asked for or given; files are read now."""
    from vivavoce.certificate.explanations.examine import Procedures
    from vivavoce.certificate.explanations.given import read_procedure

    return Procedures(
        order.explanations or 0,
        order.explain_again or 0,
        tuple(map(read_procedure, order.explanation)),
        order.checks,
        order.programs_cpu,
        unreadable,
    )
